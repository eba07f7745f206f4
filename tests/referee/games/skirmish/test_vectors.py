"""The vectors of the specification, each under its number."""

from __future__ import annotations

from referee import games
from referee.games.skirmish.events import HillFought
from tests.referee.games.skirmish.table import do, load_die, name, pass_all, table


def hill_fought(s) -> HillFought:
    return next(e for e in reversed(s.events(0)) if isinstance(e, HillFought))


def test_s1_highest_card_takes_the_hill_and_lowest_is_asked_first() -> None:
    s = table([9, 1, 2, 3, 5], [4, 6, 7, 8, 10], hills=(3, 1, 2, 4, 5))
    name(s, 9, 4)
    assert s.asked() == (1,)
    do(s, 1, "pass")
    assert s.asked() == (0,)
    do(s, 0, "pass")
    assert hill_fought(s) == HillFought(3, 0)
    assert s.taken == [3, 0]


def test_s2_a_tie_leaves_the_hill_to_nobody() -> None:
    s = table([9, 1, 2, 3, 5], [4, 6, 7, 8, 10])
    load_die(s, 5)
    name(s, 9, 4)
    do(s, 1, "discard", 6)
    assert s.strength(0) == s.strength(1) == 9
    do(s, 0, "pass")
    do(s, 1, "pass")
    assert hill_fought(s) == HillFought(1, -1)
    assert s.taken == [0, 0]
    assert s.round == 2


def test_s3_support_is_answered_by_support() -> None:
    s = table([9, 1, 2, 3, 5], [4, 6, 7, 8, 10])
    load_die(s, 5, 1)
    name(s, 9, 4)
    do(s, 1, "discard", 6)
    do(s, 0, "discard", 1)
    assert (s.strength(0), s.strength(1)) == (10, 9)
    do(s, 1, "pass")
    do(s, 0, "pass")
    assert hill_fought(s) == HillFought(1, 0)


def test_s4_a_discard_starts_the_passes_anew() -> None:
    s = table([1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15])
    name(s, 1, 6, 11)
    asked = []
    for words in (["pass"], ["pass"], ["discard", 12], ["pass"], ["pass"], ["pass"]):
        assert s.round == 1
        asked.append(s.asked()[0])
        do(s, s.asked()[0], *words)
    assert asked == [0, 1, 2, 0, 1, 2]
    assert s.round == 2
    assert s.kind(0) == "name"


def test_s5_a_team_adds_up_its_seats() -> None:
    hands = ([30, 1, 2], [31, 3, 4], [32, 5, 6], [7, 8, 9])
    s = table(*hands, hills=(3, 4, 5, 1, 2), teams=True, rounds=3)
    for cards in ((30, 3, 5, 7), (1, 4, 32, 8), (2, 31, 6, 9)):
        name(s, *cards)
        pass_all(s)
    assert s.taken == [3, 5, 4, 0]
    assert s.sides == ((0, 2), (1, 3))
    assert s.outcome() == ((1, 2, 1, 2), (7, 5, 7, 5), "points")


def test_s6_one_round_is_four_decisions() -> None:
    s = games.get("skirmish").start(seats=2, seed="s6", options={"rounds": 1})
    decisions = 0
    while s.asked():
        seat = s.asked()[0]
        s.choose(seat, s.default(seat))
        decisions += 1
    assert decisions == 4
    assert s.outcome() is not None


def test_s7_a_seat_without_cards_is_not_asked_again() -> None:
    s = table([1, 2], [6, 7, 8], [11, 12, 13])
    name(s, 1, 6, 11)
    do(s, 0, "discard", 2)
    assert s.hands[0] == []
    asked = []
    while s.round == 1:
        asked.append(s.asked()[0])
        do(s, asked[-1], "pass")
    assert asked == [1, 2]


def test_s8_the_deck_is_empty_after_round_three() -> None:
    s = games.get("skirmish").start(seats=2, seed="s8")
    sizes = []
    while s.asked():
        if len(sizes) < s.round:
            sizes.append((len(s.deck), *map(len, s.hands)))
        seat = s.asked()[0]
        s.choose(seat, 0)
    assert sizes == [(6, 5, 5), (4, 5, 5), (2, 5, 5), (0, 5, 5), (0, 4, 4)]


def test_s9_a_seat_that_gave_all_away_in_round_one() -> None:
    s = games.get("skirmish").start(seats=2, seed="s9")
    s.choose(0, 0)
    s.choose(1, 0)
    gave = 0
    while s.round == 1:
        seat = s.asked()[0]
        if seat == 0 and s.hands[0]:
            s.choose(0, 1)
            gave += 1
        else:
            do(s, seat, "pass")
    assert gave == 4
    for round_ in (2, 3, 4):
        assert s.round == round_
        assert s.asked() == (1,), "a hand of one is named without asking"
        s.choose(1, 0)
        assert s.shown[0] != 0
        pass_all(s)
    assert s.round == 5
    assert s.asked() == (1,)
    s.choose(1, 0)
    assert s.shown[0] == 0
    pass_all(s)
    assert s.asked() == ()
    assert s.events(1)[-2] == HillFought(s.hills[4], 1)
