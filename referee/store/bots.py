"""The registry as a referee reads it: whose token this is, and whether the bot may play."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Any, NamedTuple

from redis.asyncio import Redis

from referee.store.keys import Keys
from referee.store.plainly import as_bytes

REMOVED = "it has been removed"
"""What a bot is told that its operator took out while it attends."""


class Bot(NamedTuple):
    """The fields of a bot's hash that a referee reads. The matchmaker's registry writes them."""

    name: str
    author: str
    paused: str
    """Why it gets no matches; empty if it does."""


def token_digest(token: str) -> str:
    """What is stored of a token."""
    return sha256(token.encode()).hexdigest()


async def bot_of_token(redis: Redis, keys: Keys, token: str) -> Bot | None:
    """The bot that this token belongs to; None if there is none."""
    name = as_bytes(await redis.get(keys.token(token_digest(token))))
    if name is None:
        return None
    return await read_bot(redis, keys, name.decode())


async def read_bot(redis: Redis, keys: Keys, name: str) -> Bot | None:
    author, paused = as_bytes(await redis.hmget(keys.bot(name), ["author", "paused"]))
    if author is None:
        return None
    return Bot(name, author.decode(), (paused or b"").decode())


async def read_pauses(redis: Redis, keys: Keys, names: Iterable[str]) -> dict[str, str]:
    """
    Why each of these bots gets no matches now, in one round trip; empty for one that does.

    A bot that has been taken out of the registry gets none for good.
    """
    wanted = sorted(set(names))
    if not wanted:
        return {}
    async with redis.pipeline(transaction=False) as pipe:
        for name in wanted:
            pipe.hmget(keys.bot(name), ["author", "paused"])
        answers: list[Any] = await pipe.execute()
    return {
        name: (paused or b"").decode() if author is not None else REMOVED
        for name, (author, paused) in zip(wanted, as_bytes(answers), strict=True)
    }
