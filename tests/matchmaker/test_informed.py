"""Pairing by information: what it chooses, and that the ladder's promises hold as before."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matchmaker.beliefs import MOST_BOTS, Beliefs
from matchmaker.entries import Seated
from matchmaker.fold import GameFold, whole
from matchmaker.information import Belief, believe
from matchmaker.informed import CANDIDATES, CAP, NEW_CAP, OVERDUE
from matchmaker.numeric import Floats, np
from matchmaker.pairing import SHARE_LIMIT, Entrant, PairingRules, choose
from tests.matchmaker.test_fold import season
from tests.matchmaker.test_pairing import BOTS, DUEL, HERE, POOLS, RATINGS, RECENT, entrant

NOW = PairingRules(patience_ms=0)


def belief_of(
    *bots: str, strengths: Floats | None = None, covariance: Floats | None = None
) -> Belief:
    count = len(bots)
    seated = [Seated(bot, "1") for bot in sorted(bots)]
    return Belief(
        seated,
        np.zeros(count) if strengths is None else strengths,
        np.eye(count) if covariance is None else covariance,
    )


def pair(
    *pool: Entrant,
    belief: Belief | None = None,
    recent: list[tuple[str, ...]] | None = None,
    rules: PairingRules = NOW,
    limit: int = 99,
    seed: int = 0,
) -> list[tuple[str, ...]]:
    belief = belief or belief_of(*(each.bot for each in pool))
    return choose(pool, recent or [], rules, RATINGS, limit, belief, seed)


def test_what_tells_most_comes_first() -> None:
    """a and c are uncertain and alike; b and d are well known."""
    belief = belief_of(*"abcd", covariance=np.diag([1.0, 0.05, 1.0, 0.05]))
    pool = [entrant(bot) for bot in "abcd"]
    assert pair(*pool, belief=belief, limit=1) == [("a", "c")]


def test_chosen_pairings_are_begun_in_the_belief() -> None:
    belief = belief_of(*"abcd")
    pool = [entrant(bot, free=2) for bot in "abcd"]
    chosen = pair(*pool, belief=belief)
    assert len({frozenset(group) for group in chosen}) == 4, "nobody meets the same one twice"
    assert belief.covariance.trace() < 4 - 4 * 0.3


def test_long_matches_must_tell_more() -> None:
    belief = belief_of(*"abc")
    slow = [replace(entrant(bot), seconds=4.0) for bot in "ab"]
    quick = replace(entrant("c"), seconds=1.0)
    assert pair(*slow, quick, belief=belief, limit=1)[0] in [("a", "c"), ("b", "c")]


def test_equal_gains_are_decided_by_the_seed() -> None:
    pool = [entrant(f"b{number}") for number in range(10)]
    assert pair(*pool, seed=1) == pair(*pool, seed=1)
    assert len({tuple(pair(*pool, seed=seed)) for seed in range(5)}) > 1


def test_who_has_far_fewer_matches_goes_first() -> None:
    """e is well known by its matches against others, and has had less than half of the mean."""
    belief = belief_of(*"abcde", covariance=np.diag([1.0, 1.0, 1.0, 1.0, 0.01]))
    pool = [replace(entrant(bot), matches=40) for bot in "abcd"]
    few, enough = (replace(entrant("e"), matches=count) for count in (10, 30))
    assert "e" in pair(*pool, few, belief=belief, limit=1)[0]
    belief = belief_of(*"abcde", covariance=np.diag([1.0, 1.0, 1.0, 1.0, 0.01]))
    assert "e" not in pair(*pool, enough, belief=belief, limit=1)[0]


def test_who_has_sat_out_too_long_goes_first() -> None:
    belief = belief_of(*"abcde", covariance=np.diag([1.0, 1.0, 1.0, 1.0, 0.01]))
    pool = [replace(entrant(bot), matches=40) for bot in "abcde"]
    others = [("a", "b"), ("c", "d")] * int(OVERDUE * 5)
    late, soon = others[: int(OVERDUE * 5)], others[: int(OVERDUE * 5) - 1]
    assert "e" in pair(*pool, belief=belief, recent=[("a", "e"), *late], limit=1)[0]
    belief = belief_of(*"abcde", covariance=np.diag([1.0, 1.0, 1.0, 1.0, 0.01]))
    assert "e" not in pair(*pool, belief=belief, recent=[("a", "e"), *soon], limit=1)[0]


def test_the_opponent_of_an_absent_bot_is_served_before_all() -> None:
    pool = [entrant("a", waiting_ms=0, first=True), *(entrant(bot) for bot in "bcdef")]
    recent = [("b", "c"), ("d", "e")] * 20
    assert "a" in pair(*pool, recent=[("a", "f"), *recent], limit=1)[0]


def test_last_opponents_do_not_meet_while_three_others_are_ready() -> None:
    sure = np.diag([1.0, 1.0, 0.01, 0.01, 0.01])
    pool = [replace(entrant(bot), matches=9) for bot in "abcde"]
    recent = [("c", "d"), ("a", "e"), ("a", "b")]
    chosen = pair(*pool, belief=belief_of(*"abcde", covariance=sure), recent=recent)
    assert ("a", "b") not in chosen
    assert pair(*pool[:2], recent=[("a", "b")]) == [("a", "b")], "two alone do"


def test_last_opponents_wait_for_who_is_busy_but_not_for_ever() -> None:
    busy = [entrant("c", free=0, waiting_ms=0), entrant("d", free=0, waiting_ms=0)]
    recent = [("c", "d"), ("a", "b")]
    eager = [entrant("a", waiting_ms=100), entrant("b", waiting_ms=100)]
    assert pair(*eager, *busy, recent=recent, rules=DUEL) == []
    patient = [entrant("a", waiting_ms=DUEL.patience_ms), entrant("b", waiting_ms=100)]
    assert pair(*patient, *busy, recent=recent, rules=DUEL) == [("a", "b")]


def test_a_bot_that_the_belief_does_not_know_waits() -> None:
    assert pair(entrant("a"), entrant("b"), entrant("new"), belief=belief_of("a", "b")) == [
        ("a", "b")
    ]


@pytest.mark.parametrize(("matches", "cap"), [(40, CAP), (0, NEW_CAP)])
def test_nobody_takes_too_many_of_the_pairings_in_a_row(matches: int, cap: int) -> None:
    """Of 40 bots one is not known at all: it may have so many of ten pairings."""
    names = [f"b{number:02}" for number in range(40)]
    belief = belief_of(*names, covariance=np.diag([9.0] + [0.01] * 39))
    pool = [replace(entrant(bot, free=10), matches=40) for bot in names[1:]]
    pool.append(replace(entrant("b00", free=10), matches=matches))
    chosen = pair(*pool, belief=belief, limit=10)
    assert Counter(bot for group in chosen for bot in group)["b00"] == cap


def test_many_ready_bots_are_compared_by_a_draw() -> None:
    names = [f"b{number:03}" for number in range(CANDIDATES + 50)]
    pool = [entrant(bot) for bot in names]
    chosen = pair(*pool, limit=3)
    assert len(chosen) == 3


@pytest.mark.properties
@settings(max_examples=40, deadline=None)
@given(
    pool=POOLS,
    recent=RECENT,
    limit=st.integers(0, 6),
    seed=st.integers(0, 9),
    strengths=st.lists(st.floats(-3, 3), min_size=8, max_size=8),
    patience=st.sampled_from([0, 2_000]),
)
def test_laws_of_a_choice(
    pool: list[Entrant],
    recent: list[tuple[str, ...]],
    limit: int,
    seed: int,
    strengths: list[float],
    patience: int,
) -> None:
    def chosen(some: list[Entrant]) -> list[tuple[str, ...]]:
        belief = belief_of(*BOTS, strengths=np.array(strengths))
        rules = PairingRules(patience_ms=patience)
        return choose(some, recent, rules, RATINGS, limit, belief, seed)

    groups = chosen(pool)
    known = {e.bot: e for e in pool}
    assert len(groups) <= limit
    taken = Counter(bot for group in groups for bot in group)
    assert all(taken[bot] <= known[bot].free for bot in taken), "a place is taken once"
    for one, other in groups:
        assert one != other, "nobody meets itself"
        assert known[one].referees & known[other].referees, "both attend one referee"
    assert chosen(list(reversed(pool))) == groups, "the order of the pool does not matter"


def miniature(
    names: list[str], milliseconds: int, lengths: dict[str, int], places: int = 1
) -> list[tuple[str, ...]]:
    """A ladder in miniature: as many pairings at once as the bots' places allow."""
    recent: list[tuple[str, ...]] = []
    since = dict.fromkeys(names, 0)
    matches = Counter[str]()
    running: list[tuple[int, tuple[str, ...]]] = []
    players = {bot: Seated(bot, "1") for bot in names}
    for now in range(0, milliseconds, 250):
        for ends, group in running:
            if ends <= now:
                since.update(dict.fromkeys(group, now))
        running = [(ends, group) for ends, group in running if ends > now]
        busy = Counter(bot for _, group in running for bot in group)
        pool = [
            Entrant(
                bot=bot,
                rating=RATINGS.fresh(),
                free=places - busy[bot],
                waiting_ms=now - since[bot],
                referees=HERE,
                matches=matches[bot],
            )
            for bot in names
        ]
        if sum(e.free > 0 for e in pool) < 2:
            continue
        belief = believe(None, players, {}, [(*group, 2) for group in recent[-len(names) * 10 :]])
        for group in choose(pool, recent, DUEL, RATINGS, 99, belief, len(recent)):
            recent.append(group)
            matches.update(dict.fromkeys(group, 2))
            length = min(lengths.get(bot, 4_000) for bot in group) + 137 * (len(recent) % 7)
            running.append((now + length, group))
    return recent


