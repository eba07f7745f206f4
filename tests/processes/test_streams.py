"""Streams with well-behaved bots: questions at once, details, resume, leaving, other services."""

import asyncio
from collections.abc import AsyncIterator

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from referee import games
from referee.match.journal import Choice, Ending
from referee.match.record import Clocks
from referee.server.local import LocalReferee
from tests.helpers.bots import RawBot
from tests.helpers.matches import record
from warladder.v1 import referee_pb2 as pb
from warladder.v1 import referee_pb2_grpc

TOKENS = {"ta": "a", "tb": "b"}
PATIENT = Clocks(cap_ms=60_000)


@pytest.fixture
async def referee() -> AsyncIterator[LocalReferee]:
    async with LocalReferee("127.0.0.1:0", TOKENS) as running:
        yield running


async def both_ready(a: RawBot, b: RawBot, *matches: str) -> None:
    for bot in (a, b):
        for match in matches:
            assert (await bot.expect("match_started")).match_started.match == match
            await bot.say(ready=pb.Ready(match=match))


async def test_a_stream_has_one_question_at_a_time_and_the_next_ones_clock_stands(
    referee: LocalReferee,
) -> None:
    async with RawBot(referee.address, "ta") as a, RawBot(referee.address, "tb") as b:
        await a.greet()
        await b.greet()
        matches = [
            referee.begin(record(f"m{k}", clocks=PATIENT, options={"rounds": 1})) for k in range(3)
        ]
        await both_ready(a, b, "m0", "m1", "m2")
        asked = (await a.expect("decide")).decide
        playing = asyncio.ensure_future(b.play(3))
        await asyncio.wait((playing,), timeout=0.5)  # b has answered all it was asked
        heard = asyncio.ensure_future(a.read())
        await asyncio.wait((heard,), timeout=0.3)
        assert not heard.done() or heard.result().WhichOneof("message") != "decide"
        await a.answer(asked)
        rest = heard.result() if heard.done() else await heard
        if rest.WhichOneof("message") == "decide":
            await a.answer(rest.decide)
        await asyncio.gather(a.play(3), playing)
        for each in matches:
            played = await each
            charges = [
                entry.ledger.charged_ms
                for entry in played.entries
                if isinstance(entry, Choice) and entry.seat == 0
            ]
            waits = [
                entry.ledger.waited_us
                for entry in played.entries
                if isinstance(entry, Choice) and entry.seat == 0
            ]
            if each is not matches[0]:
                assert max(waits) > 300_000  # the first question of the others waited here
                assert max(charges) < 300


async def test_a_bot_with_threads_has_as_many_questions_as_it_wants(
    referee: LocalReferee,
) -> None:
    async with (
        RawBot(referee.address, "ta", questions_at_once=3) as a,
        RawBot(referee.address, "tb") as b,
    ):
        await a.greet()
        await b.greet()
        for k in range(3):
            referee.begin(record(f"m{k}", clocks=PATIENT))
        await both_ready(a, b, "m0", "m1", "m2")
        asked = [(await a.expect("decide")).decide for _ in range(3)]
        assert {decide.match for decide in asked} == {"m0", "m1", "m2"}


@pytest.mark.parametrize(
    ("detail", "view", "labels"),
    [
        (pb.DETAIL_UNSPECIFIED, True, True),
        (pb.DETAIL_FULL, True, True),
        (pb.DETAIL_NO_LABELS, True, False),
        (pb.DETAIL_EVENTS, False, False),
        (99, True, True),
    ],
)
async def test_a_bot_gets_as_much_detail_as_it_wants(
    referee: LocalReferee, detail: int, view: bool, labels: bool
) -> None:
    async with (
        RawBot(referee.address, "ta", detail=detail) as a,
        RawBot(referee.address, "tb") as b,
    ):
        await a.greet()
        await b.greet()
        playing = referee.begin(record(clocks=PATIENT))
        await asyncio.gather(a.play(), b.play())
        assert (await playing).ending == Ending.NORMAL
        asked = [m.decide for m in a.heard if m.WhichOneof("message") == "decide"]
        assert {decide.HasField("view") for decide in asked} == {view}
        assert {bool(option.label) for decide in asked for option in decide.options} == {labels}
        assert all(option.HasField("skirmish") for decide in asked for option in decide.options)


async def test_a_bot_can_follow_the_match_by_events_and_receipts(referee: LocalReferee) -> None:
    async with RawBot(referee.address, "ta") as a, RawBot(referee.address, "tb") as b:
        await a.greet()
        await b.greet()
        playing = referee.begin(record(clocks=PATIENT))
        await asyncio.gather(a.play(), b.play())
        played = await playing
        state = games.get("skirmish").start(seats=2, seed=played.record.seed)
        for entry in played.entries:
            if isinstance(entry, Choice):
                state.choose(entry.seat, entry.option)
        wire = games.get("skirmish").wire
        for seat, bot in enumerate((a, b)):
            told, count = [], 0
            for message in bot.heard:
                kind = message.WhichOneof("message")
                if kind in ("decide", "update", "match_ended"):
                    part = getattr(message, kind)
                    told += [wire.read_event(event) for event in part.events]
                    count += len(part.events)
                    assert part.last_event == count
            assert tuple(told) == state.events(seat, 0)


