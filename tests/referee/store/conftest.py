"""A Redis-compatible server for the store's tests, and a fresh namespace for each."""

from collections.abc import AsyncIterator, Iterator
from itertools import count

import pytest
import redis as plain
from redis.asyncio import Redis

from referee.store.keys import Keys
from tests.helpers.redis_server import RedisServer, redis_server

_numbers = count()


@pytest.fixture(scope="session")
def server() -> Iterator[RedisServer]:
    with redis_server() as running:
        yield running


@pytest.fixture
def keys() -> Keys:
    return Keys(f"test{next(_numbers)}")


@pytest.fixture
async def redis(server: RedisServer) -> AsyncIterator[Redis]:
    async with Redis.from_url(server.url) as client:
        yield client


@pytest.fixture
def sync(server: RedisServer) -> Iterator[plain.Redis]:
    with plain.Redis.from_url(server.url) as client:
        yield client
