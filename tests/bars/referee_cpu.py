"""
A decision's CPU at the referee, as a multiple of raw gRPC's and the game's own together.

64 bots on 64 streams; the game with the worst multiple counts.
"""

from math import inf

from matchmaker.tools.bench.referee import measure_game
from referee.games import names
from tests.bars import Measured

AT_MOST, AT_MOST_SMALL = 1.8, 3.5
"""A short run weighs start-up and a busy machine more."""
ROUNDS = 3
"""At most; of each figure the least counts, since other work on the machine only adds."""


def measure(small: bool) -> Measured:
    limit = AT_MOST_SMALL if small else AT_MOST
    ratios = {name: round(least(name, 2.0 if small else 20.0, limit), 2) for name in names()}
    value = max(ratios.values())
    return Measured(value=value, limit=limit, ok=value <= limit, notes=str(ratios))


def least(game: str, seconds: float, limit: float) -> float:
    """The multiple from the least referee, echo and game of up to `ROUNDS` rounds."""
    referee = echo = own = inf
    for _ in range(ROUNDS):
        _, now_referee, now_echo, now_own = measure_game(game, seconds)
        referee = min(referee, now_referee.value)
        echo = min(echo, now_echo.value)
        own = min(own, now_own.value)
        if referee / (echo + own) <= limit:
            break
    return referee / (echo + own)
