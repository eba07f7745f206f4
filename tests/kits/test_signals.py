"""A bot ends when it is told to, also in the moment in which a dial has failed."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from matchmaker import kits
from referee import games
from referee.match.record import MatchRecord, SeatRecord
from referee.server.local import LocalReferee, Played
from tests.helpers.processes import ROOT, environment

pytestmark = pytest.mark.timeout(300)

NOBODY = "127.0.0.1:9"
BOTS = 8
"""Of Python's, one in five once lost a signal that came then."""
LEAVING = b"leaving: no new matches, 1 still run; Ctrl-C again leaves now\n"


@contextmanager
def attending(
    command: tuple[str, ...], address: str, token: str
) -> Iterator[subprocess.Popen[bytes]]:
    env = environment(WARLADDER_REFEREE=address, WARLADDER_TOKEN=token, WARLADDER_SEED="7")
    with subprocess.Popen(command, env=env, stderr=subprocess.PIPE) as bot:
        try:
            yield bot
        finally:
            bot.kill()


def said(bot: subprocess.Popen[bytes], text: bytes) -> bytes:
    """The next line with this text."""
    assert bot.stderr is not None
    return next((line for line in bot.stderr if text in line), b"")


@pytest.mark.parametrize("language", kits.folders())
async def test_a_ctrl_c_lets_it_play_its_match_to_the_end_and_a_second_does_not(
    language: str, command: Callable[..., tuple[str, ...]]
) -> None:
    kit = command(language)
    opponent = (sys.executable, str(ROOT / "sample_bots" / "python" / "random" / "bot.py"))
    facts = games.get("stalingrad").facts
    async with LocalReferee("127.0.0.1:0", {"token-a": "a", "token-b": "b"}) as referee:

        async def begun(number: int) -> asyncio.Future[Played]:
            record = MatchRecord(
                match=f"m{number}",
                number=number,
                game="stalingrad",
                rules=facts.rules,
                cards=facts.cards,
                seats=(SeatRecord(bot="a"), SeatRecord(bot="b")),
                seed="signals",
                salt=b"salt",
            )
            assert await referee.attended(["a", "b"]) == []
            end: asyncio.Future[Played] = asyncio.ensure_future(referee.play(record))
            while f"m{number}" not in referee.hall.sessions or (
                referee.hall.sessions[f"m{number}"].decisions < 20
            ):
                await asyncio.sleep(0.001)
            return end

        # The opponent sleeps while the signal is on its way: no match ends meanwhile.
        with attending(opponent, referee.address, "token-b") as other:
            with attending(kit, referee.address, "token-a") as bot:
                end = await begun(1)
                other.send_signal(signal.SIGSTOP)
                bot.send_signal(signal.SIGINT)
                assert await asyncio.to_thread(said, bot, b"leaving") == LEAVING
                other.send_signal(signal.SIGCONT)
                assert (await end).ending == "normal"
                assert await asyncio.to_thread(bot.wait, 10) == 0
            with attending(kit, referee.address, "token-a") as bot:
                end = await begun(2)
                other.send_signal(signal.SIGSTOP)
                bot.send_signal(signal.SIGINT)
                assert await asyncio.to_thread(said, bot, b"leaving") == LEAVING
                bot.send_signal(signal.SIGINT)
                assert await asyncio.to_thread(bot.wait, 10) == 130
                assert not end.done()
                end.cancel()


@pytest.mark.parametrize("language", kits.folders())
def test_no_sigterm_is_lost_when_a_dial_has_just_failed(
    language: str, built: Callable[[str], Path]
) -> None:
    command = [str(built(language) / "bot"), "greedy"]
    env = environment(WARLADDER_REFEREE=NOBODY, WARLADDER_TOKEN="token")
    with ExitStack() as stack:
        for _ in range(BOTS):
            bot = subprocess.Popen(command, env=env, stderr=subprocess.PIPE)
            stack.enter_context(bot)
            stack.callback(bot.kill)
            assert bot.stderr is not None
            assert NOBODY.encode() in bot.stderr.readline()
            bot.send_signal(signal.SIGTERM)
            assert bot.wait(20) == 0
