"""
The entries of a match's journal and their bytes.

A journal holds what cannot be computed again: the set-up, each choice with where its time went and
a short hash of what was sent, standing orders, faults, leavings, the end. Its first entry is the
set-up, its last the end. An entry is one MessagePack array that begins with its kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import IntEnum, StrEnum
from typing import Any, NamedTuple, TypeAlias

import msgpack

from referee.match.errors import BadJournal, NewerSchema
from referee.match.record import SCHEMA

DIGEST_EVERY = 32
"""Every so many choices, one carries the digest of the state that it met."""


class Ending(StrEnum):
    """How a match can end: a closed list."""

    NORMAL = "normal"
    TIMEOUT = "timeout"
    ILLEGAL = "illegal"
    DISCONNECTED = "disconnected"
    PROTOCOL = "protocol"
    RESIGNED = "resigned"
    NO_SHOW = "no_show"
    REFEREE_FAULT = "referee_fault"
    STALLED = "stalled"
    CANCELLED = "cancelled"


RATED = frozenset(
    {
        Ending.NORMAL,
        Ending.TIMEOUT,
        Ending.ILLEGAL,
        Ending.DISCONNECTED,
        Ending.PROTOCOL,
        Ending.RESIGNED,
    }
)
"""Endings that count, if the match does."""

OURS = frozenset({Ending.REFEREE_FAULT, Ending.STALLED, Ending.CANCELLED})
"""Endings that are never a bot's doing: played anew."""


class How(IntEnum):
    """How a choice came about."""

    ANSWERED = 0
    LATE = 1
    """The bot was late: the default was taken and counted."""
    PLAYED_ON = 2
    """The seat has left the match by a fault; nobody was asked."""
    STANDING = 3
    """By the bot's standing order; it was not asked."""


class Ledger(NamedTuple):
    """Where the time of one decision went, in microseconds but for the last two."""

    waited_us: int = 0
    """From the moment the rules asked until the question was written to the stream."""
    elapsed_us: int = 0
    """From then until the answer was read, absences and the time without a store left out."""
    away_us: int = 0
    """Time in which the bot had no stream; it counts against the bank, not against the cap."""
    delay_us: int = 0
    """Credited: the referee's own event loop was late by so much."""
    ping_us: int = 0
    """Credited: the stream's median ping."""
    charged_ms: int = 0
    """Taken from the bank: elapsed and away less what is credited, rounded down."""
    bank_ms: int = 0
    """The bank after it, increment included."""


class Setup(NamedTuple):
    """The match's record, as it was written when it was planned."""

    record: bytes
    schema: int = SCHEMA


class Opened(NamedTuple):
    """A referee took the match, under a new epoch."""

    epoch: int
    referee: str


class Begun(NamedTuple):
    """All seats were ready; the first question follows."""


class Choice(NamedTuple):
    """A seat's choice, taken in the order of these entries."""

    seat: int
    option: int
    how: int = How.ANSWERED
    ledger: Ledger = Ledger()
    detail: int = 0
    """What was sent: bit 0 the view, bit 1 the options' labels."""
    sent: bytes = b""
    """Hash of the view and options sent, 8 bytes; empty if nothing was sent."""
    digest: bytes = b""
    """Of a state on the way, with every 32nd choice; else empty."""
    digest_at: int = 0
    """Choices that had been applied to that state; those under way are not among them."""
    note: str = ""
    """The bot's own word."""


class Order(NamedTuple):
    """A standing order lodged or taken back."""

    seat: int
    window: str
    on: bool


class Faulted(NamedTuple):
    """A seat was told of a fault."""

    seat: int
    code: str
    decision: int
    """The seat's open decision, if the fault counts as a bad answer in it; else 0."""


class Left(NamedTuple):
    """A seat's stream ended, or one came back."""

    seat: int
    back: bool


class Out(NamedTuple):
    """A seat's fault that ends its part in the match."""

    seat: int
    ending: str
    text: str


class End(NamedTuple):
    """The last entry."""

    ending: str
    ranks: tuple[int, ...] = ()
    """Per seat; empty if nothing was decided."""
    scores: tuple[int, ...] = ()
    """Per seat; empty unless the game ended by its rules."""
    reason: str = ""
    """The game's own word; empty unless the game ended by its rules."""
    faults: tuple[str, ...] = ()
    """Per seat the ending that it brought about; empty texts for none."""
    digest: bytes = b""
    """Of the last state; empty if the match ended without its state at hand."""
    text: str = ""
    """For people: what happened, if it was our fault."""


Entry: TypeAlias = Setup | Opened | Begun | Choice | Order | Faulted | Left | Out | End

_KINDS: tuple[type[Any], ...] = (
    Setup,
    Opened,
    Begun,
    Choice,
    Order,
    Faulted,
    Left,
    Out,
    End,
)
_CODES: dict[type[Any], int] = {kind: code for code, kind in enumerate(_KINDS)}

_pack = msgpack.Packer(use_bin_type=True, autoreset=True).pack


def pack_entry(entry: Entry) -> bytes:
    data: bytes = _pack((_CODES[type(entry)], *entry))
    return data


def unpack_entry(data: bytes) -> Entry:
    """
    Read an entry.

    Raises:
        NewerSchema: A newer program wrote the journal.
        BadJournal: The bytes are not an entry.
    """
    try:
        code, *fields = msgpack.unpackb(data, use_list=False, raw=False)
        kind = _KINDS[code]
        if kind is Setup and fields[1] > SCHEMA:
            raise NewerSchema(
                f"journal of schema {fields[1]}; this program knows {SCHEMA}: upgrade"
            )
        entry: Entry = kind(*fields)
        if isinstance(entry, Choice):
            entry = entry._replace(ledger=Ledger(*entry.ledger))
        return entry
    except (ValueError, TypeError, IndexError, msgpack.UnpackException) as fault:
        raise BadJournal(f"not a journal entry: {fault!r}") from None


def unpack_journal(entries: Iterable[bytes]) -> list[Entry]:
    return [unpack_entry(each) for each in entries]


def end_without_play(
    record: bytes, journal: Sequence[bytes], ending: Ending, faults: tuple[str, ...], text: str
) -> list[bytes]:
    """The entries that end a match which no referee plays: its set-up, if missing, and the end."""
    begin = [] if journal else [pack_entry(Setup(record))]
    return [*begin, pack_entry(End(ending=ending, faults=faults, text=text))]
