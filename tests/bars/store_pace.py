"""
Opening and ending a hundred matches a second in the store, beside a PING of the same run.

The value is the worst share of what is allowed: ten middle PINGs in the middle, forty at the
hundredth worst.
"""

from statistics import median

from matchmaker.tools.bench.offered import find
from tests.bars import Measured

MIDDLE, WORST = 10.0, 40.0
SECONDS, ROUNDS = 30.0, 3
SMALL_SECONDS, SMALL_ROUNDS = 1.0, 3


def measure(small: bool) -> Measured:
    seconds, rounds = (SMALL_SECONDS, SMALL_ROUNDS) if small else (SECONDS, ROUNDS)
    found = [find(seconds) for _ in range(rounds)]
    shares, notes = [], []
    for name in ("opening", "ending"):
        for part, allowed in (("p50", MIDDLE), ("p99", WORST)):
            times = [getattr(getattr(each, name), part) / each.ping.p50 for each in found]
            shares.append(median(times) / allowed)
            notes.append(f"{name} {part} {median(times):.1f} of {allowed:g}")
    ping = median(each.ping.p50 for each in found)
    value = round(max(shares), 3)
    return Measured(
        value=value,
        limit=1.0,
        ok=value <= 1.0,
        notes=f"{', '.join(notes)} PINGs of {ping * 1e6:.0f} us",
    )
