"""Programs behind the bridge: the examples, programs that behave badly, cuts, and every end."""

import asyncio
import json
import shlex
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from matchmaker.errors import FellShort
from matchmaker.tools import dialling
from matchmaker.tools.bridge import program
from matchmaker.tools.bridge.attend import Attendance, Settings
from matchmaker.tools.bridge.program import Guard
from referee.match.flow import UPDATE_AFTER_SECONDS
from referee.match.journal import Choice, Faulted, How
from referee.match.record import Clocks
from referee.server.local import LocalReferee, Played
from referee.server.partings import Parting
from tests.helpers.bots import RawBot
from tests.helpers.matches import record
from tests.helpers.processes import WARLADDER, all_gone, environment, eventually
from warladder.v1 import referee_pb2 as pb

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "sample_bots/bridge"
PATIENT = Clocks(cap_ms=60_000)
SHORT = {"rounds": 1}

BOT = """
import json, os, sys
for line in sys.stdin.buffer:
    told = json.loads(line)
    kept = os.environ.get("KEPT")
    if kept:
        with open(kept, "a") as file:
            file.write(f"{os.getpid()} {line.decode()}")
    if told["type"] == "decide":
        count = len(told["options"])
        %s
"""
"""A program in Python; what it does when it is asked is put in."""


def python(act: str) -> tuple[str, ...]:
    body = act.strip().replace("\n", "\n        ")
    return (sys.executable, "-I", "-S", "-u", "-c", BOT % body)


FIRST = python("print(0)")


@pytest.fixture
async def referee() -> AsyncIterator[LocalReferee]:
    async with LocalReferee("127.0.0.1:0", {"ta": "a", "tb": "b"}) as running:
        yield running


@asynccontextmanager
async def bridged(
    referee: LocalReferee, command: tuple[str, ...], token: str = "ta", **more: Any
) -> AsyncIterator[asyncio.Task[int]]:
    """A bridge in this process that attends; its programs end with it."""
    inherited = {**environment(), **more.pop("environment", {})}
    settings = Settings(
        referee=referee.address, token=token, seed="s", command=command,
        environment=inherited, **more,
    )  # fmt: skip
    guard = Guard()
    task = asyncio.ensure_future(Attendance(settings, guard).run())
    try:
        assert await referee.attended([referee.tokens[token]]) == []
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        guard.close()


async def against_first(referee: LocalReferee, *matches: Any) -> list[Played]:
    """Play these matches of the bridge with a raw bot that takes the first option."""
    async with RawBot(referee.address, "tb", games=["skirmish", "stalingrad"], max_matches=64) as b:
        await b.greet()
        ends = [referee.begin(each) for each in matches]
        playing = asyncio.ensure_future(b.play(len(matches)))
        played = await asyncio.wait_for(asyncio.gather(*ends), 60)
        await playing
        return played


def notes(kept: Path) -> list[tuple[str, dict[str, Any]]]:
    """What programs wrote down: process and line."""
    pairs = (line.split(" ", 1) for line in kept.read_text().splitlines())
    return [(process, json.loads(line)) for process, line in pairs]


