"""
The field of bots that simulated ladders play with: known strengths, results by chance.

Strengths are normal, so spread that the best of 100 beats the middle bot with 90 %; who sits first
has 59 % against an equal. A bot wins by the logistic function of the difference. No draws.
"""

import math

from matchmaker.entries import Seated
from matchmaker.numeric import Floats, np

SPREAD = 0.876
"""Standard deviation of strengths, in logarithms of odds."""
ADVANTAGE = 0.35
"""Of the first seat."""


class Field:
    """Bots of one simulated ladder; they may come, change and crash."""

    def __init__(self, bots: int, seed: int) -> None:
        self.chance = np.random.Generator(np.random.PCG64([17, seed]))
        self.strengths: Floats = self.chance.normal(0.0, SPREAD, bots)
        self.versions = [1] * bots
        self.crashing: frozenset[int] = frozenset()
        """Bots that lose each match at once."""
        self._uniform: list[float] = []

    def __len__(self) -> int:
        return len(self.versions)

    def player(self, bot: int) -> Seated:
        return Seated(f"b{bot:04}", str(self.versions[bot]))

    def join(self, bots: int) -> None:
        """Let newcomers in."""
        drawn = self.chance.normal(0.0, SPREAD, bots)
        self.strengths = np.concatenate([self.strengths, drawn])
        self.versions += [1] * bots

    def change(self, bot: int, by: float) -> None:
        """Let a bot come with a new version."""
        self.strengths[bot] += by
        self.versions[bot] += 1

    def first_wins(self, first: int, second: int) -> bool:
        """Play one match."""
        if first in self.crashing or second in self.crashing:
            return second in self.crashing and (first not in self.crashing or self._draw() < 0.5)
        lead = float(self.strengths[first] - self.strengths[second]) + ADVANTAGE
        return self._draw() < 1 / (1 + math.exp(-lead))

    def _draw(self) -> float:
        if not self._uniform:
            self._uniform = self.chance.random(1_000).tolist()
        return self._uniform.pop()


def likeness(strengths: Floats, worth: Floats) -> float:
    """Spearman's correlation of true strengths with what a table goes by; neither has ties."""
    count = len(strengths)
    apart = _ranks(strengths) - _ranks(worth)
    return 1 - 6 * float((apart**2).sum()) / (count * (count**2 - 1))


def _ranks(values: Floats) -> Floats:
    ranks = np.empty(len(values))
    ranks[np.argsort(values, kind="stable")] = np.arange(len(values))
    return ranks
