"""The log of what happened, one stream for each viewer. It lies beside the state, never in it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar, cast

PUBLIC = -1
"""The viewer who sees what every seat may see, and nothing else."""

E = TypeVar("E")


EVENTS_KEPT = 1 << 11
_KEPT: dict[tuple[type, object], object] = {}
"""By kind and content: equal events of all logs are one object."""


def kept(event: E) -> E:
    """
    The same event, as the one object that logs hold of all equal ones.

    Half of a long match's events have happened before, and a referee holds hundreds of matches.
    """
    key = (type(event), event)  # tuples of two kinds may be equal
    known = _KEPT.get(key)
    if known is None:
        if len(_KEPT) >= EVENTS_KEPT:
            _KEPT.clear()
        known = _KEPT[key] = event
    return cast(E, known)


class EventLog:
    """What each viewer may know happened, oldest first. Events are immutable and hashable."""

    __slots__ = ("streams",)

    def __init__(self, seats: int) -> None:
        self.streams: dict[int, list[object]] = {viewer: [] for viewer in range(PUBLIC, seats)}

    def tell(self, event: object) -> None:
        """Something that all may know."""
        event = kept(event)
        for stream in self.streams.values():
            stream.append(event)

    def tell_apart(self, knowing: Iterable[int], full: object, rest: object | None) -> None:
        """Those who know get `full`; the others and the public get `rest`, or nothing if None."""
        knows = frozenset(knowing)
        full, rest = kept(full), kept(rest)
        for viewer, stream in self.streams.items():
            event = full if viewer in knows else rest
            if event is not None:
                stream.append(event)
