"""Each kit in earnest: a ladder of all of them, and fifty matches on one stream."""

import asyncio
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from matchmaker import kits
from referee import games
from referee.match.journal import Choice, How
from referee.match.record import MatchRecord, SeatRecord
from referee.server.local import LocalReferee
from tests.helpers.processes import ROOT, environment, eventually, free_ports, running, warladder
from tests.kits.conftest import EXAMPLES

pytestmark = pytest.mark.timeout(900)

GAME = "stalingrad"
AT_ONCE = 50
RATED = 20
PACE = "floor_ms=0,quantum_ms=0,watch_delay_ms=0"


@contextmanager
def attending(
    log: Path, command: tuple[str, ...], address: str, token: str
) -> Iterator[subprocess.Popen[bytes]]:
    """A bot while the body runs; it ends well when it is asked to."""
    with log.open("wb") as out:
        process = subprocess.Popen(
            command,
            env=environment(WARLADDER_REFEREE=address, WARLADDER_TOKEN=token, WARLADDER_SEED="7"),
            stdout=out, stderr=out,
        )  # fmt: skip
    try:
        yield process
        process.terminate()
        assert process.wait(20) == 0, log.read_text()
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("language", kits.folders())
async def test_fifty_matches_on_one_stream_and_never_late(
    language: str, command: Callable[..., tuple[str, ...]], tmp_path: Path
) -> None:
    """A serial bot with the clocks of a ladder: a question that waits its turn costs no time."""
    bot = command(language, matches=AT_ONCE)
    opponent = ROOT / "sample_bots" / "python" / "random" / "bot.py"
    other = (sys.executable, str(opponent), "--max-matches", str(AT_ONCE))
    facts = games.get(GAME).facts
    records = [
        MatchRecord(
            match=f"{GAME}-{number}",
            number=number,
            game=GAME,
            rules=facts.rules,
            cards=facts.cards,
            seats=tuple(SeatRecord(bot=name) for name in order),
            seed=f"fifty {number}",
            salt=b"salt",
        )
        for number, order in enumerate([("kit", "other"), ("other", "kit")] * (AT_ONCE // 2))
    ]
    tokens = {"token-kit": "kit", "token-other": "other"}
    async with LocalReferee("127.0.0.1:0", tokens) as referee:
        with (
            attending(tmp_path / "kit", bot, referee.address, "token-kit"),
            attending(tmp_path / "other", other, referee.address, "token-other"),
        ):
            assert await referee.attended(["kit", "other"]) == []
            played = await asyncio.wait_for(
                asyncio.gather(*[referee.begin(record) for record in records]), 300
            )
    assert Counter(each.ending for each in played) == {"normal": AT_ONCE}
    assert [each.faults for each in played] == [("", "")] * AT_ONCE
    late = [
        entry
        for each in played
        for entry in each.entries
        if isinstance(entry, Choice) and entry.how == How.LATE
    ]
    assert late == []


def test_every_kit_plays_rated_matches_without_a_fault(
    command: Callable[..., tuple[str, ...]], tmp_path: Path
) -> None:
    home = tmp_path / "home"
    port = free_ports(tmp_path)
    ports = ("--listen", f"127.0.0.1:{port}", "--metrics-port", str(port + 1))
    ports += ("--web-listen", f"127.0.0.1:{port + 8}")
    commands = {name: command(name, matches=3) for name in (*kits.folders(), *EXAMPLES)}
    with (
        running(tmp_path, "up", "--game", GAME, *ports, home=home, WARLADDER_PACE=PACE) as ladder,
        ExitStack() as bots,
    ):
        ladder.says("up; Ctrl-C ends it")
        for name, words in commands.items():
            added = warladder("bot", "add", name, "--author", name, home=home)
            assert added.returncode == 0, added.stderr
            token, address = added.stdout.strip(), f"127.0.0.1:{port}"
            bots.enter_context(attending(tmp_path / name, words, address, token))
        eventually(lambda: min(table(home, commands).values()) >= RATED, 600)
        log = tmp_path / "log.jsonl"
        assert warladder("log", "export", str(log), home=home).returncode == 0
    found = [
        entry["fields"]
        for entry in map(json.loads, log.read_text().splitlines())
        if entry.get("kind") == "result"
    ]
    assert len(found) * 2 >= RATED * len(commands)
    assert faults(found) == []


def table(home: Path, bots: Iterable[str]) -> dict[str, int]:
    """Rated matches of each of these bots."""
    ran = warladder("leaderboard", "--game", GAME, "--json", home=home)
    assert ran.returncode == 0, ran.stderr
    known = {row["bot"]: row["matches"] for row in json.loads(ran.stdout)["table"]}
    return {bot: known.get(bot, 0) for bot in bots}


def faults(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Results with any other ending than the game's own, or a fault beside a seat."""
    return [each for each in results if each["ending"] != "normal" or any(each["faults"])]
