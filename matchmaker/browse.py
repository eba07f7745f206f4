"""
Closed matches, newest first, found without reading the whole log: what pages and their API show.

Each call does a bounded amount of work, however long the log is.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from matchmaker.archive import Archive, Segment
from matchmaker.entries import Result, Standing, Why, tournament_of
from matchmaker.log import Log, Logged

T = TypeVar("T")
LOOKED_AT = 4_000
"""Entries that one call looks at, if little of what it finds fits: two parts of the archive."""
SEGMENTS_KEPT = 4
"""Parts of the archive that stay unpacked in memory: about 1 MB each."""


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """Which matches are looked for; an empty field lets all through."""

    bot: str = ""
    game: str = ""
    ending: str = ""
    tournament: str = ""
    standing: str = ""

    def fits(self, row: Row) -> bool:
        result = row.result
        return (
            (not self.bot or any(seat.bot == self.bot for seat in result.seats))
            and self.game in ("", result.game)
            and self.ending in ("", result.ending)
            and self.standing in ("", row.standing.value)
            and self.tournament in ("", row.tournament)
        )


class Row(NamedTuple):
    """A closed match as it counts now."""

    position: int
    """Of its result in the log."""
    at_ms: int
    """When it was closed, by the store's clock."""
    result: Result
    standing: Standing
    why: Why

    @property
    def tournament(self) -> str:
        """Id of the tournament that it was played for; empty if for none."""
        found = tournament_of(self.result.cause)
        return found[0] if found else ""


class Found(NamedTuple):
    """What one call found."""

    rows: list[Row]
    """Newest first."""
    before: int
    """Where to go on: there may be more before this position; 0 if there is none."""


class Past:
    """The results log of one ladder, read backwards."""

    def __init__(self, log: Log, archive: Archive) -> None:
        self.log = log
        self.archive = archive
        self._segments: OrderedDict[int, Segment] = OrderedDict()
        """By the position of their first entry, the one used last at the end."""

    def find(self, wanted: Wanted, count: int, before: int = 0) -> Found:
        """
        Find the newest matches before a position.

        Args:
            before: 0 begins at the end of the log.

        Raises:
            BadFile: A part of the archive is broken.
        """
        start = before or self.log.position() + 1
        if wanted.bot:
            return self._of_bot(wanted, count, start)
        rows: list[Row] = []
        last = start
        for some in _parts(self._backwards(start, LOOKED_AT), max(count, 50)):
            for row in self._rows(some):
                if wanted.fits(row):
                    rows.append(row)
                    if len(rows) == count:
                        return Found(rows, row.position if row.position > 1 else 0)
            last = some[-1].position
        return Found(rows, last if 1 < last < start else 0)

    def of_bot(self, bot: str, count: int) -> list[Row]:
        """Give a bot's last matches, newest first: as many as the ladder remembers at most."""
        return list(self._rows(self._at(self.log.of_bot(bot)[:count])))

    def match(self, match: str, position: int = 0) -> Row | None:
        """
        Find one match.

        Args:
            position: Where it is in the log, if that is known: it saves looking.
        """
        if not position:
            receipt = self.log.receipt(match)
            position = receipt.position if receipt else self.archive.place_of(match)
        for row in self._rows(self._at([position])):
            if row.result.match == match:
                return row
        return None

    def _of_bot(self, wanted: Wanted, count: int, before: int) -> Found:
        rows: list[Row] = []
        positions = [each for each in self.log.of_bot(wanted.bot) if each < before]
        for some in _parts(positions, max(count, 20)):
            for row in self._rows(self._at(some)):
                if wanted.fits(row):
                    rows.append(row)
                    if len(rows) == count:
                        more = row.position != positions[-1]
                        return Found(rows, row.position if more else 0)
        return Found(rows, 0)

    def _at(self, positions: Iterable[int]) -> list[Logged]:
        """Read the entries at these positions, newest first; what is nowhere is left out."""
        wanted = sorted((each for each in positions if each > 0), reverse=True)
        found = self.log.some(wanted)
        for position in wanted:
            if position not in found:
                segment = self._segment(position)
                if segment is None:
                    continue
                entry = segment.entries[position - segment.entries[0][0]]
                found[position] = Logged(*entry)
        return [found[each] for each in wanted if each in found]

    def _backwards(self, before: int, most: int) -> Iterator[Logged]:
        while most > 0 and before > 1:
            tail = self.log.before(before, min(most, 500))
            if not tail:
                break
            yield from tail
            most, before = most - len(tail), tail[-1].position
        while most > 0 and before > 1:
            segment = self._segment(before - 1)
            if segment is None:
                return
            first = segment.entries[0][0]
            for entry in reversed(segment.entries[: before - first][-most:]):
                yield Logged(*entry)
                most, before = most - 1, entry[0]

    def _rows(self, logged: Iterable[Logged]) -> Iterator[Row]:
        """The results among these, as they count now."""
        found = [(each, each.entry) for each in logged]
        results = [(each, entry) for each, entry in found if isinstance(entry, Result)]
        voided = self.log.voided([entry.match for _, entry in results])
        for each, entry in results:
            standing, why = entry.standing, entry.why
            if entry.match in voided:
                standing, why = Standing.VOID, Why.OPERATOR
            yield Row(each.position, each.at_ms, entry, standing, why)

    def _segment(self, position: int) -> Segment | None:
        for first, known in self._segments.items():
            if first <= position <= known.entries[-1][0]:
                self._segments.move_to_end(first)
                return known
        segment = self.archive.segment_with(position)
        if segment is not None:
            self._segments[segment.entries[0][0]] = segment
            while len(self._segments) > SEGMENTS_KEPT:
                self._segments.popitem(last=False)
        return segment


def _parts(some: Iterable[T], size: int) -> Iterator[list[T]]:
    """Cut into lists of so many."""
    part: list[T] = []
    for each in some:
        part.append(each)
        if len(part) == size:
            yield part
            part = []
    if part:
        yield part
