"""Whether a series of matches shows a gain: a sequential test, and Wilson's interval."""

from __future__ import annotations

from math import log, sqrt

LEVEL = 0.5
"""Share of points of two bots that are equal."""
ERROR = 0.1
"""Chance of either mistake that the test allows."""
Z = 1.96


def verdict(points: float, matches: int, better: float) -> bool | None:
    """
    Wald's test of `better` against `LEVEL` as the share of points; None while it is open.

    A draw counts half a win and half a loss.
    """
    gained = points * log(better / LEVEL) + (matches - points) * log((1 - better) / (1 - LEVEL))
    bound = log((1 - ERROR) / ERROR)
    if gained >= bound:
        return True
    return False if gained <= -bound else None


def interval(points: float, matches: int) -> tuple[float, float]:
    """Wilson's 95 % interval of the share of points."""
    if not matches:
        return 0.0, 1.0
    share = points / matches
    middle = share + Z * Z / (2 * matches)
    spread = Z * sqrt(share * (1 - share) / matches + Z * Z / (4 * matches * matches))
    scale = 1 + Z * Z / matches
    return (middle - spread) / scale, (middle + spread) / scale
