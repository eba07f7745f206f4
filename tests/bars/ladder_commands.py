"""
The store's commands for one match of a busy ladder, those inside of scripts among them.

A match of four decisions, from pairing to rating; what RQ, polling and presence need is shared out.
"""

from tests.bars import Measured
from tests.bars._road import ladder

AT_MOST = 150.0
"""Found: 110 to 127. The fewer matches close in a second, the fewer share a round and a job."""


def measure(small: bool) -> Measured:
    found = ladder(small)
    value = round(found.all_commands, 1)
    most = sorted(found.commands.items(), key=lambda item: -item[1])[:8]
    notes = ", ".join(f"{name} {calls:.1f}" for name, calls in most)
    return Measured(value=value, limit=AT_MOST, ok=value <= AT_MOST, notes=notes)
