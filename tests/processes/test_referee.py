"""A ladder's referee as a process: from plan to end through Redis, take-overs, refusals."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import msgpack
import pytest
import redis as plain

from matchmaker import certificates
from referee.match.journal import Opened, unpack_journal
from referee.match.record import Clocks
from referee.match.replay import verify
from referee.store.keys import Keys
from referee.store.lifecycle import journal_of, standings
from referee.store.presence import present
from tests.helpers.bots import RawBot
from tests.helpers.matches import plan, record
from tests.helpers.redis_server import RedisServer, redis_server
from tests.helpers.referee_process import RefereeProcess, attending, register
from warladder.v1 import internal_pb2 as internal
from warladder.v1 import referee_pb2 as pb
from warladder.v1 import referee_pb2_grpc

KEYS = Keys()
CLOCKS = Clocks(startup_ms=20_000, cap_ms=20_000)


@pytest.fixture
def store() -> Iterator[RedisServer]:
    with redis_server() as running:
        yield running


@pytest.fixture
def redis(store: RedisServer) -> Iterator[plain.Redis]:
    with plain.Redis.from_url(store.url) as client:
        yield client


@pytest.fixture
def folder(store: RedisServer) -> Path:
    return store.folder  # its path is short, as sockets' paths must be


@pytest.fixture
async def referee(folder: Path, store: RedisServer) -> AsyncIterator[RefereeProcess]:
    running = RefereeProcess(folder, store).serving()
    yield running
    running.stop()


def left(redis: plain.Redis) -> set[tuple[str, str]]:
    """Bots and instances that have said Goodbye, as referees' presence has it."""
    return {each for there in present(redis, KEYS).values() for each in there.left}


def ended(redis: plain.Redis, match: str = "m1") -> None:
    """The journal of an ended match says what the rules say."""
    (standing,) = standings(redis, KEYS, [match])
    assert standing.status == "ended"
    entries = unpack_journal(journal_of(redis, KEYS, match))
    found = verify(record(match, clocks=CLOCKS), entries, canary_every=1)
    assert (found.problems, found.leaks) == ([], [])
    assert found.ending == standing.ending


async def test_a_planned_match_is_played_to_its_end_and_none_begun_after_a_goodbye(
    referee: RefereeProcess, redis: plain.Redis
) -> None:
    tokens = register(redis, KEYS, "a", "b")
    plan(redis, KEYS, record(clocks=CLOCKS))
    plan(redis, KEYS, record("m2", clocks=CLOCKS))
    async with (
        RawBot(referee.address, tokens["a"]) as a,
        RawBot(referee.address, tokens["b"]) as b,
    ):
        welcome = await a.greet()
        assert (welcome.bot, list(welcome.referees)) == ("a", [referee.address])
        assert await referee.open("m1") == [internal.OPENING_BOT_ABSENT]
        await b.greet()
        attending(redis, KEYS, "b")
        assert await referee.open("m1", "unknown") == [
            internal.OPENING_OPENED,
            internal.OPENING_NOT_PLANNED,
        ]
        await a.say(goodbye=pb.Goodbye())
        while left(redis) != {("a", "")}:
            await asyncio.sleep(0.02)
        assert await referee.open("m2") == [internal.OPENING_BOT_ABSENT]
        ends = await asyncio.gather(a.play(), b.play())
        assert (await a.expect("goodbye")).goodbye.reason == pb.GOODBYE_REASON_DONE
    assert [end[0].ending for end in ends] == [pb.ENDING_NORMAL] * 2
    ended(redis)
    assert left(redis) == {("a", "")}
    over = pb.Resume(match="m0")
    async with RawBot(referee.address, tokens["a"], resume=[over]) as a:
        await a.greet()
        await a.say(goodbye=pb.Goodbye())
        assert (await a.expect("goodbye")).goodbye.reason == pb.GOODBYE_REASON_DONE
    assert await referee.open("m1") == [internal.OPENING_NOT_PLANNED]


