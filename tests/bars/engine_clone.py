"""Microseconds of CPU for a clone in mid-game, of the game whose clones are dearest."""

from matchmaker.tools.bench.engine import each, positions
from matchmaker.tools.bench.figures import cpu_for_one, rounded
from referee.games import get, names
from tests.bars import Measured

AT_MOST = 20.0
"""A search clones once a playout and wants hundreds of playouts in its milliseconds."""


def measure(small: bool) -> Measured:
    costs = {}
    for name in names():
        middles = positions(get(name))
        work = each(lambda state: state.clone(), middles)
        costs[name] = cpu_for_one(work, 1.0 if small else 10.0) * 1e6
    value = rounded(max(costs.values()))
    return Measured(value=value, limit=AT_MOST, ok=value <= AT_MOST, notes=str(costs))
