"""Planned, playing, ended: each step once, each owner fenced off by the next."""

import redis as plain
from redis.asyncio import Redis

from referee.match.journal import End, Ending, Setup, unpack_journal
from referee.match.record import pack_record, unpack_record
from referee.store.keys import Keys
from referee.store.lifecycle import (
    Opened,
    Refused,
    end_match,
    journal_of,
    open_match,
    read_record,
    standings,
)
from tests.helpers.matches import plan, record


async def test_opening_gives_record_and_a_new_epoch(
    redis: Redis, sync: plain.Redis, keys: Keys
) -> None:
    plan(sync, keys, record())
    opened = await open_match(redis, keys, "m1", "r1")
    assert isinstance(opened, Opened)
    assert unpack_record(opened.record) == record()
    assert (opened.epoch, opened.before) == (1, "")
    assert sync.zrange(keys.planned, 0, -1) == []
    assert sync.zrange(keys.playing, 0, -1) == [b"m1"]
    again = await open_match(redis, keys, "m1", "r2")
    assert isinstance(again, Opened)
    assert (again.epoch, again.before) == (2, "r1")
    assert again.token != opened.token
    assert 0 <= again.age_ms < 60_000


async def test_only_planned_and_playing_matches_open(
    redis: Redis, sync: plain.Redis, keys: Keys
) -> None:
    assert await open_match(redis, keys, "nowhere", "r1") == Refused("")
    plan(sync, keys, record())
    assert end_match(sync, keys, "m1", Ending.NO_SHOW, epoch=0, faults=("no_show", ""))
    assert await open_match(redis, keys, "m1", "r1") == Refused("ended")


async def test_a_match_without_referee_ends_with_its_set_up_in_the_journal(
    redis: Redis, sync: plain.Redis, keys: Keys
) -> None:
    plan(sync, keys, record())
    assert end_match(sync, keys, "m1", Ending.NO_SHOW, epoch=0, faults=("", "no_show"))
    setup, end = unpack_journal(journal_of(sync, keys, "m1"))
    assert setup == Setup(pack_record(record()))
    assert end == End(ending="no_show", faults=("", "no_show"))
    (standing,) = standings(sync, keys, ["m1"])
    assert (standing.status, standing.ending, standing.entries) == ("ended", "no_show", 2)
    assert sync.zrange(keys.ended, 0, -1) == [b"m1"]
    assert sync.zrange(keys.planned, 0, -1) == []


async def test_a_match_that_moved_on_is_not_ended_from_outside(
    redis: Redis, sync: plain.Redis, keys: Keys
) -> None:
    plan(sync, keys, record())
    await open_match(redis, keys, "m1", "r1")
    assert not end_match(sync, keys, "m1", Ending.STALLED, epoch=0)
    assert end_match(sync, keys, "m1", Ending.STALLED, epoch=1)
    assert not end_match(sync, keys, "m1", Ending.STALLED, epoch=1)
    assert not end_match(sync, keys, "unknown", Ending.STALLED, epoch=0)


async def test_a_record_can_be_read_without_opening(
    redis: Redis, sync: plain.Redis, keys: Keys
) -> None:
    plan(sync, keys, record())
    status, data = await read_record(redis, keys, "m1")
    assert (status, unpack_record(data)) == ("planned", record())
    assert await read_record(redis, keys, "unknown") == ("", b"")