async def test_a_killed_referees_match_goes_on_at_another_where_it_stood(
    referee: RefereeProcess, redis: plain.Redis, folder: Path, store: RedisServer
) -> None:
    tokens = register(redis, KEYS, "a", "b")
    plan(redis, KEYS, record(clocks=CLOCKS))
    async with (
        RawBot(referee.address, tokens["a"]) as a,
        RawBot(referee.address, tokens["b"]) as b,
    ):
        await a.greet()
        await b.greet()
        assert await referee.open("m1") == [internal.OPENING_OPENED]
        for bot in (a, b):
            await bot.expect("match_started")
            await bot.say(ready=pb.Ready(match="m1"))
        asked = {bot: (await bot.expect("decide")).decide for bot in (a, b)}
        for bot, decide in asked.items():
            await bot.answer(decide, 2)
        first = asyncio.ensure_future(a.expect("decide"))
        second = asyncio.ensure_future(b.expect("decide"))
        await asyncio.wait((first, second), return_when=asyncio.FIRST_COMPLETED)
        bot, pending = (a, first) if first.done() else (b, second)
        decide = pending.result().decide
        first.cancel()
        second.cancel()
        referee.stop(signal.SIGKILL)
    other = RefereeProcess(folder, store, "r2").serving()
    try:
        seen = pb.Resume(match="m1", last_event=decide.last_event, receipt=decide.receipt)
        name, rest = ("a", "b") if bot is a else ("b", "a")
        async with (
            RawBot(other.address, tokens[name], resume=[seen]) as again,
            RawBot(other.address, tokens[rest]) as forgetful,
        ):
            await again.greet()
            await forgetful.greet()
            # Not done yet: what it names in its Hello is still being played.
            await again.say(goodbye=pb.Goodbye())
            while left(redis) != {(name, "")}:
                await asyncio.sleep(0.02)
            assert await other.open("m1") == [internal.OPENING_OPENED]
            start = (await again.expect("match_started")).match_started
            assert start.resumed
            same = (await again.expect("decide")).decide
            assert (same.decision, same.kind) == (decide.decision, decide.kind)
            assert [o.label for o in same.options] == [o.label for o in decide.options]
            assert (len(same.events), same.last_event) == (0, decide.last_event)
            assert same.clock.cap_ms > CLOCKS.cap_ms - 2_000
            await again.answer(same)
            await forgetful.expect("match_started")
            ends = await asyncio.gather(again.play(), forgetful.play())
            assert (await again.expect("goodbye")).goodbye.reason == pb.GOODBYE_REASON_DONE
        assert [end[0].ending for end in ends] == [pb.ENDING_NORMAL] * 2
        ended(redis)
        opened = [e for e in unpack_journal(journal_of(redis, KEYS, "m1")) if type(e) is Opened]
        assert [(each.epoch, each.referee[:3]) for each in opened] == [(1, "r1-"), (2, "r2-")]
    finally:
        other.stop()


async def test_a_match_handed_over_again_goes_on_under_a_new_epoch(
    referee: RefereeProcess, redis: plain.Redis
) -> None:
    tokens = register(redis, KEYS, "a", "b")
    plan(redis, KEYS, record(clocks=CLOCKS))
    async with (
        RawBot(referee.address, tokens["a"]) as a,
        RawBot(referee.address, tokens["b"]) as b,
    ):
        await a.greet()
        await b.greet()
        assert await referee.open("m1") == [internal.OPENING_OPENED]
        assert await referee.open("m1", "m1") == [internal.OPENING_OPENED] * 2
        ends = await asyncio.gather(a.play(), b.play())
    assert [end[0].ending for end in ends] == [pb.ENDING_NORMAL] * 2
    ended(redis)


async def test_the_store_away_for_a_while_costs_nobody_anything(
    referee: RefereeProcess, redis: plain.Redis, store: RedisServer
) -> None:
    tokens = register(redis, KEYS, "a", "b")
    plan(redis, KEYS, record(clocks=CLOCKS))
    async with (
        RawBot(referee.address, tokens["a"]) as a,
        RawBot(referee.address, tokens["b"]) as b,
    ):
        await a.greet()
        await b.greet()
        await referee.open("m1")
        for bot in (a, b):
            await bot.expect("match_started")
            await bot.say(ready=pb.Ready(match="m1"))
        decides = [(await bot.expect("decide")).decide for bot in (a, b)]
        store.stop()
        for bot, decide in zip((a, b), decides, strict=True):
            await bot.answer(decide)
        await asyncio.to_thread(referee.wait_until, "store_away")
        heard = [len(bot.heard) for bot in (a, b)]
        store.start()
        await asyncio.to_thread(referee.wait_until, "store_back")
        assert heard == [len(bot.heard) for bot in (a, b)]
        ends = await asyncio.gather(a.play(), b.play())
    assert [end[0].ending for end in ends] == [pb.ENDING_NORMAL] * 2
    ended(redis)


