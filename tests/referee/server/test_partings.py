"""How the referee ends streams: as the manual's table says, and as bots are to understand it."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest

from matchmaker.tools import dialling
from matchmaker.tools.quiet import quiet
from referee.match.journal import Ending
from referee.match.record import Clocks
from referee.match.session import Session
from referee.server import frames
from referee.server.limits import Limits
from referee.server.local import LocalReferee
from referee.server.partings import COUNTED, Parting
from tests.helpers.bots import RawBot
from tests.helpers.matches import record
from warladder.v1 import referee_pb2 as pb

MANUAL = Path(__file__).parents[3] / "proto" / "README.md"
TOKENS = {"ta": "a", "tb": "b"}
PATIENT = Clocks(startup_ms=20_000, cap_ms=60_000)


def row(parting: Parting) -> str:
    end = parting.value
    again = "after the wait" if parting.waits else "yes" if parting.again else "no"
    fault = end.fault if end.fault in ("", COUNTED) else f"`{end.fault}`"
    goodbye = f"`{end.goodbye}`" if end.goodbye else "–"
    cells = (end.happened, fault or "–", goodbye, f"`{end.status}`", again, end.matches)
    return f"| {' | '.join(cells)} |"


def test_the_manual_has_every_parting_as_the_referee_does_it() -> None:
    text = (
        MANUAL.read_text("utf-8").split("## When the referee ends a stream\n")[1].split("\n## ")[0]
    )
    rows = [line for line in text.splitlines() if line.startswith("| ")][1:]
    assert rows == [row(each) for each in Parting]


def test_a_bot_whose_matches_go_on_within_the_grace_may_come_back_for_them() -> None:
    """Those alone stay away that would meet the same end again, whatever they do."""
    away = {each for each in Parting if not each.again and "go on within" in each.value.matches}
    assert away == {Parting.BAD_HELLO, Parting.NO_GAME, Parting.REVOKED, Parting.STRANGER}
    for each in Parting:
        reason = f"GOODBYE_REASON_{each.value.goodbye}"
        if each.value.goodbye:
            ends = dialling.ENDS.get(pb.GoodbyeReason.Value(reason))
            assert (ends is None) is each.again, reason
    said = {f"GOODBYE_REASON_{each.value.goodbye}" for each in Parting if each.value.goodbye}
    assert said == {*pb.GoodbyeReason.keys()} - {"GOODBYE_REASON_UNSPECIFIED"}


def limit(referee: LocalReferee, **limits: float) -> None:
    referee.hall.limits = replace(referee.hall.limits, **limits)  # type: ignore[arg-type]


async def bad_hello(referee: LocalReferee, bot: RawBot) -> None:
    await bot.say(pong=pb.Pong())


async def no_game(referee: LocalReferee, bot: RawBot) -> None:
    await bot.say(hello=pb.Hello(games=["chess"]))


async def no_hello(referee: LocalReferee, bot: RawBot) -> None:
    """The limit was shortened before it dialled, and nothing is said."""


async def many_faults(referee: LocalReferee, bot: RawBot) -> None:
    for _ in range(referee.hall.limits.faults_per_minute + 1):
        await bot.say(ready=pb.Ready(match="somebody's"))


async def slow(referee: LocalReferee, bot: RawBot) -> None:
    limit(referee, messages_unread=5)
    stream = referee.hall.streams["a", ""]
    while not stream.closing:  # the writer does not come to its turn, as when it is blocked
        stream.send(frames.referees(["one"]))


async def replaced(referee: LocalReferee, bot: RawBot) -> None:
    async with RawBot(referee.address, "ta") as copy:
        await copy.greet()


async def silent(referee: LocalReferee, bot: RawBot) -> None:
    bot.mute = True
    limit(referee, ping_seconds=0.05, silence_seconds=0.1)
    referee.hall.streams["a", ""]._tick()


async def revoked(referee: LocalReferee, bot: RawBot) -> None:
    referee.hall.streams["a", ""].revoke("a new one was made")


async def ours(referee: LocalReferee, bot: RawBot) -> None:
    with patch.object(Session, "resign", side_effect=RuntimeError("broken by the test")), quiet():
        await bot.say(resign=pb.Resign(match="m1"))
        while not referee.hall.streams["a", ""].closing:
            await asyncio.sleep(0.01)


Way = Callable[[LocalReferee, RawBot], Awaitable[None]]
FIRST_WORDS: dict[Parting, Way] = {
    Parting.BAD_HELLO: bad_hello,
    Parting.NO_GAME: no_game,
    Parting.NO_HELLO: no_hello,
}
"""On a stream that is new after a cut."""
LATER: dict[Parting, Way] = {
    Parting.MANY_FAULTS: many_faults,
    Parting.SLOW: slow,
    Parting.REPLACED: replaced,
    Parting.SILENT: silent,
    Parting.REVOKED: revoked,
    Parting.OURS: ours,
}
"""On the stream of its match."""


@pytest.mark.parametrize("parting", [*FIRST_WORDS, *LATER], ids=lambda each: each.name)
async def test_the_referee_ends_a_stream_as_the_table_says(parting: Parting) -> None:
    end = parting.value
    async with (
        LocalReferee("127.0.0.1:0", TOKENS, limits=Limits(linger_seconds=0.2)) as referee,
        RawBot(referee.address, "ta") as bot,
        RawBot(referee.address, "tb") as other,
    ):
        await bot.greet()
        await other.greet()
        over = referee.begin(record("m1", bots=("a", "b"), clocks=PATIENT))
        for each in (bot, other):
            await each.expect("match_started")
            await each.say(ready=pb.Ready(match="m1"))
        if parting in FIRST_WORDS:
            await bot.close()
            while ("a", "") in referee.hall.streams:
                await asyncio.sleep(0.01)
            if parting is Parting.NO_HELLO:
                limit(referee, hello_seconds=0.1)
        async with RawBot(referee.address, "ta") as fresh:
            sent_away = bot if parting in LATER else fresh
            await (FIRST_WORDS | LATER)[parting](referee, sent_away)
            while await sent_away.read() is not None:
                pass
            fatal = [each.fault for each in sent_away.heard if each.fault.fatal]
            codes = [pb.FaultCode.Name(each.code) for each in fatal]
            if end.fault == COUNTED:
                assert codes == ["FAULT_CODE_NO_SUCH_MATCH"]
            else:
                assert codes == ([f"FAULT_CODE_{end.fault}"] if end.fault else [])
            goodbye = sent_away.heard[-1].goodbye
            assert pb.GoodbyeReason.Name(goodbye.reason) == f"GOODBYE_REASON_{end.goodbye}"
            assert (goodbye.reconnect_after_ms > 0) is parting.waits
            assert (await sent_away.status())[0].name == end.status
        limit(referee, hello_seconds=10.0, silence_seconds=30.0, messages_unread=2_000)
        if end.matches == "end as `ENDING_PROTOCOL`":
            assert (await over).ending == Ending.PROTOCOL
            return
        assert not over.done()
        assert "go on" in end.matches
        async with RawBot(referee.address, "ta") as again:
            assert list((await again.greet()).resumed) == ["m1"]
            await asyncio.gather(again.play(), other.play())
        assert (await over).ending == Ending.NORMAL
