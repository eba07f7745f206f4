"""What a match is before it begins: written once when it is planned, never changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import msgpack

from referee.match.errors import BadJournal, NewerSchema

SCHEMA = 1
"""Of records and journals alike. A process that meets a newer one must not touch it."""


@dataclass(frozen=True, kw_only=True)
class Clocks:
    """Times of a match, in milliseconds; DESIGN's words, the defaults of an open server."""

    bank_ms: int = 120_000
    increment_ms: int = 200
    cap_ms: int = 10_000
    startup_ms: int = 60_000
    grace_ms: int = 30_000
    stall_ms: int = 120_000
    longest_ms: int = 4 * 3600_000


@dataclass(frozen=True, kw_only=True)
class Pace:
    """
    When others learn what happened: outcomes of paced decisions are held to a floor after the
    question, then to a quantum; who watches a running match sees all of it so much later.
    """

    floor_ms: int = 0
    quantum_ms: int = 0
    watch_delay_ms: int = 60_000


@dataclass(frozen=True, kw_only=True)
class SeatRecord:
    """Who sits there. A match stays with the instance it began on."""

    bot: str
    version: str = ""
    instance: str = ""


@dataclass(frozen=True, kw_only=True)
class MatchRecord:
    """One match, with everything that cannot be computed again."""

    match: str
    """Unguessable: bots see it, and a counter would tell them about other matches."""
    number: int
    """Of the ladder's matches, in the order planned: the order in which results count."""
    game: str
    rules: str
    cards: str
    seats: tuple[SeatRecord, ...]
    seed: str
    salt: bytes
    setting: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    clocks: Clocks = field(default_factory=Clocks)
    pace: Pace = field(default_factory=Pace)
    rated: bool = True
    pairing: str = ""
    cause: str = "ladder"
    attempt: int = 1
    reveal: bool = True
    """The seed is told at the end. False while another match on the same deal is to be played."""
    schema: int = SCHEMA

    @property
    def commitment(self) -> bytes:
        """What is told at the start: fixes the deal without telling it."""
        return sha256(self.seed.encode() + b"\0" + self.salt).digest()


def pack_record(record: MatchRecord) -> bytes:
    fields = {
        **vars(record),
        "seats": [vars(seat) for seat in record.seats],
        "options": dict(record.options),
        "clocks": vars(record.clocks),
        "pace": vars(record.pace),
    }
    data: bytes = msgpack.packb(fields, use_bin_type=True)
    return data


def unpack_record(data: bytes) -> MatchRecord:
    """
    Read a record.

    Raises:
        NewerSchema: A newer program wrote it.
        BadJournal: The bytes are not a record.
    """
    try:
        fields: dict[str, Any] = msgpack.unpackb(data, use_list=False, raw=False)
        schema = fields["schema"]
    except (ValueError, TypeError, KeyError, msgpack.UnpackException) as fault:
        raise BadJournal(f"not a match record: {fault!r}") from None
    if schema > SCHEMA:
        raise NewerSchema(f"match record of schema {schema}; this program knows {SCHEMA}: upgrade")
    try:
        fields["seats"] = tuple(SeatRecord(**seat) for seat in fields["seats"])
        fields["clocks"] = Clocks(**fields["clocks"])
        fields["pace"] = Pace(**fields["pace"])
        return MatchRecord(**fields)
    except (TypeError, KeyError) as fault:
        raise BadJournal(f"not a match record: {fault!r}") from None
