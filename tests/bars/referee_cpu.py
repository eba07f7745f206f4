"""
A decision's CPU at the referee, as a multiple of raw gRPC's and the game's own together.

64 bots on 64 streams; the game with the worst multiple counts.
"""

from statistics import median
from typing import NamedTuple

from matchmaker.tools.bench.referee import measure_game
from referee.games import names
from tests.bars import Measured

AT_MOST, AT_MOST_SMALL = 1.8, 3.5
"""A short run weighs start-up and a busy machine more."""
ROUNDS = 3
"""Each has referee, echo and game in one run; the middle multiple counts."""


def measure(small: bool) -> Measured:
    limit = AT_MOST_SMALL if small else AT_MOST
    seconds = 1.5 if small else 20.0
    found = {name: middle(name, seconds) for name in names()}
    value = max(each.added for each in found.values())
    notes = "; ".join(
        f"{name} {each.added}, of a raw server that does the game's work {each.together},"
        f" of raw gRPC at the referee's rate and the game {each.paced}"
        for name, each in found.items()
    )
    return Measured(value=value, limit=limit, ok=value <= limit, notes=notes)


class Multiples(NamedTuple):
    """Of the referee's CPU a decision; only the first is held to the limit."""

    added: float
    """Of raw gRPC as fast as it goes and of the game, added."""
    together: float
    """Of both in one server."""
    paced: float
    """Of raw gRPC at the referee's own rate and of the game, added."""


def middle(game: str, seconds: float) -> Multiples:
    """Medians of `ROUNDS` rounds."""
    rounds = []
    for _ in range(ROUNDS):
        _, referee, echo, own, both, slow = measure_game(game, seconds)
        least = (echo.value + own.value, both.value, slow.value + own.value)
        rounds.append([referee.value / each for each in least])
    return Multiples(*(round(median(some), 2) for some in zip(*rounds, strict=True)))
