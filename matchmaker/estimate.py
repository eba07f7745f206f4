"""
The published estimate of strength: one fit of all rated results at once, with honest intervals.

Bradley-Terry: the logarithm of the odds that a side does better than another is the difference of
their strengths, a side's being the sum of its members', plus the advantage of its place. Strengths
have a Normal prior whose variance is fitted too. Pure, and always begun from nothing: the same
sums give the same numbers, bit for bit, on one machine.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from matchmaker.entries import Seated
from matchmaker.numeric import Floats, Integers, np
from matchmaker.tally import Tally

HERITAGE = 0.5
"""Share of the strength of the version before at which a new one is thought to begin."""
NOVELTY = 2.0
"""Variance of what is new in it, as a multiple of that of bots: it may be much better or worse."""
SPREAD_LIMITS = (0.2, 25.0)
"""The prior's variance: a fit to results that are all even would otherwise collapse."""
PLACE_VARIANCE = 0.5
"""Prior of a place's effect; the difference of two has variance 1."""
ROUNDS = 60
"""Most rounds of a fit; it takes 5 to 20."""
NEAR, CLOSE = 1e-2, 1e-9
"""A fit ends when no strength moves more: NEAR with the prior's variance, then CLOSE without."""
VARIANCE_NEAR = 1e-4
"""And when the variance moves by no larger share."""
LEAP = 0.95
"""Steps of the variance that shrink more slowly are not foreseen."""
MOST_PLAYERS = 1_000
"""The work grows with the cube of their number: beyond that, earlier versions with the fewest
matches are left out; with more bots than that there is no estimate."""


class Place(NamedTuple):
    """A place among the sides of a match."""

    sides: int
    place: int


@dataclass(frozen=True, kw_only=True)
class Fit:
    """
    What all results say. Strengths are logarithms of odds: 1 is 73 % against an equal on
    the other side.
    """

    players: tuple[Seated, ...]
    """In order of name; what follows goes by their index."""
    strengths: Floats
    covariance: Floats
    variance: float
    """The prior's, as fitted."""
    places: tuple[Place, ...]
    advantages: Floats
    """Of the places."""
    place_covariance: Floats
    index: Mapping[Seated, int]
    rounds: int
    """How many it took."""

    def newcomer(self, before: Seated | None) -> tuple[float, float, int | None]:
        """
        Say what is believed of a player without results.

        Args:
            before: The bot's earlier version, if it has one.

        Returns:
            Its share of the strength of one of `players`, the variance of the rest of its
            strength, and the index of that player; None if it stands alone.
        """
        if before is None or before not in self.index:
            return 0.0, self.variance, None
        return HERITAGE, NOVELTY * self.variance, self.index[before]


class _Group(NamedTuple):
    """Meetings of one shape; a row each."""

    players: Integers
    """Members of both sides, one after the other: rows × members."""
    signs: tuple[int, ...]
    """1 for the first side's members, -1 for the other's."""
    places: tuple[int, int]
    """Indices of the two places among the parameters."""
    points: Floats
    """Of the first side, weighted."""
    counts: Floats
    """Matches, weighted."""


def players_of(tally: Tally, current: Mapping[str, str]) -> tuple[Seated, ...] | None:
    """
    Choose who takes part in a fit.

    Args:
        current: The version of each bot that plays now.

    Returns:
        Players in order of name; None if there are too many.
    """
    everyone = tally.players()
    if len(everyone) <= MOST_PLAYERS:
        return tuple(everyone)
    now = [player for player in everyone if current.get(player.bot) == player.version]
    if len(now) > MOST_PLAYERS:
        return None
    matches: dict[Seated, int] = {}
    for (player, _), counts in tally.seats.items():
        matches[player] = matches.get(player, 0) + counts.matches
    kept = set(now)
    earlier = [player for player in everyone if player not in kept]
    earlier.sort(key=lambda player: (-matches[player], player))
    return tuple(sorted([*now, *earlier[: MOST_PLAYERS - len(now)]]))


