"""How often a bot's true rank lies within the table's rank interval, of 95 % promised."""

from statistics import mean

from tests.bars import Measured
from tests.bars._ladders import usual_ladders

AT_LEAST, AT_MOST = 0.93, 0.99
SEEDS, SMALL = 60, 20


def measure(small: bool) -> Measured:
    ladders = usual_ladders(SMALL if small else SEEDS)
    value = mean(each.covered for each in ladders)
    return Measured(
        value=round(value, 4),
        limit=AT_LEAST,
        ok=AT_LEAST <= value <= AT_MOST,
        notes=f"{len(ladders)} ladders of 100 bots after 1,500 pairings; at most {AT_MOST}",
    )
