"""Round robin and gauntlet: tables as printed, designs, and what withdrawals do."""

from itertools import combinations

import pytest

from matchmaker.formats import designs
from tests.matchmaker.formats.play import Tournament, drawn, entrants, stronger, terms

# As printed in FIDE's handbook (C.05, annex 1), for 4 to 14; 16 as in tables of that pattern.
BERGER = {
    4: ["1-4 2-3", "4-3 1-2", "2-4 3-1"],
    6: ["1-6 2-5 3-4", "6-4 5-3 1-2", "2-6 3-1 4-5", "6-5 1-4 2-3", "3-6 4-2 5-1"],
    8: [
        "1-8 2-7 3-6 4-5", "8-5 6-4 7-3 1-2", "2-8 3-1 4-7 5-6", "8-6 7-5 1-4 2-3",
        "3-8 4-2 5-1 6-7", "8-7 1-6 2-5 3-4", "4-8 5-3 6-2 7-1",
    ],
    10: [
        "1-10 2-9 3-8 4-7 5-6", "10-6 7-5 8-4 9-3 1-2", "2-10 3-1 4-9 5-8 6-7",
        "10-7 8-6 9-5 1-4 2-3", "3-10 4-2 5-1 6-9 7-8", "10-8 9-7 1-6 2-5 3-4",
        "4-10 5-3 6-2 7-1 8-9", "10-9 1-8 2-7 3-6 4-5", "5-10 6-4 7-3 8-2 9-1",
    ],
    12: [
        "1-12 2-11 3-10 4-9 5-8 6-7", "12-7 8-6 9-5 10-4 11-3 1-2",
        "2-12 3-1 4-11 5-10 6-9 7-8", "12-8 9-7 10-6 11-5 1-4 2-3",
        "3-12 4-2 5-1 6-11 7-10 8-9", "12-9 10-8 11-7 1-6 2-5 3-4",
        "4-12 5-3 6-2 7-1 8-11 9-10", "12-10 11-9 1-8 2-7 3-6 4-5",
        "5-12 6-4 7-3 8-2 9-1 10-11", "12-11 1-10 2-9 3-8 4-7 5-6",
        "6-12 7-5 8-4 9-3 10-2 11-1",
    ],
    14: [
        "1-14 2-13 3-12 4-11 5-10 6-9 7-8", "14-8 9-7 10-6 11-5 12-4 13-3 1-2",
        "2-14 3-1 4-13 5-12 6-11 7-10 8-9", "14-9 10-8 11-7 12-6 13-5 1-4 2-3",
        "3-14 4-2 5-1 6-13 7-12 8-11 9-10", "14-10 11-9 12-8 13-7 1-6 2-5 3-4",
        "4-14 5-3 6-2 7-1 8-13 9-12 10-11", "14-11 12-10 13-9 1-8 2-7 3-6 4-5",
        "5-14 6-4 7-3 8-2 9-1 10-13 11-12", "14-12 13-11 1-10 2-9 3-8 4-7 5-6",
        "6-14 7-5 8-4 9-3 10-2 11-1 12-13", "14-13 1-12 2-11 3-10 4-9 5-8 6-7",
        "7-14 8-6 9-5 10-4 11-3 12-2 13-1",
    ],
}  # fmt: skip


def printed(players: int) -> list[str]:
    return [
        " ".join(f"{one + 1}-{other + 1}" for one, other in pairs)
        for pairs in designs.berger(players)
    ]


@pytest.mark.parametrize("players", sorted(BERGER))
def test_berger_tables_are_those_printed(players: int) -> None:
    assert printed(players) == BERGER[players]


@pytest.mark.parametrize("players", range(2, 41))
def test_in_berger_tables_all_meet_once_with_sides_balanced(players: int) -> None:
    rounds = designs.berger(players)
    pairs = [pair for round in rounds for pair in round]
    assert {frozenset(pair) for pair in pairs} == {
        frozenset(pair) for pair in combinations(range(players), 2)
    }
    assert len(pairs) == players * (players - 1) // 2
    for round in rounds:
        assert len({player for pair in round for player in pair}) == players - players % 2
    for player in range(players):
        first = sum(pair[0] == player for pair in pairs)
        second = sum(pair[1] == player for pair in pairs)
        assert abs(first - second) <= 1