async def test_sigterm_says_goodbye_and_leaves_the_match_to_others(
    referee: RefereeProcess, redis: plain.Redis
) -> None:
    tokens = register(redis, KEYS, "a", "b")
    plan(redis, KEYS, record(clocks=CLOCKS))
    async with (
        RawBot(referee.address, tokens["a"]) as a,
        RawBot(referee.address, tokens["b"]) as b,
    ):
        await a.greet()
        await b.greet()
        await referee.open("m1")
        for bot in (a, b):
            await bot.expect("match_started")
        referee.send(signal.SIGTERM)
        for bot in (a, b):
            goodbye = (await bot.expect("goodbye")).goodbye
            assert goodbye.reason == pb.GOODBYE_REASON_DRAINING
            assert goodbye.reconnect_after_ms > 0
            assert await bot.read() is None
            assert (await bot.status())[0] is grpc.StatusCode.UNAVAILABLE
    assert await asyncio.to_thread(referee.stop, signal.SIGCONT) == 0
    assert present(redis, KEYS) == {}
    (standing,) = standings(redis, KEYS, ["m1"])
    assert standing.status == "playing"


async def test_a_stranger_is_told_why_he_may_not_come_in(
    referee: RefereeProcess, redis: plain.Redis
) -> None:
    for token in ("", "wl_nobody"):
        async with RawBot(referee.address, token) as bot:
            assert await bot.read() is None
            code, details = await bot.status()
            assert code is grpc.StatusCode.UNAUTHENTICATED
            assert "authorization: Bearer TOKEN" in details
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await referee.open("m1", secret="a guess")
    assert refused.value.code() is grpc.StatusCode.UNAUTHENTICATED


async def test_a_paused_bot_is_told_so_and_is_not_offered_for_matches(
    referee: RefereeProcess, redis: plain.Redis
) -> None:
    tokens = register(redis, KEYS, "a")
    redis.hset(KEYS.bot("a"), "paused", "crashed in five matches")
    async with RawBot(referee.address, tokens["a"]) as bot:
        await bot.greet()
        fault = (await bot.expect("fault")).fault
        assert (fault.code, fault.fatal) == (pb.FAULT_CODE_PAUSED, False)
        assert "crashed in five matches" in fault.text


async def test_a_bot_paused_while_it_attends_is_told_of_each_new_reason(
    referee: RefereeProcess, redis: plain.Redis
) -> None:
    tokens = register(redis, KEYS, "a")
    async with RawBot(referee.address, tokens["a"]) as bot:
        await bot.greet()
        for reason in ("too loud", "still too loud"):
            redis.hset(KEYS.bot("a"), "paused", reason)
            fault = (await bot.expect("fault")).fault
            assert (fault.code, fault.fatal) == (pb.FAULT_CODE_PAUSED, False)
            assert fault.text == f"no matches for this bot: {reason}"


BAD = [
    ({"WARLADDER_REDIS_URL": ""}, "WARLADDER_REDIS_URL is not set"),
    ({"WARLADDER_REDIS_URL": "http://x"}, "WARLADDER_REDIS_URL='http://x'"),
    ({"WARLADDER_REFEREE_LISTEN": "nowhere"}, "WARLADDER_REFEREE_LISTEN='nowhere'"),
    ({"WARLADDER_INTERNAL_SECRET": ""}, "WARLADDER_INTERNAL_SECRET is not set"),
    ({"WARLADDER_METRICS_PORT": "many"}, "WARLADDER_METRICS_PORT='many'"),
    ({"WARLADDER_TLS_KEY": "x"}, "WARLADDER_TLS_CERTIFICATE and WARLADDER_TLS_KEY"),
]


