"""The sample bots as processes of their own at a referee without a store."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import psutil
import pytest

from referee import games
from referee.match.record import Clocks, MatchRecord, SeatRecord
from referee.server.local import LocalReferee
from tests.helpers.processes import all_gone, environment, eventually
from tests.sample_bots.table import BOTS

GAMES = {
    "hello": ("skirmish", "stalingrad"),
    "random": ("skirmish", "stalingrad"),
    "greedy": ("skirmish", "stalingrad"),
    "cautious": ("stalingrad",),
    "quick": ("stalingrad",),
}
CLOCKS = Clocks(cap_ms=60_000, grace_ms=20_000)


def record(game: str, bots: tuple[str, ...], number: int = 1) -> MatchRecord:
    facts = games.get(game).facts
    return MatchRecord(
        match=f"{game}-{number}",
        number=number,
        game=game,
        rules=facts.rules,
        cards=facts.cards,
        seats=tuple(SeatRecord(bot=bot) for bot in bots),
        seed=f"bots {number}",
        salt=b"salt",
        clocks=CLOCKS,
    )


@asynccontextmanager
async def referee_at(folder: Path) -> AsyncIterator[LocalReferee]:
    tokens = {"token-a": "a", "token-b": "b"}
    async with LocalReferee(f"unix:{folder}/referee.sock", tokens) as referee:
        yield referee


@contextmanager
def attending(name: str, address: str, token: str, *flags: str) -> Iterator[subprocess.Popen[str]]:
    """A sample bot while the body runs."""
    process = subprocess.Popen(
        [sys.executable, str(BOTS / name / "bot.py"), *flags],
        env=environment(WARLADDER_REFEREE=address, WARLADDER_TOKEN=token, WARLADDER_SEED="7"),
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.fixture
def folder() -> Iterator[Path]:
    """Short enough for sockets."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="wl-", dir="/tmp") as path:
        yield Path(path)


@pytest.mark.parametrize(
    ("name", "game"), [(name, game) for name, played in GAMES.items() for game in played]
)
async def test_it_plays_a_match_to_its_end(name: str, game: str, folder: Path) -> None:
    async with referee_at(folder) as referee:
        with (
            attending(name, referee.address, "token-a"),
            attending("hello", referee.address, "token-b"),
        ):
            assert await referee.attended(["a", "b"]) == []
            for seats in (("a", "b"), ("b", "a")):
                played = await referee.play(record(game, seats, seats.index("a")))
                assert (played.ending, played.text) == ("normal", "")
                assert not any(played.faults)


async def test_one_stream_has_several_matches(folder: Path) -> None:
    async with referee_at(folder) as referee:
        with (
            attending("random", referee.address, "token-a", "--max-matches", "5"),
            attending("greedy", referee.address, "token-b", "--max-matches", "5"),
        ):
            assert await referee.attended(["a", "b"]) == []
            five = [referee.begin(record("skirmish", ("a", "b"), n)) for n in range(5)]
            together = [played.digest for played in await asyncio.gather(*five)]
            alone = [
                (await referee.play(record("skirmish", ("a", "b"), n))).digest for n in range(5)
            ]
    assert together == alone, "a bot's chance hangs on what runs beside the match"


class Line:
    """A socket before the referee's, that can be cut."""

    def __init__(self, folder: Path) -> None:
        self.inner, self.path = folder / "referee.sock", folder / "line.sock"
        self.address = f"unix:{self.path}"
        self.writers: list[asyncio.StreamWriter] = []

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            inner_reader, inner_writer = await asyncio.open_unix_connection(self.inner)
        except OSError:
            writer.close()
            return
        self.writers += [writer, inner_writer]
        await asyncio.gather(self.pass_on(reader, inner_writer), self.pass_on(inner_reader, writer))

    async def pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        writer.close()

    def cut(self) -> None:
        for writer in self.writers:
            writer.transport.abort()
        self.writers.clear()


@pytest.mark.parametrize("name", ["hello", "random", "greedy", "quick"])
async def test_a_cut_line_is_taken_up_again_in_mid_match(name: str, folder: Path) -> None:
    line = Line(folder)
    server = await asyncio.start_unix_server(line.take, line.path)
    async with referee_at(folder) as referee, server:
        with (
            attending(name, line.address, "token-a"),
            attending("random", referee.address, "token-b"),
        ):
            assert await referee.attended(["a", "b"]) == []
            end = referee.begin(record("stalingrad", ("a", "b")))
            stream = referee.hall.streams["a", ""]
            session = referee.hall.sessions["stalingrad-1"]
            async with asyncio.timeout(60):
                while session.decisions < 20:
                    await asyncio.sleep(0.001)
            line.cut()
            played = await end
            assert (played.ending, played.text) == ("normal", "")
            assert referee.hall.streams["a", ""] is not stream


