"""
A decision's CPU at the referee, as a multiple of raw gRPC's and the game's own together.

64 bots on 64 streams; the game with the worst multiple counts. Raw gRPC answers as often in a
second as the referee does; see `matchmaker/tools/bench/referee.py` for why.
"""

from math import inf
from statistics import median
from typing import NamedTuple

from matchmaker.tools.bench.referee import measure_game
from referee.games import names
from tests.bars import Measured

AT_MOST, AT_MOST_SMALL = 1.8, 3.5
"""A short run weighs start-up and a busy machine more."""
ROUNDS = 3
"""Each has referee, echo and game in one run; the middle multiple counts."""
SAME_RATE = 0.95
"""Raw gRPC must reach so much of the referee's rate, or it was not measured at it."""


def measure(small: bool) -> Measured:
    limit = AT_MOST_SMALL if small else AT_MOST
    seconds = 1.5 if small else 20.0
    found = {name: middle(name, seconds) for name in names()}
    value = max(each.multiple for each in found.values())
    paced = small or min(each.rate for each in found.values()) >= SAME_RATE
    notes = "; ".join(
        f"{name} {each.multiple} with raw gRPC at {each.rate} of the referee's rate,"
        f" {each.flat_out} with raw gRPC as fast as it goes,"
        f" {each.together} of a raw server that does the game's work"
        for name, each in found.items()
    )
    return Measured(value=value, limit=limit, ok=value <= limit and paced, notes=notes)


class Multiples(NamedTuple):
    """Of the referee's CPU a decision; only the first is held to the limit."""

    multiple: float
    """Of raw gRPC at the referee's rate and of the game, added."""
    flat_out: float
    """Of raw gRPC as fast as it goes and of the game, added."""
    together: float
    """Of both in one server."""
    rate: float
    """Of raw gRPC, as a share of the referee's."""


def middle(game: str, seconds: float) -> Multiples:
    """Medians of `ROUNDS` rounds."""
    rounds = []
    for _ in range(ROUNDS):
        _, referee, slow, own, raw, both, pace = measure_game(game, seconds)
        least = (slow.value + own.value, raw.value + own.value, both.value)
        rounds.append([*(referee.value / each for each in least), 1 / (pace.ratio or inf)])
    return Multiples(*(round(median(some), 2) for some in zip(*rounds, strict=True)))
