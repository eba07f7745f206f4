"""The estimate: what must hold of any, closed forms, and a search by brute force."""

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matchmaker import estimate
from matchmaker.entries import Seated
from matchmaker.estimate import (
    HERITAGE,
    MOST_PLAYERS,
    NOVELTY,
    PLACE_VARIANCE,
    SPREAD_LIMITS,
    Place,
)
from matchmaker.numeric import Floats, np
from matchmaker.tally import Scored, Tally
from tests.matchmaker.test_tally import A, B, C, D, scored, tally_of

PLAYERS = (A, B, C, D)


def fitted(tally: Tally, **more: dict[Seated, Seated]) -> estimate.Fit:
    return estimate.fit(tally, tally.players(), **more)


def duels(one: Seated, other: Seated, wins: int, draws: int, losses: int) -> list[Scored]:
    """As many from each side, so that sides say nothing."""
    found = []
    for ranks, count in (((1, 2), wins), ((1, 1), draws), ((2, 1), losses)):
        for _ in range(count):
            found.append(scored(len(found) + 1, (one, other), ranks, ""))
            found.append(scored(len(found) + 1, (other, one), ranks[::-1], ""))
    return found


def logarithm(tally: Tally, theta: Floats, fit: estimate.Fit) -> float:
    """The posterior's logarithm, written out from the definition."""
    count = len(fit.players)
    strength = dict(zip(fit.players, theta[:count]))
    place = dict(zip(fit.places, theta[count:]))
    total = -sum(theta[:count] ** 2) / (2 * fit.variance)
    total -= sum(theta[count:] ** 2) / (2 * PLACE_VARIANCE)
    meetings = [
        ((one,), (other,), (0, 1), 2, counts) for (one, other), counts in tally.duels.items()
    ]
    meetings += [
        (each.one, each.other, each.places, each.sides, counts)
        for each, counts in tally.meetings.items()
    ]
    for one, other, (first, second), sides, counts in meetings:
        odds = sum(strength[player] for player in one) - sum(strength[player] for player in other)
        odds += place[Place(sides, first)] - place[Place(sides, second)]
        weight = 2 / sides
        total -= weight * counts.points * math.log1p(math.exp(-odds))
        total -= weight * (counts.matches - counts.points) * math.log1p(math.exp(odds))
    return float(total)


def mixed(seed: int, count: int) -> Tally:
    """Duels, free-for-alls and teams of four players."""
    chance = random.Random(seed)
    results = []
    for number in range(1, count + 1):
        seats = chance.sample(PLAYERS, chance.choice([2, 2, 3, 4]))
        if len(seats) == 4 and chance.random() < 0.5:
            ranks = chance.choice([(1, 2, 1, 2), (2, 1, 2, 1)])
            results.append(scored(number, seats, ranks, "", ((0, 2), (1, 3))))
        else:
            ranks = tuple(chance.randrange(1, 4) for _ in seats)
            results.append(scored(number, seats, ranks, ""))
    return tally_of(*results)


def test_two_bots_have_a_closed_form() -> None:
    """With x = -y and no sides the slope is zero where n(w/n - p(2x)) = x/variance."""
    fit = fitted(tally_of(*duels(A, B, 8, 2, 2)))
    x = float(fit.strengths[0])
    assert fit.strengths[1] == pytest.approx(-x)
    chance = 1 / (1 + math.exp(-2 * x))
    assert 24 * (9 / 12 - chance) == pytest.approx(x / fit.variance)
    bend = 24 * chance * (1 - chance)
    spread = fit.covariance[0, 0] + fit.covariance[1, 1] - 2 * fit.covariance[0, 1]
    assert spread == pytest.approx(1 / (bend + 1 / (2 * fit.variance)))


@pytest.mark.parametrize("seed", range(6))
def test_it_is_the_most_likely_of_all(seed: int) -> None:
    """No step in any direction from it is more likely, and the curvature is the covariance's."""
    tally = mixed(seed, 25)
    fit = fitted(tally)
    best = np.concatenate([fit.strengths, fit.advantages])
    size = len(best)
    top = logarithm(tally, best, fit)
    for axis in range(size):
        for step in (-1e-3, 1e-3):
            moved = best.copy()
            moved[axis] += step
            assert logarithm(tally, moved, fit) < top
    width = 1e-4
    curvature = np.zeros((size, size))
    for one in range(size):
        for other in range(size):
            corners = 0.0
            for signs in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
                moved = best.copy()
                moved[one] += signs[0] * width
                moved[other] += signs[1] * width
                corners += signs[0] * signs[1] * logarithm(tally, moved, fit)
            curvature[one, other] = -corners / (4 * width**2)
    count = len(fit.players)
    covariance = np.linalg.inv(curvature)
    assert fit.covariance == pytest.approx(covariance[:count, :count], rel=1e-3, abs=1e-3)
    assert fit.place_covariance == pytest.approx(covariance[count:, count:], rel=1e-3, abs=1e-3)


