"""Tables and tie-breaks: the examples printed in FIDE's exercises, and rules of our own."""

import pytest

from matchmaker.formats import breaks
from tests.matchmaker.formats import held

BOTS = [str(number) for number in range(1, 17)]


def by_number(values: dict[str, float]) -> list[float]:
    return [values[str(number)] for number in range(1, len(values) + 1)]


def places(table: str, *, forfeits_met: bool = False) -> list[int]:
    """By points and direct encounter alone, as the exercises ask."""
    turns = held.turns(table, forfeits_met=forfeits_met)
    points = {bot: int(sum(turn.points for turn in mine)) for bot, mine in turns.items()}
    rule = breaks.direct_encounter(held.taken(turns), most=2)
    record = dict.fromkeys(turns, (0, 0, 0))
    rows = breaks.rank(list(turns), points, [("direct encounter", rule)], record, {})
    found = {row.bot: row.place for row in rows}
    return [found[str(number)] for number in range(1, len(found) + 1)]


def test_buchholz_as_printed() -> None:
    opponents = breaks.Opponents(held.turns(held.SWISS_5), drawn=1, width=1)
    assert by_number(opponents.buchholz()) == held.BUCHHOLZ


def test_buchholz_cut_1_as_printed() -> None:
    opponents = breaks.Opponents(held.turns(held.SWISS_5), drawn=1, width=1)
    assert by_number(opponents.buchholz_cut()) == held.CUT_1


def test_sonneborn_berger_of_a_swiss_as_printed() -> None:
    opponents = breaks.Opponents(held.turns(held.SWISS_5), drawn=1, width=1)
    assert by_number(opponents.sonneborn_berger()) == held.SONNEBORN


def test_sonneborn_berger_of_a_round_robin_as_printed() -> None:
    turns = held.turns(held.ROUND_ROBIN, forfeits_met=True)
    points = {bot: int(sum(turn.points for turn in mine)) for bot, mine in turns.items()}
    found = breaks.sonneborn_berger(list(turns), points, held.taken(turns))
    assert by_number(found) == held.SONNEBORN_ROUND_ROBIN


def test_games_won_as_printed() -> None:
    turns = held.turns(held.SWISS_5)
    won = {bot: sum(1 for t in mine if t.met and t.points == 2) for bot, mine in turns.items()}
    record = {bot: (count, 0, 0) for bot, count in won.items()}
    assert by_number(dict(breaks.wins(record)(BOTS))) == held.WON


def test_direct_encounter_parts_only_who_cannot_be_passed() -> None:
    """Exercise 25: of three with 4½ points two have not met, and the third could be reached."""
    assert places(held.SWISS_9) == held.DIRECT_9


def test_direct_encounter_counts_forfeits_where_all_meet_all() -> None:
    """Exercise 26."""
    assert places(held.ROUND_ROBIN, forfeits_met=True) == held.DIRECT_ROUND_ROBIN


@pytest.mark.parametrize("tied", [["1", "3", "4", "16"], ["5", "8", "11"]])
def test_direct_encounter_leaves_a_tie_of_strangers(tied: list[str]) -> None:
    """Exercises 23 and 24."""
    rule = breaks.direct_encounter(held.taken(held.turns(held.SWISS_5)), most=2)
    assert len(set(rule(tied).values())) == 1


def test_direct_encounter_looks_again_at_those_still_level() -> None:
    """A and B are level on top of four, C and D below; each pair is parted by its own meeting."""
    wins = ["AB", "AC", "DA", "BC", "BD", "CD"]
    taken = {(pair[0], pair[1]): 2.0 for pair in wins} | {(p[1], p[0]): 0.0 for p in wins}
    rule = breaks.direct_encounter(taken, most=2)
    assert rule("ABCD") == {"A": 3, "B": 2, "C": 1, "D": 0}


def test_direct_encounter_places_who_cannot_be_passed_though_some_have_not_met() -> None:
    """A beat both; B and C have not met, but neither can come up to A."""
    taken = {("A", "B"): 2.0, ("B", "A"): 0.0, ("A", "C"): 2.0, ("C", "A"): 0.0}
    assert breaks.direct_encounter(taken, most=1)("ABC") == {"A": 2, "B": 0, "C": 0}


def test_equal_bots_share_a_place_and_the_next_is_skipped() -> None:
    record = dict.fromkeys("abcd", (0, 0, 0))
    rows = breaks.rank("abcd", {"a": 1, "b": 4, "c": 4, "d": 4}, [], record, {}, last=["d"])
    assert [(row.bot, row.place) for row in rows] == [("b", 1), ("c", 1), ("a", 3), ("d", 4)]
