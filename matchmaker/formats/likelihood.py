"""
The generalised sequential probability ratio test on the scores of pairings.

Both matches of a pairing are one observation of five values, so side advantage and a public setting
that suits one bot do not count as luck twice. The likelihood ratio after Li, Liu and Ying,
*Generalized sequential probability ratio test for separate families of hypotheses* (2014): of each
hypothesis the likeliest distribution with its mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import log

SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Of a pairing: lost both; a loss and a draw; even; a win and a draw; won both."""
ESTIMATED = 4
"""Shares that are estimated from the same pairings; so many of them do not count as evidence."""
NONE_YET = 1e-3
"""Stands for a count of zero, so that a score not seen yet is not impossible."""


def expected(elo: float) -> float:
    """Give the expected score of a bot that is so many Elo points better."""
    return float(1 / (1 + 10 ** (-elo / 400)))


def bounds(alpha: float, beta: float) -> tuple[float, float]:
    """
    Give the bounds of the log-likelihood ratio: below the first H0 is taken, above the other H1.

    A likelihood ratio ever reaches 1/alpha under H0 with a chance of at most alpha (Ville). Wald's
    own bounds, a twentieth lower for 5 %, keep to that only about.
    """
    return log(beta), -log(alpha)


@lru_cache(maxsize=65_536)
def llr(counts: tuple[int, int, int, int, int], elo0: float, elo1: float) -> float:
    """Give the log-likelihood ratio of H1 (elo1) to H0 (elo0) after pairings of these scores."""
    if not any(counts):
        return 0.0
    seen = [count or NONE_YET for count in counts]
    total = sum(seen)
    shares = [count / total for count in seen]
    tilted0, tilted1 = (_tilt(shares, expected(elo)) for elo in (elo0, elo1))
    return sum(count * log(one / zero) for count, one, zero in zip(seen, tilted1, tilted0))


def _tilt(shares: Sequence[float], mean: float) -> list[float]:
    """
    Give the likeliest distribution with this mean.

    It is share / (1 + x·(score − mean)), with the x for which it has that mean.
    """
    apart = [score - mean for score in SCORES]
    low, high = -1 / apart[-1], -1 / apart[0]
    x = 0.0
    for _ in range(100):
        value = slope = 0.0
        for share, each in zip(shares, apart):
            part = each / (1 + x * each)
            value += share * part
            slope -= share * part * part
        # The sum falls with x from +∞ to −∞ between the ends: Newton's step, halving if it leaves.
        if value > 0:
            low = x
        else:
            high = x
        step = x - value / slope
        if not low < step < high:
            step = (low + high) / 2
        if abs(step - x) <= 1e-13 * max(1.0, abs(x)):
            break
        x = step
    return [share / (1 + x * each) for share, each in zip(shares, apart)]


class Sequential:
    """One test, pairing by pairing; it stops for good when a bound is reached."""

    def __init__(self, *, elo0: float, elo1: float, alpha: float, beta: float) -> None:
        self.elo0, self.elo1 = elo0, elo1
        self.lower, self.upper = bounds(alpha, beta)
        self.counts = [0] * len(SCORES)
        self.llr = 0.0
        """What the bounds are compared with."""
        self.verdict = "open"
        """`accepted` (H1), `rejected` (H0), or neither yet."""

    def add(self, score: int) -> None:
        """
        Take in a pairing, unless the test has stopped.

        Args:
            score: Half points of four.
        """
        if self.verdict != "open":
            return
        self.counts[score] += 1
        one, two, three, four, five = self.counts
        pairings = sum(self.counts)
        ratio = llr((one, two, three, four, five), self.elo0, self.elo1)
        # The spread is taken from few pairings at first and looks smaller than it is.
        self.llr = ratio * pairings / (pairings + ESTIMATED)
        if self.llr >= self.upper:
            self.verdict = "accepted"
        elif self.llr <= self.lower:
            self.verdict = "rejected"
