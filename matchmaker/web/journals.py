"""A closed match's journal as people read it: where time went, and what happened."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from statistics import median
from typing import NamedTuple

from matchmaker.archive import Archive
from matchmaker.blame import detail
from matchmaker.viewing import choices
from referee.engine.errors import WarladderError
from referee.match.journal import (
    Begun,
    Choice,
    End,
    Entry,
    Faulted,
    How,
    Left,
    Opened,
    Order,
    Out,
    unpack_journal,
)
from referee.match.record import MatchRecord
from referee.match.replay import read_record

HOW = {
    How.ANSWERED: "answered",
    How.LATE: "late",
    How.PLAYED_ON: "played_on",
    How.STANDING: "standing_order",
}


class Spent(NamedTuple):
    """One decision of a seat, with its ledger."""

    number: int
    """The match's count of choices, from 1."""
    seat: int
    decision: int
    """The seat's own count, from 1; 0 for a choice that nobody was asked for."""
    how: str
    waited_ms: float
    elapsed_ms: float
    away_ms: float
    delay_ms: float
    ping_ms: float
    charged_ms: int
    bank_ms: int
    note: str
    kind: str = ""
    """Which decision it was; empty where the deal is not told, or these rules cannot play it."""
    option: str = ""
    words: str = ""
    """The option in the game's words."""
    options: int = 0
    """How many there were."""


class Said(NamedTuple):
    """Something that happened besides choices."""

    seat: int | None
    """None if it concerns the match."""
    after: int
    """Choices that had been taken."""
    text: str
    is_out: bool = False
    """It ended the seat's part."""


@dataclass(frozen=True, kw_only=True)
class Told:
    """A journal, read."""

    record: MatchRecord
    spent: list[Spent] = field(default_factory=list)
    said: list[Said] = field(default_factory=list)

    def of_seat(self, seat: int) -> list[Spent]:
        return [each for each in self.spent if each.seat == seat and each.decision]


class Clock(NamedTuple):
    """How a seat used its time."""

    decisions: int
    lates: int
    charged_ms: int
    median_ms: float
    longest_ms: int
    bank_ms: int | None
    """What was left; None if it was never asked."""


def clock_of(told: Told, seat: int) -> Clock:
    spent = told.of_seat(seat)
    charged = [each.charged_ms for each in spent]
    return Clock(
        decisions=len(spent),
        lates=sum(each.how == HOW[How.LATE] for each in spent),
        charged_ms=sum(charged),
        median_ms=median(charged) if charged else 0.0,
        longest_ms=max(charged, default=0),
        bank_ms=spent[-1].bank_ms if spent else None,
    )


def read(archive: Archive, digest: str) -> Told:
    """
    Read the journal of a closed match.

    Raises:
        WarladderError: It is not there, or cannot be read.
    """
    entries = unpack_journal(archive.replay(digest).journal)
    return tell(read_record(entries), entries)


def read_choices(archive: Archive, digest: str) -> Told:
    """
    Read it with what each choice was about, as far as that may be told and these rules can.

    Raises:
        WarladderError: It is not there, or cannot be read.
    """
    entries = unpack_journal(archive.replay(digest).journal)
    told = tell(read_record(entries), entries)
    if not told.record.reveal:
        return told
    try:
        taken = choices.taken(told.record, entries)
    except WarladderError:
        return told  # of other rules: its times are told all the same
    spent = [
        each._replace(**choice._asdict()) for each, choice in zip(told.spent, taken, strict=True)
    ]
    return replace(told, spent=spent)


def tell(record: MatchRecord, entries: list[Entry]) -> Told:
    """Tell a journal; a pure function."""
    told = Told(record=record)
    decisions = [0] * len(record.seats)
    lates = [0] * len(record.seats)
    taken = 0
    for entry in entries:
        if isinstance(entry, Choice):
            taken += 1
            asked = entry.how in (How.ANSWERED, How.LATE)
            decisions[entry.seat] += asked
            lates[entry.seat] += entry.how == How.LATE
            told.spent.append(_spent(entry, taken, decisions[entry.seat] if asked else 0))
        told.said.extend(_said(record, entry, taken, decisions, lates))
    return told


def _spent(entry: Choice, number: int, decision: int) -> Spent:
    ledger = entry.ledger
    return Spent(
        number,
        entry.seat,
        decision,
        HOW[How(entry.how)],
        ledger.waited_us / 1000,
        ledger.elapsed_us / 1000,
        ledger.away_us / 1000,
        ledger.delay_us / 1000,
        ledger.ping_us / 1000,
        ledger.charged_ms,
        ledger.bank_ms,
        entry.note,
    )


def _said(
    record: MatchRecord, entry: Entry, taken: int, decisions: list[int], lates: list[int]
) -> Iterator[Said]:
    match entry:
        case Opened():
            yield Said(None, taken, f"opened by {entry.referee}")
        case Begun():
            yield Said(None, taken, "all seats were ready")
        case Order():
            order = "passes" if entry.on else "passes no longer"
            yield Said(entry.seat, taken, f"{order} {entry.window} by standing order")
        case End():
            if entry.text:
                yield Said(None, taken, f"the server: {entry.text}")
        case Choice() | Faulted() | Left() | Out():
            for line in detail(record, entry, decisions[entry.seat], lates[entry.seat]):
                yield Said(entry.seat, taken, line, isinstance(entry, Out))
