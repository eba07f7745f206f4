"""
Conformance of a bot: `warladder bot check -- COMMAND…`.

The bot is a process of its own that dials in as on a ladder. The referee's part is played from
transcripts, which are files beside the protocol.
"""

from __future__ import annotations

import asyncio
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from matchmaker import lineup
from matchmaker.errors import WrongUse
from matchmaker.output import document, harmless
from matchmaker.supervise import Supervisor
from matchmaker.tools.check import files, transcripts
from matchmaker.tools.check.scene import Cast, Played, Scene
from matchmaker.tools.check.scripted import Referee
from matchmaker.tools.check.steps import perform
from matchmaker.tools.check.stories import Stories, known_games
from matchmaker.tools.check.transcripts import Transcript
from matchmaker.tools.check.verdicts import FAIL, PASS, SKIP, Verdict, verdicts
from matchmaker.tools.quiet import quiet

PATIENCE_SECONDS = 15.0
"""For a bot to do what it should do at once."""

JOBS = 6
"""Transcripts at a time. Most of a check is waiting."""

FIRST, AGAIN = "start", "reconnect"
"""
The first is played before the others: a bot that does not come through it needs no more. In both
together all rules that hold everywhere have their occasion.
"""


def run(
    command: Sequence[str],
    game: str = "",
    rules: Sequence[str] = (),
    json: bool = False,
    folder: Path | None = None,
    keep: Path | None = None,
    patience: float = PATIENCE_SECONDS,
    jobs: int = JOBS,
) -> int:
    """
    Check and print.

    Args:
        command: A program with its arguments; a sample's name stands for its program.
        game: To play; the first of the bot's if empty.
        rules: Only these; all if empty.
        folder: Transcripts to play instead of those shipped.
        keep: Folder for what was said and what the bot wrote.
        patience: Seconds that the bot has for what is due at once.
        jobs: Transcripts at a time.

    Returns:
        0, or 1 if a rule was broken.

    Raises:
        WrongUse: No such program, rule or game; a transcript that cannot be read.
    """
    words = program(command)
    where = folder or files.SHIPPED
    always, every = transcripts.always(where), transcripts.every(where)
    chosen = choose(every, always, rules)
    found = asyncio.run(_check(words, game, where, chosen, keep, patience, jobs))
    judged = verdicts(found, always, every, rules)
    ok = all(each.verdict != FAIL for each in judged)
    if json:
        print(document("bot check", ok, rules=[each._asdict() for each in judged]))
    else:
        for each in judged:
            print(harmless(line(each)))
        print(summary(judged), file=sys.stderr)
    return 0 if ok else 1


def program(command: Sequence[str]) -> tuple[str, ...]:
    """
    Raises:
        WrongUse: There is no such program.
    """
    words = tuple(command)
    sample = lineup.sample(words[0])
    if sample is not None and shutil.which(words[0]) is None:
        return (*sample, *words[1:])
    if shutil.which(words[0]) is None:
        raise WrongUse(f"bot {words[0]!r}: {lineup.why_not(words)}")
    return words


def choose(
    every: Sequence[Transcript], always: dict[str, str], rules: Sequence[str]
) -> list[Transcript]:
    """
    The transcripts that say something on these rules.

    Raises:
        WrongUse: There is no such rule.
    """
    known = {rule: each for each in every for rule in each.rules}
    for rule in rules:
        if rule not in known and rule not in always:
            raise WrongUse(f"no rule {rule!r}; there are: {', '.join(sorted({*known, *always}))}")
    if not rules:
        return list(every)
    wanted = {known[rule].name for rule in rules if rule in known}
    if any(rule in always for rule in rules):
        wanted |= {FIRST, AGAIN}
    return [each for each in every if each.name in wanted]


def line(each: Verdict) -> str:
    text = f"{each.verdict}  {each.rule:24}  expected {each.expected}"
    return f"{text}; seen {each.seen}" if each.seen else text


def summary(judged: Sequence[Verdict]) -> str:
    counts = [
        f"{sum(each.verdict == word for each in judged)} {word}" for word in (PASS, FAIL, SKIP)
    ]
    broken = ", ".join(each.rule for each in judged if each.verdict == FAIL)
    return f"{', '.join(counts)}" + (f": {broken}" if broken else "")


@asynccontextmanager
async def stage(
    supervisor: Supervisor, where: Path = files.SHIPPED, patience: float = PATIENCE_SECONDS
) -> AsyncIterator[Cast]:
    """The scripted referee with its recordings; `_replace` the cast's command and play."""
    folder = supervisor.temporary_folder("wl-check-")
    games = {name: Stories(name, where) for name in known_games(where)}
    async with Referee() as referee:
        yield Cast(
            command=(),
            supervisor=supervisor,
            folder=folder,
            referee=referee,
            described=files.one(where / files.DESCRIBE),
            games=games,
            game="",
            patience_seconds=patience,
            keep=None,
        )


async def _check(
    command: tuple[str, ...],
    game: str,
    where: Path,
    chosen: Sequence[Transcript],
    keep: Path | None,
    patience: float,
    jobs: int,
) -> list[Played]:
    known = known_games(where)
    if game and game not in known:
        raise WrongUse(f"no transcripts of {game!r}; there are: {', '.join(known)}")
    with quiet(), Supervisor() as supervisor:
        this = asyncio.current_task()
        assert this is not None
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, this.cancel)
        try:
            async with stage(supervisor, where, patience) as cast:
                cast = cast._replace(command=command, game=game, keep=keep)
                return await play(chosen, cast, jobs)
        except asyncio.CancelledError:
            raise KeyboardInterrupt from None


async def play(chosen: Sequence[Transcript], cast: Cast, jobs: int) -> list[Played]:
    """Play these transcripts, so many at a time."""
    first = [each for each in chosen if each.name == FIRST]
    rest = sorted((each for each in chosen if each.name != FIRST), key=lambda each: -each.seconds)
    played = [await Scene(each, cast).play(perform) for each in first]
    for each in played:
        if each.wrong is not None:
            why = f"nothing: {each.wrong.rule} comes first"
            return [*played, *(Played(other, None, why) for other in rest)]
    room = asyncio.Semaphore(jobs)

    async def one(transcript: Transcript) -> Played:
        async with room:
            return await Scene(transcript, cast).play(perform)

    return [*played, *await asyncio.gather(*map(one, rest))]
