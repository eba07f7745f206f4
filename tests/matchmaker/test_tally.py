"""What results add up to: the same whatever their order, and whatever was taken out again."""

import random
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matchmaker.entries import Seated
from matchmaker.tally import PAIR_WINDOW, Counts, Meeting, Scored, Tally

A, B, C, D = (Seated(bot, "1") for bot in "abcd")


def scored(
    number: int,
    seats: Sequence[Seated],
    ranks: Sequence[int] = (1, 2),
    pairing: str = "p",
    sides: tuple[tuple[int, ...], ...] | None = None,
) -> Scored:
    alone = tuple((seat,) for seat in range(len(seats)))
    return Scored(number, f"m{number}", tuple(seats), sides or alone, tuple(ranks), pairing)


def tally_of(*results: Scored) -> Tally:
    tally = Tally()
    for each in results:
        tally.add(each)
    return tally


def season(count: int, seed: int) -> list[Scored]:
    """Duels in pairings of two, free-for-alls and matches of two teams, mixed."""
    chance = random.Random(seed)
    found = []
    for number in range(1, count + 1):
        kind = chance.random()
        if kind < 0.7:
            seats = (A, B) if number // 2 % 2 else (C, D)
            seats = seats if number % 2 else seats[::-1]
            ranks = chance.choice([(1, 2), (2, 1), (1, 1)])
            found.append(scored(number, seats, ranks, f"p{number // 2}"))
        elif kind < 0.85:
            seats = tuple(chance.sample([A, B, C, D], 3))
            found.append(scored(number, seats, chance.choice([(1, 2, 3), (2, 1, 1)]), f"q{number}"))
        else:
            teams = ((0, 2), (1, 3))
            found.append(scored(number, (A, B, C, D), (1, 2, 1, 2), f"t{number}", teams))
    return found


def test_a_duel_counts_for_both_from_their_seats() -> None:
    tally = tally_of(scored(1, (A, B)), scored(2, (B, A), (1, 1)), scored(3, (A, B), (2, 1)))
    assert tally.duels == {(A, B): Counts(1, 0, 1), (B, A): Counts(0, 1, 0)}
    assert tally.seats[A, 0] == Counts(1, 0, 1)
    assert tally.seats[A, 1] == Counts(0, 1, 0)
    assert tally.head_to_head() == {(A, B): Counts(1, 1, 1)}


def test_head_to_head_is_seen_by_the_first_in_order_of_name() -> None:
    assert tally_of(scored(1, (B, A))).head_to_head() == {(A, B): Counts(0, 0, 1)}


def test_a_free_for_all_says_something_of_each_two() -> None:
    tally = tally_of(scored(1, (A, B, C), (2, 1, 2)))
    assert tally.meetings == {
        Meeting((A,), (B,), (0, 1), 3): Counts(0, 0, 1),
        Meeting((A,), (C,), (0, 2), 3): Counts(0, 1, 0),
        Meeting((B,), (C,), (1, 2), 3): Counts(1, 0, 0),
    }
    assert tally.duels == {}
    assert tally.seats[B, 1] == Counts(1, 0, 0)
    assert tally.seats[C, 2] == Counts(0, 0, 1), "second with another is no win"


def test_teams_meet_as_sides_and_their_members_one_by_one() -> None:
    tally = tally_of(scored(1, (A, B, C, D), (1, 2, 1, 2), sides=((0, 2), (1, 3))))
    assert tally.meetings == {Meeting((A, C), (B, D), (0, 1), 2): Counts(1, 0, 0)}
    assert tally.head_to_head() == {
        (A, B): Counts(1, 0, 0), (A, D): Counts(1, 0, 0),
        (B, C): Counts(0, 0, 1), (C, D): Counts(1, 0, 0),
    }  # fmt: skip
    assert tally.seats[D, 3] == Counts(0, 0, 1)


