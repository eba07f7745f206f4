"""
A decision's CPU at the referee, as a multiple of raw gRPC's and the game's own together.

64 bots on 64 streams; the game with the worst multiple counts.
"""

from statistics import median

from matchmaker.tools.bench.referee import measure_game
from referee.games import names
from tests.bars import Measured

AT_MOST, AT_MOST_SMALL = 1.8, 3.5
"""A short run weighs start-up and a busy machine more."""
ROUNDS = 3
"""Each has referee, echo and game in one run; the middle multiple counts."""


def measure(small: bool) -> Measured:
    limit = AT_MOST_SMALL if small else AT_MOST
    seconds = 2.0 if small else 20.0
    ratios, together = {}, {}
    for name in names():
        ratios[name], together[name] = middle(name, seconds)
    value = max(ratios.values())
    notes = f"{ratios}, of a raw server that does the game's work: {together}"
    return Measured(value=value, limit=limit, ok=value <= limit, notes=notes)


def middle(game: str, seconds: float) -> tuple[float, float]:
    """Median multiples of `ROUNDS` rounds: of both parts added, and of both in one server."""
    added, together = [], []
    for _ in range(ROUNDS):
        _, referee, echo, own, both = measure_game(game, seconds)
        added.append(referee.value / (echo.value + own.value))
        together.append(referee.value / both.value)
    return round(median(added), 2), round(median(together), 2)