@pytest.mark.parametrize("size", [3, 4])
def test_in_groups_pairs_meet_once_or_twice_and_all_equally_often(size: int) -> None:
    """With so few more than a group that all groups are needed, equally often."""
    for players in range(size, 24):
        blocks = designs.blocks(players, size)
        counts = designs.meetings(blocks)
        assert len(counts) == players * (players - 1) // 2, "every pair meets"
        assert max(counts.values()) - min(counts.values()) <= 1
        for place in range(size):
            seats = [block[place] for block in blocks]
            if players > size:
                assert len({seats.count(player) for player in range(players)}) == 1


@pytest.mark.parametrize(("players", "size"), [(7, 3), (13, 3), (19, 3), (13, 4)])
def test_where_a_cyclic_design_is_perfect_it_is_found(players: int, size: int) -> None:
    """The planes of order 2 and 3, and the cyclic Steiner triple systems of 13 and 19."""
    assert set(designs.meetings(designs.blocks(players, size)).values()) == {1}


@pytest.mark.parametrize(("players", "size"), [(12, 3), (23, 4)])
def test_groups_of_a_round_share_nobody(players: int, size: int) -> None:
    blocks = designs.blocks(players, size)
    rounds = designs.in_rounds(blocks)
    assert sorted(block for round in rounds for block in round) == sorted(blocks)
    for round in rounds:
        assert len({each for block in round for each in block}) == size * len(round)


def test_numbers_are_drawn_by_lot_and_equal_lots_draw_the_same() -> None:
    def drawing(chance: str) -> list[tuple[str, ...]]:
        made = Tournament(terms("round_robin", chance=chance), entrants(8))
        return [meeting.bots for meeting in made.course.wanted]

    assert drawing("one") == drawing("one")
    assert drawing("one") != drawing("two")


def test_single_matches_follow_the_table_and_the_second_cycle_turns_sides() -> None:
    made = Tournament(
        terms("round_robin", orders="one", cycles=2, numbers="seeds"), entrants("1234")
    )
    seats = [meeting.bots for meeting in made.course.wanted]
    assert seats[:4] == [("1", "4"), ("2", "3"), ("4", "3"), ("1", "2")]
    assert seats[6:] == [pair[::-1] for pair in seats[:6]]
    assert all(meeting.orders == ((0, 1),) for meeting in made.course.wanted)


def test_sonneborn_berger_parts_a_double_round_robin_as_printed() -> None:
    """Sensei's Library: A and B have four wins of six and one each against the other."""
    won = {"AB": 1, "BA": 1, "AC": 2, "AD": 1, "DA": 1, "BC": 1, "CB": 1, "BD": 2, "CD": 2}
    made = Tournament(terms("round_robin"), entrants("ABCD"))
    for meeting in made.course.wanted:
        one, other = meeting.bots
        for index, order in enumerate(meeting.orders):
            seats = tuple(meeting.bots[place] for place in order)
            best = one if index < won.get(one + other, 0) else other
            made.add(meeting.key, seats, tuple(1 if bot == best else 2 for bot in seats))
    rows = made.course.standings
    assert [row.bot for row in rows] == ["A", "B", "C", "D"]
    assert [row.points for row in rows] == [8, 8, 6, 2]
    assert [dict(row.breaks)["Sonneborn–Berger"] for row in rows] == [11, 9, 6, 4]
    assert made.course.over
    assert made.course.summary["winner"] == "A"


def test_who_withdraws_before_half_counts_for_nobody() -> None:
    made = Tournament(terms("round_robin", numbers="seeds"), entrants("abcde"))
    for meeting in made.course.wanted:
        if set(meeting.bots) in ({"a", "e"}, {"b", "c"}):
            made.play(meeting)
    made.withdraw("e", "crashes")
    assert not any("e" in meeting.bots for meeting in made.course.wanted)
    made.run(drawn)
    rows = made.rows
    assert rows["e"].place == 5
    assert "crashes" in rows["e"].note
    assert rows["a"].points == 6, "three drawn meetings; the win over e does not count"
    assert rows["a"].wins == 0
    assert rows["b"].points == 4 + 4