@pytest.mark.parametrize("language", ["bash", "perl", "c"])
async def test_examples_play_every_game_without_a_fault(
    referee: LocalReferee, language: str, require: Callable[..., str], tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    tool = require({"bash": "jq", "perl": "perl", "c": "cc"}[language])
    command = (str(EXAMPLES / "bash/bot.sh"),)
    if language == "perl":
        command = (tool, str(EXAMPLES / "perl/bot.pl"))
    elif language == "c":
        built = str(tmp_path / "bot")
        source = str(EXAMPLES / "c/bot.c")
        words = ("-O1", "-Wall", "-Wextra", "-Werror", "-o", built, source)
        assert await (await asyncio.create_subprocess_exec(tool, *words)).wait() == 0
        command = (built,)
    async with bridged(referee, command, max_matches=8, environment={"WARLADDER_SEED": "s"}):
        played = await against_first(
            referee,
            *(record(f"m{k}", options=SHORT) for k in range(4)),
            record("s0", game="stalingrad", options={"max_rounds": 2}),
        )
    for each in played:
        assert each.ending == "normal"
        assert not any(isinstance(entry, Faulted) for entry in each.entries)
        assert {e.how for e in each.entries if isinstance(e, Choice)} == {How.ANSWERED}
        if each.record.game == "stalingrad" and language == "bash":
            assert any(isinstance(e, Choice) and e.note.startswith("worth") for e in each.entries)
    assert "nobody asked" not in capfd.readouterr().err


ODD_BUT_RIGHT = {
    "crlf-and-blank-lines": "sys.stdout.write('\\r\\n\\n 0 \\r\\n')",
    "notes": "print(json.dumps({'option': 0, 'note': 'x' * 9000}))",
    "labels": "print(json.dumps({'label': told['options'][-1]['label']}))",
    "floats": "print('0.0')",
    "a-late-answer-by-name": "print(json.dumps({'option': 0, 'decision': 4711}))\nprint(0)",
    "one-life-for-each-answer": "print(0)\nbreak",
    "words-of-people": "print('let me see', file=sys.stderr)\nprint(0)",
    "half-a-line-at-a-time": "sys.stdout.write('{\"option\":')\nsys.stdout.write('0}\\n')",
    "wrong-twice": "print(0 if told['clock']['bad_answers'] == 2 else 99)",
}


@pytest.mark.parametrize("act", ODD_BUT_RIGHT.values(), ids=ODD_BUT_RIGHT)
async def test_programs_with_odd_manners_play_to_the_end(referee: LocalReferee, act: str) -> None:
    async with bridged(referee, python(act)):
        (played,) = await against_first(referee, record(options=SHORT))
    assert played.ending == "normal"
    bad = sum(isinstance(entry, Faulted) for entry in played.entries)
    asked = sum(isinstance(entry, Choice) and entry.seat == 0 for entry in played.entries)
    assert bad == (2 * asked if "bad_answers" in act else 0)


WRONG = {
    "no-number": ("print('attack!')", "'attack!' is neither a number nor JSON"),
    "not-offered": ("print(count)", "option 5 is not among 0 to 4"),
    "no-utf-8": ("sys.stdout.buffer.write(b'\\xff\\xfe\\n')", "is not UTF-8"),
    "too-long": ("print('9' * 1_000_000)", "a line of more than 65536 bytes"),
    "no-such-label": ('print(\'{"label": "win"}\')', "no option has the label 'win'"),
}


@pytest.mark.parametrize(("act", "told"), WRONG.values(), ids=WRONG)
async def test_the_third_bad_answer_is_illegal_as_for_any_bot(
    referee: LocalReferee, act: str, told: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "kept"
    async with bridged(referee, python(act), environment={"KEPT": str(kept)}):
        (played,) = await against_first(referee, record(options=SHORT))
        while "ended" not in kept.read_text():
            await asyncio.sleep(0.02)
    assert (played.ending, played.faults[0]) == ("illegal", "illegal")
    lines = [line for _, line in notes(kept)]
    assert [line["type"] for line in lines] == ["started", "decide", "decide", "decide", "ended"]
    assert [line["decision"] for line in lines[1:4]] == [1, 1, 1]
    assert [told in line.get("problem", "") for line in lines[1:4]] == [False, True, True]
    assert capfd.readouterr().err.count(f"decision 1: {told}") + (told == "is not UTF-8") * 3 == 3


async def test_a_program_gives_up_and_takes_its_leave(referee: LocalReferee) -> None:
    act = "print('{\"goodbye\": true}')\nprint('{\"resign\": true}')"
    async with bridged(referee, python(act)) as bridge:
        (played,) = await against_first(referee, record())
        assert (played.ending, played.faults[0]) == ("resigned", "resigned")
        assert await asyncio.wait_for(bridge, 10) == 0


async def test_what_nobody_asked_for_is_told_and_passed_over(
    referee: LocalReferee, capfd: pytest.CaptureFixture[str]
) -> None:
    command = ("sh", "-c", f"echo hello; echo 7; exec {shlex.join(FIRST)}")
    async with bridged(referee, command):
        told = ""
        while "nobody asked for: 7" not in told:
            await asyncio.sleep(0.02)
            told += capfd.readouterr().err
        assert "nobody asked for: 'hello'" in told
        (played,) = await against_first(referee, record(options=SHORT))
    assert played.ending == "normal"


async def test_a_program_that_never_answers_loses_on_time_and_is_started_anew(
    referee: LocalReferee, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "OVERDUE_SECONDS", 0.1)
    kept = tmp_path / "kept"
    act = "print(0) if told['match'] != 'm1' else None"
    async with bridged(referee, python(act), environment={"KEPT": str(kept)}):
        clocks = Clocks(bank_ms=1_500, increment_ms=0, cap_ms=500)
        late, well = await against_first(referee, record(clocks=clocks), record("m2"))
    assert (late.ending, late.faults[0]) == ("timeout", "timeout")
    assert well.ending == "normal"
    assert len({process for process, _ in notes(kept)}) >= 2


async def test_a_program_that_cannot_live_ends_the_bridge(
    referee: LocalReferee, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "FIRST_DELAY_SECONDS", 0.02)
    async with (
        bridged(referee, ("sh", "-c", "exit 3")) as bridge,
        RawBot(referee.address, "tb") as b,
    ):
        await b.greet()
        referee.begin(record(clocks=PATIENT))
        await b.expect("match_started")
        await b.say(ready=pb.Ready(match="m1"))
        with pytest.raises(FellShort, match="ended 5 times in a row without an answer"):
            await asyncio.wait_for(asyncio.shield(bridge), 10)


async def test_a_program_started_anew_has_the_whole_match_before_it(
    referee: LocalReferee, tmp_path: Path
) -> None:
    kept = tmp_path / "kept"
    act = "print(0)\nif told['decision'] == 3: break"
    async with bridged(referee, python(act), environment={"KEPT": str(kept)}):
        await against_first(referee, record())
    said = notes(kept)
    lives = list(dict.fromkeys(process for process, _ in said))
    assert len(lives) == 2
    first, second = ([line for at, line in said if at == life] for life in lives)
    assert (first[0]["resumed"], second[0]["resumed"]) == (False, True)
    events = [event for line in first for event in line.get("events", ())]
    assert len(events) > 3
    assert second[1]["events"][: len(events)] == events


async def test_a_cut_is_not_noticed_by_the_program(
    referee: LocalReferee, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It answers while nobody hears, and that answer counts; each event comes once."""
    monkeypatch.setattr(dialling, "FIRST_WAIT_SECONDS", 0.02)
    kept = tmp_path / "kept"
    act = "import time\nif told['decision'] in (2, 4): time.sleep(0.4)\nprint(0)"
    async with bridged(referee, python(act), environment={"KEPT": str(kept)}):
        playing = asyncio.ensure_future(against_first(referee, record(clocks=PATIENT)))
        for decision in (2, 4):
            while f'"decision":{decision},' not in (kept.read_text() if kept.exists() else ""):
                await asyncio.sleep(0.01)
            old = referee.hall.streams["a", ""]
            old.close(Parting.DRAINED)
            monkeypatch.setattr(referee.hall, "reconnect_after_ms", lambda: 600)
            while referee.hall.streams.get(("a", "")) in (old, None):
                await asyncio.sleep(0.01)
        (played,) = await playing
        while "ended" not in kept.read_text():
            await asyncio.sleep(0.02)
    assert played.ending == "normal"
    lines = [line for _, line in notes(kept)]
    decisions = [line["decision"] for line in lines if line["type"] == "decide"]
    assert decisions == [*range(1, len(decisions) + 1)]
    events = [event for line in lines for event in line.get("events", ())]
    async with RawBot(referee.address, "ta", resume=[pb.Resume(match="m1")]) as again:
        await again.greet()
        ended = (await again.expect("match_ended")).match_ended
    assert len(events) == ended.last_event


async def test_each_match_can_have_a_program_of_its_own(
    referee: LocalReferee, tmp_path: Path
) -> None:
    kept = tmp_path / "kept"
    several: dict[str, Any] = {"per_match": True, "max_matches": 4}
    async with bridged(referee, FIRST, environment={"KEPT": str(kept)}, **several):
        played = await against_first(referee, *(record(f"m{k}") for k in range(4)))
        while kept.read_text().count('"type":"ended"') < 4:
            await asyncio.sleep(0.02)
    assert {each.ending for each in played} == {"normal"}
    heard: dict[str, set[str]] = {}
    for process, line in notes(kept):
        heard.setdefault(process, set()).add(line["match"])
    assert sorted(map(sorted, heard.values())) == [["m0"], ["m1"], ["m2"], ["m3"]]


async def test_a_program_may_hear_what_happens_while_it_is_not_asked(
    referee: LocalReferee, tmp_path: Path
) -> None:
    kept = tmp_path / "kept"
    async with (
        bridged(referee, FIRST, environment={"KEPT": str(kept)}, updates=True),
        RawBot(referee.address, "tb") as b,
    ):
        await b.greet()
        referee.begin(record(clocks=PATIENT))
        await b.expect("match_started")
        await b.say(ready=pb.Ready(match="m1"))
        while not (kept.exists() and '"type":"update"' in kept.read_text()):
            message = await b.read()
            assert message is not None
            if message.HasField("decide"):  # not at once: news is told to those who wait a while
                await asyncio.sleep(1.2 * UPDATE_AFTER_SECONDS)
                await b.answer(message.decide)
    told = [line for _, line in notes(kept) if line["type"] == "update"]
    assert told[0]["events"]


ENDS = {
    "SIGTERM": ((signal.SIGTERM,), 0),
    "SIGINT": ((signal.SIGINT,), 0),
    "SIGINT twice": ((signal.SIGINT, signal.SIGINT), 130),
    "SIGKILL": ((signal.SIGKILL,), -signal.SIGKILL),
    "replaced": ((), 1),
}
"""How a bridge without a match ends, and with which exit code."""


@pytest.mark.parametrize(("numbers", "code"), ENDS.values(), ids=ENDS)
async def test_the_program_and_its_children_end_with_the_bridge(
    referee: LocalReferee, numbers: tuple[int, ...], code: int, tmp_path: Path
) -> None:
    """One that reads nothing, minds no signal and has started another."""
    pids, told = tmp_path / "pids", tmp_path / "stderr"
    deaf = f"trap '' TERM; sleep 600 & echo $$ $! > {shlex.quote(str(pids))}; exec sleep 600"
    with told.open("wb") as stderr:
        bridge = await asyncio.create_subprocess_exec(
            *WARLADDER, "bridge", "--", "sh", "-c", deaf,
            env=environment(WARLADDER_TOKEN="ta", WARLADDER_REFEREE=referee.address),
            stderr=stderr,
        )  # fmt: skip
    family: list[psutil.Process] = []
    try:
        assert await referee.attended(["a"]) == []
        while not (pids.exists() and pids.read_text().endswith("\n")):
            await asyncio.sleep(0.02)
        family = [psutil.Process(int(pid)) for pid in pids.read_text().split()]
        await asyncio.to_thread(eventually, lambda: "attending as" in told.read_text())
        for number in numbers:
            bridge.send_signal(number)
            if len(numbers) > 1:  # two at once would be one; the program takes longer to end
                await asyncio.to_thread(eventually, lambda: "leaving: " in told.read_text())
        if not numbers:
            async with RawBot(referee.address, "ta") as other:
                await other.greet()
        assert await asyncio.wait_for(bridge.wait(), 10) == code
        assert await asyncio.to_thread(all_gone, family)
    finally:
        for each in family:
            with suppress(psutil.NoSuchProcess):
                each.kill()
        if bridge.returncode is None:
            bridge.kill()
            await bridge.wait()
