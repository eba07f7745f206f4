"""The registry: who may play, whose it is, and what its author can read about it."""

import pytest
import redis

from matchmaker import registry
from matchmaker.entries import BotAdded
from matchmaker.errors import WrongUse
from matchmaker.keys import Keys
from matchmaker.log import Log
from referee.store.bots import token_digest


def who(connection: redis.Redis, keys: Keys, token: str) -> bytes | None:
    found = connection.get(keys.token(token_digest(token)))
    assert found is None or isinstance(found, bytes)
    return found


def everything(connection: redis.Redis, keys: Keys) -> bytes:
    """All that is stored in the namespace, as one text."""
    dumped = []
    for key in connection.scan_iter(keys.prefix + "*"):
        kind = connection.type(key)
        if kind == b"hash":
            dumped.append(repr(connection.hgetall(key)))
        elif kind == b"string":
            dumped.append(repr(connection.get(key)))
        elif kind == b"list":
            dumped.append(repr(connection.lrange(key, 0, -1)))
        elif kind == b"stream":
            dumped.append(repr(connection.xrange(key)))
        dumped.append(repr(key))
    return "\n".join(dumped).encode()


def test_a_token_opens_its_bot_and_is_stored_nowhere(connection: redis.Redis, keys: Keys) -> None:
    token = registry.add(connection, "ivan", "ann", namespace=keys.namespace)
    assert token.startswith("wl_")
    assert len(token) > 40
    assert who(connection, keys, token) == b"ivan"
    stored = everything(connection, keys)
    assert token.encode() not in stored
    assert token.removeprefix("wl_").encode() not in stored


def test_tokens_are_never_the_same(connection: redis.Redis, keys: Keys) -> None:
    tokens = {registry.add(connection, f"b{i}", "ann", namespace=keys.namespace) for i in range(20)}
    assert len(tokens) == 20


def test_a_new_bot_is_an_entry_of_the_log_once(connection: redis.Redis, keys: Keys) -> None:
    registry.add(connection, "ivan", "ann", namespace=keys.namespace)
    registry.rotate(connection, "ivan", namespace=keys.namespace)
    registry.remove(connection, "ivan", namespace=keys.namespace)
    registry.add(connection, "ivan", "ann", namespace=keys.namespace)
    entries = [logged.entry for logged in Log(connection, keys).tail(0)]
    assert entries == [BotAdded(bot="ivan", author="ann")]


def test_a_name_is_given_once(connection: redis.Redis, keys: Keys) -> None:
    registry.add(connection, "ivan", "ann", namespace=keys.namespace)
    with pytest.raises(WrongUse, match="'ivan' is registered already"):
        registry.add(connection, "ivan", "ann", namespace=keys.namespace)
    with pytest.raises(WrongUse, match="belongs to another author"):
        registry.admit(connection, "ivan", "bob", namespace=keys.namespace)


def test_a_removed_bots_name_stays_its_authors(connection: redis.Redis, keys: Keys) -> None:
    token = registry.add(connection, "ivan", "ann", namespace=keys.namespace)
    registry.remove(connection, "ivan", "retired", namespace=keys.namespace)
    assert who(connection, keys, token) is None
    assert registry.bots(connection, namespace=keys.namespace) == []
    with pytest.raises(WrongUse, match="belongs to another author"):
        registry.add(connection, "ivan", "bob", namespace=keys.namespace)
    registry.add(connection, "ivan", "ann", namespace=keys.namespace)
    assert registry.find(connection, "ivan", namespace=keys.namespace).author == "ann"


@pytest.mark.parametrize("again", [registry.rotate, registry.admit])
def test_a_new_token_closes_the_old_one(connection: redis.Redis, keys: Keys, again: object) -> None:
    old = registry.add(connection, "ivan", "ann", namespace=keys.namespace)
    if again is registry.rotate:
        new = registry.rotate(connection, "ivan", namespace=keys.namespace)
    else:
        new = registry.admit(connection, "ivan", "ann", namespace=keys.namespace)
    assert who(connection, keys, old) is None
    assert who(connection, keys, new) == b"ivan"


def test_admit_registers_an_unknown_bot(connection: redis.Redis, keys: Keys) -> None:
    token = registry.admit(connection, "ivan", "ann", namespace=keys.namespace)
    assert who(connection, keys, token) == b"ivan"


