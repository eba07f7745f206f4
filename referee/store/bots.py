"""The registry as a referee reads it: whose token this is, and whether the bot may play."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Any, NamedTuple

from redis.asyncio import Redis

from referee.store.keys import Keys
from referee.store.plainly import as_bytes

BANNED = "banned:"
"""What the pause of a banned bot begins with; the reason follows."""


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


async def read_standing(
    redis: Redis, keys: Keys, names: Iterable[str], tokens: Iterable[str]
) -> tuple[dict[str, str | None], dict[str, str]]:
    """
    How these bots and the tokens they came with stand now, in one round trip.

    Args:
        tokens: Their digests.

    Returns:
        Why each bot gets no matches, empty for one that does and None for one that has been
        removed; and the bot that each token belongs to, empty if it is nobody's.
    """
    bots, digests = sorted(set(names)), sorted(set(tokens))
    if not bots:
        return {}, {}
    async with redis.pipeline(transaction=False) as pipe:
        pipe.mget([keys.token(digest) for digest in digests])
        for name in bots:
            pipe.hmget(keys.bot(name), ["author", "paused"])
        answers: list[Any] = await pipe.execute()
    owners, *fields = as_bytes(answers)
    pauses = {
        name: (paused or b"").decode() if author is not None else None
        for name, (author, paused) in zip(bots, fields, strict=True)
    }
    owned = {digest: (owner or b"").decode() for digest, owner in zip(digests, owners, strict=True)}
    return pauses, owned
