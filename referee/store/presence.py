"""
Which referees are there, and which bots attend them.

A referee renews its presence every few seconds; the key expires by itself, so a dead one is noticed
by Redis's own clock.
"""

from __future__ import annotations

from typing import Any

import redis as plain
from redis.asyncio import Redis

from referee.store.keys import Keys
from referee.store.plainly import as_bytes
from referee.store.records import Presence, pack_presence, unpack_presence

EXPIRES_MS = 10_000
RENEWED_EVERY_SECONDS = 3.0


async def renew(redis: Redis, keys: Keys, presence: Presence) -> tuple[str, ...]:
    """
    Say that a referee is there.

    Returns:
        Names of all referees that are or were present, this one among them.
    """
    async with redis.pipeline(transaction=False) as pipe:
        pipe.set(keys.referee(presence.name), pack_presence(presence), px=EXPIRES_MS)
        pipe.sadd(keys.referees, presence.name)
        pipe.smembers(keys.referees)
        answers: list[Any] = await pipe.execute()
    return tuple(sorted(name.decode() for name in answers[2]))


async def leave(redis: Redis, keys: Keys, name: str) -> None:
    """Say that a referee is gone, so that its matches are taken over at once."""
    async with redis.pipeline(transaction=False) as pipe:
        pipe.delete(keys.referee(name))
        pipe.srem(keys.referees, name)
        await pipe.execute()


async def of(redis: Redis, keys: Keys, names: tuple[str, ...]) -> tuple[Presence, ...]:
    """What the referees of these names say of themselves; of those that are present."""
    if not names:
        return ()
    found = as_bytes(await redis.mget([keys.referee(name) for name in names]))
    return tuple(unpack_presence(each) for each in found if each)


def present(redis: plain.Redis, keys: Keys) -> dict[str, Presence]:
    """Every referee that is present, by name. Forgets the names of those long gone."""
    names = sorted(name.decode() for name in as_bytes(redis.smembers(keys.referees)))
    if not names:
        return {}
    found = as_bytes(redis.mget([keys.referee(name) for name in names]))
    there = {name: unpack_presence(each) for name, each in zip(names, found, strict=True) if each}
    gone = [name for name in names if name not in there]
    if gone and there:
        redis.srem(keys.referees, *gone)
    return there
