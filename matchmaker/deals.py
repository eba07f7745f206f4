"""What nobody may guess of a match: its id, its deal and the salt under which the deal is told."""

from __future__ import annotations

import secrets
from typing import NamedTuple

SALT_BYTES = 16


class Deal(NamedTuple):
    """Drawn anew for each match, from the system's own randomness."""

    match: str
    """Id; bots see it, and a counter would tell them about other matches."""
    seed: str
    salt: bytes
    """
    Without one of its own, the commitments of two matches would tell whether their deals are
    equal, and a guessed seed could be tried.
    """


def fresh() -> Deal:
    return Deal(secrets.token_hex(8), secrets.token_hex(16), secrets.token_bytes(SALT_BYTES))
