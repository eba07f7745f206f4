"""The one line that a process says while its store does not answer."""

import pytest
import redis
from redis.asyncio import Redis

from referee.store.waiting import goes_on, shown, waits, why

NOBODY = "redis://127.0.0.1:1/0"
URL = "redis://me:secret@127.0.0.1:1/0"


def test_a_password_is_not_shown() -> None:
    assert shown(URL) == "redis://…@127.0.0.1:1/0"
    assert "secret" not in waits("referee", URL, OSError()) + goes_on("referee", URL)


def test_the_systems_word_is_told_without_the_clients() -> None:
    with redis.Redis.from_url(NOBODY) as client, pytest.raises(redis.ConnectionError) as fault:
        client.ping()
    assert waits("warladder up", NOBODY, fault.value) == (
        f"warladder up: Redis at {NOBODY} does not answer (Connection refused); waiting for it"
    )


async def test_both_clients_say_the_same() -> None:
    client = Redis.from_url(NOBODY)
    with pytest.raises(redis.ConnectionError) as fault:
        await client.ping()
    await client.aclose()
    assert why(fault.value) == "Connection refused"


def test_what_has_no_system_error_is_told_as_it_is() -> None:
    assert (
        why(redis.ConnectionError("Connection closed by server.")) == "Connection closed by server"
    )
    assert why(redis.TimeoutError()) == "TimeoutError"
