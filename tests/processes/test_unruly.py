"""
Streams that go wrong in ways that need a referee of their own: other limits, a mistake of ours.

What a bot can do to the referee of an open server, by kind, phase and seat, is in `test_naughty`.
"""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest

from referee.match.journal import Ending
from referee.match.record import Clocks
from referee.server.limits import Limits
from referee.server.local import LocalReferee
from referee.server.stream import Stream
from tests.helpers.bots import RawBot
from tests.helpers.matches import record
from warladder.v1 import referee_pb2 as pb

TOKENS = {f"t{name}": name for name in ("naughty", "victim", "carol", "dave")}
PATIENT = Clocks(cap_ms=60_000)


@pytest.fixture
async def referee() -> AsyncIterator[LocalReferee]:
    async with LocalReferee("127.0.0.1:0", TOKENS) as running:
        yield running


@pytest.fixture
async def patient() -> AsyncIterator[LocalReferee]:
    """It waits long for a Hello."""
    async with LocalReferee("127.0.0.1:0", TOKENS, limits=Limits(hello_seconds=60)) as running:
        yield running


async def test_a_mistake_of_ours_ends_one_stream_and_no_match(
    referee: LocalReferee, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*arguments: Any) -> None:
        raise ZeroDivisionError("ours")

    monkeypatch.setitem(Stream._others, "resign", broken)
    async with (
        RawBot(referee.address, "tnaughty") as naughty,
        RawBot(referee.address, "tvictim") as victim,
        RawBot(referee.address, "tnaughty") as again,
    ):
        await naughty.greet()
        await victim.greet()
        playing = referee.begin(record("bad", bots=("naughty", "victim"), clocks=PATIENT))
        await naughty.expect("match_started")
        await naughty.say(ready=pb.Ready(match="bad"))
        rest = asyncio.ensure_future(victim.play())
        await naughty.expect("decide")
        await naughty.say(resign=pb.Resign(match="bad"))
        assert (await naughty.expect("goodbye")).goodbye.reconnect_after_ms > 0
        assert await naughty.read() is None
        assert (await naughty.status())[0] is grpc.StatusCode.INTERNAL
        assert list((await again.greet()).resumed) == ["bad"]
        await again.play()
        await rest
        assert (await playing).ending == Ending.NORMAL
        assert "fault" not in victim.kinds()


HELLOS = [
    ({"games": []}, "BAD_HELLO", grpc.StatusCode.INVALID_ARGUMENT),
    ({"games": ["chess"]}, "NO_SUCH_GAME", grpc.StatusCode.NOT_FOUND),
    ({"version": "x" * 65}, "BAD_HELLO", grpc.StatusCode.INVALID_ARGUMENT),
    ({"instance": "ß" * 40}, "BAD_HELLO", grpc.StatusCode.INVALID_ARGUMENT),
    ({"version": "1\r\x1b[2Jlevel=error"}, "BAD_HELLO", grpc.StatusCode.INVALID_ARGUMENT),
]


@pytest.mark.parametrize(("hello", "code", "status"), HELLOS)
async def test_a_bad_hello_ends_the_stream_with_its_reason(
    referee: LocalReferee, hello: dict[str, Any], code: str, status: grpc.StatusCode
) -> None:
    async with RawBot(referee.address, "tcarol", **hello) as bot:
        await bot.say(hello=bot.hello)
        fault = (await bot.expect("fault")).fault
        assert (pb.FaultCode.Name(fault.code), fault.fatal) == (f"FAULT_CODE_{code}", True)
        goodbye = (await bot.expect("goodbye")).goodbye
        assert goodbye.reason == pb.GOODBYE_REASON_FAULT
        assert await bot.read() is None
        assert (await bot.status())[0] is status


async def test_anything_before_hello_ends_the_stream(referee: LocalReferee) -> None:
    for first in ({"pong": pb.Pong()}, {"choose": pb.Choose(match="x")}):
        async with RawBot(referee.address, "tcarol") as bot:
            await bot.say(**first)
            fault = (await bot.expect("fault")).fault
            assert (fault.code, fault.fatal) == (pb.FAULT_CODE_BAD_HELLO, True)


async def test_a_stream_without_hello_is_ended() -> None:
    limits = Limits(hello_seconds=0.2)
    async with (
        LocalReferee("127.0.0.1:0", TOKENS, limits=limits) as referee,
        RawBot(referee.address, "tcarol") as bot,
    ):
        fault = (await bot.expect("fault")).fault
        assert fault.code == pb.FAULT_CODE_BAD_HELLO
        assert (await bot.expect("goodbye")).goodbye.reason == pb.GOODBYE_REASON_SILENT
        assert await bot.read() is None
        assert (await bot.status())[0] is grpc.StatusCode.DEADLINE_EXCEEDED


