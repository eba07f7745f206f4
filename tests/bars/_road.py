"""A whole ladder under load, measured once for the bars that ask about it."""

from functools import cache
from statistics import median

from matchmaker.tools.bench.road import Found, find

SECONDS, ROUNDS = 20.0, 3
SMALL_SECONDS, SMALL_ROUNDS = 3.0, 1


@cache
def ladder(small: bool) -> Found:
    """Of several rounds, each with raw jobs of its own, the one with the middle ratio."""
    seconds, rounds = (SMALL_SECONDS, SMALL_ROUNDS) if small else (SECONDS, ROUNDS)
    found = [find(seconds) for _ in range(rounds)]
    middle = median(each.ratio for each in found)
    return next(each for each in found if each.ratio == middle)
