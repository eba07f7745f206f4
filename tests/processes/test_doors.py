"""Who gets in, who stays in, and how much one bot may do: against a real referee process."""

import asyncio
import itertools
import socket
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack

import grpc
import pytest
import redis as plain

from matchmaker import cancelling, registry
from matchmaker.connection import Ladder
from matchmaker.keys import Keys as LadderKeys
from referee.match.record import Clocks
from referee.server.door import HANDSHAKE_MS
from referee.server.limits import Limits
from referee.store import presence
from referee.store.keys import Keys
from tests.helpers.bots import RawBot
from tests.helpers.matches import plan, record
from tests.helpers.redis_server import RedisServer, redis_server
from tests.helpers.referee_process import RefereeProcess
from tests.helpers.still import StillLine
from warladder.v1 import internal_pb2 as internal
from warladder.v1 import internal_pb2_grpc
from warladder.v1 import referee_pb2 as pb

KEYS = Keys()
CLOCKS = Clocks(startup_ms=20_000, cap_ms=60_000, grace_ms=60_000)
LIMITS = Limits()
COUNT = itertools.count(1)
SOON = presence.RENEWED_EVERY_SECONDS + 1.0
"""A renewal, and a second for a busy machine."""


@pytest.fixture(scope="module")
def store() -> Iterator[RedisServer]:
    with redis_server() as running:
        yield running


@pytest.fixture
def redis(store: RedisServer) -> Iterator[plain.Redis]:
    with plain.Redis.from_url(store.url) as client:
        client.flushdb()
        yield client


@pytest.fixture
async def referee(store: RedisServer, redis: plain.Redis) -> AsyncIterator[RefereeProcess]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    settings = {"WARLADDER_REFEREE_LISTEN": f"127.0.0.1:{port}"}
    running = RefereeProcess(store.folder, store, f"r{next(COUNT)}", **settings)
    running.address = f"127.0.0.1:{port}"
    running.serving()
    yield running
    running.stop()
    odd = [line for line in running.text().splitlines() if "level=error" in line]
    assert odd == []


async def over(bot: RawBot) -> tuple[list[pb.GoodbyeReason.ValueType], grpc.StatusCode, str]:
    """Read a stream to its end: its goodbyes and its status."""
    while await bot.read() is not None:
        pass
    reasons = [m.goodbye.reason for m in bot.heard if m.WhichOneof("message") == "goodbye"]
    return reasons, *await bot.status()


async def started(referee: RefereeProcess, redis: plain.Redis, *bots: RawBot) -> list[pb.Decide]:
    """A match of these bots is under way: their first questions."""
    plan(redis, KEYS, record(clocks=CLOCKS))
    assert await referee.open("m1") == [internal.OPENING_OPENED]
    for bot in bots:
        await bot.expect("match_started")
        await bot.say(ready=pb.Ready(match="m1"))
    return [(await bot.expect("decide")).decide for bot in bots]


# Tokens


async def test_a_new_token_ends_the_streams_of_the_old_one_and_no_match(
    referee: RefereeProcess, redis: plain.Redis
) -> None:
    old, other = (registry.admit(redis, name, "ann") for name in "ab")
    async with (
        RawBot(referee.address, old) as a,
        RawBot(referee.address, old) as ungreeted,
        RawBot(referee.address, old, instance="2") as second,
        RawBot(referee.address, other) as b,
    ):
        for bot in (a, second, b):
            await bot.greet()
        asked, theirs = await started(referee, redis, a, b)
        new = registry.rotate(redis, "a")
        rotated = time.monotonic()
        for reasons, code, details in await asyncio.gather(*map(over, (a, ungreeted, second))):
            assert reasons == [pb.GOODBYE_REASON_REVOKED]
            assert code is grpc.StatusCode.UNAUTHENTICATED
            assert details == "a has a new token; dial with that one"
        assert time.monotonic() - rotated < SOON
        async with RawBot(referee.address, old) as late:
            assert (await over(late))[1] is grpc.StatusCode.UNAUTHENTICATED
        seen = pb.Resume(match="m1", last_event=asked.last_event, receipt=asked.receipt)
        async with RawBot(referee.address, new, resume=[seen]) as again:
            assert list((await again.greet()).resumed) == ["m1"]
            await b.answer(theirs)
            ends = await asyncio.gather(again.play(), b.play())
        assert [end[0].ending for end in ends] == [pb.ENDING_NORMAL] * 2
        assert "fault" not in b.kinds()


