"""
Late answers of bots that answer at once, with a cap of 50 ms, while every core is busy with other
work.

Counted are those that are the server's doing: the bot had handed its answer over within the cap,
counted from when the question was written. A bot that the machine did not let run was late. A run
in which the host took more than 12 % of a core is repeated.
"""

import asyncio
import secrets
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import psutil

from matchmaker.tools.bench.processes import socket_folder
from matchmaker.tools.chaos import smallest
from matchmaker.tools.quiet import quiet
from referee import games
from referee.match.journal import Choice, How, unpack_journal
from referee.match.record import Clocks, MatchRecord, SeatRecord
from referee.match.session import Session
from referee.server.limits import Limits
from referee.server.local import LocalReferee
from tests.bars import Measured

DECISIONS, SMALL = 20_000, 1_000
BOTS = 8
CLOCKS = Clocks(cap_ms=50, bank_ms=3_600_000)
MOST_STOLEN = 0.12
RUNS = 3
SPIN = "while True: pass"


class Made(NamedTuple):
    match: str
    decision: int
    choice: Choice


class Run(NamedTuple):
    decisions: int
    lates: int
    ours: int
    """Late by the journal, though the bot had handed its answer over within the cap."""
    longest_ms: int
    seconds: float


def measure(small: bool) -> Measured:
    wanted = SMALL if small else DECISIONS
    for _ in range(RUNS):
        before = psutil.cpu_times()
        with quiet(), spinners():
            run = asyncio.run(busy(wanted))
        after = psutil.cpu_times()
        stolen = (getattr(after, "steal", 0.0) - getattr(before, "steal", 0.0)) / run.seconds
        if stolen <= MOST_STOLEN:
            break
    notes = (
        f"{run.decisions} decisions in {run.seconds:.0f} s, {run.lates} late, {run.ours} of them"
        f" by the server's doing, longest charge {run.longest_ms} ms, the host took {stolen:.0%}"
        " of a core"
    )
    return Measured(value=run.ours, limit=0.0, ok=run.ours == 0, notes=notes)


@contextmanager
def spinners() -> Iterator[None]:
    """As many processes that never rest as there are cores."""
    with ExitStack() as stack:
        for _ in range(psutil.cpu_count() or 1):
            spinner = subprocess.Popen([sys.executable, "-c", SPIN])
            stack.callback(spinner.wait)
            stack.callback(spinner.kill)
        yield


async def busy(wanted: int) -> Run:
    """Play so many decisions."""
    game, loop = smallest(), asyncio.get_running_loop()
    names = [f"bot-{number}" for number in range(BOTS)]
    written: dict[tuple[str, int, int], float] = {}
    with socket_folder() as folder, watched(written):
        notes = folder / "answers"
        address = f"unix:{folder}/referee.sock"
        async with LocalReferee(address, {}, limits=Limits(silence_seconds=0.0)) as referee:
            tokens = [referee.token(name) for name in names]
            bots = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "tests.bars._null_bots", str(notes), address, game, *tokens
            )
            missing = await referee.attended(names, 60.0)
            assert not missing, missing
            began = loop.time()
            found: list[Made] = []
            tables = [names[k : k + 2] for k in range(0, BOTS, 2)]
            await asyncio.gather(*(keep(referee, game, table, found, wanted) for table in tables))
            seconds = loop.time() - began
        await bots.wait()
        handed = read_notes(notes)
    lates = [each for each in found if each.choice.how == How.LATE]
    ours = 0
    for each in lates:
        asked = written.get((each.match, each.choice.seat, each.decision))
        said = handed.get((each.match, each.choice.seat, each.decision))
        if asked is not None and said is not None and said - asked < CLOCKS.cap_ms / 1000:
            ours += 1
    longest_ms = max(each.choice.ledger.charged_ms for each in found)
    return Run(len(found), len(lates), ours, longest_ms, seconds)


@contextmanager
def watched(written: dict[tuple[str, int, int], float]) -> Iterator[None]:
    """Note when the referee has written each question."""
    original = Session.question_written

    def question_written(self: Session, number: int, decision: int, now: float) -> None:
        written[self.match, number, decision] = now
        original(self, number, decision, now)

    Session.question_written = question_written  # type: ignore[method-assign]
    try:
        yield
    finally:
        Session.question_written = original  # type: ignore[method-assign]


def read_notes(file: Path) -> dict[tuple[str, int, int], float]:
    """When each answer was handed over, by match, seat and decision."""
    found: dict[tuple[str, int, int], float] = {}
    for line in file.read_text().splitlines():
        match, seat, decision, _, handed = line.split()
        found[match, int(seat), int(decision)] = float(handed)
    return found


async def keep(
    referee: LocalReferee, game: str, bots: list[str], found: list[Made], wanted: int
) -> None:
    """Play match after match at one table until enough is decided at all of them."""
    facts = games.get(game).facts
    while len(found) < wanted:
        record = MatchRecord(
            match=secrets.token_hex(8),
            number=1,
            game=game,
            rules=facts.rules,
            cards=facts.cards,
            seats=tuple(SeatRecord(bot=bot) for bot in bots),
            seed=secrets.token_hex(16),
            salt=secrets.token_bytes(16),
            clocks=CLOCKS,
            rated=False,
            cause="bench",
        )
        played = await referee.play(record)
        decisions = [0] * len(bots)
        for entry in unpack_journal(played.journal):
            if isinstance(entry, Choice):
                decisions[entry.seat] += 1
                found.append(Made(record.match, decisions[entry.seat], entry))
