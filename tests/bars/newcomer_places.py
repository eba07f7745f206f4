"""Pairings of a whole settled ladder until ten newcomers are within 10 places of the truth."""

from functools import partial

from matchmaker.tools.simulate.informed import BATCH
from matchmaker.tools.simulate.trials import newcomers
from tests.bars import Measured
from tests.bars._ladders import played

AT_MOST = 150
PLACES = 10.0
SEEDS, SMALL = 24, 6


def measure(small: bool) -> Measured:
    found = played(partial(newcomers, most=AT_MOST + 2 * BATCH), SMALL if small else SEEDS)
    errors = [sum(at) / len(found) for at in zip(*found)]
    late = next((number for number, error in enumerate(errors) if error <= PLACES), len(errors))
    value = BATCH * (late + 1)
    shown = ", ".join(f"{error:.1f}" for error in errors[:8])
    return Measured(
        value=value,
        limit=AT_MOST,
        ok=value <= AT_MOST,
        notes=f"{len(found)} ladders; mean error after each {BATCH} pairings: {shown}",
    )
