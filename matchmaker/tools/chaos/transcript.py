"""
What a bot got and answered, line by line, as the bot itself wrote it down.

A line is in the file before the answer it tells of is sent, so a kill -9 loses nothing of it.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

HASH_BYTES = 6


def event_hash(data: bytes) -> str:
    """Name an event by its bytes."""
    return blake2b(data, digest_size=HASH_BYTES).hexdigest()


class Transcript:
    """A file that a bot appends to, over all its lives."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def note(self, what: str, **fields: Any) -> None:
        line = {"what": what, "at_ms": int(time.time() * 1000), **fields}
        os.write(self._file, json.dumps(line, separators=(",", ":")).encode() + b"\n")


def read(path: Path) -> Iterator[dict[str, Any]]:
    """Every whole line, oldest first; a kill may have torn the last of a life."""
    if not path.exists():
        return
    for line in path.read_bytes().splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            continue


def by_match(lines: Iterable[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for line in lines:
        if line.get("match"):
            found.setdefault(line["match"], []).append(line)
    return found
