"""Microseconds of CPU to imagine a state from a view in mid-game, of the dearest game."""

from matchmaker.tools.bench.engine import each, positions
from matchmaker.tools.bench.figures import cpu_for_one, rounded
from referee.games import get, names
from tests.bars import Measured

AT_MOST = 400.0
"""A search imagines once for each world it looks at."""


def measure(small: bool) -> Measured:
    costs = {}
    for name in names():
        game = get(name)
        views = [state.view(state.asked()[0]) for state in positions(game)]
        work = each(lambda view, game=game: game.imagine(view, "bar"), views)
        costs[name] = cpu_for_one(work, 1.0 if small else 10.0) * 1e6
    value = rounded(max(costs.values()))
    return Measured(value=value, limit=AT_MOST, ok=value <= AT_MOST, notes=str(costs))
