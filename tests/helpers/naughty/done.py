"""What a naughty bot does: leaving, being late, dialling in."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import grpc

from tests.helpers.naughty.moment import Moment, sent_away
from tests.helpers.naughty.registry import (
    BANKED,
    CAPPED,
    ELEVEN,
    GRACE,
    kind,
)
from warladder.v1 import referee_pb2 as pb

# ---- Leaving ----


@kind()
async def resigns_twice(m: Moment) -> None:
    await m.bot.say(resign=pb.Resign(match=m.match))
    await m.bot.say(resign=pb.Resign(match=m.match))


@kind()
async def says_goodbye_and_plays_on(m: Moment) -> None:
    await m.bot.say(goodbye=pb.Goodbye())
    await m.bot.say(goodbye=pb.Goodbye())


@kind(GRACE)
async def stops_writing(m: Moment) -> None:
    """Its half of the stream is closed; it reads on."""
    await m.bot.call.done_writing()


@kind(GRACE)
async def hangs_up(m: Moment) -> None:
    m.hang_up()


@kind(GRACE, relay=True)
async def the_line_is_cut(m: Moment) -> None:
    assert m.relay is not None
    m.relay.cut()


@kind(GRACE, signal="SIGKILL")
async def its_process_is_killed(m: Moment) -> None:
    raise AssertionError("done by the matrix")


@kind(BANKED, signal="SIGSTOP")
async def its_process_is_stopped(m: Moment) -> None:
    raise AssertionError("done by the matrix")


# ---- Time ----


@kind(CAPPED)
async def silent_once(m: Moment) -> None:
    """And then it answers after all."""
    await m.too_late()
    await m.go_on()


@kind(CAPPED)
async def a_millisecond_late(m: Moment) -> None:
    if m.decide is None:
        await asyncio.sleep(m.clocks.startup_ms / 1000 + 0.001)
    else:
        await asyncio.sleep(m.clocks.cap_ms / 1000 + 0.001)
    await m.go_on()


@kind(ELEVEN, draws_out=True)
async def silent_for_good(m: Moment) -> None:
    m.silent = True


@kind(BANKED)
async def silent_until_the_bank_is_empty(m: Moment) -> None:
    m.silent = True


@kind(BANKED)
async def never_reads(m: Moment) -> None:
    """Not even pings."""
    await asyncio.sleep((m.clocks.startup_ms if m.decide is None else m.clocks.bank_ms) / 1000 + 1)
    m.silent = True


# ---- Dialling ----


async def refused(m: Moment, token: str | None = None, **hello: object) -> None:
    bot = m.dial(token, **hello)
    await bot.say(hello=bot.hello)
    m.notes["faults"], m.notes["status"] = await sent_away(bot)


@kind(dials=True)
async def dials_with_no_game(m: Moment) -> None:
    await refused(m, games=[])


@kind(dials=True)
async def dials_with_games_that_are_not_here(m: Moment) -> None:
    await refused(m, games=[f"game {k}" for k in range(2_000)])


@kind(dials=True)
async def dials_with_a_text_too_long(m: Moment) -> None:
    await refused(m, version="x" * 1_000)


@kind(dials=True)
async def dials_with_a_wrong_token(m: Moment) -> None:
    await refused(m, token="wl_nobody")


@kind(dials=True)
async def dials_and_says_nothing(m: Moment) -> None:
    m.notes["faults"], m.notes["status"] = await sent_away(m.dial())


@kind(dials=True)
async def dials_and_speaks_before_hello(m: Moment) -> None:
    bot = m.dial()
    await bot.say(choose=m.choice())
    m.notes["faults"], m.notes["status"] = await sent_away(bot)


@kind(dials=True)
async def dials_with_garbage(m: Moment) -> None:
    bot = m.dial()
    await bot.say_bytes(b"\xff\xff\xff")
    m.notes["faults"], m.notes["status"] = await sent_away(bot)


@kind(dials=True)
async def dials_as_another_instance(m: Moment) -> None:
    """A match stays with the instance it began on: the other one knows nothing of it."""
    bot = m.dial(instance="another", resume=m.seen)
    assert list((await bot.greet()).resumed) == []
    await bot.say(resign=pb.Resign(match=m.match))
    fault = (await bot.expect("fault")).fault
    assert fault.code == (pb.FAULT_CODE_STALE if m.seen else pb.FAULT_CODE_NO_SUCH_MATCH)


@kind(GRACE, dials=True)
async def comes_again_as_another_instance(m: Moment) -> None:
    """And the one that had the match does not."""
    m.hang_up()
    m.silent = True
    bot = m.dial(instance="another", resume=m.seen)
    assert list((await bot.greet()).resumed) == []


@kind(dials=True)
async def comes_again(m: Moment) -> None:
    bot = await m.come_back()
    m.notes["resumed"] = list((await bot.expect("welcome")).welcome.resumed)


@kind(dials=True)
async def comes_again_and_remembers_nothing(m: Moment) -> None:
    bot = await m.come_back(resume=[])
    m.notes["resumed"] = list((await bot.expect("welcome")).welcome.resumed)


@kind(dials=True)
async def comes_again_as_another_version(m: Moment) -> None:
    bot = await m.come_back(version="2")
    m.notes["resumed"] = list((await bot.expect("welcome")).welcome.resumed)


@kind(dials=True)
async def claims_to_have_seen_more(m: Moment) -> None:
    receipt = m.decide.receipt if m.decide else b"12345678"
    claim = pb.Resume(match=m.match, last_event=1_000, receipt=receipt)
    bot = await m.come_back(resume=[claim])
    m.notes["resumed"] = list((await bot.expect("welcome")).welcome.resumed)


@kind(dials=True)
async def forges_a_receipt(m: Moment) -> None:
    claim = pb.Resume(match=m.match, last_event=1, receipt=b"\0" * 8_000)
    bot = await m.come_back(resume=[claim])
    m.notes["resumed"] = list((await bot.expect("welcome")).welcome.resumed)


@kind(dials=True)
async def claims_a_foreign_match(m: Moment) -> None:
    claim = pb.Resume(match=m.foreign, last_event=3, receipt=b"12345678")
    bot = await m.come_back(resume=[*m.seen, claim])
    m.notes["resumed"] = list((await bot.expect("welcome")).welcome.resumed)


@kind(dials=True)
async def comes_twenty_times_at_once(m: Moment) -> None:
    """Each stream replaces the one before."""
    for _ in range(20):
        bot = await m.come_back()
        await bot.expect("welcome")


@kind(dials=True)
async def dials_with_a_bomb(m: Moment) -> None:
    """Twenty megabytes of nothing, which a few kilobytes on the line unfold to."""
    async with grpc.aio.insecure_channel(m.address) as channel:
        attend = channel.stream_stream("/warladder.v1.Referee/Attend")
        who = (("authorization", f"Bearer {m.token}"),)
        call = attend(metadata=who, compression=grpc.Compression.Gzip)
        with suppress(grpc.aio.AioRpcError):
            await call.write(bytes(20_000_000))
        m.notes["faults"], m.notes["status"] = [], await call.code()
