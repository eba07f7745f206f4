"""The entries of a journal as a running match's owner keeps them: all of them, in little memory."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import overload


class Entries(Sequence[bytes]):
    """
    Entries in their order, bytes in one piece.

    An entry has a few dozen bytes: as objects of their own, a list of them takes twice the room.
    """

    __slots__ = ("_data", "_ends")

    def __init__(self, entries: Iterable[bytes] = ()) -> None:
        self._data = bytearray()
        self._ends = array("Q")
        """Of each entry, in the data."""
        self += entries

    def append(self, entry: bytes) -> None:
        self._data += entry
        self._ends.append(len(self._data))

    def __iadd__(self, entries: Iterable[bytes]) -> Entries:
        for entry in entries:
            self.append(entry)
        return self

    def __len__(self) -> int:
        return len(self._ends)

    @overload
    def __getitem__(self, at: int) -> bytes: ...
    @overload
    def __getitem__(self, at: slice) -> list[bytes]: ...
    def __getitem__(self, at: int | slice) -> bytes | list[bytes]:
        if isinstance(at, slice):
            return [self[k] for k in range(*at.indices(len(self)))]
        k = at + len(self) if at < 0 else at
        if not 0 <= k < len(self):
            raise IndexError(f"entry {at} of {len(self)}")
        begin = self._ends[k - 1] if k else 0
        return bytes(self._data[begin : self._ends[k]])

    def __iter__(self) -> Iterator[bytes]:
        return iter(self[:])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (Entries, list, tuple)) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # it grows
