"""Planned, playing, ended: each step once, each owner fenced off by the next."""

from dataclasses import replace

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
    open_matches,
    read_records,
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
    known, unknown = await read_records(redis, keys, ["m1", "unknown"])
    assert (known[0], unpack_record(known[1])) == ("planned", record())
    assert unknown == ("", b"")


async def test_many_open_at_once_each_for_itself(
    redis: Redis, sync: plain.Redis, keys: Keys
) -> None:
    """One that cannot be opened holds up none of the others; journals are as the opener finds."""
    for match in ("m1", "m2"):
        plan(sync, keys, replace(record(), match=match))
    sync.rpush(keys.journal("m2"), b"before")
    one, none, two = await open_matches(redis, keys, ["m1", "nowhere", "m2"], "r1")
    assert isinstance(one[0], Opened)
    assert isinstance(two[0], Opened)
    assert none[0] == Refused("")
    assert (one[1], none[1], two[1]) == ([], [], [b"before"])
    assert one[0].token != two[0].token
    assert [unpack_record(each[0].record).match for each in (one, two)] == ["m1", "m2"]  # type: ignore[union-attr]  # asserted above
