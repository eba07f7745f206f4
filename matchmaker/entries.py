"""
What the results log holds: entries, their bytes, and the chain that ties them together.

Pure. Bytes are canonical, so that the same result closed twice is the same entry.
"""

from dataclasses import dataclass, fields
from enum import StrEnum
from hashlib import sha256
from typing import Any, NamedTuple

import msgpack

from matchmaker.ratings import RatingRules
from referee.engine.errors import WarladderError

SCHEMA = 1
START = bytes(32)
"""The chain's head before the first entry."""


class Standing(StrEnum):
    """What a closed match counts for."""

    RATED = "rated"
    UNRATED = "unrated"
    VOID = "void"


class Why(StrEnum):
    """Why a match is not rated: a closed list, documented in the README beside this file."""

    NONE = ""
    PRACTISE = "practise"
    NO_SHOW = "no_show"
    REFEREE_FAULT = "referee_fault"
    STALLED = "stalled"
    CANCELLED = "cancelled"
    UNVERIFIED = "unverified"
    OPERATOR = "operator"


class Keep(StrEnum):
    """What a bot takes with it into a new season."""

    NOTHING = "nothing"
    MU = "mu"
    """Its rating, with a wider sigma, as at a new version."""


class BadEntry(WarladderError):
    """An entry that cannot be read: of a newer schema, of an unknown kind, or broken."""


class Seated(NamedTuple):
    """A player in its seat: versions are players of their own."""

    bot: str
    version: str


@dataclass(frozen=True, kw_only=True)
class Result:
    """One closed match. `faults`, `ranks`, `scores` by seat."""

    match: str
    number: int
    game: str
    rules: str
    cards: str
    pairing: str
    cause: str
    attempt: int
    standing: Standing
    why: Why
    ending: str
    reason: str
    """The game's own word for its end; empty when the game did not end by its rules."""
    seats: tuple[Seated, ...]
    sides: tuple[tuple[int, ...], ...]
    """Seats that win together."""
    ranks: tuple[int, ...]
    """Empty when there is no outcome."""
    scores: tuple[int, ...]
    faults: tuple[str, ...]
    """The ending a seat brought about by a fault of its own, or an empty text."""
    decisions: int
    digest: bytes
    """Of the last state."""
    archive: str
    """Hex digest that names the replay in the archive; empty if nothing was played."""

    kind = "result"


@dataclass(frozen=True, kw_only=True)
class Void:
    """An operator's word that a result does not count."""

    match: str
    by: str
    reason: str

    kind = "void"


@dataclass(frozen=True, kw_only=True)
class BotAdded:
    """A bot of the ladder and whose it is."""

    bot: str
    author: str

    kind = "bot"


@dataclass(frozen=True, kw_only=True)
class RulesSet:
    """A ladder's rating rules. The last entry of a game holds for all its results."""

    game: str
    rules: RatingRules

    kind = "rules"


@dataclass(frozen=True, kw_only=True)
class Season:
    """A game's table begins afresh. The first season is there without an entry."""

    game: str
    name: str
    """Once in its game."""
    number: int
    """Results whose match number is greater belong to it, whenever they arrive."""
    keep: Keep = Keep.NOTHING

    kind = "season"


Entry = Result | Void | BotAdded | RulesSet | Season


def encode(entry: Entry) -> bytes:
    """Give an entry's canonical bytes: a map in the order of its fields."""
    body: dict[str, Any] = {"schema": SCHEMA, "kind": entry.kind}
    for field in fields(entry):
        body[field.name] = getattr(entry, field.name)
    packed = msgpack.packb(body)
    assert packed is not None
    return packed


def decode(data: bytes) -> Entry:
    """
    Read an entry.

    Raises:
        BadEntry: It is newer than this code, or no entry at all.
    """
    try:
        body = msgpack.unpackb(data, use_list=False)
        schema, kind = body.pop("schema"), body.pop("kind")
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise BadEntry(f"not an entry of the results log: {error}") from None
    if schema != SCHEMA:
        raise BadEntry(f"an entry of schema {schema}; this program knows {SCHEMA}: upgrade it")
    try:
        if kind == Result.kind:
            body["standing"], body["why"] = Standing(body["standing"]), Why(body["why"])
            body["seats"] = tuple(Seated(*seat) for seat in body["seats"])
            return Result(**body)
        if kind == Void.kind:
            return Void(**body)
        if kind == BotAdded.kind:
            return BotAdded(**body)
        if kind == RulesSet.kind:
            return RulesSet(game=body["game"], rules=RatingRules(*body["rules"]))
        if kind == Season.kind:
            return Season(**{**body, "keep": Keep(body["keep"])})
    except (TypeError, ValueError, KeyError) as error:
        raise BadEntry(f"a broken {kind!r} entry of the results log: {error}") from None
    raise BadEntry(f"an entry of unknown kind {kind!r}: upgrade this program")


def digest(data: bytes) -> str:
    """Name an entry by its content: equal for the same result, whoever closes it."""
    return sha256(data).hexdigest()


def link(head: bytes, at_ms: int, data: bytes) -> bytes:
    """
    Take one entry into the chain.

    Args:
        head: The chain before it.
        at_ms: When it was appended, by the store's clock.
    """
    return sha256(head + at_ms.to_bytes(8, "big") + data).digest()