def test_who_withdraws_after_half_leaves_its_points_and_gives_the_rest_away() -> None:
    made = Tournament(terms("round_robin", numbers="seeds"), entrants("abcde"))
    for meeting in made.course.wanted:
        if set(meeting.bots) in ({"a", "e"}, {"b", "e"}):
            made.play(meeting, lambda seats: tuple(2 - (bot == "e") for bot in seats))
    made.withdraw("e")
    made.run(drawn)
    rows = made.rows
    assert rows["e"].points == 8
    assert rows["a"].points == 0 + 6
    assert rows["c"].points == 4 + 6, "e gave its meeting with c away"
    assert rows["c"].wins == 0, "a meeting given away is no win in play"


def test_no_show_gives_what_is_left_and_both_away_give_nothing() -> None:
    made = Tournament(terms("round_robin", numbers="seeds"), entrants("abc"))
    for meeting in made.course.wanted:
        if set(meeting.bots) == {"a", "b"}:
            made.play(meeting, matches=1)
            made.forfeit(meeting, "a")
        if set(meeting.bots) == {"b", "c"}:
            made.forfeit(meeting, "b", "c")
    assert [set(meeting.bots) for meeting in made.course.wanted] == [{"a", "c"}]
    rows = made.rows
    assert (rows["a"].points, rows["b"].points, rows["c"].points) == (2, 2, 0)
    states = {frozenset(s.meeting.bots): s.state for s in made.course.shown}
    assert states[frozenset("ab")] == states[frozenset("bc")] == "forfeit"
    assert states[frozenset("ac")] == "open"


def test_a_group_without_one_gives_the_others_a_win_over_it_and_draws() -> None:
    made = Tournament(terms("round_robin", seats=4, orders="one"), entrants("abcd"))
    made.forfeit(made.course.wanted[0], "d")
    rows = made.rows
    assert [rows[bot].points for bot in "abcd"] == [4, 4, 4, 0]


def test_in_teams_who_does_not_come_loses_with_its_partner() -> None:
    made = Tournament(
        terms("round_robin", seats=4, sides=((0, 2), (1, 3)), orders="turns"), entrants("abcd")
    )
    (meeting,) = made.course.wanted
    assert len(meeting.orders) == 12, "each seat once with each of three partners"
    made.forfeit(meeting, "d")
    rows = made.rows
    assert [rows[bot].points for bot in "abcd"] == [16, 16, 16, 0]


def test_teams_have_each_partner_and_seat_equally_often() -> None:
    made = Tournament(
        terms("round_robin", seats=4, sides=((0, 2), (1, 3)), orders="turns"), entrants("abcd")
    )
    (meeting,) = made.course.wanted
    partners = [frozenset((order[0], order[2])) for order in meeting.orders]
    partners += [frozenset((order[1], order[3])) for order in meeting.orders]
    assert {partners.count(pair) for pair in partners} == {4}
    for seat in range(4):
        assert sorted(order[seat] for order in meeting.orders) == sorted([0, 1, 2, 3] * 3)


def test_a_result_that_is_taken_out_is_played_anew() -> None:
    made = Tournament(terms("round_robin"), entrants("abc"))
    made.run()
    gone = made.events.pop(3)
    course = made.course
    assert not course.over
    (meeting,) = course.wanted
    assert meeting.key == gone.meeting  # type: ignore[union-attr]
    assert len(meeting.orders) == 1


def test_gauntlet_has_challengers_meet_the_field_alone() -> None:
    made = Tournament(terms("gauntlet", challengers=2), entrants("abcde"))
    pairs = {frozenset(meeting.bots) for meeting in made.course.wanted}
    assert pairs == {frozenset(pair) for pair in ("ac", "ad", "ae", "bc", "bd", "be")}
    course = made.run(lambda seats: stronger(seats) if "b" in seats else drawn(seats))
    assert made.order[:2] == ["b", "a"]
    assert {row.bot for row in course.standings[2:] if row.note == "field"} == set("cde")
    assert course.summary["winner"] == "b"


def test_single_matches_of_a_gauntlet_share_the_sides() -> None:
    made = Tournament(terms("gauntlet", challengers=3, orders="one"), entrants(9))
    for bot in [each.bot for each in made.field]:
        mine = [meeting.bots.index(bot) for meeting in made.course.wanted if bot in meeting.bots]
        assert abs(2 * sum(mine) - len(mine)) <= 1
