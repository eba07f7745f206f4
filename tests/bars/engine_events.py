"""Random decisions in a CPU second of the game that has the fewest, all events recorded."""

from matchmaker.tools.bench.engine import playing
from matchmaker.tools.bench.figures import cpu_for_one, rounded
from referee.games import get, names
from tests.bars import Measured

AT_LEAST = 18_000
"""What a referee may count on."""


def measure(small: bool) -> Measured:
    seconds = 2.0 if small else 15.0
    rates = {name: 1 / cpu_for_one(playing(get(name), events=True), seconds) for name in names()}
    value = rounded(min(rates.values()))
    return Measured(value=value, limit=AT_LEAST, ok=value >= AT_LEAST, notes=str(rates))