async def test_a_bot_that_has_seen_more_than_the_journal_shows_voids_the_match(
    referee: LocalReferee,
) -> None:
    async with RawBot(referee.address, "ta") as a, RawBot(referee.address, "tb") as b:
        await a.greet()
        await b.greet()
        playing = referee.begin(record(clocks=PATIENT))
        await both_ready(a, b, "m1")
        await a.expect("decide")
        await a.close()
        proof = referee.hall.receipt(b"m1", 0, 99)
        for receipt, ends in ((b"forged..", False), (proof, True)):
            seen = pb.Resume(match="m1", last_event=99, receipt=receipt)
            async with RawBot(referee.address, "ta", resume=[seen]) as again:
                await again.greet()
                if not ends:
                    decide = (await again.expect("decide")).decide
                    assert decide.last_event == len(decide.events)  # told from the beginning
                else:
                    ended = (await again.expect("match_ended")).match_ended
                    assert ended.ending == pb.ENDING_REFEREE_FAULT
        assert (await playing).ending == Ending.REFEREE_FAULT


async def test_the_end_of_a_match_is_told_to_a_bot_that_comes_back_later(
    referee: LocalReferee,
) -> None:
    async with RawBot(referee.address, "ta") as a, RawBot(referee.address, "tb") as b:
        await a.greet()
        await b.greet()
        playing = referee.begin(record(clocks=PATIENT))
        await both_ready(a, b, "m1")
        await a.expect("decide")
        await a.close()
        while ("a", "") in referee.hall.streams:
            await asyncio.sleep(0.01)
        await b.say(resign=pb.Resign(match="m1"))
        assert (await playing).ending == Ending.RESIGNED
        seen = pb.Resume(match="m1")
        async with RawBot(referee.address, "ta", resume=[seen]) as again:
            assert list((await again.greet()).resumed) == []
            ended = (await again.expect("match_ended")).match_ended
            assert list(ended.outcome.ranks) == [1, 2]


async def test_the_end_of_a_match_is_told_again_to_one_that_did_not_hear_it(
    referee: LocalReferee,
) -> None:
    """Its line can be dead while the referee still writes to it."""
    async with RawBot(referee.address, "ta") as a, RawBot(referee.address, "tb") as b:
        await a.greet()
        await b.greet()
        playing = referee.begin(record(clocks=PATIENT))
        await both_ready(a, b, "m1")
        await b.say(resign=pb.Resign(match="m1"))
        assert (await playing).ending == Ending.RESIGNED
        async with RawBot(referee.address, "ta", resume=[pb.Resume(match="m1")]) as again:
            await again.greet()
            told = (await again.expect("match_ended")).match_ended
        assert list(told.outcome.ranks) == [1, 2]
        assert told == (await a.expect("match_ended")).match_ended


async def test_a_bot_that_says_goodbye_plays_to_the_end_and_goes(referee: LocalReferee) -> None:
    async with RawBot(referee.address, "ta") as a, RawBot(referee.address, "tb") as b:
        await a.greet()
        await b.greet()
        playing = referee.begin(record(clocks=PATIENT))
        await both_ready(a, b, "m1")
        await a.say(goodbye=pb.Goodbye())
        await asyncio.gather(a.play(), b.play())
        assert (await playing).ending == Ending.NORMAL
        goodbye = (await a.expect("goodbye")).goodbye
        assert goodbye.reason == pb.GOODBYE_REASON_DONE
        assert await a.read() is None
        assert (await a.status())[0] is grpc.StatusCode.OK


async def test_practise_without_a_matchmaker_finds_no_partner(referee: LocalReferee) -> None:
    async with RawBot(referee.address, "ta") as a:
        await a.greet()
        await a.say(practise=pb.Practise(game="skirmish"))
        assert (await a.expect("fault")).fault.code == pb.FAULT_CODE_NO_PARTNER
        await a.say(practise=pb.Practise(game="chess"))
        assert (await a.expect("fault")).fault.code == pb.FAULT_CODE_NO_SUCH_GAME


async def test_two_instances_of_a_bot_are_two_streams(referee: LocalReferee) -> None:
    async with (
        RawBot(referee.address, "ta", instance="one") as one,
        RawBot(referee.address, "ta", instance="two") as two,
    ):
        await one.greet()
        await two.greet()
        assert sorted(referee.hall.streams) == [("a", "one"), ("a", "two")]


async def test_describe_health_and_reflection_answer_without_a_token(
    referee: LocalReferee,
) -> None:
    async with grpc.aio.insecure_channel(referee.address) as channel:
        stub = referee_pb2_grpc.RefereeStub(channel)
        told = await stub.Describe(pb.DescribeRequest())
        assert [game.game for game in told.games] == list(games.names())
        assert told.card_data == b""
        digest = games.get("stalingrad").facts.cards
        with_cards = await stub.Describe(pb.DescribeRequest(cards=digest))
        assert with_cards.card_data == games.get("stalingrad").card_data()
        health = health_pb2_grpc.HealthStub(channel)
        for service in ("", "warladder.v1.Referee"):
            answer = await health.Check(health_pb2.HealthCheckRequest(service=service))
            assert answer.status == health_pb2.HealthCheckResponse.SERVING
        reflection = reflection_pb2_grpc.ServerReflectionStub(channel)
        call = reflection.ServerReflectionInfo()
        await call.write(reflection_pb2.ServerReflectionRequest(list_services=""))
        listed = (await call.read()).list_services_response
        assert "warladder.v1.Referee" in {service.name for service in listed.service}
        call.cancel()