def fit(
    tally: Tally, players: Sequence[Seated], before: Mapping[Seated, Seated] | None = None
) -> Fit:
    """
    Fit strengths to all results between some players.

    The most likely strengths by Newton's method, their covariance by the curvature there (Laplace).
    The prior's variance by MacKay's step, which ends where EM does, in half as many rounds.

    Args:
        players: Who takes part, in order of name.
        before: The version before, of each player that is a new version.
    """
    index = {player: number for number, player in enumerate(players)}
    groups, places = _groups(tally, index)
    prior = _prior(players, index, before or {})
    count, size = len(players), len(players) + len(places)
    theta: Floats = np.zeros(size)
    covariance: Floats = np.zeros((size, size))
    variance = 1.0
    steps = [math.log(variance)]
    near, rounds = False, 0
    while rounds < ROUNDS:
        rounds += 1
        gradient, curvature = _likelihood(groups, theta, size)
        curvature[:count, :count] += prior / variance
        gradient[:count] -= prior @ theta[:count] / variance
        places_at = np.arange(count, size)
        curvature[places_at, places_at] += 1 / PLACE_VARIANCE
        gradient[count:] -= theta[count:] / PLACE_VARIANCE
        covariance = np.linalg.inv(curvature).astype(np.float64, copy=False)
        step = covariance @ gradient
        theta = theta + step
        moved = float(np.abs(step).max(initial=0.0))
        if near:
            if moved <= CLOSE:
                break
            continue
        stepped = _variance(prior, theta[:count], covariance, variance)
        near = moved <= NEAR and abs(stepped / variance - 1) <= VARIANCE_NEAR
        steps.append(math.log(stepped))
        variance = stepped
        if len(steps) == 3 and not near:
            variance = _leap(*steps)
            steps = [math.log(variance)]
    covariance = (covariance + covariance.T) / 2
    return Fit(
        players=tuple(players),
        strengths=theta[:count],
        covariance=covariance[:count, :count],
        variance=variance,
        places=places,
        advantages=theta[count:],
        place_covariance=covariance[count:, count:],
        index=index,
        rounds=rounds,
    )


def _variance(prior: Floats, strengths: Floats, covariance: Floats, variance: float) -> float:
    """MacKay's step: the squares of the strengths, by how many of them the results determine."""
    count = len(strengths)
    if not count:
        return variance
    squares = float(strengths @ (prior @ strengths))
    undetermined = float((prior * covariance[:count, :count]).sum()) / variance
    determined = max(count - undetermined, 1e-9)
    return min(max(squares / determined, SPREAD_LIMITS[0]), SPREAD_LIMITS[1])


def _leap(first: float, second: float, third: float) -> float:
    """Where three steps of a logarithm lead if each next is the same share of the last (Aitken)."""
    share = (third - second) / (second - first) if second != first else 0.0
    if abs(share) < LEAP:
        third += (third - second) * share / (1 - share)
    return min(max(math.exp(third), SPREAD_LIMITS[0]), SPREAD_LIMITS[1])


def _prior(
    players: Sequence[Seated], index: Mapping[Seated, int], before: Mapping[Seated, Seated]
) -> Floats:
    """The prior's precision at variance 1: versions follow one another, bots stand alone."""
    prior = np.eye(len(players))
    for player, earlier in sorted(before.items()):
        if player in index and earlier in index:
            child, parent = index[player], index[earlier]
            prior[child, child] += 1 / NOVELTY - 1
            prior[parent, parent] += HERITAGE**2 / NOVELTY
            prior[child, parent] -= HERITAGE / NOVELTY
            prior[parent, child] -= HERITAGE / NOVELTY
    return prior


def _likelihood(groups: Sequence[_Group], theta: Floats, size: int) -> tuple[Floats, Floats]:
    """The slope and the curvature of the results' likelihood."""
    gradient = np.zeros(size)
    curvature = np.zeros(size * size)
    for group in groups:
        one, other = group.places
        columns = [*group.players.T]
        signs = [*group.signs]
        odds = np.full(len(group.counts), theta[one] - theta[other])
        for column, sign in zip(columns, signs):
            odds += sign * theta[column]
        chance = _chance(odds)
        slope = group.points - group.counts * chance
        weight = group.counts * chance * (1 - chance)
        gradient[one] += slope.sum()
        gradient[other] -= slope.sum()
        for at, sign_at in ((one, 1), (other, -1)):
            for to, sign_to in ((one, 1), (other, -1)):
                curvature[at * size + to] += sign_at * sign_to * weight.sum()
        for number, (column, sign) in enumerate(zip(columns, signs)):
            gradient += sign * np.bincount(column, slope, size)
            bend = sign * np.bincount(column, weight, size)
            for at, sign_at in ((one, 1), (other, -1)):
                curvature[at * size : (at + 1) * size] += sign_at * bend
                curvature[at::size] += sign_at * bend
            curvature[:: size + 1] += sign * bend
            for second, sign_second in zip(columns[number + 1 :], signs[number + 1 :]):
                both = sign * sign_second * weight
                curvature += np.bincount(column * size + second, both, size * size)
                curvature += np.bincount(second * size + column, both, size * size)
    return gradient, curvature.reshape(size, size)


