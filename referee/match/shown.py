"""
What a seat is shown, as bytes: made once, hashed for the journal, sent as they are.

The game's `wire` module is handed in; nothing here looks inside its messages.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from types import ModuleType
from typing import Any

from referee.engine import Option

VIEW = 1
"""Bit of `detail`: the view is sent."""
LABELS = 2
"""Bit of `detail`: options have labels."""
FULL = VIEW | LABELS

HASH_BYTES = 8

EVENTS_KEPT = 1 << 11
_EVENTS: dict[tuple[type, Any], bytes] = {}
"""Bytes of events by kind and content."""


def view_bytes(wire: ModuleType, view: Any) -> bytes:
    data: bytes = wire.view(view).SerializeToString(deterministic=True)
    return data


@lru_cache(maxsize=1 << 12)
def option_bytes(wire: ModuleType, option: Option, labels: bool) -> bytes:
    """An option's bytes; equal options come again and again, so they are kept."""
    data: bytes = wire.option(option, labels).SerializeToString(deterministic=True)
    return data


def event_bytes(wire: ModuleType, event: Any) -> bytes:
    """An event's bytes; the viewers of an event share them, and equal events come again."""
    key = (type(event), event)  # tuples of two kinds may be equal
    data = _EVENTS.get(key)
    if data is None:
        if len(_EVENTS) >= EVENTS_KEPT:
            _EVENTS.clear()
        data = _EVENTS[key] = wire.event(event).SerializeToString(deterministic=True)
    return data


def shown_hash(view: bytes | None, options: Sequence[bytes]) -> bytes:
    """A short hash of what a question showed; equal for what looks equal to the bot."""
    told = blake2b(view or b"", digest_size=HASH_BYTES)
    told.update(b"|".join(options))
    return told.digest()
