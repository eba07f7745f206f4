"""
How alike a simulated ladder's table is to the truth after 1,500 pairings of 100 bots (Spearman).

Besides, it must be better than pairing by chance with a table by mu - 3 sigma, on the same seeds.
"""

from functools import partial
from statistics import mean

from matchmaker.tools.simulate.measure import curve
from matchmaker.tools.simulate.trials import BOTS, PAIRINGS
from tests.bars import Measured
from tests.bars._ladders import played, usual_ladders

AT_LEAST = 0.944
BETTER_BY = 0.014
SEEDS, SMALL = 60, 20


def measure(small: bool) -> Measured:
    seeds = SMALL if small else SEEDS
    ours = [each.likeness for each in usual_ladders(seeds)]
    chance = partial(curve, bots=BOTS, pairings=PAIRINGS, rule="uniform")
    theirs = [points[-1] for points in played(chance, seeds)]
    value, gained = mean(ours), mean(ours) - mean(theirs)
    return Measured(
        value=round(value, 4),
        limit=AT_LEAST,
        ok=value >= AT_LEAST and gained >= BETTER_BY,
        notes=f"{seeds} seeds; better than chance by {gained:.4f}, at least {BETTER_BY}",
    )
