"""
What the results log holds: entries, their bytes, and the chain that ties them together.

Pure. Bytes are canonical, so that the same result closed twice is the same entry.
"""

from collections.abc import Callable
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
    TOURNAMENT = "tournament"
    """Its tournament is not rated; it counts there."""
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


_TOURNAMENT = "tournament:"


def cause_of(tournament: str, meeting: str) -> str:
    """Name what a match is played for: a meeting of a tournament."""
    return f"{_TOURNAMENT}{tournament}/{meeting}"


def tournament_of(cause: str) -> tuple[str, str] | None:
    """Give the tournament and the meeting of a match's cause; None if it is of no tournament."""
    if not cause.startswith(_TOURNAMENT):
        return None
    tournament, _, meeting = cause.removeprefix(_TOURNAMENT).partition("/")
    return tournament, meeting


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


@dataclass(frozen=True, kw_only=True)
class TournamentBegun:
    """A tournament as it was at its start. What follows of it names it by its id."""

    tournament: str
    """Its id, for good."""
    name: str
    schedule: str
    """The schedule that it is an edition of, or an empty text."""
    planned_ms: int
    """The instant for which it was planned, milliseconds UTC."""
    begun_ms: int
    """When it began, by the clock of schedules."""
    format: str
    game: str
    seats: int
    sides: tuple[tuple[int, ...], ...]
    """Seats that win together."""
    chance: str
    options: dict[str, Any]
    """Of the game."""
    settings: dict[str, int | float | str | bool]
    """The format's own, each of them there."""
    entrants: tuple[tuple[str, int], ...]
    """Bot and seed, strongest first."""
    dropped: tuple[tuple[str, str], ...]
    """Bots that were entered and do not take part, each with the reason."""
    rated: bool
    weight: float
    """Share of its bots' places; the ladder's is 1."""
    most_matches: int
    """It ends when so many have been played; 0 for no such end."""
    most_seconds: int
    """It ends so long after its start; 0 for no such end."""
    absence_ms: int
    """So long a bot may be away when it is to play; then what it is to play is forfeited."""

    kind = "tournament"


@dataclass(frozen=True, kw_only=True)
class RoundPaired:
    """The meetings of a round, drawn once."""

    tournament: str
    round: int
    meetings: tuple[tuple[str, tuple[str, ...], tuple[tuple[int, ...], ...], str], ...]
    """Key, bots, seat orders and label of each."""

    kind = "paired"


@dataclass(frozen=True, kw_only=True)
class MeetingForfeited:
    """What is left of a meeting is not played: these bots did not come."""

    tournament: str
    meeting: str
    absent: tuple[str, ...]
    reason: str

    kind = "forfeited"


@dataclass(frozen=True, kw_only=True)
class BotEntered:
    """A bot takes part in a tournament from now on."""

    tournament: str
    bot: str
    by: str

    kind = "entered"


@dataclass(frozen=True, kw_only=True)
class BotWithdrew:
    """A bot takes part in a tournament no more."""

    tournament: str
    bot: str
    reason: str
    by: str
    """The operator, or empty for a rule of the tournament."""

    kind = "withdrew"


@dataclass(frozen=True, kw_only=True)
class TournamentCancelled:
    """An operator's word that a tournament is to end as it stands."""

    tournament: str
    reason: str
    by: str

    kind = "cancelled"


@dataclass(frozen=True, kw_only=True)
class TournamentEnded:
    """A tournament is over: nothing that comes later changes how it ended."""

    tournament: str
    how: str
    """`done`, `capped`, `cancelled` or `not_held`."""
    reason: str
    archive: str
    """Hex digest that names its document in the archive."""

    kind = "ended"


OfTournament = (
    TournamentBegun
    | RoundPaired
    | MeetingForfeited
    | BotEntered
    | BotWithdrew
    | TournamentCancelled
    | TournamentEnded
)
Entry = Result | Void | BotAdded | RulesSet | Season | OfTournament
PLAIN: dict[str, Callable[..., OfTournament]] = {
    each.kind: each
    for each in (
        TournamentBegun,
        RoundPaired,
        MeetingForfeited,
        BotEntered,
        BotWithdrew,
        TournamentCancelled,
        TournamentEnded,
    )
}
"""Kinds whose fields are plain values, by name."""


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
        if kind in PLAIN:
            return PLAIN[kind](**body)
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