def test_a_pause_has_a_reason_that_the_author_sees(connection: redis.Redis, keys: Keys) -> None:
    registry.add(connection, "ivan", "ann", namespace=keys.namespace)
    with pytest.raises(WrongUse, match="needs a reason"):
        registry.pause(connection, "ivan", " ", namespace=keys.namespace)
    registry.pause(connection, "ivan", "too loud", by="olga", namespace=keys.namespace)
    bot = registry.find(connection, "ivan", namespace=keys.namespace)
    assert (bot.paused, bot.paused_until_ms) == ("too loud", 0)
    last = registry.history(connection, "ivan", namespace=keys.namespace)[0]
    assert (last["what"], last["text"], last["by"]) == ("paused", "too loud", "olga")
    assert last["at_ms"] > 0
    assert registry.resume(connection, "ivan", namespace=keys.namespace)
    assert not registry.resume(connection, "ivan", namespace=keys.namespace)
    assert registry.find(connection, "ivan", namespace=keys.namespace).paused == ""


def test_a_pause_for_a_while_says_until_when(connection: redis.Redis, keys: Keys) -> None:
    registry.add(connection, "ivan", "ann", namespace=keys.namespace)
    registry.pause(connection, "ivan", "cool down", seconds=60, namespace=keys.namespace)
    seconds, _ = connection.time()
    until = registry.find(connection, "ivan", namespace=keys.namespace).paused_until_ms
    assert 55_000 < until - seconds * 1000 < 65_000


def test_history_has_every_change_newest_first(connection: redis.Redis, keys: Keys) -> None:
    registry.add(connection, "ivan", "ann", namespace=keys.namespace)
    registry.rotate(connection, "ivan", namespace=keys.namespace)
    registry.pause(connection, "ivan", "why", namespace=keys.namespace)
    registry.resume(connection, "ivan", namespace=keys.namespace)
    registry.remove(connection, "ivan", "bye", namespace=keys.namespace)
    whats = [
        line["what"] for line in registry.history(connection, "ivan", namespace=keys.namespace)
    ]
    assert whats == ["removed", "resumed", "paused", "rotated", "added"]


@pytest.mark.parametrize("name", ["", "-x", "a b", "x" * 33, "é", "a\n", "../x", "a:b"])
def test_a_name_that_cannot_be_one_is_refused(
    connection: redis.Redis, keys: Keys, name: str
) -> None:
    with pytest.raises(WrongUse, match="1 to 32"):
        registry.add(connection, name, "ann", namespace=keys.namespace)
    with pytest.raises(WrongUse, match="author"):
        registry.add(connection, "fine", name, namespace=keys.namespace)
    assert registry.bots(connection, namespace=keys.namespace) == []


def test_unknown_bots_are_named(connection: redis.Redis, keys: Keys) -> None:
    def calls() -> list[object]:
        return [
            lambda: registry.find(connection, "nemo", namespace=keys.namespace),
            lambda: registry.rotate(connection, "nemo", namespace=keys.namespace),
            lambda: registry.resume(connection, "nemo", namespace=keys.namespace),
            lambda: registry.remove(connection, "nemo", namespace=keys.namespace),
            lambda: registry.pause(connection, "nemo", "why", namespace=keys.namespace),
        ]

    for call in calls():
        with pytest.raises(WrongUse, match="there is no bot 'nemo'"):
            call()  # type: ignore[operator]


def test_versions_are_kept_in_the_order_they_came(connection: redis.Redis, keys: Keys) -> None:
    registry.add(connection, "ivan", "ann", namespace=keys.namespace)
    assert registry.note_version(connection, keys, "ivan", "2")
    # The machine's clock is set back by an hour.
    connection.hincrby(keys.versions("ivan"), "2", 3_600_000)
    assert registry.note_version(connection, keys, "ivan", "1")
    assert not registry.note_version(connection, keys, "ivan", "2")
    assert registry.find(connection, "ivan", namespace=keys.namespace).versions == ("2", "1")


def test_namespaces_do_not_see_each_other(connection: redis.Redis, keys: Keys) -> None:
    registry.add(connection, "ivan", "ann", namespace=keys.namespace)
    assert registry.bots(connection, namespace=keys.namespace + "x") == []
