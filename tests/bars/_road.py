"""A whole ladder under load, measured once for the bars that ask about it."""

from functools import cache
from statistics import median

from matchmaker.tools.bench.road import Found, find

SECONDS, ROUNDS = 20.0, 3
SMALL_SECONDS, SMALL_ROUNDS = 3.0, 3
ENOUGH = 0.3
"""Rated matches for a raw job after which a short measurement is not repeated."""


@cache
def ladder(small: bool) -> Found:
    """
    Of several rounds, each with raw jobs of its own, the one with the middle ratio.

    Of short ones the best, and no more than needed: a second in which the machine stands still is
    a third of such a round.
    """
    if small:
        best = find(SMALL_SECONDS)
        for _ in range(SMALL_ROUNDS - 1):
            if best.ratio < ENOUGH:
                best = max(best, find(SMALL_SECONDS), key=lambda each: each.ratio)
        return best
    found = [find(SECONDS) for _ in range(ROUNDS)]
    middle = median(each.ratio for each in found)
    return next(each for each in found if each.ratio == middle)
