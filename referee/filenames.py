"""Names that people choose, as names of files."""

from __future__ import annotations

import re
from hashlib import sha256

PLAIN = re.compile(r"[a-z0-9_#-][a-z0-9._#-]*")
LONGEST = 64
SHOWN, DIGITS = 40, 12


def file_name(name: str) -> str:
    """
    A file's name, without a suffix, for a name of any kind.

    Two names have two files also where the file system takes `A` for `a`, or one form of `é` for
    the other. A name of small letters, digits and `. _ # -` is its own file's, and `a/b` becomes
    `a+b`, which no other name does; all others end in a part of their SHA-256 after a `~`.
    """
    parts = name.split("/")
    if len(name) <= LONGEST and all(map(PLAIN.fullmatch, parts)) and not name.endswith("."):
        return "+".join(parts)
    shown = re.sub(r"[^a-z0-9_-]+", "-", name.lower())[:SHOWN]
    return f"{shown}~{sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:DIGITS]}"
