"""A journal in memory: for local matches and tests, the same session as with a store."""

from __future__ import annotations

from typing import Protocol

from referee.match.entries import Entries


class Owner(Protocol):
    """Who appends."""

    def journalled(self, count: int) -> None: ...


class MemoryJournal:
    """Entries are safe as soon as they are appended."""

    def __init__(self) -> None:
        self.entries = Entries()
        self.ending = ""
        self.owner: Owner | None = None

    def append(self, entry: bytes, ending: str = "") -> None:
        self.entries.append(entry)
        if ending:
            self.ending = ending
        if self.owner is not None:
            self.owner.journalled(len(self.entries))
