"""The ready table: its order, and what each column says."""

import json
import random
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from matchmaker import table
from matchmaker.columns import SURE
from matchmaker.entries import START, Result
from matchmaker.fold import Fold, whole
from tests.matchmaker.test_fold import result, season


def ladder(strong: dict[str, float], count: int, seed: int = 1) -> list[Result]:
    """Pairings of bots of known strength; who sits first has an advantage."""
    chance, found = random.Random(seed), []
    while len(found) < count:
        pair = chance.sample(sorted(strong), 2)
        for one, other in (pair, pair[::-1]):
            odds = 2.718281828 ** (strong[other] - strong[one] - 0.5)
            ranks = (1, 2) if chance.random() < 1 / (1 + odds) else (2, 1)
            number = len(found) + 2  # pairings are named by half of it
            found.append(result(number, one, other, ranks=ranks))
    return found


STRONG = {"a": 1.5, "b": 0.6, "c": 0.5, "d": -1.0, "e": -3.0}


@pytest.fixture(scope="module")
def shown() -> dict[str, Any]:
    return table.render(whole(ladder(STRONG, 600)), "toy", 7, START)


def test_the_order_is_the_estimates(shown: dict[str, Any]) -> None:
    rows = shown["table"]
    assert shown["order"] == "estimate"
    assert [row["estimate"] for row in rows] == sorted((r["estimate"] for r in rows), reverse=True)
    assert [row["rank"] for row in rows] == [1, 2, 3, 4, 5]
    assert [rows[0]["bot"], rows[3]["bot"], rows[4]["bot"]] == ["a", "d", "e"]


def test_the_estimate_and_trueskill_can_disagree() -> None:
    """b has won once and played little: mu - 3 sigma punishes that, the estimate does not."""
    results = [result(1, "b", "c")]
    results += [
        result(number, *("ac" if number % 2 else "ca"), ranks=(1, 1)) for number in range(2, 40)
    ]
    rows = table.render(whole(results), "toy", 7, START)["table"]
    assert rows[0]["bot"] == "b"
    assert max(rows, key=lambda row: row["worth"])["bot"] != "b"


def test_intervals_hold_the_estimate_and_are_of_its_unit(shown: dict[str, Any]) -> None:
    for row in shown["table"]:
        assert row["low"] < row["estimate"] < row["high"]
        assert row["high"] - row["low"] == pytest.approx(
            2 * (row["high"] - row["estimate"]), abs=0.01
        )
        assert row["rank_low"] <= row["rank"] <= row["rank_high"]
    rows = {row["bot"]: row["estimate"] for row in shown["table"]}
    for one, other in (("a", "d"), ("b", "e")):
        truth = 3.46 * (STRONG[one] - STRONG[other])
        assert rows[one] - rows[other] == pytest.approx(truth, abs=2.5)


def test_neighbours_of_nearly_equal_strength_are_tied(shown: dict[str, Any]) -> None:
    rows = shown["table"]
    groups = {row["bot"]: row["tie_group"] for row in rows}
    assert groups == {"a": 1, "b": 2, "c": 2, "d": 3, "e": 4}
    for row, below in pairwise(rows):
        assert (row["above_next"] < SURE) == (row["tie_group"] == below["tie_group"])
    assert rows[-1]["above_next"] is None


def test_a_tie_is_with_the_first_of_its_group() -> None:
    """Each is nearly as good as its neighbour, but the first and the last are not equal."""
    strong = {f"b{number}": -0.22 * number for number in range(12)}
    rows = table.render(whole(ladder(strong, 1_500)), "toy", 7, START)["table"]
    assert sum(row["above_next"] >= SURE for row in rows[:-1]) < rows[-1]["tie_group"] - 1


def test_ranks_are_provisional_while_they_may_be_anything(shown: dict[str, Any]) -> None:
    assert not any(row["provisional"] for row in shown["table"])
    few = table.render(whole(ladder(STRONG, 4)), "toy", 7, START)
    assert any(row["provisional"] for row in few["table"])


def test_the_side_effect_is_told_with_its_interval(shown: dict[str, Any]) -> None:
    first, second = shown["side_effect"]
    assert (first["sides"], first["side"], second["side"]) == (2, 0, 1)
    assert first["low"] < 3.46 * 0.5 < first["high"]
    assert first["low"] > 0
    assert first["share"] + second["share"] == pytest.approx(1.0)
    assert first["effect"] == -second["effect"]


def test_results_by_side_and_by_pairing_add_up(shown: dict[str, Any]) -> None:
    for row in shown["table"]:
        for word in ("wins", "draws", "losses"):
            assert sum(side[word] for side in row["sides"]) == row[word]
        assert 2 * sum(row["pentanomial"]) == row["matches"]
        points = sum(half * count for half, count in enumerate(row["pentanomial"]))
        assert points == 2 * row["wins"] + row["draws"]


def test_a_late_result_leaves_no_trace() -> None:
    results = ladder(STRONG, 60)
    late = Fold()
    for each in [*results[:20], *results[21:], results[20]]:
        late.add(each)
    assert table.render(late, "toy", 7, START) == table.render(whole(results), "toy", 7, START)


def test_a_new_version_is_ranked_and_the_one_before_is_not() -> None:
    results = [*ladder(STRONG, 60), result(100, "a", "b", version="2")]
    made = table.render(whole(results), "toy", 7, START)
    assert {row["version"] for row in made["table"] if row["bot"] in "ab"} == {"2"}
    earlier = {row["bot"]: row for row in made["earlier"]}
    assert set(earlier) == {"a", "b"}
    assert earlier["a"]["estimate"] > earlier["b"]["estimate"]
    assert (earlier["a"]["rank"], earlier["a"]["rank_low"]) == (0, None)
    assert sum(side["wins"] for side in earlier["a"]["sides"]) == earlier["a"]["wins"]


def test_free_for_alls_and_draws_have_an_order_too() -> None:
    results = [result(number, *"abc", ranks=(1, 2, 2)) for number in range(1, 9)]
    made = table.render(whole(results), "toy", 7, START)
    assert made["table"][0]["bot"] == "a"
    assert [row["side"] for row in made["side_effect"]] == [0, 1, 2]
    assert made["table"][0]["sides"] == [{"wins": 8, "draws": 0, "losses": 0}]
    assert made["table"][0]["pentanomial"] == [0] * 5


def test_without_numpy_the_order_is_trueskills_and_says_so() -> None:
    """In a process of its own, where numpy cannot be imported."""
    program = """
import json, sys
sys.modules["numpy"] = None
from matchmaker import table
from matchmaker.fold import whole
from tests.matchmaker.test_fold import season
print(json.dumps(table.render(whole(season(40)), "toy", 7, bytes(32))))
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        capture_output=True, text=True, timeout=60, check=True, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    made = json.loads(done.stdout)
    rows = made["table"]
    assert (made["order"], made["prior"], made["side_effect"]) == ("trueskill", None, [])
    assert rows == sorted(rows, key=lambda row: -row["worth"])
    assert {row["estimate"] for row in rows} == {None}
    assert list(rows[0]) == list(table.render(whole(season(40)), "toy", 7, START)["table"][0])


def test_too_many_bots_are_ordered_by_trueskill(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("matchmaker.estimate.MOST_PLAYERS", 3)
    made = table.render(whole(season(40)), "toy", 7, START)
    assert made["order"] == "trueskill"
    assert made["table"] == sorted(made["table"], key=lambda row: -row["worth"])