def _chance(odds: Floats) -> Floats:
    """The logistic function; beyond 700 the exponential would overflow."""
    found: Floats = 1 / (1 + np.exp(-np.clip(odds, -700, 700)))
    return found


def _groups(tally: Tally, index: Mapping[Seated, int]) -> tuple[list[_Group], tuple[Place, ...]]:
    """
    Lay the sums out in arrays, in an order that does not depend on that of the results.

    A match of k sides says something of each two of them, k·(k-1)/2 times; since these are not
    independent, each counts 2/k.
    """
    rows: dict[tuple[int, tuple[int, int], int, int], list[tuple[tuple[int, ...], float, int]]]
    rows = {}
    duels = [
        ((index[one], index[other]), counts.points, counts.matches)
        for (one, other), counts in tally.duels.items()
        if one in index and other in index
    ]
    if duels:
        rows[2, (0, 1), 1, 1] = list(duels)
    for meeting, counts in tally.meetings.items():
        members = (*meeting.one, *meeting.other)
        if all(member in index for member in members):
            shape = (meeting.sides, meeting.places, len(meeting.one), len(meeting.other))
            row = tuple(index[member] for member in members), counts.points, counts.matches
            rows.setdefault(shape, []).append(row)
    sides = sorted({shape[0] for shape in rows})
    places = tuple(Place(count, place) for count in sides for place in range(count))
    at = {place: len(index) + number for number, place in enumerate(places)}
    groups = []
    for (count, (one, other), first, second), found in sorted(rows.items()):
        players = np.array([row[0] for row in found], dtype=np.int64)
        order = np.lexsort(players.T[::-1])
        weight = 2 / count
        groups.append(
            _Group(
                players=players[order],
                signs=(1,) * first + (-1,) * second,
                places=(at[Place(count, one)], at[Place(count, other)]),
                points=weight * np.array([row[1] for row in found])[order],
                counts=weight * np.array([row[2] for row in found], dtype=np.float64)[order],
            )
        )
    return groups, places


def rank_intervals(
    strengths: Floats, covariance: Floats, draws: int = 1_000
) -> list[tuple[int, int]]:
    """
    Say between which ranks each player very likely is.

    Returns:
        For each the 2.5 % and 97.5 % points of its rank in draws of all strengths together; the
        draws are always the same.
    """
    count = len(strengths)
    if not count:
        return []
    normal = np.random.Generator(np.random.PCG64(20)).standard_normal((draws, count))
    drawn = strengths + normal @ np.linalg.cholesky(covariance).T
    ranks = np.empty((draws, count), dtype=np.int64)
    np.put_along_axis(ranks, np.argsort(-drawn, axis=1), np.arange(1, count + 1)[None, :], axis=1)
    ranks.sort(axis=0)
    low, high = ranks[math.floor(0.025 * draws)], ranks[math.ceil(0.975 * draws) - 1]
    return list(zip(low.tolist(), high.tolist()))


def chance_above(strengths: Floats, covariance: Floats, one: int, other: int) -> float:
    """How likely one player is truly stronger than another."""
    spread = covariance[one, one] + covariance[other, other] - 2 * covariance[one, other]
    lead = float(strengths[one] - strengths[other])
    return 0.5 * math.erfc(-lead / math.sqrt(2 * max(float(spread), 1e-12)))


def sided(fit: Fit) -> dict[Place, tuple[float, float]]:
    """What each place is worth against the mean of the other sides, and its deviation."""
    found = {}
    for number, place in enumerate(fit.places):
        weights = np.array(
            [
                (1.0 if other == place else -1 / (place.sides - 1))
                if other.sides == place.sides
                else 0.0
                for other in fit.places
            ]
        )
        variance = float(weights @ fit.place_covariance @ weights)
        found[fit.places[number]] = float(weights @ fit.advantages), math.sqrt(max(variance, 0.0))
    return found