async def test_the_new_tokens_first_stream_ends_the_old_ones_at_once(
    referee: RefereeProcess, redis: plain.Redis
) -> None:
    old = registry.admit(redis, "a", "ann")
    async with RawBot(referee.address, old, instance="old") as a:
        await a.greet()
        await asyncio.sleep(0.5)  # the renewal that its own coming has brought about
        new = registry.rotate(redis, "a")
        async with RawBot(referee.address, new, instance="new") as again:
            await again.greet()
            came = time.monotonic()
            assert (await over(a))[1] is grpc.StatusCode.UNAUTHENTICATED
            assert time.monotonic() - came < 2.0
            await again.say(practise=pb.Practise(game="chess"))
            assert (await again.expect("fault")).fault.code == pb.FAULT_CODE_NO_SUCH_GAME


async def test_a_removed_bots_streams_end_and_its_match_is_lost_by_absence(
    referee: RefereeProcess, redis: plain.Redis
) -> None:
    mine, other = (registry.admit(redis, name, "ann") for name in "ab")
    async with RawBot(referee.address, mine) as a, RawBot(referee.address, other) as b:
        await a.greet()
        await b.greet()
        plan(redis, KEYS, record(clocks=Clocks(startup_ms=20_000, grace_ms=500)))
        assert await referee.open("m1") == [internal.OPENING_OPENED]
        for bot in (a, b):
            await bot.expect("match_started")
            await bot.say(ready=pb.Ready(match="m1"))
        registry.remove(redis, "a", "retired")
        removed = time.monotonic()
        reasons, code, details = await over(a)
        assert (reasons, details) == ([pb.GOODBYE_REASON_REVOKED], "a has been removed")
        assert code is grpc.StatusCode.UNAUTHENTICATED
        assert time.monotonic() - removed < SOON
        (end,) = await b.play()
        assert (end.ending, list(end.outcome.ranks)) == (pb.ENDING_DISCONNECTED, [2, 1])


async def test_a_banned_bots_streams_end_and_its_match_is_cancelled(
    referee: RefereeProcess, redis: plain.Redis
) -> None:
    """Nobody is to blame, though the banned bot is gone before its match is."""
    mine, other = (registry.admit(redis, name, f"author-of-{name}") for name in "ab")
    async with RawBot(referee.address, mine) as a, RawBot(referee.address, other) as b:
        await a.greet()
        await b.greet()
        await started(referee, redis, a, b)
        redis.sadd(LadderKeys(KEYS.namespace).places("a"), "m1")  # as the matchmaker's plan does
        ladder = Ladder(redis=redis, namespace=KEYS.namespace, archive="")
        kind, name = registry.Kind.AUTHOR, "author-of-a"
        banned = asyncio.create_task(asyncio.to_thread(cancelling.ban, ladder, kind, name, "why"))
        reasons, code, details = await over(a)
        assert (reasons, details) == ([pb.GOODBYE_REASON_REVOKED], "a is banned: why")
        assert code is grpc.StatusCode.UNAUTHENTICATED
        assert await banned == ["m1"]
        ended = (await b.expect("match_ended")).match_ended
        assert (ended.ending, ended.text) == (
            pb.ENDING_CANCELLED, "an operator cancelled it: a is banned",
        )  # fmt: skip
        async with RawBot(referee.address, mine) as late:
            assert (await over(late))[1] is grpc.StatusCode.UNAUTHENTICATED
        assert registry.unban(redis, kind, name)
        async with RawBot(referee.address, mine) as again:
            await again.greet()