@pytest.mark.parametrize(("settings", "line"), BAD, ids=[line for _, line in BAD])
def test_a_bad_setting_is_one_line_and_exit_2(
    settings: dict[str, str], line: str, folder: Path, store: RedisServer
) -> None:
    process = RefereeProcess(folder, store, **settings).start()
    assert process.process is not None
    assert process.process.wait(20) == 2
    assert process.text().startswith(f"referee: {line}")
    assert process.text().count("\n") == 1


def test_an_address_in_use_is_one_line_and_exit_2(
    referee: RefereeProcess, folder: Path, store: RedisServer
) -> None:
    taken = {"WARLADDER_REFEREE_LISTEN": referee.address}
    process = RefereeProcess(folder, store, "r2", **taken).start()
    assert process.process is not None
    assert process.process.wait(20) == 2
    assert process.text().splitlines()[-1].startswith(f"referee: {referee.address} is in use")


def test_a_store_that_is_not_there_at_start_is_waited_for(folder: Path, store: RedisServer) -> None:
    store.stop()
    process = RefereeProcess(folder, store).start()
    try:
        process.wait_until("redis_away")
        assert process.text().count("redis_away") == 1
        store.start()
        process.wait_until("referee_serves")
    finally:
        assert process.stop(signal.SIGTERM) == 0


async def test_a_referee_that_was_stopped_says_nothing_more_of_a_match_it_lost(
    referee: RefereeProcess, redis: plain.Redis, folder: Path, store: RedisServer
) -> None:
    """Bots attend both; the first is stopped, the second takes over, the first wakes up."""
    tokens = register(redis, KEYS, "a", "b")
    plan(redis, KEYS, record(clocks=CLOCKS))
    other = RefereeProcess(folder, store, "r2").serving()
    try:
        async with (
            RawBot(referee.address, tokens["a"]) as a,
            RawBot(referee.address, tokens["b"]) as b,
            RawBot(other.address, tokens["a"]) as a2,
            RawBot(other.address, tokens["b"]) as b2,
        ):
            for bot in (a, b, a2, b2):
                await bot.greet()
            assert await referee.open("m1") == [internal.OPENING_OPENED]
            for bot in (a, b):
                await bot.expect("match_started")
                await bot.say(ready=pb.Ready(match="m1"))
            decides = [(await bot.expect("decide")).decide for bot in (a, b)]
            referee.send(signal.SIGSTOP)
            for bot, decide in zip((a, b), decides, strict=True):
                await bot.answer(decide)  # it will find them when it wakes up
            assert await other.open("m1") == [internal.OPENING_OPENED]
            ends = await asyncio.gather(a2.play(), b2.play())
            assert [end[0].ending for end in ends] == [pb.ENDING_NORMAL] * 2
            referee.send(signal.SIGCONT)
            await asyncio.to_thread(referee.wait_until, "match_fenced")
            referee.send(signal.SIGTERM)
            for bot in (a, b):
                await bot.expect("goodbye")
                after = bot.kinds()[bot.kinds().index("decide") + 1 :]
                assert set(after) <= {"ping", "referees", "goodbye"}
        ended(redis)
    finally:
        other.stop()


async def test_draining_lets_running_matches_end_and_takes_no_new_ones(
    redis: plain.Redis, folder: Path, store: RedisServer
) -> None:
    referee = RefereeProcess(folder, store, WARLADDER_DRAIN_SECONDS="30").serving()
    try:
        tokens = register(redis, KEYS, "a", "b")
        plan(redis, KEYS, record(clocks=CLOCKS))
        plan(redis, KEYS, record("m2", clocks=CLOCKS))
        async with (
            RawBot(referee.address, tokens["a"]) as a,
            RawBot(referee.address, tokens["b"]) as b,
        ):
            await a.greet()
            await b.greet()
            await referee.open("m1")
            for bot in (a, b):
                await bot.expect("match_started")
            referee.send(signal.SIGTERM)
            await asyncio.to_thread(referee.wait_until, "draining")
            assert await referee.open("m2") == [internal.OPENING_AWAY]
            for bot in (a, b):
                await bot.say(ready=pb.Ready(match="m1"))
            ends = await asyncio.gather(a.play(), b.play())
            assert [end[0].ending for end in ends] == [pb.ENDING_NORMAL] * 2
            for bot in (a, b):
                goodbye = (await bot.expect("goodbye")).goodbye
                assert goodbye.reason == pb.GOODBYE_REASON_DRAINING
        assert await asyncio.to_thread(referee.stop, signal.SIGCONT) == 0
        ended(redis)
    finally:
        referee.stop()