def test_agrees_with_a_search_by_brute_force() -> None:
    tally = mixed(1, 12)
    fit = fitted(tally)
    best, step = np.zeros(len(fit.strengths) + len(fit.advantages)), 1.0
    top = logarithm(tally, best, fit)
    while step > 1e-7:
        better = False
        for axis in range(len(best)):
            for sign in (1, -1):
                moved = best.copy()
                moved[axis] += sign * step
                found = logarithm(tally, moved, fit)
                if found > top:
                    best, top, better = moved, found, True
        if not better:
            step /= 2
    assert fit.strengths == pytest.approx(best[: len(fit.strengths)], abs=1e-4)


@pytest.mark.properties
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 999), order=st.randoms(use_true_random=False))
def test_the_order_of_results_does_not_matter_bit_for_bit(seed: int, order: random.Random) -> None:
    chance = random.Random(seed)
    results = []
    for number in range(1, 60):
        seats = chance.sample(PLAYERS, chance.choice([2, 3, 4]))
        results.append(scored(number, seats, [chance.randrange(1, 4) for _ in seats], ""))
    one = fitted(tally_of(*results))
    order.shuffle(results)
    other = fitted(tally_of(*results))
    assert one.strengths.tobytes() == other.strengths.tobytes()
    assert one.covariance.tobytes() == other.covariance.tobytes()


@pytest.mark.properties
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 999))
def test_a_further_win_helps_the_winner_and_costs_the_loser(seed: int) -> None:
    """At equal spread: the spread is fitted too, so the fit's own may differ a little."""
    tally = mixed(seed, 20)
    tally.add(scored(98, (A, B), (1, 1), ""))
    before = fitted(tally)
    tally.add(scored(99, (A, B), (1, 2), ""))
    after = fitted(tally)
    scale = math.sqrt(after.variance / before.variance)
    lead = before.strengths[before.index[A]] - before.strengths[before.index[B]]
    gained = after.strengths[after.index[A]] - after.strengths[after.index[B]]
    assert gained > lead * min(1.0, scale)


def test_draws_count_half() -> None:
    """Two draws say of strengths what a win and a loss do."""
    drawn, split = fitted(tally_of(*duels(A, B, 3, 2, 0))), fitted(tally_of(*duels(A, B, 4, 0, 1)))
    assert drawn.strengths == pytest.approx(split.strengths)


def test_a_side_that_is_better_is_not_taken_for_strength() -> None:
    """a and b are equal; who sits first wins three of four."""
    results = []
    for number in range(1, 401):
        seats = (A, B) if number % 2 else (B, A)
        results.append(scored(number, seats, (1, 2) if number % 8 > 1 else (2, 1), ""))
    fit = fitted(tally_of(*results))
    assert fit.strengths == pytest.approx([0.0, 0.0], abs=1e-6)
    effect, deviation = estimate.sided(fit)[Place(2, 0)]
    assert effect == pytest.approx(math.log(3), abs=0.03)
    assert 0.09 < deviation < 0.15


def test_one_of_three_places_can_be_better() -> None:
    chance = random.Random(3)
    results = []
    for number in range(1, 601):
        seats = chance.sample((A, B, C), 3)
        order = sorted(range(3), key=lambda seat: chance.random() - 0.5 * (seat == 2))
        results.append(scored(number, seats, [order.index(seat) + 1 for seat in range(3)], ""))
    sides = estimate.sided(fitted(tally_of(*results)))
    first, second, third = (sides[Place(3, place)][0] for place in range(3))
    assert third > 0.5 > max(first, second)
    assert first + second + third == pytest.approx(0.0)


def test_the_spread_of_an_even_field_does_not_collapse_and_a_one_sided_one_ends() -> None:
    even = fitted(tally_of(*duels(A, B, 10, 0, 10)))
    assert even.variance == SPREAD_LIMITS[0]
    wild = fitted(tally_of(*duels(A, B, 3_000, 0, 0), *duels(B, C, 3_000, 0, 0)))
    assert wild.variance == SPREAD_LIMITS[1]
    assert wild.rounds < estimate.ROUNDS
    assert list(wild.strengths) == sorted(wild.strengths, reverse=True)


