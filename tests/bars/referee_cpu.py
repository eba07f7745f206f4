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
    ratios = {name: round(middle(name, seconds), 2) for name in names()}
    value = max(ratios.values())
    return Measured(value=value, limit=limit, ok=value <= limit, notes=str(ratios))


def middle(game: str, seconds: float) -> float:
    """The median multiple of `ROUNDS` rounds."""
    multiples = []
    for _ in range(ROUNDS):
        _, referee, echo, own = measure_game(game, seconds)
        multiples.append(referee.value / (echo.value + own.value))
    return median(multiples)
