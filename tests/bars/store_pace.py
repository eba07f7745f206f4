"""
Opening and ending a hundred matches a second in the store, beside a PING of the same run.

The value is the worst share of what is allowed: ten middle PINGs in the middle, forty at the
hundredth worst. Of several rounds the one counts whose PINGs were steadiest: on a machine that
others keep busy the hundredth-worst PING alone takes forty.
"""

from matchmaker.tools.bench.offered import Found, find
from tests.bars import Measured

MIDDLE, WORST = 10.0, 40.0
WORST_SMALL = 10.0
"""Hundredth-worst PINGs: of a hundred calls that is the second-worst, which the machine decides."""
SECONDS, ROUNDS = 15.0, 6
SMALL_SECONDS, SMALL_ROUNDS = 1.0, 3


def measure(small: bool) -> Measured:
    seconds, rounds = (SMALL_SECONDS, SMALL_ROUNDS) if small else (SECONDS, ROUNDS)
    found = min((find(seconds) for _ in range(rounds)), key=unsteadiness)
    ping, shares, notes = found.ping, [], []
    worst = WORST_SMALL * ping.p99 if small else WORST * ping.p50
    for name, times in (("opening", found.opening), ("ending", found.ending)):
        shares += [times.p50 / (MIDDLE * ping.p50), times.p99 / worst]
        notes += [f"{name} {took / ping.p50:.1f}" for took in times]
    value = round(max(shares), 3)
    return Measured(
        value=value,
        limit=1.0,
        ok=value <= 1.0,
        notes=f"middle and hundredth-worst: {', '.join(notes)}, PING {unsteadiness(found):.1f}"
        f" times the middle PING of {ping.p50 * 1e6:.0f} us",
    )


def unsteadiness(found: Found) -> float:
    """The hundredth-worst PING, in middle ones."""
    return found.ping.p99 / found.ping.p50