@pytest.mark.properties
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 9_999), bots=st.integers(2, 12), count=st.integers(1, 150))
def test_a_fit_always_comes_to_its_end(seed: int, bots: int, count: int) -> None:
    chance = random.Random(seed)
    field = [Seated(f"b{number:02}", "1") for number in range(bots)]
    strong = [chance.gauss(0, chance.choice([0.1, 1, 8])) for _ in field]
    results = []
    for number in range(count):
        one, other = chance.sample(range(bots), 2)
        odds = math.exp(max(-30.0, min(30.0, strong[other] - strong[one])))
        ranks = (1, 2) if chance.random() < 1 / (1 + odds) else (2, 1)
        results.append(scored(number, (field[one], field[other]), ranks, ""))
    fit = fitted(tally_of(*results))
    assert fit.rounds < estimate.ROUNDS
    assert np.linalg.eigvalsh(fit.covariance)[0] > 0


class TestVersions:
    new = Seated("a", "2")

    def test_a_new_version_begins_near_the_one_before(self) -> None:
        """One result says little: it stands where its heritage puts it."""
        strong = duels(A, B, 40, 0, 4)
        fit = fitted(tally_of(*strong, *duels(self.new, C, 1, 0, 1)), before={self.new: A})
        plain = fitted(tally_of(*strong, *duels(self.new, C, 1, 0, 1)))
        at = fit.index[self.new]
        assert fit.strengths[at] > plain.strengths[at] + 0.2
        assert fit.covariance[at, at] > fit.covariance[fit.index[A], fit.index[A]]

    def test_what_is_believed_of_one_without_results_is_its_heritage(self) -> None:
        fit = fitted(tally_of(*duels(A, B, 12, 0, 3), *duels(B, C, 5, 0, 5)))
        assert fit.newcomer(A) == (HERITAGE, NOVELTY * fit.variance, fit.index[A])
        assert fit.newcomer(None) == (0.0, fit.variance, None)
        assert fit.newcomer(D) == (0.0, fit.variance, None), "one that is not in the fit"

    def test_only_so_many_players_take_part(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Bots of now first, then the earlier versions that played most."""
        monkeypatch.setattr(estimate, "MOST_PLAYERS", 3)
        old = [Seated("a", version) for version in ("1", "2", "3")]
        now = {"a": "4", "b": "1"}
        last = Seated("a", "4")
        results = duels(old[0], B, 1, 0, 0) + duels(old[1], B, 3, 0, 0) + duels(old[2], B, 2, 0, 0)
        tally = tally_of(*results, *duels(last, B, 1, 0, 0))
        assert estimate.players_of(tally, now) == (old[1], last, B)
        fit = estimate.fit(tally, (old[1], last, B), {last: old[2], old[1]: old[0]})
        assert len(fit.strengths) == 3
        monkeypatch.setattr(estimate, "MOST_PLAYERS", 1)
        assert estimate.players_of(tally, now) is None
        assert MOST_PLAYERS == 1_000


class TestRanks:
    def test_the_certain_have_one_rank(self) -> None:
        strengths, covariance = np.array([0.0, 9.0, -9.0]), 1e-4 * np.eye(3)
        assert estimate.rank_intervals(strengths, covariance) == [(2, 2), (1, 1), (3, 3)]

    def test_equals_may_have_any_rank(self) -> None:
        assert estimate.rank_intervals(np.zeros(3), np.eye(3)) == [(1, 3)] * 3

    def test_what_is_uncertain_of_all_together_does_not_widen_them(self) -> None:
        together = 1e-4 * np.eye(2) + 100.0
        assert estimate.rank_intervals(np.array([0.0, 1.0]), together) == [(2, 2), (1, 1)]

    def test_nobody_has_none(self) -> None:
        assert estimate.rank_intervals(np.zeros(0), np.zeros((0, 0))) == []

    def test_chance_above_is_that_of_the_difference(self) -> None:
        covariance = np.array([[1.0, 0.5], [0.5, 1.0]])
        above = estimate.chance_above(np.array([1.0, 0.0]), covariance, 0, 1)
        assert above == pytest.approx(0.841345, abs=1e-6)
        below = estimate.chance_above(np.array([1.0, 0.0]), covariance, 1, 0)
        assert above + below == pytest.approx(1.0)
