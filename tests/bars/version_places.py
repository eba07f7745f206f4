"""Mean error in places of ten new, much stronger versions, 500 pairings of the ladder later."""

from matchmaker.tools.simulate.informed import BATCH
from matchmaker.tools.simulate.trials import versions
from tests.bars import Measured
from tests.bars._ladders import played

AT_MOST = 6.0
SEEDS, SMALL = 24, 6


def measure(small: bool) -> Measured:
    found = played(versions, SMALL if small else SEEDS)
    errors = [sum(at) / len(found) for at in zip(*found)]
    shown = ", ".join(f"{error:.1f}" for error in errors[3::4])
    return Measured(
        value=round(errors[-1], 2),
        limit=AT_MOST,
        ok=errors[-1] <= AT_MOST,
        notes=f"{len(found)} ladders; after each {4 * BATCH} pairings: {shown}",
    )
