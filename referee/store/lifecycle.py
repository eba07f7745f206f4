"""
A match's steps that the store guards: planned → playing → ended, and a look at where it stands.

The referee's calls are asynchronous, those of jobs and the sweeper plain.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any, NamedTuple

import redis as plain
from redis.asyncio import Redis

from referee.match.journal import Ending, end_without_play
from referee.store.keys import Keys
from referee.store.plainly import as_bytes
from referee.store.records import Status
from referee.store.scripts import END, OPEN, packed


class Opened(NamedTuple):
    """A match that is this referee's now."""

    record: bytes
    epoch: int
    token: str
    age_ms: int
    """Since it was opened for the first time."""
    before: str
    """The referee that had it last; empty if none."""


class Refused(NamedTuple):
    """A match that cannot be opened."""

    status: str
    """Where it stands; empty if it is not known."""


class Standing(NamedTuple):
    """A match as the store has it."""

    status: str
    """Empty if the store does not know the match."""
    record: bytes
    epoch: int
    referee: str
    """Its owner; empty before it was opened."""
    ending: str
    opened_ms: int
    moved_ms: int
    """Redis time of the last opening or journal entry."""
    ended_ms: int
    entries: int


async def open_match(redis: Redis, keys: Keys, match: str, referee: str) -> Opened | Refused:
    """Make a match this referee's own, under a new epoch; the owner before is fenced off."""
    token = secrets.token_hex(8)
    return _opened(await redis.eval(OPEN, 0, keys.prefix, match, referee, token), token)


async def open_matches(
    redis: Redis, keys: Keys, matches: Sequence[str], referee: str
) -> list[tuple[Opened | Refused, list[bytes]]]:
    """Open each of these matches, and read its journal after that, in one round trip for all."""
    tokens = [secrets.token_hex(8) for _ in matches]
    async with redis.pipeline(transaction=False) as pipe:
        for match, token in zip(matches, tokens):
            pipe.eval(OPEN, 0, keys.prefix, match, referee, token)
            pipe.lrange(keys.journal(match), 0, -1)
        answers: list[Any] = await pipe.execute()
    return [
        (_opened(opened, token), list(journal))
        for opened, journal, token in zip(answers[::2], answers[1::2], tokens, strict=True)
    ]


def _opened(answer: Any, token: str) -> Opened | Refused:
    if answer[0] == 0:
        return Refused(answer[1].decode())
    return Opened(answer[2], answer[1], token, int(answer[3]), answer[4].decode())


async def read_records(redis: Redis, keys: Keys, matches: Sequence[str]) -> list[tuple[str, bytes]]:
    """Status and record of each of these matches; both empty if one is not known."""
    async with redis.pipeline(transaction=False) as pipe:
        for match in matches:
            pipe.hmget(keys.match(match), ["status", "record"])
        answers: list[Any] = await pipe.execute()
    return [((status or b"").decode(), record or b"") for status, record in answers]


async def read_epochs(redis: Redis, keys: Keys, matches: Sequence[str]) -> list[int]:
    """The last epoch of each of these matches; 0 of one that is not known."""
    async with redis.pipeline(transaction=False) as pipe:
        for match in matches:
            pipe.hget(keys.match(match), "epoch")
        return [int(epoch or 0) for epoch in await pipe.execute()]


async def read_owners(redis: Redis, keys: Keys, matches: Sequence[str]) -> list[str | None]:
    """The referee that has each of these matches; None of one that is not being played."""
    async with redis.pipeline(transaction=False) as pipe:
        for match in matches:
            pipe.hmget(keys.match(match), ["status", "referee"])
        answers: list[Any] = await pipe.execute()
    return [
        (referee or b"").decode() if status == Status.PLAYING.encode() else None
        for status, referee in answers
    ]


async def read_cancels(redis: Redis, keys: Keys) -> dict[str, str]:
    """Matches that an operator wants ended, with the text for their bots."""
    found = as_bytes(await redis.hgetall(keys.cancels))
    return {match.decode(): text.decode() for match, text in found.items()}


def standings(redis: plain.Redis, keys: Keys, matches: Sequence[str]) -> list[Standing]:
    """Where these matches stand, in their order."""
    fields = (
        "status",
        "record",
        "epoch",
        "referee",
        "ending",
        "opened_ms",
        "moved_ms",
        "ended_ms",
    )
    with redis.pipeline(transaction=False) as pipe:
        for match in matches:
            pipe.hmget(keys.match(match), *fields)
            pipe.llen(keys.journal(match))
        answers: list[Any] = pipe.execute()
    found = []
    for head, entries in zip(answers[::2], answers[1::2], strict=True):
        status, record, epoch, referee, ending, opened, moved, ended = head
        found.append(
            Standing(
                status=(status or b"").decode(),
                record=record or b"",
                epoch=int(epoch or 0),
                referee=(referee or b"").decode(),
                ending=(ending or b"").decode(),
                opened_ms=int(opened or 0),
                moved_ms=int(moved or 0),
                ended_ms=int(ended or 0),
                entries=entries,
            )
        )
    return found


def journal_of(redis: plain.Redis, keys: Keys, match: str) -> list[bytes]:
    """The whole journal of a match, oldest entry first."""
    return list(as_bytes(redis.lrange(keys.journal(match), 0, -1)))


def end_match(
    redis: plain.Redis,
    keys: Keys,
    match: str,
    ending: Ending,
    *,
    epoch: int,
    faults: tuple[str, ...] = (),
    text: str = "",
) -> bool:
    """
    End a match that no referee plays, as `no_show`, `referee_fault`, `stalled` or `cancelled`.

    Args:
        epoch: The epoch that the caller saw, 0 if the match was never opened.
        faults: Per seat the ending it brought about; empty if nobody is to blame.

    Returns:
        Whether it did; False means that the match has moved on since the caller looked.
    """
    with redis.pipeline(transaction=False) as pipe:
        pipe.hget(keys.match(match), "record")
        pipe.lrange(keys.journal(match), 0, -1)
        record, journal = pipe.execute()
    if record is None:
        return False
    entries = end_without_play(record, journal, ending, faults, text)
    blob = packed([len(journal), entries, str(ending)])
    token = secrets.token_hex(8)
    return bool(redis.eval(END, 0, keys.prefix, match, epoch, token, blob))
