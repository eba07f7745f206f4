"""
Chance from keyed streams: a seed, a stream's name, and SHA-256.

Anyone who learns the seed can repeat every draw with these two lines in any language, and nobody
who sees draws can foretell the next. Streams are independent: what is drawn on one does not depend
on how often another was used.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256


def shuffled(seed: str, stream: str, ids: Iterable[str]) -> list[str]:
    """Order ids by SHA-256 of `seed|stream|id`; ids must be unique. First is first drawn."""
    prefix = f"{seed}|{stream}|"
    return sorted(ids, key=lambda each: sha256((prefix + each).encode()).digest())


def number(seed: str, stream: str, k: int, below: int) -> int:
    """
    The k-th number (from 0) of a stream: 0 … below - 1.

    SHA-256 of `seed|stream|k` read as one big-endian integer, modulo `below`; with 256 bits the
    unevenness is under 2⁻²⁴⁰ for any number a game needs.
    """
    digest = sha256(f"{seed}|{stream}|{k}".encode()).digest()
    return int.from_bytes(digest, "big") % below
