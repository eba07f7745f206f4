"""The ladder's promises as figures: worked examples."""

import pytest

from matchmaker.promises import FEW_MATCHES, WINDOW, imbalance, repeats, spread
from matchmaker.tally import Tally
from tests.matchmaker.test_tally import A, B, scored, tally_of


def test_even_pairings_have_no_spread() -> None:
    assert spread([("a", "b"), ("c", "d")], "abcd") == 0.0
    assert spread([], "abcd") == 0.0


def test_spread_is_the_gini_coefficient() -> None:
    """a, b, c, d had 1, 1, 1, 3: half the mean difference over the mean, 12/(2·16·1.5) of them."""
    recent = [("a", "d"), ("b", "d"), ("c", "d")]
    assert spread(recent, "abcd") == pytest.approx(0.25)


def test_spread_is_of_recent_pairings_and_of_bots_that_are_there() -> None:
    old = [("a", "b")] * 100
    assert spread(old + [("a", "b"), ("c", "d")] * WINDOW * 2, "abcd") == 0.0
    assert spread([("a", "gone"), ("b", "gone")], "ab") == 0.0


def test_repeats_are_of_bots_that_have_just_met() -> None:
    assert repeats([("a", "b"), ("c", "d"), ("b", "a")], 4) == pytest.approx(1 / 3)
    assert repeats([("a", "b"), ("a", "c"), ("a", "b")], 3) == pytest.approx(1 / 3), "b's last"
    assert repeats([("a", "b"), ("a", "c"), ("b", "c")], 3) == 0.0
    assert repeats([], 3) == 0.0


def test_imbalance_is_that_of_the_worst_bot() -> None:
    assert imbalance(Tally(), {}, "ab") == 0.0
    even = tally_of(*(scored(n, (A, B) if n % 2 else (B, A), pairing="") for n in range(1, 9)))
    assert imbalance(even, {"a": "1", "b": "1"}, "ab") == 0.0
    uneven = tally_of(*(scored(n, (A, B) if n % 4 else (B, A), pairing="") for n in range(1, 9)))
    assert imbalance(uneven, {"a": "1", "b": "1"}, "ab") == pytest.approx(0.25)
    assert imbalance(uneven, {"a": "2", "b": "2"}, "ab") == 0.0, "earlier versions play no more"
    assert imbalance(uneven, {"a": "1", "b": "1"}, "cd") == 0.0, "they are not there"
    few = tally_of(*(scored(n, (A, B), pairing="") for n in range(1, FEW_MATCHES)))
    assert imbalance(few, {"a": "1", "b": "1"}, "ab") == 0.0
