"""
Bots that misbehave: each is told of it, alone, and another match goes on meanwhile.

One running referee and raw streams. In each scene the naughty bot plays a victim, while two others
play a match of their own to its end.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import grpc
import pytest

from referee.match.journal import Choice, Ending, How
from referee.match.record import Clocks
from referee.match.replay import verify
from referee.server.limits import Limits
from referee.server.local import LocalReferee, Played
from referee.server.stream import Stream
from tests.helpers.bots import RawBot
from tests.helpers.matches import record
from warladder.v1 import referee_pb2 as pb

TOKENS = {f"t{name}": name for name in ("naughty", "victim", "carol", "dave")}
PATIENT = Clocks(cap_ms=60_000)
HASTY = Clocks(bank_ms=60_000, cap_ms=100, grace_ms=300, startup_ms=500)

Mischief = Callable[[RawBot, pb.Decide], Awaitable[None]]


@pytest.fixture
async def referee() -> AsyncIterator[LocalReferee]:
    async with LocalReferee("127.0.0.1:0", TOKENS) as running:
        yield running


class Scene:
    """What came of it."""

    def __init__(self, naughty: RawBot, bad: Played, good: Played) -> None:
        self.naughty, self.bad, self.good = naughty, bad, good

    def faults(self) -> list[str]:
        return [
            pb.FaultCode.Name(message.fault.code).removeprefix("FAULT_CODE_")
            for message in self.naughty.heard
            if message.WhichOneof("message") == "fault"
        ]


async def play_scene(
    referee: LocalReferee, mischief: Mischief, clocks: Clocks = PATIENT, **hello: Any
) -> Scene:
    """The naughty bot does its mischief at its first question, then plays on if it can."""
    bots = {name: RawBot(referee.address, f"t{name}") for name in ("victim", "carol", "dave")}
    naughty = RawBot(referee.address, "tnaughty", **hello)
    try:
        for bot in (*bots.values(), naughty):
            await bot.greet()
        bad = referee.begin(record("bad", bots=("naughty", "victim"), clocks=clocks))
        honest = [asyncio.ensure_future(bots["victim"].play())]
        await naughty.expect("match_started")
        await naughty.say(ready=pb.Ready(match="bad"))
        decide = (await naughty.expect("decide")).decide
        good = referee.begin(record("good", bots=("carol", "dave"), clocks=PATIENT))
        honest += [asyncio.ensure_future(bots[name].play()) for name in ("carol", "dave")]
        await mischief(naughty, decide)
        while (message := await naughty.read()) is not None:
            if message.WhichOneof("message") == "decide":
                await naughty.answer(message.decide)
            elif message.WhichOneof("message") == "match_ended":
                await naughty.say(goodbye=pb.Goodbye())  # and read on to the end of the stream
        async with asyncio.timeout(60):
            scene = Scene(naughty, await bad, await good)
            ends = await asyncio.gather(*honest)
        assert [len(end) for end in ends] == [1, 1, 1]
        for bot in bots.values():
            assert "fault" not in bot.kinds()
        assert scene.good.ending == Ending.NORMAL
        for played in (scene.bad, scene.good):
            found = verify(played.record, played.entries, canary_every=1)
            assert (found.problems, found.leaks) == ([], [])
        return scene
    finally:
        for bot in (*bots.values(), naughty):
            await bot.close()


def choose(decide: pb.Decide, **changed: Any) -> pb.Choose:
    fields = {"match": decide.match, "decision": decide.decision, "option": 0}
    return pb.Choose(**{**fields, **changed})


async def test_another_seats_match_is_no_such_match(referee: LocalReferee) -> None:
    async def mischief(bot: RawBot, decide: pb.Decide) -> None:
        for message in (
            {"choose": choose(decide, match="good")},
            {"ready": pb.Ready(match="good")},
            {"resign": pb.Resign(match="good")},
            {"standing_order": pb.StandingOrder(match="good", window="support", on=True)},
            {"choose": choose(decide, match="never heard of")},
        ):
            await bot.say(**message)
        await bot.answer(decide)

    scene = await play_scene(referee, mischief)
    assert scene.faults() == ["NO_SUCH_MATCH"] * 5
    assert scene.bad.ending == Ending.NORMAL


async def test_an_old_decision_is_stale_and_costs_nothing(referee: LocalReferee) -> None:
    async def mischief(bot: RawBot, decide: pb.Decide) -> None:
        await bot.answer(decide)
        for _ in range(30):
            await bot.answer(decide)

    scene = await play_scene(referee, mischief)
    assert scene.faults() == ["STALE"] * 30
    assert scene.bad.ending == Ending.NORMAL


async def test_a_decision_that_was_never_put_is_not_asked(referee: LocalReferee) -> None:
    async def mischief(bot: RawBot, decide: pb.Decide) -> None:
        await bot.say(choose=choose(decide, decision=decide.decision + 1))
        await bot.answer(decide)

    scene = await play_scene(referee, mischief)
    assert scene.faults() == ["NOT_ASKED"]
    assert scene.bad.ending == Ending.NORMAL


async def test_three_options_that_are_not_offered_are_illegal(referee: LocalReferee) -> None:
    async def mischief(bot: RawBot, decide: pb.Decide) -> None:
        for option in (len(decide.options), 99, 2**32 - 1):
            await bot.answer(decide, option)

    scene = await play_scene(referee, mischief)
    assert scene.faults() == ["NOT_OFFERED"] * 3
    assert (scene.bad.ending, scene.bad.ranks) == (Ending.ILLEGAL, (2, 1))


async def test_two_bad_answers_are_borne(referee: LocalReferee) -> None:
    async def mischief(bot: RawBot, decide: pb.Decide) -> None:
        await bot.answer(decide, 99)
        await bot.say_bytes(b"\xff\xff\xff")
        await bot.answer(decide)

    scene = await play_scene(referee, mischief)
    assert scene.faults() == ["NOT_OFFERED", "UNKNOWN_KIND"]
    assert scene.bad.ending == Ending.NORMAL


async def test_rubbish_instead_of_answers_is_illegal(referee: LocalReferee) -> None:
    async def mischief(bot: RawBot, decide: pb.Decide) -> None:
        for data in (b"\xff\xff", b"no protocol at all", b"\x00\x01\x02"):
            await bot.say_bytes(data)

    scene = await play_scene(referee, mischief)
    assert scene.faults() == ["UNKNOWN_KIND"] * 3
    assert scene.bad.ending == Ending.ILLEGAL


async def test_ten_megabytes_are_too_big_and_not_read(referee: LocalReferee) -> None:
    async def mischief(bot: RawBot, decide: pb.Decide) -> None:
        await bot.say(choose=choose(decide, note="x" * 10_000_000))
        await bot.answer(decide)

    scene = await play_scene(referee, mischief)
    assert scene.faults() == ["TOO_BIG"]
    assert scene.bad.ending == Ending.NORMAL


async def test_more_than_the_transport_takes_ends_that_stream_alone(
    referee: LocalReferee,
) -> None:
    async def mischief(bot: RawBot, decide: pb.Decide) -> None:
        await bot.say(choose=choose(decide, note="x" * 20_000_000))

    scene = await play_scene(referee, mischief, HASTY_AWAY)
    assert (await scene.naughty.status())[0] is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert scene.bad.ending == Ending.DISCONNECTED


HASTY_AWAY = Clocks(cap_ms=60_000, grace_ms=300)


async def test_a_flood_is_too_fast_and_ends_as_protocol(referee: LocalReferee) -> None:
    async def mischief(bot: RawBot, decide: pb.Decide) -> None:
        for _ in range(1_000):
            await bot.say(pong=pb.Pong(number=7))

    scene = await play_scene(referee, mischief)
    assert set(scene.faults()) == {"TOO_FAST"}
    assert len(scene.faults()) == 21
    assert scene.bad.ending == Ending.PROTOCOL
    assert scene.bad.ranks == (2, 1)
    code, details = await scene.naughty.status()
    assert code is grpc.StatusCode.INVALID_ARGUMENT
    assert "TOO_FAST" in details


async def test_twenty_faults_a_minute_are_borne_one_more_is_not(referee: LocalReferee) -> None:
    async def twenty(bot: RawBot, decide: pb.Decide) -> None:
        for _ in range(20):
            await bot.say(ready=pb.Ready(match="none"))
        await bot.answer(decide)

    async def one_more(bot: RawBot, decide: pb.Decide) -> None:
        await twenty(bot, decide)
        await bot.say(ready=pb.Ready(match="none"))

    scene = await play_scene(referee, twenty)
    assert (scene.faults(), scene.bad.ending) == (["NO_SUCH_MATCH"] * 20, Ending.NORMAL)
    scene = await play_scene(referee, one_more)
    assert scene.bad.ending == Ending.PROTOCOL


async def test_a_second_hello_changes_nothing(referee: LocalReferee) -> None:
    async def mischief(bot: RawBot, decide: pb.Decide) -> None:
        await bot.say(hello=pb.Hello(games=["skirmish"], instance="another"))
        await bot.answer(decide)

    scene = await play_scene(referee, mischief)
    assert scene.faults() == ["BAD_HELLO"]
    assert scene.bad.ending == Ending.NORMAL


async def test_silence_takes_defaults_and_then_the_match(referee: LocalReferee) -> None:
    async def mischief(bot: RawBot, decide: pb.Decide) -> None:
        while (message := await bot.read()) is not None:
            if message.WhichOneof("message") == "match_ended":
                await bot.say(goodbye=pb.Goodbye())

    scene = await play_scene(referee, mischief, HASTY)
    taken = [
        message.update.default_taken if kind == "update" else message.decide.default_taken
        for message in scene.naughty.heard
        if (kind := message.WhichOneof("message")) in ("update", "decide")
        and getattr(message, kind).HasField("default_taken")
    ]
    assert [each.defaults for each in taken] == list(range(1, len(taken) + 1))
    assert scene.bad.ending in (Ending.TIMEOUT, Ending.NORMAL)
    late = [e for e in scene.bad.entries if isinstance(e, Choice) and e.how == How.LATE]
    assert len(taken) == len(late) > 0


async def test_one_that_hangs_up_loses_after_the_grace(referee: LocalReferee) -> None:
    async def mischief(bot: RawBot, decide: pb.Decide) -> None:
        bot.call.cancel()

    scene = await play_scene(referee, mischief, HASTY_AWAY)
    assert (scene.bad.ending, scene.bad.ranks) == (Ending.DISCONNECTED, (2, 1))


async def test_a_newer_stream_replaces_the_old_and_plays_on(referee: LocalReferee) -> None:
    newer: list[RawBot] = []

    async def mischief(bot: RawBot, decide: pb.Decide) -> None:
        seen = pb.Resume(match="bad", last_event=decide.last_event, receipt=decide.receipt)
        newer.append(RawBot(referee.address, "tnaughty", resume=[seen]))
        assert list((await newer[0].greet()).resumed) == ["bad"]
        assert (await newer[0].expect("match_started")).match_started.resumed
        again = (await newer[0].expect("decide")).decide
        assert (again.decision, len(again.events)) == (decide.decision, 0)
        await newer[0].answer(again)
        assert len(await newer[0].play()) == 1

    try:
        scene = await play_scene(referee, mischief)
    finally:
        for bot in newer:
            await bot.close()
    assert scene.bad.ending == Ending.NORMAL
    assert scene.faults() == ["REPLACED"]
    goodbye = scene.naughty.heard[-1].goodbye
    assert goodbye.reason == pb.GOODBYE_REASON_REPLACED
    assert (await scene.naughty.status())[0] is grpc.StatusCode.ABORTED


async def test_a_mistake_of_ours_ends_one_stream_and_no_match(
    referee: LocalReferee, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*arguments: Any) -> None:
        raise ZeroDivisionError("ours")

    async def mischief(bot: RawBot, decide: pb.Decide) -> None:
        monkeypatch.setitem(Stream._others, "resign", broken)
        await bot.say(resign=pb.Resign(match="bad"))

    scene = await play_scene(referee, mischief, HASTY_AWAY)
    assert scene.naughty.heard[-1].goodbye.reconnect_after_ms > 0
    assert (await scene.naughty.status())[0] is grpc.StatusCode.INTERNAL
    assert scene.bad.ending == Ending.DISCONNECTED


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
        assert await bot.read() is not None  # the goodbye
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


async def test_one_that_dials_in_a_loop_keeps_nobody_out(referee: LocalReferee) -> None:
    channel = grpc.aio.insecure_channel(referee.address)
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
        async with RawBot(referee.address, "tcarol") as carol:
            assert (await carol.greet()).bot == "carol"
    finally:
        for call in calls:
            call.cancel()
        await asyncio.gather(*reads, return_exceptions=True)
        await channel.close()