async def test_one_that_says_nothing_at_all_is_gone() -> None:
    limits = Limits(ping_seconds=0.1, silence_seconds=0.4)
    async with (
        LocalReferee("127.0.0.1:0", TOKENS, limits=limits) as referee,
        RawBot(referee.address, "tcarol") as bot,
    ):
        await bot.say(hello=bot.hello)
        while bot.kinds()[-1:] != ["goodbye"]:
            message = await bot.call.read()  # pings are not answered
            assert message is not grpc.aio.EOF
            bot.heard.append(message)
        assert bot.heard[-1].goodbye.reason == pb.GOODBYE_REASON_SILENT
        assert await bot.read() is None
        assert (await bot.status())[0] is grpc.StatusCode.DEADLINE_EXCEEDED
        assert referee.hall.streams == {}


async def test_one_that_never_reads_loses_its_stream_and_nobody_waits() -> None:
    """Matches are begun for it until what it does not read piles up."""
    limits = Limits(bytes_unread=200_000, messages_unread=1_000_000)
    async with (
        LocalReferee("127.0.0.1:0", TOKENS, limits=limits) as referee,
        RawBot(referee.address, "tnaughty", max_matches=64) as naughty,
        RawBot(referee.address, "tcarol") as carol,
        RawBot(referee.address, "tdave") as dave,
    ):
        await naughty.say(hello=naughty.hello)
        await carol.greet()
        await dave.greet()
        assert await referee.attended(["naughty"]) == []
        number = 0
        while ("naughty", "") in referee.hall.streams and number < 100_000:
            for _ in range(100):
                number += 1
                began = referee.begin(record(f"n{number}", bots=("naughty", "nobody")))
                referee.hall.sessions[f"n{number}"].void("the next one, please")
                await began
            await asyncio.sleep(0)
        assert ("naughty", "") not in referee.hall.streams
        good = referee.begin(record("good", bots=("dave", "carol")))

        async def play_good(bot: RawBot) -> None:
            while not good.done():
                message = await bot.read()
                kind = message.WhichOneof("message") if message else None
                if kind == "match_started" and message.match_started.match == "good":
                    await bot.say(ready=pb.Ready(match="good"))
                elif kind == "decide":
                    await bot.answer(message.decide)

        await asyncio.gather(play_good(carol), play_good(dave))
        assert (await good).ending == Ending.NORMAL
        while await naughty.read() is not None:
            pass
        code, details = await naughty.status()
        assert code is grpc.StatusCode.RESOURCE_EXHAUSTED, details


async def test_answers_that_cross_the_end_of_many_matches_are_no_fault(
    referee: LocalReferee,
) -> None:
    """One that is out of all its matches at once takes nobody with it who was just thinking."""
    matches = [f"m{k}" for k in range(30)]
    async with (
        RawBot(referee.address, "tnaughty", max_matches=64) as naughty,
        RawBot(referee.address, "tvictim", max_matches=64, questions_at_once=64) as victim,
        RawBot(referee.address, "tcarol") as carol,
    ):
        for bot in (naughty, victim, carol):
            await bot.greet()
        ends = [
            referee.begin(record(match, bots=("naughty", "victim"), clocks=PATIENT))
            for match in matches
        ]
        other = referee.begin(record("other", bots=("victim", "carol"), clocks=PATIENT))
        asked: dict[str, pb.Decide] = {}
        for bot in (naughty, victim):
            for _ in matches:
                started = (await bot.expect("match_started")).match_started
                await bot.say(ready=pb.Ready(match=started.match))
        playing = asyncio.ensure_future(carol.play())
        assert (await victim.expect("match_started")).match_started.match == "other"
        await victim.say(ready=pb.Ready(match="other"))
        while len(asked) <= len(matches):
            decide = (await victim.expect("decide")).decide
            asked[decide.match] = decide
        for _ in range(1_000):
            await naughty.say(pong=pb.Pong())
        for end in ends:
            assert (await end).ending == Ending.PROTOCOL
        for match in matches:  # as if its answers had been on their way
            await victim.answer(asked[match])
        await victim.answer(asked["other"])
        ended = await victim.play(len(matches) + 1)
        assert (await other).ending == Ending.NORMAL
        await playing
        assert [end.match for end in ended if end.ending == pb.ENDING_NORMAL] == ["other"]
        faults = [m.fault for m in victim.heard if m.WhichOneof("message") == "fault"]
        assert [fault.code for fault in faults] == [pb.FAULT_CODE_STALE] * len(matches)


async def test_one_that_dials_in_a_loop_keeps_nobody_out(patient: LocalReferee) -> None:
    """Those that are let in say nothing, and are borne until the others were told."""
    channel = grpc.aio.insecure_channel(patient.address)
    attend = channel.stream_stream(
        "/warladder.v1.Referee/Attend", None, pb.RefereeMessage.FromString
    )
    calls = [attend(metadata=(("authorization", "Bearer tnaughty"),)) for _ in range(600)]
    reads = [asyncio.ensure_future(call.read()) for call in calls]
    try:
        for told, read in enumerate(asyncio.as_completed(reads), 1):
            assert (await read).goodbye.reason == pb.GOODBYE_REASON_BUSY
            if told == 450:
                break
        async with RawBot(patient.address, "tcarol") as carol:
            assert (await carol.greet()).bot == "carol"
    finally:
        for call in calls:
            call.cancel()
        await asyncio.gather(*reads, return_exceptions=True)
        await channel.close()