@pytest.mark.parametrize(
    ("first", "second", "column"),
    [
        ((2, 1), (1, 2), 0),
        ((2, 1), (1, 1), 1),
        ((1, 1), (1, 1), 2),
        ((1, 2), (1, 2), 2),
        ((1, 2), (1, 1), 3),
        ((1, 2), (2, 1), 4),
    ],
)
def test_a_pairing_counts_by_its_points(
    first: tuple[int, int], second: tuple[int, int], column: int
) -> None:
    """a's points in two matches against b, sides exchanged: 0, ½, 1, 1½, 2."""
    tally = tally_of(scored(1, (A, B), first), scored(2, (B, A), second))
    assert list(tally.fives[A]) == [int(index == column) for index in range(5)]
    assert list(tally.fives[B]) == [int(index == 4 - column) for index in range(5)]


def test_what_is_no_pair_of_exchanged_sides_is_not_counted_as_one() -> None:
    assert tally_of(scored(1, (A, B)), scored(2, (A, B))).fives == {}
    assert tally_of(scored(1, (A, B)), scored(2, (C, A))).fives == {}
    assert tally_of(scored(1, (A, B), pairing="p"), scored(2, (B, A), pairing="q")).fives == {}
    assert tally_of(scored(1, (A, B), pairing=""), scored(2, (B, A), pairing="")).fives == {}
    far = scored(2 + PAIR_WINDOW, (B, A))
    assert tally_of(scored(1, (A, B)), far).fives == {}


def test_a_long_pairing_is_several_pairs_in_the_order_played() -> None:
    seats = [(A, B), (B, A), (A, B), (B, A), (A, B)]
    tally = tally_of(*(scored(number, each) for number, each in enumerate(seats, 1)))
    assert tally.fives[A] == (0, 0, 2, 0, 0)
    tally.remove(scored(1, (A, B)))
    assert tally.fives[A] == (0, 0, 2, 0, 0), "its other half finds the next"


def test_settled_pairings_are_forgotten_and_still_count() -> None:
    tally = tally_of(scored(1, (A, B)), scored(2, (B, A)), scored(3, (C, D), pairing="q"))
    tally.settle(1)
    assert set(tally.halves) == {"p", "q"}, "its second match can still be void"
    tally.settle(3)
    assert set(tally.halves) == {"q"}, "its second match can still come"
    tally.add(scored(9, (D, C), pairing="q"))
    tally.settle(9)
    assert tally.halves == {}
    assert tally.fives[A] == tally.fives[C] == (0, 0, 1, 0, 0)


def test_a_match_that_waits_for_its_other_half_too_long_is_forgotten() -> None:
    tally = tally_of(scored(1, (A, B)))
    tally.settle(PAIR_WINDOW)
    assert tally.halves
    tally.settle(PAIR_WINDOW + 1)
    assert not tally.halves


@pytest.mark.properties
@settings(max_examples=40, deadline=None)
@given(
    count=st.integers(1, 40),
    seed=st.integers(0, 99),
    order=st.randoms(use_true_random=False),
    out=st.sets(st.integers(1, 40)),
)
def test_any_order_and_what_is_taken_out_again_leave_one_tally(
    count: int, seed: int, order: random.Random, out: set[int]
) -> None:
    results = season(count, seed)
    kept = tally_of(*(each for each in results if each.number not in out))
    tally, arrived, missing = Tally(), list(results), {each.number for each in results}
    order.shuffle(arrived)
    for each in arrived:
        tally.add(each)
        missing.discard(each.number)
        if order.random() < 0.3:
            tally = Tally.load(tally.dump())
        # What is to be taken out later is not settled, as in a ladder.
        tally.settle(min([*missing, *out, count + 1]) - 1)
    for each in results:
        if each.number in out:
            tally.remove(each)
    final = count + 2 * PAIR_WINDOW
    tally.settle(final)
    kept.settle(final)
    assert tally.dump() == kept.dump()
