"""Rules of skirmish that no vector names."""

from __future__ import annotations

from hashlib import sha256

import pytest

from referee import games
from referee.engine.errors import BadOption, BadView, IllegalChoice
from referee.games import PUBLIC
from referee.games.skirmish.events import Began, Drew, Shown
from tests.referee.games.skirmish.table import do, name, pass_all, table

GAME = games.get("skirmish")


def test_all_seats_name_at_once_and_a_sealed_card_is_seen_by_its_owner_alone() -> None:
    s = table([1, 2, 3], [4, 5, 6], [7, 8, 9])
    before = {viewer: s.view(viewer) for viewer in (PUBLIC, 0, 1, 2)}
    assert s.asked() == (0, 1, 2)
    do(s, 1, "name", 5)
    assert s.asked() == (0, 2)
    assert {viewer: s.view(viewer) for viewer in (PUBLIC, 0, 2)} == {
        viewer: before[viewer] for viewer in (PUBLIC, 0, 2)
    }
    assert s.view(1) != before[1]
    assert 5 in s.hands[1]
    assert len(s.events(0)) == 1, "nothing is told before all have answered"


def test_shown_cards_leave_the_hands_together() -> None:
    s = table([1, 2, 3], [4, 5, 6])
    name(s, 2, 6)
    assert s.hands == [[1, 3], [4, 5]]
    assert s.events(PUBLIC)[-1] == Shown((2, 6))


def test_support_orders_pass_first_then_cards_ascending() -> None:
    s = table([1, 9, 3], [4, 5, 6])
    name(s, 1, 4)
    assert [str(option) for option in s.options(0)] == ["pass", "discard 3", "discard 9"]
    assert s.default(0) == 0


def test_a_seat_with_cards_is_asked_whatever_it_holds() -> None:
    s = table([1, 2], [4, 5])
    name(s, 1, 4)
    assert s.asked() == (0,)
    do(s, 0, "pass")
    assert s.asked() == (1,)


def test_the_last_round_draws_and_then_the_match_is_over() -> None:
    s = table([1, 2], [4, 5], rounds=1)
    name(s, 1, 4)
    pass_all(s)
    assert s.outcome() == ((2, 1), (0, 1), "points")
    assert s.kind(0) is None
    assert s.options(0) == ()
    assert sum(isinstance(e, Drew) for e in s.events(0)) == 2


def test_a_drawn_card_is_told_to_its_owner_alone() -> None:
    s = table([1, 2], [4, 5], deck=[3, 6])
    name(s, 1, 4)
    pass_all(s)
    drawn = {v: [e.card for e in s.events(v) if isinstance(e, Drew)] for v in (PUBLIC, 0, 1)}
    assert drawn == {PUBLIC: [0, 0], 0: [3, 0], 1: [0, 6]}


def test_equal_scores_tie_and_leave_the_next_rank_free() -> None:
    s = table([1, 2], [3, 4], [5, 6], [7, 8])
    s.taken = [2, 5, 2, 0]
    assert s.ranks() == (2, 1, 2, 4)


def test_a_setting_is_shared_while_the_hidden_deal_differs() -> None:
    one = GAME.start(seats=2, seed="a", setting="hills")
    two = GAME.start(seats=2, seed="b", setting="hills")
    assert one.hills == two.hills
    assert one.hands != two.hands
    other = GAME.start(seats=2, seed="a", setting="other")
    assert (other.hands, other.hills != one.hills) == (one.hands, True)


def test_the_deal_can_be_checked_by_anyone_from_the_seed() -> None:
    """The form of chance is fixed, because others check deals by it."""

    def order(seed: str, stream: str, ids: range) -> list[int]:
        return sorted(ids, key=lambda each: sha256(f"{seed}|{stream}|{each}".encode()).digest())

    s = GAME.start(seats=2, seed="any text", setting="open")
    deck = order("any text", "deck", range(1, 17))
    assert s.hills == tuple(order("open", "setting", range(1, 6)))
    assert s.hands == [sorted(deck[:5]), sorted(deck[5:10])]
    assert s.deck == deck[10:]
    assert s.events(0)[0] == Began(s.hills, tuple(s.hands[0]), (5, 5), 6)
    for seat in s.asked():
        s.choose(seat, 0)
    do(s, s.asked()[0], "discard", s.hands[s.asked()[0]][0])
    die = int.from_bytes(sha256(b"any text|dice|0").digest(), "big") % 6 + 1
    assert (die,) in s.dice


@pytest.mark.parametrize(
    ("seats", "options", "says"),
    [
        (5, {}, "possible are 2, 3, 4"),
        (2, {"teams": True}, "needs four seats"),
        (2, {"rounds": 6}, "a whole number from 1 to 5"),
        (2, {"rounds": "many"}, "a whole number from 1 to 5"),
        (2, {"hills": 3}, "known are: teams, rounds"),
        (4, {"teams": "maybe"}, "true or false"),
    ],
)
def test_a_wrong_set_up_is_refused_with_what_would_do(seats, options, says) -> None:
    with pytest.raises(BadOption, match=says):
        GAME.start(seats=seats, options=options)


@pytest.mark.parametrize("index", [-1, 3, True, "0", None, 1.0])
def test_an_answer_that_is_not_offered_leaves_no_trace(index) -> None:
    s = table([1, 2, 3], [4, 5, 6])
    before = s.save()
    with pytest.raises(IllegalChoice):
        s.choose(0, index)
    assert s.save() == before


def test_a_seat_that_is_not_asked_may_not_answer() -> None:
    s = table([1, 2, 3], [4, 5, 6])
    name(s, 3, 4)
    with pytest.raises(IllegalChoice, match="seat 1 is not asked"):
        s.choose(1, 0)


def test_a_view_that_cannot_be_is_refused() -> None:
    view = table([1, 2, 3], [4, 5, 6]).view(0)
    with pytest.raises(BadView, match="unseen"):
        GAME.imagine(view._replace(deck_size=3), "k")
