"""Whatever bots and operators write is harmless where it is shown: terminal, table, log, JSON."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import redis as plain

from matchmaker import registry
from matchmaker.archive import Archive
from matchmaker.keys import Keys
from referee.match.record import Clocks, SeatRecord
from tests.helpers.bots import RawBot
from tests.helpers.matches import plan, record
from tests.helpers.processes import warladder
from tests.helpers.redis_server import RedisServer, redis_server
from tests.helpers.referee_process import RefereeProcess
from tests.helpers.sessions import Table
from warladder.v1 import referee_pb2 as pb

KEYS = Keys()
NASTY = '\x1b[2J\x9b31m\r\ntimestamp=x level=error [red]b[/red] :x: "q" a=b \u202e\u2028\x07\x00 ü'
"""Moves the cursor, begins a log line, is markup, quotes, turns the writing round."""
ESCAPED = r"\x1b[2J\x9b31m\r\ntimestamp=x level=error [red]b[/red] :x: "


@pytest.fixture(scope="module")
def store() -> Iterator[RedisServer]:
    with redis_server() as running:
        yield running


@pytest.fixture
def redis(store: RedisServer) -> Iterator[plain.Redis]:
    with plain.Redis.from_url(store.url) as client:
        client.flushdb()
        yield client


def shown(store: RedisServer, *words: str, archive: str = "") -> str:
    """What a command prints: every line of it printable."""
    ran = warladder(*words, WARLADDER_REDIS_URL=store.url, WARLADDER_ARCHIVE=archive)
    assert ran.returncode == 0, ran.stderr
    for line in ran.stdout.removesuffix("\n").split("\n"):
        assert line.isprintable(), repr(line)
    return ran.stdout


def test_commands_on_bots_show_words_of_any_content(store: RedisServer, redis: plain.Redis) -> None:
    registry.add(redis, "one", "me")
    registry.note_version(redis, KEYS, "one", NASTY)
    redis.hset(KEYS.bot("one"), "paused", NASTY)
    registry.remember(redis, KEYS, "one", "practise", NASTY)
    table = shown(store, "bot", "list")
    assert len(table.splitlines()) == 2
    assert table.count("level=error [red]b[/red] :x:") == 2
    (row,) = json.loads(shown(store, "bot", "list", "--json"))["bots"]
    assert (row["versions"], row["paused"]) == ([NASTY], NASTY)
    lines = shown(store, "bot", "log", "one").splitlines()
    assert sum(ESCAPED in line for line in lines) == 2  # its version, and the remark
    assert len(lines) == 3
    found = json.loads(shown(store, "bot", "log", "one", "--json"))["lines"]
    assert any(NASTY in line["text"] for line in found)


def test_a_reason_for_a_pause_is_one_printable_line(redis: plain.Redis, store: RedisServer) -> None:
    registry.add(redis, "one", "me")
    reason = NASTY.replace("\x00", "")  # no command line can hold it
    assert shown(store, "bot", "pause", "one", "--reason", reason).count("\n") == 1
    kept = registry.find(redis, "one").paused
    assert kept.isprintable()
    assert "[red]b[/red]" in kept


def test_a_replay_shows_notes_and_versions_of_any_content(
    store: RedisServer, tmp_path: Path
) -> None:
    seats = SeatRecord(bot="a", version=NASTY), SeatRecord(bot="b", version="1")
    table = Table(replace(record(options={"rounds": 1}), seats=seats))
    table.answer(table.asked[0], note=NASTY)
    table.play()
    archive = Archive(tmp_path)
    file = str(archive.path(archive.put_replay("m1", table.journal.entries)))
    lines = shown(store, "replay", "show", file).splitlines()
    assert sum(ESCAPED in line for line in lines) == 2
    told = json.loads(shown(store, "replay", "show", file, "--json"))["lines"]
    assert sum(NASTY in line for line in told) == 1
    shown(store, "replay", "verify", file)


async def test_a_referees_log_and_faults_hold_no_word_of_a_bot_as_it_is(
    store: RedisServer, redis: plain.Redis
) -> None:
    tokens = [registry.add(redis, name, "me") for name in "ab"]
    referee = RefereeProcess(store.folder, store).serving()
    text = NASTY.replace("\x00", "")
    words: list[dict[str, object]] = [
        {"ready": pb.Ready(match=text)},
        {"resign": pb.Resign(match=text)},
        {"choose": pb.Choose(match=text, note=text)},
        {"standing_order": pb.StandingOrder(match="m1", window=text, on=True)},
        {"practise": pb.Practise(game=text)},
        {"practise": pb.Practise(game="skirmish", opponent=text)},
    ]
    try:
        async with (
            RawBot(referee.address, tokens[0], games=["skirmish", text], version=text[13:]) as bad,
            RawBot(referee.address, tokens[0], games=["skirmish", text]) as a,
            RawBot(referee.address, tokens[1]) as b,
        ):
            await bad.say(hello=bad.hello)
            while await bad.read() is not None:
                pass
            await a.greet()
            await b.greet()
            plan(redis, KEYS, record(clocks=Clocks(cap_ms=60_000), options={"rounds": 1}))
            assert await referee.open("m1") == [1]
            await a.expect("match_started")
            for word in words:
                await a.say(**word)
            redis.hset(KEYS.bot("a"), "paused", text)
            while a.kinds().count("fault") < len(words) + 2:
                await a.expect("fault")
            for heard in (*bad.heard, *a.heard):
                assert heard.fault.text.isprintable(), heard.fault.text
            redis.hset(KEYS.cancels, "m1", text)
            end = (await a.expect("match_ended")).match_ended
            assert end.ending == pb.ENDING_CANCELLED
        await asyncio.to_thread(referee.wait_until, "match_ended")
    finally:
        referee.stop()
    lines = referee.text().removesuffix("\n").split("\n")
    for line in lines:
        assert line.isprintable(), repr(line)
        assert line.startswith("timestamp=2"), line
    assert any("level=error [red]" in line for line in lines)
    assert not any(" level=error" in line.split('"')[0] for line in lines)
