"""The log of what happened, one stream for each viewer. It lies beside the state, never in it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

PUBLIC = -1
"""The viewer who sees what every seat may see, and nothing else."""

E = TypeVar("E")


class EventLog:
    """What each viewer may know happened, oldest first."""

    __slots__ = ("streams",)

    def __init__(self, seats: int) -> None:
        self.streams: dict[int, list[object]] = {viewer: [] for viewer in range(PUBLIC, seats)}

    def tell(self, event: object) -> None:
        """Something that all may know."""
        for stream in self.streams.values():
            stream.append(event)

    def tell_apart(self, knowing: Iterable[int], full: object, rest: object | None) -> None:
        """Those who know get `full`; the others and the public get `rest`, or nothing if None."""
        knows = frozenset(knowing)
        for viewer, stream in self.streams.items():
            event = full if viewer in knows else rest
            if event is not None:
                stream.append(event)