@pytest.mark.properties
@pytest.mark.parametrize(("bots", "places"), [(3, 1), (5, 1), (6, 1), (12, 1), (6, 3)])
def test_matches_are_spread_evenly_among_equals(bots: int, places: int) -> None:
    names = [f"b{number:02}" for number in range(bots)]
    time = 120_000
    recent = miniature(names, time, {}, places)
    counts = Counter(bot for group in recent for bot in group)
    assert max(counts.values()) - min(counts.values()) <= 0.15 * max(counts.values()) + 1
    assert len(recent) >= 0.75 * (bots // 2) * places * time / 4_661, "few places stand empty"
    repeats = sum(group == recent[index] for index, group in enumerate(recent[1:]))
    assert repeats <= (0.5 if bots == 3 else 0.05) * len(recent)
    meetings = Counter(frozenset(group) for group in recent)
    everyone = bots * (bots - 1) // 2
    assert len(meetings) >= (everyone if bots <= 6 else 0.85 * everyone), "all meet nearly all"


@pytest.mark.properties
def test_a_crashing_bot_takes_at_most_twice_its_share() -> None:
    """Thirty sound bots and one whose pairings end at once."""
    names = [f"b{number:02}" for number in range(30)] + ["crash"]
    recent = miniature(names, 60_000, {"crash": 0})
    counts = Counter(bot for group in recent for bot in group)
    even = sum(counts.values()) / len(names)
    assert counts["crash"] <= SHARE_LIMIT * even + 1


class TestBeliefs:
    """What is kept from one choice to the next."""

    @pytest.fixture
    def ladder(self) -> GameFold:
        return whole(season(40)).games["toy"]

    @pytest.fixture
    def players(self) -> dict[str, Seated]:
        return {f"b{number}": Seated(f"b{number}", "1") for number in range(6)}

    def test_without_news_the_one_at_hand_goes_on(
        self, ladder: GameFold, players: dict[str, Seated]
    ) -> None:
        beliefs = Beliefs(lambda: 0.0)
        first = beliefs.of("toy", ladder, players, [])
        assert first is not None
        del players["b3"]
        assert beliefs.of("toy", ladder, players, []) is first, "who left does not matter"

    def test_news_make_another(self, ladder: GameFold, players: dict[str, Seated]) -> None:
        beliefs = Beliefs(lambda: 0.0)
        first = beliefs.of("toy", ladder, players, [])
        ladder.add(season(60)[50])
        second = beliefs.of("toy", ladder, players, [])
        assert second is not first
        players["new"] = Seated("new", "1")
        third = beliefs.of("toy", ladder, players, [])
        assert third is not None
        assert "new" in third.index
        players["b1"] = Seated("b1", "2")
        fourth = beliefs.of("toy", ladder, players, [])
        assert fourth is not None
        assert players["b1"] in fourth.players

    def test_one_that_takes_long_is_made_less_often(
        self, ladder: GameFold, players: dict[str, Seated], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        now, made = [0.0], [0]
        beliefs = Beliefs(lambda: now[0])
        make = beliefs._make

        def slow(*arguments: object) -> Belief | None:
            now[0] += 1.0
            made[0] += 1
            return make(*arguments)  # type: ignore[arg-type]

        monkeypatch.setattr(beliefs, "_make", slow)
        for result in season(120)[40:]:
            ladder.add(result)
            beliefs.of("toy", ladder, players, [])
            now[0] += 0.5
        assert 2 <= made[0] <= 1 + 0.11 * now[0]

    def test_there_is_none_for_too_many_bots(self, ladder: GameFold) -> None:
        players = {f"b{number}": Seated(f"b{number}", "1") for number in range(MOST_BOTS + 1)}
        assert Beliefs(lambda: 0.0).of("toy", ladder, players, []) is None

    def test_usual_lengths_are_by_bot(self) -> None:
        beliefs = Beliefs(lambda: 0.0)
        assert beliefs.usual_seconds("toy", ["a", "b"]) == {"a": 0.0, "b": 0.0}
        beliefs.note_seconds("toy", ["a"], 4.0)
        beliefs.note_seconds("toy", ["a", "b"], 2.0)
        found = beliefs.usual_seconds("toy", ["a", "b", "c"])
        assert found["b"] < found["c"] < found["a"] < 4.0
        beliefs.usual_seconds("toy", ["b"])
        assert beliefs.usual_seconds("toy", ["a", "b"])["a"] == 2.0, "who left is forgotten"
