"""Referees that are there, and the bots that attend them."""

import redis as plain
from redis.asyncio import Redis

from referee.store import bots, presence
from referee.store.keys import Keys
from referee.store.records import Attending, Presence


def there(name: str) -> Presence:
    return Presence(
        name=name,
        address=f"unix:/tmp/{name}",
        internal=f"unix:/tmp/{name}-internal",
        games={"skirmish": "1"},
        room=8,
        attending={"a": (Attending("", "1.0", ("skirmish",), 2),)},
    )


async def test_a_present_referee_is_found_as_it_said(
    redis: Redis, sync: plain.Redis, keys: Keys
) -> None:
    assert await presence.renew(redis, keys, there("r1")) == ("r1",)
    assert await presence.renew(redis, keys, there("r2")) == ("r1", "r2")
    assert presence.present(sync, keys) == {"r1": there("r1"), "r2": there("r2")}
    assert await presence.of(redis, keys, ("r1", "r2", "r3")) == (there("r1"), there("r2"))


async def test_presence_expires_by_itself_within_ten_seconds(
    redis: Redis, sync: plain.Redis, keys: Keys
) -> None:
    await presence.renew(redis, keys, there("r1"))
    assert 0 < sync.pttl(keys.referee("r1")) <= 10_000


async def test_one_that_leaves_is_gone_at_once(redis: Redis, sync: plain.Redis, keys: Keys) -> None:
    await presence.renew(redis, keys, there("r1"))
    await presence.leave(redis, keys, "r1")
    assert presence.present(sync, keys) == {}


async def test_a_token_leads_to_its_bot_by_hash_alone(
    redis: Redis, sync: plain.Redis, keys: Keys
) -> None:
    sync.set(keys.token(bots.token_digest("wl_secret")), "a")
    sync.hset(keys.bot("a"), mapping={"author": "someone", "paused": "crashes"})
    found = await bots.bot_of_token(redis, keys, "wl_secret")
    assert found == bots.Bot("a", "someone", "crashes")
    assert await bots.bot_of_token(redis, keys, "wl_other") is None
    assert not any(b"secret" in key for key in sync.keys("*"))
