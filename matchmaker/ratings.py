"""
Ratings behind one interface: TrueSkill now, anything that rates ranked sides later.

Pure: the same results in the same order give the same numbers, bit for bit, on one machine.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol

import trueskill


class Rating(NamedTuple):
    """What is believed of a player: a normal distribution over its strength."""

    mu: float
    sigma: float

    @property
    def worth(self) -> float:
        """What the table sorts by: mu - 3 sigma, a strength the player very likely has."""
        return self.mu - 3.0 * self.sigma


class RatingRules(NamedTuple):
    """The constants of a ladder. They stand in the results log, so that a table is a fold of it."""

    mu: float = 25.0
    sigma: float = 25.0 / 3
    beta: float = 25.0 / 6
    """A lead of beta wins about 76 of 100 matches."""
    tau: float = 25.0 / 300
    """Added to the uncertainty at each match, so that no rating ever freezes."""
    draw_probability: float = 0.1
    reopened: float = 25.0 / 6
    """Uncertainty added when a bot comes with a new version."""


REMEMBERED = 2_048
"""Matches whose new ratings are kept: each is folded when it arrives, again when one before it
does, and once more when it is settled, mostly from the same ratings."""


class Ratings(Protocol):
    """What a ladder asks of a rating system."""

    def fresh(self) -> Rating:
        """Rate a player of whom nothing is known."""

    def reopen(self, rating: Rating) -> Rating:
        """Rate a new version of a known bot: same mu, wider sigma."""

    def rate(self, sides: Sequence[Sequence[Rating]], ranks: Sequence[int]) -> list[list[Rating]]:
        """
        Rate one match.

        Args:
            sides: Ratings of the players that win together, side by side.
            ranks: One of each side; 1 is best, ties are equal.

        Returns:
            New ratings in the shape of `sides`.
        """

    def chance(self, one: Rating, other: Rating) -> float:
        """Tell how likely `one` does better than `other`, with what is not known of both."""


class TrueSkill:
    """
    TrueSkill by the `trueskill` package, without global state.

    A huge upset (a gap of some 230 in mu) makes the package's quick arithmetic fail; the match is
    then computed again with arbitrary precision, so that no result can stop a ladder.
    """

    def __init__(self, rules: RatingRules | None = None) -> None:
        self.rules = rules or RatingRules()

    def fresh(self) -> Rating:
        return Rating(self.rules.mu, self.rules.sigma)

    def reopen(self, rating: Rating) -> Rating:
        wider = math.sqrt(rating.sigma**2 + self.rules.reopened**2)
        return Rating(rating.mu, min(wider, max(self.rules.sigma, rating.sigma)))

    def rate(self, sides: Sequence[Sequence[Rating]], ranks: Sequence[int]) -> list[list[Rating]]:
        if len(sides) < 2 or len(sides) != len(ranks):
            raise ValueError(f"a rated match has two sides or more: {len(sides)}, ranks {ranks}")
        rated = _rate(self.rules, tuple(map(tuple, sides)), tuple(ranks))
        return [list(side) for side in rated]

    def chance(self, one: Rating, other: Rating) -> float:
        spread = math.sqrt(2 * self.rules.beta**2 + one.sigma**2 + other.sigma**2)
        return 0.5 * math.erfc((other.mu - one.mu) / (spread * math.sqrt(2)))


@lru_cache(maxsize=REMEMBERED)
def _rate(
    rules: RatingRules, sides: tuple[tuple[Rating, ...], ...], ranks: tuple[int, ...]
) -> tuple[tuple[Rating, ...], ...]:
    try:
        return _computed(rules, sides, ranks, None)
    except FloatingPointError:
        return _computed(rules, sides, ranks, "mpmath")


def _computed(
    rules: RatingRules,
    sides: tuple[tuple[Rating, ...], ...],
    ranks: tuple[int, ...],
    backend: str | None,
) -> tuple[tuple[Rating, ...], ...]:
    environment = _environment(rules, backend)
    groups = [tuple(environment.create_rating(*rating) for rating in side) for side in sides]
    rated = environment.rate(groups, ranks=list(ranks))
    return tuple(tuple(Rating(float(new.mu), float(new.sigma)) for new in side) for side in rated)


@lru_cache(maxsize=32)
def _environment(rules: RatingRules, backend: str | None) -> trueskill.TrueSkill:
    return trueskill.TrueSkill(
        mu=rules.mu,
        sigma=rules.sigma,
        beta=rules.beta,
        tau=rules.tau,
        draw_probability=rules.draw_probability,
        backend=backend,
    )
