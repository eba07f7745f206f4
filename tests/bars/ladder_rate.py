"""
One-round matches that a ladder rates in the time of one raw RQ job, on as many workers.

Real store, matchmaker, referee, workers and bots, all of them processes; `bench ladder` prints the
same figure.
"""

from tests.bars import Measured
from tests.bars._road import ladder

AT_LEAST = 0.25


def measure(small: bool) -> Measured:
    found = ladder(small)
    value = round(found.ratio, 3)
    return Measured(
        value=value,
        limit=AT_LEAST,
        ok=value >= AT_LEAST,
        notes=f"{found.rated:.0f} matches/s, {found.raw:.0f} raw jobs/s",
    )
