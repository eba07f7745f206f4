"""Share of all seats that five bots of 100 take that lose each match at once by a crash."""

from statistics import mean

from matchmaker.tools.simulate.trials import crashes
from tests.bars import Measured
from tests.bars._ladders import played

AT_MOST = 0.05
SEEDS, SMALL = 24, 2


def measure(small: bool) -> Measured:
    found = played(crashes, SMALL if small else SEEDS)
    value = max(taken for taken, _ in found)
    others = mean(likeness for _, likeness in found)
    return Measured(
        value=round(value, 4),
        limit=AT_MOST,
        ok=value <= AT_MOST,
        notes=f"{len(found)} ladders, the worst; Spearman of the others {others:.4f}",
    )
