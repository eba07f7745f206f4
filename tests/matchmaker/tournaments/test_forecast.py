"""The plan of a tournament, told beforehand."""

import math

import pytest

from matchmaker.formats.contract import BadTerms, Entrant, Terms
from matchmaker.tournaments.forecast import BESIDE, POINTS, UNKNOWN_SIGMA, forecast, spoken
from matchmaker.tournaments.wishes import read_settings


def terms(format: str, *words: str) -> Terms:
    return Terms(format=format, game="skirmish", settings=read_settings(format, words))


def field(count: int) -> list[Entrant]:
    return [Entrant(f"bot-{seed}", seed) for seed in range(1, count + 1)]


def test_a_round_robin_of_eight() -> None:
    ahead = forecast(terms("round_robin", "orders=one"), field(8), [1] * 8, 30.0)
    assert (ahead.matches, ahead.fewest, ahead.most, ahead.at_once) == (28, 7, 7, 4)
    assert ahead.hours == pytest.approx(7 * 30 * BESIDE / 3600)


def test_few_places_make_it_longer() -> None:
    quick = forecast(terms("round_robin"), field(6), [4] * 6, 10.0)
    slow = forecast(terms("round_robin"), field(6), [1] * 6, 10.0)
    assert slow.hours > 2 * quick.hours


def test_more_matches_make_the_table_surer() -> None:
    """Each match of even bots brings a quarter of a squared logit; a logit is 3.46 points."""
    one = forecast(terms("round_robin", "orders=one"), field(8), [1] * 8, 1.0)
    many = forecast(terms("round_robin", "orders=one", "cycles=4"), field(8), [1] * 8, 1.0)
    assert pytest.approx(3.46, abs=0.005) == POINTS
    known = 1 / UNKNOWN_SIGMA**2
    assert one.sigma == pytest.approx(1 / math.sqrt(7 * 0.25 / 3.462**2 + known), rel=1e-3)
    assert many.sigma == pytest.approx(1 / math.sqrt(28 * 0.25 / 3.462**2 + known), rel=1e-3)


def test_what_cannot_be_held_has_no_plan() -> None:
    with pytest.raises(BadTerms):
        forecast(terms("round_robin"), field(1), [1], 1.0)


def test_caps_are_in_the_plan() -> None:
    whole = forecast(terms("round_robin", "orders=one"), field(8), [1] * 8, 30.0)
    capped = forecast(terms("round_robin", "orders=one"), field(8), [1] * 8, 30.0, most_matches=14)
    assert (capped.matches, capped.hours) == (14, whole.hours / 2)
    short = forecast(terms("round_robin"), field(8), [1] * 8, 3600.0, most_seconds=7200)
    assert short.hours == 2


@pytest.mark.parametrize(
    ("hours", "text"),
    [(3.25, "3.2 hours"), (0.5, "30 minutes"), (0.005, "18 s"), (0, "0 s"), (1 / 60, "1 minute")],
)
def test_durations_are_told_as_people_say_them(hours: float, text: str) -> None:
    assert spoken(hours) == text
