"""A Redis-compatible server for the matchmaker's stores, and a fresh namespace for each test."""

from collections.abc import Iterator
from itertools import count

import pytest
import redis

from matchmaker.keys import Keys
from matchmaker.leader import Term
from tests.helpers.redis_server import RedisServer, redis_server

_numbers = count()


@pytest.fixture(scope="session")
def server() -> Iterator[RedisServer]:
    with redis_server() as running:
        yield running


@pytest.fixture
def keys() -> Keys:
    return Keys(f"mm{next(_numbers)}")


@pytest.fixture
def connection(server: RedisServer) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(server.url) as client:
        yield client


@pytest.fixture
def term(connection: redis.Redis, keys: Keys) -> Term:
    """A term that has begun."""
    term = Term(connection, keys)
    assert term.hold()
    return term
