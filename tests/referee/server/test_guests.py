"""What one bot may open and send, all its streams together, and who may dial in."""

import asyncio
import secrets

import pytest

from referee.server.guests import DIALLERS_KEPT, Diallers
from referee.server.limits import Limits
from referee.server.local import LocalReferee
from tests.helpers.bots import RawBot
from tests.helpers.matches import record
from warladder.v1 import referee_pb2 as pb

TOKENS = {"ta": "a", "tb": "b"}
PADDED = b"\xa2\x06\xf0\xff\x02" + bytes(49_136)
"""A field of a newer protocol, 48 KiB of it: to be ignored."""


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def pong() -> bytes:
    return pb.BotMessage(pong=pb.Pong(number=77)).SerializeToString() + PADDED


async def told(bot: RawBot) -> pb.Fault:
    return (await bot.expect("fault")).fault


async def test_bytes_are_counted_for_all_streams_of_a_bot_together_and_for_no_other() -> None:
    assert pb.BotMessage.FromString(pong()).pong.number == 77
    limits = Limits(bytes_per_second=1, bytes_burst=70_000)
    async with (
        LocalReferee("127.0.0.1:0", TOKENS, limits=limits) as referee,
        RawBot(referee.address, "ta", instance="1") as one,
        RawBot(referee.address, "ta", instance="2") as two,
        RawBot(referee.address, "tb") as other,
    ):
        for bot in (one, two, other):
            await bot.greet()
        await one.say_bytes(pong())
        await one.say(practise=pb.Practise(game="skirmish"))
        assert (await told(one)).code == pb.FAULT_CODE_NO_PARTNER  # what was before it was read
        for bot in (other, two):
            await bot.say_bytes(pong())
            await bot.say(practise=pb.Practise(game="skirmish"))
        assert (await told(other)).code == pb.FAULT_CODE_NO_PARTNER
        fault = await told(two)
        assert (fault.code, fault.fatal) == (pb.FAULT_CODE_TOO_FAST, False)
        assert fault.text == "more than 1 bytes a second"
        assert (await told(two)).code == pb.FAULT_CODE_NO_PARTNER  # a small one still fits in


async def test_dialling_again_makes_no_new_allowance() -> None:
    limits = Limits(bytes_per_second=1, bytes_burst=70_000, messages_per_second=1, burst=6)
    async with LocalReferee("127.0.0.1:0", TOKENS, limits=limits) as referee:
        async with RawBot(referee.address, "ta") as bot:
            await bot.greet()
            await bot.say_bytes(pong())
            await bot.say(practise=pb.Practise(game="skirmish"))
            await told(bot)
        async with RawBot(referee.address, "ta") as bot:
            await bot.greet()
            await bot.say_bytes(pong())
            assert (await told(bot)).text == "more than 1 bytes a second"
            for _ in range(6):
                await bot.say(pong=pb.Pong())
            assert (await told(bot)).text == "more than 1 messages a second"


async def test_answers_are_counted_with_their_notes() -> None:
    limits = Limits(bytes_per_second=1, bytes_burst=61_000)
    async with (
        LocalReferee("127.0.0.1:0", TOKENS, limits=limits) as referee,
        RawBot(referee.address, "ta") as a,
        RawBot(referee.address, "tb") as b,
    ):
        await a.greet()
        await b.greet()
        end = referee.begin(record())
        playing = asyncio.ensure_future(b.play())
        await a.expect("match_started")
        await a.say(ready=pb.Ready(match="m1"))
        for k in range(2):
            decide = (await a.expect("decide")).decide
            note = pb.Choose(match="m1", decision=decide.decision, note="x" * 60_000)
            await a.say(choose=note)
            if k:
                fault = await told(a)
                assert (fault.code, fault.match) == (pb.FAULT_CODE_TOO_FAST, "")
                await a.answer(decide)  # it was not read, so the question still stands
        await asyncio.gather(a.play(), playing)
        assert (await end).ending == "normal"


def test_one_bots_loop_uses_up_its_own_allowance_alone() -> None:
    limits, clock = Limits(), Clock()
    diallers = Diallers(limits, clock, b"")
    diallers.trust("never seen")
    for token in ("loop", "calm"):
        assert diallers.admit(token)
        diallers.trust(token)
    assert [diallers.admit("loop") for _ in range(2 * limits.dials_burst)].count(True) == (
        limits.dials_burst - 1
    )
    assert diallers.admit("calm")
    clock.now = 1.0
    assert [diallers.admit("loop") for _ in range(20)].count(True) == limits.dials_per_second


@pytest.mark.parametrize("again", [1, 2 * DIALLERS_KEPT])
def test_strangers_with_ever_new_tokens_keep_no_bot_out(again: int) -> None:
    limits, clock = Limits(), Clock()
    diallers = Diallers(limits, clock, b"")
    assert diallers.admit("known")
    diallers.trust("known")
    for _ in range(again + limits.streams_burst):
        diallers.admit(secrets.token_hex(8))
    assert not diallers.admit("another made up")
    assert diallers.admit("known")
