"""What the store keeps: match records (of `referee.match`) and referees' presences, as bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

import msgpack

from referee.match.errors import BadJournal, NewerSchema
from referee.match.record import (
    SCHEMA,
    Clocks,
    MatchRecord,
    Pace,
    SeatRecord,
    pack_record,
    unpack_record,
)

__all__ = [
    "SCHEMA",
    "Attending",
    "Clocks",
    "MatchRecord",
    "Pace",
    "Presence",
    "SeatRecord",
    "Status",
    "pack_presence",
    "pack_record",
    "unpack_presence",
    "unpack_record",
]


class Status:
    """Where a match stands; each step is one script."""

    PLANNED = "planned"
    PLAYING = "playing"
    ENDED = "ended"
    RATED = "rated"
    UNRATED = "unrated"
    VOID = "void"


class Attending(NamedTuple):
    """One stream of a bot at a referee."""

    instance: str
    version: str
    games: tuple[str, ...]
    max_matches: int
    leaving: bool = False
    """It takes no new matches."""


@dataclass(frozen=True, kw_only=True)
class Presence:
    """A referee that is there, as it says itself every few seconds."""

    name: str
    address: str
    """Where bots dial in."""
    internal: str
    """Where workers hand it matches."""
    games: Mapping[str, str]
    """Rules version by game."""
    cards: Mapping[str, str] = field(default_factory=dict)
    """Card digest by game."""
    room: int
    """How many more matches it takes now."""
    playing: int = 0
    draining: bool = False
    attending: Mapping[str, tuple[Attending, ...]] = field(default_factory=dict)
    """By bot."""
    left: tuple[tuple[str, str], ...] = ()
    """Bots and instances that have said Goodbye a short while ago, or play on after it."""
    schema: int = SCHEMA


def pack_presence(presence: Presence) -> bytes:
    data: bytes = msgpack.packb(asdict(presence), use_bin_type=True)
    return data


def unpack_presence(data: bytes) -> Presence:
    """
    Read a presence.

    Raises:
        NewerSchema: A newer program wrote it.
        BadJournal: The bytes are not a presence.
    """
    try:
        fields: dict[str, Any] = msgpack.unpackb(data, use_list=False, raw=False)
        if fields["schema"] > SCHEMA:
            raise NewerSchema(
                f"presence of schema {fields['schema']}; this program knows {SCHEMA}: upgrade"
            )
        fields["attending"] = {
            bot: tuple(Attending(*stream) for stream in streams)
            for bot, streams in fields["attending"].items()
        }
        return Presence(**fields)
    except (ValueError, TypeError, KeyError, msgpack.UnpackException) as fault:
        raise BadJournal(f"not a presence: {fault!r}") from None
