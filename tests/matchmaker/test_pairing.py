"""Pairing: who meets whom, and what the ladder promises about it."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchmaker.pairing import SHARE_LIMIT, Entrant, PairingRules, choose, seat_orders
from matchmaker.ratings import Rating, TrueSkill

RATINGS = TrueSkill()
NEW = RATINGS.fresh()
DUEL = PairingRules()
HERE = frozenset({"r1"})


def entrant(
    bot: str,
    mu: float = 25.0,
    sigma: float = 8.0,
    free: int = 1,
    waiting_ms: int = 10_000,
    first: bool = False,
    referees: frozenset[str] = HERE,
) -> Entrant:
    return Entrant(
        bot=bot,
        rating=Rating(mu, sigma),
        free=free,
        waiting_ms=waiting_ms,
        first=first,
        referees=referees,
    )


def pair(
    *pool: Entrant, recent: list[tuple[str, ...]] | None = None, rules: PairingRules = DUEL
) -> list[tuple[str, ...]]:
    return choose(pool, recent or [], rules, RATINGS, limit=99)


def test_a_duel_has_both_sides() -> None:
    assert seat_orders(2) == ((0, 1), (1, 0))


@pytest.mark.parametrize(("seats", "count"), [(1, 1), (3, 6), (4, 24)])
def test_more_seats_have_all_orders(seats: int, count: int) -> None:
    orders = seat_orders(seats)
    assert len(set(orders)) == len(orders) == count
    assert all(sorted(order) == list(range(seats)) for order in orders)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_after_one_round_each_bot_had_each_seat(seats: int) -> None:
    orders = seat_orders(seats)
    for begin in range(0, len(orders), seats):
        for seat in range(seats):
            assert len({order[seat] for order in orders[begin : begin + seats]}) == seats


def test_two_free_bots_meet() -> None:
    assert pair(entrant("a"), entrant("b")) == [("a", "b")]


def test_a_bot_alone_meets_nobody() -> None:
    assert pair(entrant("a")) == []
    assert pair() == []


def test_a_busy_bot_is_not_paired() -> None:
    assert pair(entrant("a"), entrant("b", free=0)) == []


def test_bots_without_a_common_referee_do_not_meet() -> None:
    there = frozenset({"r2"})
    assert pair(entrant("a"), entrant("b", referees=there)) == []
    both = HERE | there
    assert pair(entrant("a"), entrant("b", referees=both)) == [("a", "b")]


def test_near_bots_meet_before_far_ones() -> None:
    pool = [
        entrant("a", mu=35, sigma=1),
        entrant("b", mu=34, sigma=1),
        entrant("c", mu=15, sigma=1),
    ]
    assert pair(*pool)[0] == ("a", "b")


def test_unknown_bots_meet_before_settled_ones() -> None:
    pool = [entrant("a", waiting_ms=11_000), entrant("b", sigma=1.0), entrant("c", sigma=8.0)]
    assert pair(*pool)[0] == ("a", "c")


def test_who_waited_longest_is_served_first() -> None:
    pool = [entrant("a"), entrant("b"), entrant("c", waiting_ms=20_000)]
    assert "c" in pair(*pool)[0]


def test_last_opponents_are_not_paired_again_while_others_are_free() -> None:
    pool = [entrant(bot) for bot in "abcd"]
    recent = [("a", "b"), ("c", "d")]
    for group in pair(*pool, recent=recent):
        assert group not in recent


def test_last_opponents_wait_for_a_better_one_but_not_for_ever() -> None:
    """c and d are busy: a and b, who just met, hold out for them while patience lasts."""
    busy = [entrant("c", free=0, waiting_ms=0), entrant("d", free=0, waiting_ms=0)]
    recent = [("c", "d"), ("a", "b")]
    eager = [entrant("a", waiting_ms=100), entrant("b", waiting_ms=100)]
    assert pair(*eager, *busy, recent=recent) == []
    patient = [entrant("a", waiting_ms=DUEL.patience_ms), entrant("b", waiting_ms=100)]
    assert pair(*patient, *busy, recent=recent) == [("a", "b")]


def test_a_pool_of_two_never_waits() -> None:
    recent = [("a", "b")] * 5
    assert pair(entrant("a", waiting_ms=0), entrant("b", waiting_ms=0), recent=recent) == [
        ("a", "b")
    ]


def test_the_opponent_of_an_absent_bot_is_served_first_and_at_once() -> None:
    recent = [("a", "b")] * 3
    pool = [
        entrant("a", waiting_ms=0, first=True),
        entrant("b", waiting_ms=0),
        entrant("c", free=0),
    ]
    assert pair(*pool, recent=recent) == [("a", "b")]


def test_a_bot_that_is_always_free_has_no_more_than_its_share() -> None:
    """It took 8 of 20 seats in a pool of five: twice an even share, so it sits out."""
    recent = [("a", "x"), ("b", "x"), ("c", "x"), ("d", "x"), ("a", "x"), ("b", "x"), ("c", "x")]
    recent += [("d", "x"), ("a", "b"), ("c", "d")]
    pool = [entrant("x", waiting_ms=60_000), entrant("a"), entrant("b", free=0)]
    pool += [entrant("c", free=0), entrant("d", free=0)]
    assert pair(*pool, recent=recent) == []


def test_who_is_ahead_lets_others_go_first_for_a_while() -> None:
    """x has had 4 of 16 seats in a pool of five, an even share is 3.2; b, c and d are busy."""
    recent = [("a", "x"), ("b", "x"), ("c", "x"), ("d", "x"), ("c", "d"), ("a", "b"), ("b", "c")]
    recent = [*recent, ("a", "d")]
    busy = [entrant(bot, free=0) for bot in "bcd"]
    patience = DUEL.patience_ms
    assert pair(entrant("x", waiting_ms=patience), entrant("a"), *busy, recent=recent) == []
    pool = [entrant("x", waiting_ms=2 * patience), entrant("a"), *busy]
    assert pair(*pool, recent=recent) == [("a", "x")]


def test_a_bot_with_several_places_may_begin_several_pairings() -> None:
    pool = [entrant("a", free=2), entrant("b"), entrant("c")]
    groups = pair(*pool)
    assert {frozenset(group) for group in groups} == {frozenset("ab"), frozenset("ac")}


def test_never_more_pairings_than_there_is_room_for() -> None:
    pool = [entrant(f"b{i}") for i in range(10)]
    assert len(choose(pool, [], DUEL, RATINGS, limit=2)) == 2
    assert choose(pool, [], DUEL, RATINGS, limit=0) == []


@pytest.mark.parametrize("seats", [3, 4])
def test_more_seats_take_more_bots(seats: int) -> None:
    pool = [entrant(f"b{i}") for i in range(seats * 2)]
    groups = pair(*pool, rules=PairingRules(seats=seats))
    assert len(groups) == 2
    assert len({bot for group in groups for bot in group}) == seats * 2


BOTS = [f"b{i}" for i in range(8)]
POOLS = st.lists(
    st.builds(
        entrant,
        st.sampled_from(BOTS),
        mu=st.floats(0, 50),
        sigma=st.floats(0.8, 8.4),
        free=st.integers(0, 3),
        waiting_ms=st.integers(0, 5_000),
        first=st.booleans(),
        referees=st.frozensets(st.sampled_from(["r1", "r2"])),
    ),
    unique_by=lambda e: e.bot,
)
RECENT = st.lists(st.sampled_from(list(combinations(BOTS, 2))), max_size=60)


@pytest.mark.properties
@given(pool=POOLS, recent=RECENT, seats=st.integers(2, 4), limit=st.integers(0, 6))
def test_laws_of_a_choice(
    pool: list[Entrant], recent: list[tuple[str, ...]], seats: int, limit: int
) -> None:
    rules = PairingRules(seats=seats)
    groups = choose(pool, recent, rules, RATINGS, limit)
    known = {e.bot: e for e in pool}
    assert len(groups) <= limit
    taken = Counter(bot for group in groups for bot in group)
    assert all(taken[bot] <= known[bot].free for bot in taken), "a place is taken once"
    for group in groups:
        assert len(set(group)) == seats, "nobody meets itself"
        common = frozenset.intersection(*(known[bot].referees for bot in group))
        assert common, "all of a match attend one referee"
    assert choose(list(reversed(pool)), recent, rules, RATINGS, limit) == groups, (
        "the order of the pool does not matter"
    )


@pytest.mark.properties
@pytest.mark.parametrize("bots", [3, 5, 6, 8])
def test_matches_are_spread_evenly(bots: int) -> None:
    """A ladder in miniature: pairings of equal length, as many at once as the bots allow."""
    names = [f"b{i}" for i in range(bots)]
    recent: list[tuple[str, ...]] = []
    since = dict.fromkeys(names, 0)
    running: list[tuple[int, tuple[str, ...]]] = []
    for now in range(0, 600_000, 500):
        for ends, group in running:
            if ends <= now:
                since.update(dict.fromkeys(group, now))
        running = [(ends, group) for ends, group in running if ends > now]
        busy = {bot for _, group in running for bot in group}
        pool = [
            entrant(bot, free=int(bot not in busy), waiting_ms=now - since[bot]) for bot in names
        ]
        for group in choose(pool, recent, DUEL, RATINGS, limit=99):
            recent.append(group)
            length = 4_000 + 137 * (len(recent) % 7)
            running.append((now + length, group))
    counts = Counter(bot for group in recent for bot in group)
    assert max(counts.values()) - min(counts.values()) <= 0.1 * max(counts.values())
    repeats = sum(
        1 for index, group in enumerate(recent[1:], 1) if set(group) == set(recent[index - 1])
    )
    assert repeats <= 0.5 * len(recent)
    meetings = Counter(frozenset(group) for group in recent)
    assert len(meetings) == bots * (bots - 1) // 2, "everyone has met everyone"


@pytest.mark.properties
def test_a_crashing_bot_takes_at_most_twice_its_share() -> None:
    """Thirty sound bots and one whose pairings end at once."""
    names = [f"b{i:02}" for i in range(30)] + ["crash"]
    recent: list[tuple[str, ...]] = []
    since = dict.fromkeys(names, 0)
    running: list[tuple[int, tuple[str, ...]]] = []
    now = 0
    while len(recent) < 500:
        now += 250
        for ends, group in running:
            if ends <= now:
                since.update(dict.fromkeys(group, now))
        running = [(ends, group) for ends, group in running if ends > now]
        busy = {bot for _, group in running for bot in group}
        pool = [
            entrant(bot, free=int(bot not in busy), waiting_ms=now - since[bot]) for bot in names
        ]
        for group in choose(pool, recent, DUEL, RATINGS, limit=99):
            recent.append(group)
            length = 100 if "crash" in group else 4_000 + 137 * (len(recent) % 7)
            running.append((now + length, group))
    counts = Counter(bot for group in recent for bot in group)
    even = sum(counts.values()) / len(names)
    assert counts["crash"] <= SHARE_LIMIT * even + 1
