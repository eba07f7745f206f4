"""Matches of the bot that had fewest, as a share of the mean: the worst of all ladders."""

from tests.bars import Measured
from tests.bars._ladders import usual_ladders

AT_LEAST = 0.5
SEEDS, SMALL = 60, 20


def measure(small: bool) -> Measured:
    ladders = usual_ladders(SMALL if small else SEEDS)
    value = min(each.least for each in ladders)
    return Measured(value=round(value, 3), limit=AT_LEAST, ok=value >= AT_LEAST)
