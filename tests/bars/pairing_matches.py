"""
Pairings to a median Spearman of 0.95, as a multiple of what the best simple rule needs.

The rules: both bots by chance, the nearest rating, the best match quality; all with TrueSkill and a
table by mu - 3 sigma. Small it is fewer ladders to a Spearman of 0.90, where the same bar holds.
"""

from matchmaker.tools.simulate import TARGET
from matchmaker.tools.simulate.measure import INFORMATION, RIVALS, curves, entry, ratio
from tests.bars import Measured
from tests.bars._ladders import JOBS

AT_MOST = 0.75
BOTS = 100
SEEDS, PAIRINGS, OURS = 60, 3_500, 2_000
SMALL, SMALL_TARGET = (12, 1_500, 1_000), 0.90


def measure(small: bool) -> Measured:
    seeds, pairings, ours = SMALL if small else (SEEDS, PAIRINGS, OURS)
    target = SMALL_TARGET if small else TARGET
    found = {
        rule: curves(
            rule,
            bots=BOTS,
            pairings=ours if rule == INFORMATION else pairings,
            seeds=range(seeds),
            jobs=JOBS,
        )
        for rule in (INFORMATION, *RIVALS)
    }
    got = ratio(found[INFORMATION], [found[rule] for rule in RIVALS], target)
    entered = {rule: entry(points, target) for rule, points in found.items()}
    shown = ", ".join(
        f"{rule} {each.pairings:.0f} ({each.low:.0f} to {each.high:.0f})"
        for rule, each in entered.items()
    )
    return Measured(
        value=round(got.pairings, 3),
        limit=AT_MOST,
        ok=got.pairings <= AT_MOST,
        notes=f"{BOTS} bots, {seeds} seeds, {got.low:.2f} to {got.high:.2f}; pairings: {shown}",
    )
