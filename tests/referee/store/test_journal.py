"""The append script: one owner, no gap, nothing twice, and what Redis loses is sent again."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import redis as plain
from redis.asyncio import Redis

from referee.match.entries import Entries
from referee.store.journal import JournalWriter, RedisJournal
from referee.store.keys import Keys
from referee.store.lifecycle import Opened, journal_of, open_match, standings
from referee.store.scripts import APPEND, packed
from tests.helpers.matches import plan, record
from tests.helpers.redis_server import redis_server


class Watcher:
    """An owner that writes down what it hears."""

    def __init__(self) -> None:
        self.safe = 0
        self.refused = False
        self.heard = asyncio.Event()

    def journalled(self, count: int) -> None:
        self.safe = count
        self.heard.set()

    def fenced(self) -> None:
        self.refused = True
        self.heard.set()


@asynccontextmanager
async def writing(redis: Redis, keys: Keys, referee: str = "r1") -> AsyncIterator[JournalWriter]:
    writer = JournalWriter(redis, keys, referee)
    task = asyncio.create_task(writer.run())
    try:
        yield writer
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def opened(
    redis: Redis, keys: Keys, writer: JournalWriter, match: str = "m1"
) -> RedisJournal:
    found = await open_match(redis, keys, match, writer.referee)
    assert isinstance(found, Opened)
    journal = RedisJournal(writer, match, found.epoch, found.token)
    journal.owner = Watcher()
    return journal


async def test_entries_arrive_in_order_and_the_owner_hears_of_it(
    redis: Redis, sync: plain.Redis, keys: Keys
) -> None:
    plan(sync, keys, record())
    async with writing(redis, keys) as writer:
        journal = await opened(redis, keys, writer)
        for number in range(1200):
            journal.append(b"entry %d \x00\xff" % number)
        await writer.idle()
        assert journal.owner.safe == 1200
    assert journal_of(sync, keys, "m1") == journal.entries


async def test_matches_that_are_ready_together_share_a_round_trip(
    redis: Redis, sync: plain.Redis, keys: Keys
) -> None:
    async with writing(redis, keys) as writer:
        journals = []
        for number in range(8):
            plan(sync, keys, record(f"m{number}"))
            journals.append(await opened(redis, keys, writer, f"m{number}"))
        for journal in journals:
            journal.append(b"first")
        await writer.idle()
        assert writer.round_trips == 1
        assert [journal.owner.safe for journal in journals] == [1] * 8


async def test_an_older_epoch_is_refused_and_changes_nothing(
    redis: Redis, sync: plain.Redis, keys: Keys
) -> None:
    plan(sync, keys, record())
    async with writing(redis, keys) as first, writing(redis, keys, "r2") as second:
        old = await opened(redis, keys, first)
        old.append(b"old")
        await first.idle()
        new = await opened(redis, keys, second)
        new.entries, new.safe = Entries([b"old"]), 1
        old.append(b"too late")
        await first.idle()
        assert old.owner.refused
        new.append(b"new")
        await second.idle()
    assert journal_of(sync, keys, "m1") == [b"old", b"new"]


@pytest.mark.parametrize(
    ("epoch", "token", "first"), [(1, "wrong", 1), (1, "", 0), (1, "", 2), (1, "", 5)]
)
async def test_the_script_refuses_another_token_a_gap_and_a_number_taken(
    redis: Redis, sync: plain.Redis, keys: Keys, epoch: int, token: str, first: int
) -> None:
    plan(sync, keys, record())
    found = await open_match(redis, keys, "m1", "r1")
    assert isinstance(found, Opened)
    sync.rpush(keys.journal("m1"), b"zero")
    part = ["m1", epoch, token or found.token, first, [b"x"], ""]
    (answer,) = sync.eval(APPEND, 0, keys.prefix, "r1", packed([part]))
    assert answer == (-1 if token else -3)
    assert journal_of(sync, keys, "m1") == [b"zero"]


async def test_one_refused_match_does_not_hold_up_the_others(
    redis: Redis, sync: plain.Redis, keys: Keys
) -> None:
    plan(sync, keys, record("m1"))
    plan(sync, keys, record("m2"))
    async with writing(redis, keys) as writer:
        one, two = await opened(redis, keys, writer), await opened(redis, keys, writer, "m2")
        await open_match(redis, keys, "m1", "another")
        one.append(b"a")
        two.append(b"b")
        await writer.idle()
        assert one.owner.refused
        assert two.owner.safe == 1


async def test_the_last_entry_ends_the_match_in_the_same_step(
    redis: Redis, sync: plain.Redis, keys: Keys
) -> None:
    plan(sync, keys, record())
    async with writing(redis, keys) as writer:
        journal = await opened(redis, keys, writer)
        journal.append(b"play")
        journal.append(b"end", ending="normal")
        await writer.idle()
        (standing,) = standings(sync, keys, ["m1"])
        assert (standing.status, standing.ending, standing.entries) == ("ended", "normal", 2)
        journal.append(b"after the end")
        await writer.idle()
        assert journal.owner.refused
    assert sync.zrange(keys.ended, 0, -1) == [b"m1"]
    assert sync.zrange(keys.playing, 0, -1) == []


async def test_what_redis_lost_is_sent_again(redis: Redis, sync: plain.Redis, keys: Keys) -> None:
    """With its data file a second behind, a restarted server lacks the last entries."""
    plan(sync, keys, record())
    async with writing(redis, keys) as writer:
        journal = await opened(redis, keys, writer)
        for number in range(5):
            journal.append(b"%d" % number)
        await writer.idle()
        sync.ltrim(keys.journal("m1"), 0, 1)
        journal.append(b"5")
        await writer.idle()
        assert journal.owner.safe == 6
        sync.delete(keys.journal("m1"))
        sync.hdel(keys.match("m1"), "epoch", "token", "opened_ms", "referee")
        sync.hset(keys.match("m1"), "status", "planned")
        sync.zadd(keys.planned, {"m1": 1.0})
        journal.append(b"6")
        await writer.idle()
    assert journal_of(sync, keys, "m1") == [b"%d" % number for number in range(7)]
    (standing,) = standings(sync, keys, ["m1"])
    assert (standing.status, standing.epoch, standing.referee) == ("playing", 1, "r1")
    assert sync.zrange(keys.planned, 0, -1) == []


async def test_an_append_whose_answer_was_lost_is_not_doubled(
    redis: Redis, sync: plain.Redis, keys: Keys
) -> None:
    plan(sync, keys, record())
    async with writing(redis, keys) as writer:
        journal = await opened(redis, keys, writer)
        sync.rpush(keys.journal("m1"), b"same")
        journal.append(b"same")
        await writer.idle()
        assert journal.owner.safe == 1
        sync.rpush(keys.journal("m1"), b"of somebody else")
        journal.append(b"mine")
        await writer.idle()
        assert journal.owner.refused
    assert journal_of(sync, keys, "m1") == [b"same", b"of somebody else"]


async def test_an_adopted_epoch_goes_on_with_the_same_journal(
    redis: Redis, sync: plain.Redis, keys: Keys
) -> None:
    plan(sync, keys, record())
    async with writing(redis, keys) as writer:
        journal = await opened(redis, keys, writer)
        again = await open_match(redis, keys, "m1", "r1")
        assert isinstance(again, Opened)
        journal.append(b"refused under the old epoch, if it comes so late")
        journal.adopt(again.epoch, again.token)
        journal.append(b"taken")
        await writer.idle()
        assert journal.owner.safe == 2
        assert not journal.owner.refused


async def test_a_server_that_goes_and_comes_back_is_waited_for(keys: Keys) -> None:
    heard: list[str] = []
    with redis_server() as server, plain.Redis.from_url(server.url) as sync:
        plan(sync, keys, record())
        async with Redis.from_url(server.url) as redis, writing(redis, keys) as writer:
            back = asyncio.Event()
            writer.on_away = heard.append
            writer.on_back = back.set
            journal = await opened(redis, keys, writer)
            journal.append(b"before")
            await writer.idle()
            server.stop()
            journal.append(b"while away")
            while not heard:
                await asyncio.sleep(0)
            assert journal.owner.safe == 1
            server.start()
            await asyncio.wait_for(back.wait(), 20)
            await writer.idle()
            assert journal.owner.safe == 2
        assert journal_of(sync, keys, "m1") == [b"before", b"while away"]
