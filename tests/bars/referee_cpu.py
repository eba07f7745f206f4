"""
A decision's CPU at the referee, as a multiple of raw gRPC's and the game's own together.

64 bots on 64 streams; the game with the worst multiple counts.
"""

from matchmaker.tools.bench.referee import BOTS, measure_game
from referee.games import names
from tests.bars import Measured

AT_MOST = 3.5
"""Where matches are short their beginning and end weigh most; a busy machine adds a fifth."""


def measure(small: bool) -> Measured:
    ratios = {}
    for name in names():
        rows = measure_game(name, 2.0 if small else 20.0)
        ratios[name] = next(row.ratio for row in rows if row.name == f"{name} {BOTS} bots referee")
    value = max(ratio for ratio in ratios.values() if ratio is not None)
    return Measured(value=value, limit=AT_MOST, ok=value <= AT_MOST, notes=str(ratios))