async def test_a_paused_bot_keeps_its_stream(referee: RefereeProcess, redis: plain.Redis) -> None:
    async with RawBot(referee.address, registry.admit(redis, "a", "ann")) as a:
        await a.greet()
        for reason in ("it has been removed", "still"):  # a reason is a text, whatever it says
            registry.pause(redis, "a", reason)
            fault = (await a.expect("fault")).fault
            assert (fault.code, fault.fatal) == (pb.FAULT_CODE_PAUSED, False)
        registry.resume(redis, "a")
        await asyncio.sleep(SOON)
        await a.say(practise=pb.Practise(game="chess"))
        assert (await a.expect("fault")).fault.code == pb.FAULT_CODE_NO_SUCH_GAME


# Limits of one bot


async def refused(address: str, token: str) -> tuple[grpc.StatusCode, str]:
    """Dial until one more stream is refused: how it was."""
    async with asyncio.timeout(20):
        while True:
            async with RawBot(address, token, instance="one more") as bot:
                ending = asyncio.ensure_future(over(bot))
                await asyncio.wait((ending,), timeout=1.0)
                if ending.done():
                    reasons, code, details = ending.result()
                    assert reasons == [pb.GOODBYE_REASON_BUSY]
                    assert bot.heard[-1].goodbye.reconnect_after_ms > 0
                    return code, details
                ending.cancel()


async def test_a_bot_has_so_many_streams_greeted_or_not_whatever_their_instances(
    referee: RefereeProcess, redis: plain.Redis
) -> None:
    mine, other = (registry.admit(redis, name, "ann") for name in "ab")
    async with AsyncExitStack() as stack:
        bots = [
            await stack.enter_async_context(RawBot(referee.address, mine, instance=f"i{k}"))
            for k in range(LIMITS.streams)
        ]
        for bot in bots[:-8]:
            assert (await bot.greet()).limits.streams == LIMITS.streams
        code, details = await refused(referee.address, mine)
        assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert details == "a has 32 live streams, the most of one bot; end one of them"
        async with RawBot(referee.address, other) as b:
            await b.greet()
        await bots[0].close()
        async with asyncio.timeout(20):
            while True:
                async with RawBot(referee.address, mine, instance="one more") as more:
                    await more.say(hello=more.hello)
                    if (await more.read() or pb.RefereeMessage()).HasField("welcome"):
                        break


async def test_what_a_bot_may_send_is_told_when_it_comes(
    referee: RefereeProcess, redis: plain.Redis
) -> None:
    async with RawBot(referee.address, registry.admit(redis, "a", "ann")) as a:
        limits = (await a.greet()).limits
    assert limits.bytes_per_second == LIMITS.bytes_per_second > 100_000
    assert limits.messages_per_second == LIMITS.messages_per_second
    assert limits.matches == LIMITS.matches


# Lines that fall still


async def test_a_peer_that_vanishes_without_a_word_is_noticed_in_thirty_seconds(
    referee: RefereeProcess, redis: plain.Redis
) -> None:
    """With the limits of an open server, on a line that stops at a bad moment: after a pong."""
    token = registry.admit(redis, "a", "ann")

    async def there() -> bool:
        async with grpc.aio.insecure_channel(referee.internal) as channel:
            stub = internal_pb2_grpc.InternalStub(channel)
            secret = (("x-warladder-secret", "secret of the tests"),)
            status = await stub.Status(internal.StatusRequest(), metadata=secret, timeout=20)
            return bool(status.streams)

    async def silent_connection() -> float:
        """How long the door bears a connection that says nothing."""
        host, port = referee.address.split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        began = time.monotonic()
        while await reader.read(1 << 16):
            pass
        writer.close()
        return time.monotonic() - began

    nothing = asyncio.ensure_future(silent_connection())
    async with StillLine(referee.address) as line, RawBot(line.address, token) as a:
        await a.greet()
        while "ping" not in a.kinds():
            a.heard.append(await a.call.read())
        await a.say(pong=pb.Pong(number=1))
        await asyncio.sleep(0.2)
        line.still = True
        began = time.monotonic()
        while await there():
            await asyncio.sleep(0.1)
        took = time.monotonic() - began
    assert LIMITS.silence_seconds - 1.0 < took < LIMITS.silence_seconds + 1.0
    assert "stream_silent" in referee.text()
    assert await nothing < HANDSHAKE_MS / 1000 + 5.0