async def test_a_practise_wish_goes_to_the_matchmaker(
    referee: RefereeProcess, redis: plain.Redis
) -> None:
    tokens = register(redis, KEYS, "a", "house")
    async with RawBot(referee.address, tokens["a"]) as a:
        await a.greet()
        await a.say(practise=pb.Practise(game="skirmish", opponent="nobody"))
        assert (await a.expect("fault")).fault.code == pb.FAULT_CODE_NO_PARTNER
        await a.say(practise=pb.Practise(game="skirmish", opponent="house", seat=1))
        wish = await asyncio.to_thread(redis.blpop, [KEYS.practise], 10)
    assert wish is not None
    assert msgpack.unpackb(wish[1]) == {
        "bot": "a",
        "game": "skirmish",
        "opponent": "house",
        "seat": 1,
    }


def test_a_live_scrape_of_a_referee_is_in_form_and_has_every_family(
    folder: Path, store: RedisServer, require: Callable[..., str]
) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    referee = RefereeProcess(folder, store, WARLADDER_METRICS_PORT=str(port)).serving()
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
            text = answer.read()
    finally:
        referee.stop()
    done = subprocess.run(
        [require("promtool"), "check", "metrics"], input=text, capture_output=True, check=False
    )
    assert (done.returncode, done.stdout + done.stderr) == (0, b"")
    families = {line.split()[2] for line in text.decode().splitlines() if line.startswith("# TYPE")}
    assert families >= {
        "warladder_referee_matches_total",
        "warladder_referee_decisions_total",
        "warladder_referee_decision_seconds",
        "warladder_referee_matches_playing",
        "warladder_referee_event_loop_lag_seconds",
        "warladder_referee_streams",
        "warladder_referee_faults_total",
        "process_cpu_seconds_total",
        "process_resident_memory_bytes",
    }


async def test_bots_can_dial_in_over_tls_with_certificates_of_their_own(
    folder: Path, store: RedisServer
) -> None:
    made = certificates.make(folder / "tls", ["localhost"], ["mine"], days=1)
    trust, server, mine = made["ca"].certificate, made["server"], made["mine"]
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    settings = {
        "WARLADDER_REFEREE_LISTEN": f"127.0.0.1:{port}",
        "WARLADDER_REFEREE_ADVERTISE": f"localhost:{port}",
        "WARLADDER_TLS_CERTIFICATE": str(server.certificate),
        "WARLADDER_TLS_KEY": str(server.key),
        "WARLADDER_TLS_CLIENT_CA": str(trust),
    }
    referee = RefereeProcess(folder, store, **settings).serving()

    async def describe(credentials: grpc.ChannelCredentials) -> Any:
        async with grpc.aio.secure_channel(f"localhost:{port}", credentials) as channel:
            stub = referee_pb2_grpc.RefereeStub(channel)
            return await stub.Describe(pb.DescribeRequest(), timeout=20)

    try:
        authority, key, chain = (file.read_bytes() for file in (trust, mine.key, mine.certificate))
        told = await describe(grpc.ssl_channel_credentials(authority, key, chain))
        assert list(told.referees) == [f"localhost:{port}"]
        with pytest.raises(grpc.aio.AioRpcError) as refusal:
            await describe(grpc.ssl_channel_credentials(authority))
        assert refusal.value.code() is grpc.StatusCode.UNAVAILABLE
        bot = await asyncio.create_subprocess_exec(
            sys.executable, "sample_bots/python/random/bot.py", "--referee", f"localhost:{port}",
            env={
                **os.environ,
                "WARLADDER_TOKEN": "wl_nobody",
                "WARLADDER_TLS_CA": str(trust),
                "WARLADDER_TLS_CERTIFICATE": str(mine.certificate),
                "WARLADDER_TLS_KEY": str(mine.key),
            },
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
        said, _ = await asyncio.wait_for(bot.communicate(), 60)
        assert b"no bot has this token" in said, "it came through the door and was heard"
    finally:
        referee.stop()
