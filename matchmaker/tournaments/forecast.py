"""What a tournament will take, said beforehand: matches, hours, and how sure its table will be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from matchmaker import formats
from matchmaker.formats.contract import Entrant, Terms

EVEN = 0.25
"""Fisher information of one match between even bots, in squared logits: p(1 - p)."""
POINTS = 25 / 6 * math.sqrt(2) / 1.702
"""Rating points of one logit, for a logistic curve of scale 1.702 is nearly a normal one."""
BESIDE = 2.0
"""So many times longer everything takes while the ladder wants the same bots."""
UNKNOWN_SIGMA = 25 / 3
"""Of a bot that has not played."""


class Forecast(NamedTuple):
    """The plan of a tournament."""

    entrants: int
    rounds: int
    matches: int
    """At most, where the course decides."""
    fewest: int
    most: int
    """Matches of the bot that plays least, and most."""
    at_once: int
    """Matches that can be played at once."""
    match_seconds: float
    hours: float
    sigma: float
    """Of the bot that plays least, in rating points, if nothing was known of it before."""

    @property
    def text(self) -> str:
        """One line for a person."""
        bots = counted(self.entrants, "bot")
        if not self.matches:
            return f"{bots}; the ladder goes on until a cap ends it"
        each = f"{self.fewest}" if self.fewest == self.most else f"{self.fewest} to {self.most}"
        return (
            f"{bots}, {counted(self.rounds, 'round')}, at most {counted(self.matches, 'match')}"
            f" ({each} a bot); about {spoken(self.hours)} at {self.match_seconds:.1f} s a match and"
            f" {self.at_once} at once, beside the ladder; each bot's strength will be known to"
            f" ± {1.96 * self.sigma:.0f} points or better (expected sigma {self.sigma:.1f})"
        )


def counted(number: int, word: str) -> str:
    """Write a number of things: `1 match`, `2 matches`."""
    plural = word + ("es" if word.endswith("ch") else "s")
    return f"{number} {word if number == 1 else plural}"


def spoken(hours: float) -> str:
    """Write a duration as people say it."""
    if hours >= 1:
        return f"{hours:.1f} hours"
    minutes = round(hours * 60)
    return counted(minutes, "minute") if minutes else f"{hours * 3600:.0f} s"


def forecast(
    terms: Terms,
    entrants: Sequence[Entrant],
    places: Sequence[int],
    match_seconds: float,
    *,
    most_matches: int = 0,
    most_seconds: int = 0,
) -> Forecast:
    """
    Work a plan out.

    Args:
        places: Matches that each entrant takes at once.
        match_seconds: Usual length of a match.
        most_matches, most_seconds: Caps; 0 for none.

    Raises:
        BadTerms: It cannot be held.
    """
    form = formats.get(terms.format)
    form.check(terms, entrants)
    ahead = form.forecast(terms, entrants)
    at_once = max(1, sum(places) // max(1, terms.seats))
    matches = min(ahead.matches, most_matches or ahead.matches)
    part = matches / ahead.matches if ahead.matches else 0.0
    # Rounds follow one another, each as long as its matches need; and before each of its matches
    # a bot may have one of the ladder's to end.
    a_round = math.ceil(ahead.matches / max(1, ahead.rounds) / at_once)
    seconds = part * max(1, ahead.rounds) * max(1, a_round) * match_seconds * BESIDE
    if most_seconds:
        seconds = min(seconds, most_seconds)
    information = part * ahead.fewest * EVEN / POINTS**2
    return Forecast(
        entrants=len(entrants),
        rounds=ahead.rounds,
        matches=matches,
        fewest=ahead.fewest,
        most=ahead.most,
        at_once=at_once,
        match_seconds=match_seconds,
        hours=seconds / 3600,
        sigma=1 / math.sqrt(information + 1 / UNKNOWN_SIGMA**2),
    )