async def in_mid_match(referee: LocalReferee, decisions: int = 20) -> None:
    session = referee.hall.sessions["stalingrad-1"]
    async with asyncio.timeout(60):
        while session.decisions < decisions:
            await asyncio.sleep(0.001)


def heard(bot: subprocess.Popen[str], text: str) -> str:
    """What a bot wrote, as far as the line that has this text."""
    assert bot.stderr is not None
    said = ""
    for line in bot.stderr:
        said += line
        if text in line:
            return said
    raise AssertionError(f"no {text!r}: {said}")


LEAVING = "leaving: no new matches, 1 still run; Ctrl-C again leaves now\n"


@pytest.mark.parametrize("between", [False, True], ids=["attending", "between two streams"])
async def test_a_ctrl_c_lets_it_play_its_match_to_the_end(between: bool, folder: Path) -> None:
    """Over a cut, and also where it comes while nobody is there to be told."""
    line = Line(folder)
    server = await asyncio.start_unix_server(line.take, line.path)
    async with referee_at(folder) as referee:
        with (
            attending("random", line.address, "token-a") as bot,
            attending("random", referee.address, "token-b"),
        ):
            assert await referee.attended(["a", "b"]) == []
            end = referee.begin(record("stalingrad", ("a", "b")))
            await in_mid_match(referee)
            if between:
                server.close()
                line.path.unlink(missing_ok=True)
                line.cut()
                await asyncio.to_thread(heard, bot, "UNAVAILABLE")
            bot.send_signal(signal.SIGINT)
            assert (await asyncio.to_thread(heard, bot, "leaving")).endswith(LEAVING)
            if between:
                server = await asyncio.start_unix_server(line.take, line.path)
            else:
                line.cut()
            played = await end
            assert (played.ending, played.text) == ("normal", "")
            assert await asyncio.to_thread(bot.wait, 10) == 0
        server.close()


THINKER = """
import sys, time
sys.path.append({folder!r})
import attend

class Thinker:
    def told(self, events): pass
    def choose(self, asked, chance):
        print("thinking", file=sys.stderr, flush=True)
        time.sleep(600)

attend.run("", ("stalingrad",), lambda started: Thinker())
"""


async def test_a_second_ctrl_c_ends_it_at_once_even_in_a_thought(folder: Path) -> None:
    async with referee_at(folder) as referee:
        bots = folder / "thinker"
        bots.mkdir()
        (bots / "bot.py").write_text(THINKER.format(folder=str(BOTS)))
        with (
            attending(str(bots), referee.address, "token-a") as bot,
            attending("random", referee.address, "token-b"),
        ):
            assert await referee.attended(["a", "b"]) == []
            referee.begin(record("stalingrad", ("a", "b")))
            await asyncio.to_thread(heard, bot, "thinking")
            bot.send_signal(signal.SIGINT)
            assert await asyncio.to_thread(heard, bot, "leaving") == LEAVING
            bot.send_signal(signal.SIGINT)
            assert await asyncio.to_thread(bot.wait, 5) == 130


async def test_a_ctrl_c_with_nothing_to_play_ends_it_at_once(folder: Path) -> None:
    async with referee_at(folder) as referee:
        with attending("random", referee.address, "token-a") as bot:
            assert await referee.attended(["a"]) == []
            await asyncio.to_thread(heard, bot, "attending")
            bot.send_signal(signal.SIGINT)
            assert await asyncio.to_thread(bot.wait, 5) == 0
            assert bot.stderr is not None
            assert bot.stderr.read() == LEAVING.replace("1", "0")


async def test_after_a_cut_it_goes_where_its_match_is_and_not_to_the_next_referee(
    folder: Path,
) -> None:
    line = Line(folder)
    server = await asyncio.start_unix_server(line.take, line.path)
    elsewhere = LocalReferee(f"unix:{folder}/other.sock", {"token-a": "a"})
    async with referee_at(folder) as referee, elsewhere, server:
        referee.hall.addresses = elsewhere.hall.addresses = (line.address, elsewhere.address)
        with (
            attending("random", line.address, "token-a"),
            attending("random", referee.address, "token-b"),
        ):
            assert await referee.attended(["a", "b"]) == []
            end = referee.begin(record("stalingrad", ("a", "b")))
            session = referee.hall.sessions["stalingrad-1"]
            for decisions in (20, 40):
                async with asyncio.timeout(60):
                    while session.decisions < decisions:
                        await asyncio.sleep(0.001)
                line.cut()
            played = await end
            assert (played.ending, played.text) == ("normal", "")


async def test_it_looks_for_its_match_at_every_referee(folder: Path) -> None:
    """Both come back while the line is down: the bot asks the other, then the first again."""
    line = Line(folder)
    server = await asyncio.start_unix_server(line.take, line.path)
    elsewhere = LocalReferee(f"unix:{folder}/other.sock", {"token-a": "a"})
    async with referee_at(folder) as referee, elsewhere:
        referee.hall.addresses = elsewhere.hall.addresses = (line.address, elsewhere.address)
        with (
            attending("random", line.address, "token-a"),
            attending("random", referee.address, "token-b"),
        ):
            assert await referee.attended(["a", "b"]) == []
            end = referee.begin(record("stalingrad", ("a", "b")))
            session = referee.hall.sessions["stalingrad-1"]
            async with asyncio.timeout(60):
                while session.decisions < 20:
                    await asyncio.sleep(0.001)
            server.close()
            line.path.unlink(missing_ok=True)
            line.cut()
            assert await elsewhere.attended(["a"]) == []
            server = await asyncio.start_unix_server(line.take, line.path)
            played = await end
            assert (played.ending, played.text) == ("normal", "")
        server.close()


async def test_it_comes_back_when_the_referee_does(folder: Path) -> None:
    with attending("random", f"unix:{folder}/referee.sock", "token-a") as bot:
        for _ in range(2):
            async with referee_at(folder) as referee:
                assert await referee.attended(["a"]) == []
            assert bot.poll() is None


@pytest.mark.parametrize("name", ["hello", "random"])
async def test_a_bad_token_is_one_line_and_the_end(name: str, folder: Path) -> None:
    async with referee_at(folder) as referee:
        with attending(name, referee.address, "wrong") as bot:
            code = await asyncio.to_thread(bot.wait, 30)
            assert bot.stderr is not None
            said = bot.stderr.read()
    assert code == 1
    assert len(said.splitlines()) == 1
    assert "no bot has this token" in said


@pytest.mark.parametrize("name", ["hello", "random"])
@pytest.mark.parametrize("token", ["wl_…", "wl_a\n"])
def test_what_is_no_token_is_one_line_and_the_end(name: str, token: str) -> None:
    with attending(name, "", token) as bot:
        _, said = bot.communicate(timeout=30)
    assert (bot.returncode, len(said.splitlines())) == (1, 1)
    assert "WARLADDER_TOKEN is no token" in said


@pytest.mark.parametrize("name", ["hello", "random"])
def test_nobody_there_is_said_and_a_ctrl_c_is_silent(name: str, folder: Path) -> None:
    with attending(name, f"unix:{folder}/nobody.sock", "a") as bot:
        assert bot.stderr is not None
        assert "nobody.sock: UNAVAILABLE: " in bot.stderr.readline()
        bot.send_signal(signal.SIGINT)
        _, said = bot.communicate(timeout=30)
    assert bot.returncode == 130
    assert "Traceback" not in said


async def test_flags_go_before_the_environment(folder: Path) -> None:
    async with referee_at(folder) as referee:
        flags = ("--token", "token-b", "--game", "skirmish", "--instance", "second")
        with attending("greedy", referee.address, "token-a", *flags):
            assert await referee.attended([("b", "second")]) == []


@pytest.mark.parametrize("name", ["hello", "random"])
def test_it_ends_with_its_parent(name: str, folder: Path) -> None:
    """Where nothing listens, so that it is waiting to dial again."""
    said = folder / "said"
    with said.open("w") as output:
        parent = subprocess.Popen(
            [
                sys.executable,
                "-c",
                "import subprocess, sys, time; subprocess.Popen(sys.argv[1:]); time.sleep(600)",
                sys.executable,
                str(BOTS / name / "bot.py"),
            ],
            env=environment(WARLADDER_REFEREE=f"unix:{folder}/nobody.sock", WARLADDER_TOKEN="x"),
            stderr=output,
            stdout=output,
        )
    bots: list[psutil.Process] = []
    try:
        eventually(said.read_text, why="the bot never said that nobody is there")
        bots = psutil.Process(parent.pid).children()
        assert bots
        os.kill(parent.pid, signal.SIGKILL)
        parent.wait()
        assert all_gone(bots)
    finally:
        parent.kill()
        parent.wait()
        for bot in bots:
            if bot.is_running():
                bot.kill()
