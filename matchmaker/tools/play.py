"""
Local matches without a server: `warladder play`.

The bots are processes of their own and dial in to a referee without a store, as they would on a
ladder. Nothing in the result depends on time: the same seed gives the same bytes.
"""

from __future__ import annotations

import asyncio
import itertools
import secrets
import shlex
import signal
import sys
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence, Sized
from contextlib import asynccontextmanager, closing, contextmanager, nullcontext
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from rich.progress import Progress
from rich.table import Table

from matchmaker import lineup
from matchmaker.archive import Archive
from matchmaker.errors import FellShort, WrongUse
from matchmaker.interrupts import INTERRUPTED
from matchmaker.output import console, document
from matchmaker.pairing import seat_orders
from matchmaker.supervise import Child, Supervisor, Task
from matchmaker.tools.human.command import COMMAND
from matchmaker.tools.quiet import quiet
from referee import games
from referee.engine.errors import BadOption
from referee.match.record import Clocks, MatchRecord, SeatRecord
from referee.server.limits import Limits
from referee.server.local import LocalReferee, Played
from referee.server.overheard import Listener, Transcripts

CLOCKS = Clocks(
    bank_ms=1_800_000, increment_ms=0, cap_ms=120_000, startup_ms=30_000, grace_ms=3_000
)
"""Wide, so that a slow machine changes no result; only a bot that has died is soon found out."""

WEEK_MS = 7 * 24 * 3600_000
CLOCKS_OF_A_PERSON = replace(CLOCKS, bank_ms=WEEK_MS, cap_ms=WEEK_MS, longest_ms=WEEK_MS)
"""None, as far as somebody who thinks it over, or goes to lunch, can tell."""

HUMAN = "human"
"""The name by which a person takes a seat."""

ATTEND_SECONDS = 60.0
"""For all bots to dial in."""

GLANCE_SECONDS = 0.1
"""How often a bot that does not attend yet is looked at."""

NORMAL = "normal"
TAIL_LINES = 3


@dataclass(frozen=True)
class Entry:
    """One bot of the command line."""

    name: str
    """Its own among the bots: a second one of the same name has a number."""
    command: tuple[str, ...]
    is_person: bool = False
    """It has the terminal."""


def run(
    game: str,
    bots: Sequence[str],
    seed: str | None = None,
    pairings: int | None = None,
    options: Mapping[str, Any] | None = None,
    replay: Path | None = None,
    json: bool = False,
    show_bots: bool = False,
    log: Path | None = None,
) -> int:
    """
    Play and print; after a Ctrl-C what has been played until then.

    Args:
        bots: One for each seat: a sample's name, a command, or `human` for a person.
        seed: Any text; what is public from the start, the deals and the bots' own chance hang
            on it. Without one it is `1`, or for a person a new one.
        pairings: Each is one match for each order of seats. Without a number it is one, or for a
            person a single match with the seats as they are named.
        replay: Folder to keep the matches in, as `warladder replay` reads them.
        show_bots: Pass on what the bots write, line by line.
        log: Folder for what each bot hears and says, a file a bot.

    Returns:
        0, or 1 if a match was not played or came to no result, or 130 if interrupted.

    Raises:
        WarladderError: A game, bot or option that there is not; a bot that does not start.
    """
    entries = line_up(bots)
    person = any(entry.is_person for entry in entries)
    if seed is None:
        seed = secrets.token_hex(4) if person else "1"
    records = [*plan(game, entries, seed, pairings or 1, dict(options or {}))]
    if person and pairings is None:
        del records[1:]
    played: list[Played] = []
    interrupted = False
    try:
        with written_down(log) as listener:
            _play_all(entries, seed, records, played, show_bots, listener)
    except KeyboardInterrupt:
        interrupted = True
        print(f"warladder: interrupted after {len(played)} of {some(records)}", file=sys.stderr)
        if not played:
            return INTERRUPTED
    if replay is not None:
        keep(played, Archive(replay))
    results = [result(each) for each in played]
    totals = count(entries, played)
    ok = len(played) == len(records) and all(each.ranks for each in played)
    if json:
        print(
            document(
                "play",
                ok,
                game=game,
                seed=seed,
                pairings=pairings or 1,
                results=results,
                totals=totals,
            )
        )
    else:
        _show(played, totals)
        if person:
            print(f"the same deal again: --seed {shlex.quote(seed)}")
    return INTERRUPTED if interrupted else 0 if ok else 1


def some(matches: Sized) -> str:
    """How many matches, in words."""
    return f"{len(matches)} match{'' if len(matches) == 1 else 'es'}"


def line_up(bots: Sequence[str]) -> list[Entry]:
    """
    Raises:
        WrongUse: A word is neither a sample's name nor a command; more than one person.
    """
    if sum(word == HUMAN for word in bots) > 1:
        raise WrongUse(
            "one terminal seats one person; for more, run `warladder up` and let each start"
            " `warladder human` at a terminal of his own"
        )
    entries: list[Entry] = []
    for word in bots:
        is_person = word == HUMAN
        command = COMMAND if is_person else lineup.command(word)
        is_name = is_person or command == lineup.sample(word)
        name = word if is_name else lineup.named(command)
        taken = {entry.name for entry in entries}
        own = itertools.chain([name], (f"{name}#{again}" for again in itertools.count(2)))
        entries.append(Entry(next(each for each in own if each not in taken), command, is_person))
    return entries


def plan(
    game: str, entries: Sequence[Entry], seed: str, pairings: int, options: dict[str, Any]
) -> Iterator[MatchRecord]:
    """
    Every match: in a pairing the setting is the same, the hidden deals are fresh.

    Raises:
        UnknownGame, BadOption: The game cannot be played so.
    """
    library = games.get(game)
    facts = library.facts
    if len(entries) not in facts.seats:
        allowed = " or ".join(map(str, facts.seats))
        raise BadOption(f"{game} is played by {allowed} bots, not {len(entries)}")
    library.start(len(entries), seed, None, options, False)
    person = any(entry.is_person for entry in entries)
    clocks = CLOCKS_OF_A_PERSON if person else CLOCKS
    number = 0
    for pairing in range(pairings):
        for order in seat_orders(len(entries)):
            yield MatchRecord(
                match=_drawn(seed, f"match|{number}")[:16],
                number=number,
                game=game,
                rules=facts.rules,
                cards=facts.cards,
                seats=tuple(SeatRecord(bot=entries[k].name) for k in order),
                seed=_drawn(seed, f"deal|{number}"),
                salt=bytes.fromhex(_drawn(seed, f"salt|{number}"))[:16],
                setting=_drawn(seed, f"setting|{pairing}"),
                options=options,
                clocks=clocks,
                rated=False,
                pairing=str(pairing),
                cause="play",
            )
            number += 1


def _drawn(seed: str, what: str) -> str:
    return sha256(f"{seed}|play|{what}".encode()).hexdigest()


# Playing


@contextmanager
def written_down(folder: Path | None) -> Iterator[Listener | None]:
    """
    A listener that keeps what each bot hears and says, if there is a folder for it.

    Raises:
        WrongUse: The folder cannot be made.
    """
    if folder is None:
        yield None
        return
    try:
        transcripts = Transcripts(folder)
    except OSError as error:
        raise WrongUse(f"--log {folder}: {error.strerror}") from None
    with closing(transcripts):
        yield transcripts.hear


def _play_all(
    entries: Sequence[Entry],
    seed: str,
    records: Sequence[MatchRecord],
    played: list[Played],
    show_bots: bool,
    listener: Listener | None,
) -> None:
    """Play the matches; `played` has each as soon as it has ended."""
    with quiet(), Supervisor() as supervisor:
        folder = supervisor.temporary_folder("wl-play-")
        try:
            asyncio.run(
                _play(supervisor, folder, entries, seed, records, played, show_bots, listener)
            )
        except asyncio.CancelledError:
            raise KeyboardInterrupt from None


async def _play(
    supervisor: Supervisor,
    folder: Path,
    entries: Sequence[Entry],
    seed: str,
    records: Sequence[MatchRecord],
    played: list[Played],
    show_bots: bool,
    listener: Listener | None,
) -> None:
    this = asyncio.current_task()
    assert this is not None
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # An exception in whatever runs just then may end in a callback that swallows it.
        asyncio.get_running_loop().add_signal_handler(number, this.cancel)
    screen = console(stderr=True)
    limits = Limits(silence_seconds=0.0)  # an author may stop his bot in a debugger
    address = f"unix:{folder}/referee.sock"
    async with LocalReferee(address, {}, limits=limits, listener=listener) as referee:
        children = [
            supervisor.start(
                Task(
                    name=entry.name,
                    command=entry.command,
                    environment={
                        "WARLADDER_REFEREE": referee.address,
                        "WARLADDER_TOKEN": referee.token(entry.name),
                        "WARLADDER_SEED": _drawn(seed, f"bot|{k}"),
                        "WARLADDER_TLS_CA": "",  # the shell's is for a server elsewhere
                    },
                    log=None if entry.is_person else folder / f"bot-{k}.log",
                    is_handed_the_terminal=entry.is_person,
                )
            )
            for k, entry in enumerate(entries)
        ]
        person = any(entry.is_person for entry in entries)
        no_bar = show_bots or person or not screen.is_terminal
        async with heard(children) if show_bots else nullcontext():
            await _attended(referee, children, records[0].game)
            with Progress(console=screen, transient=True, disable=no_bar) as bar:
                task = bar.add_task("playing", total=len(records))
                for record in records:
                    played.append(await referee.play(record))
                    bar.advance(task)
                    if died := _died(children):
                        left = records[len(played) :]
                        print(f"warladder: {died}; {some(left)} not played", file=sys.stderr)
                        break


@asynccontextmanager
async def heard(children: Sequence[Child]) -> AsyncIterator[None]:
    """Pass on to standard error what the bots write, each line with its bot's name."""
    read = [0] * len(children)

    def pass_on(last: bool = False) -> None:
        for k, child in enumerate(children):
            if child.task.log is None:
                continue
            with child.task.log.open("rb") as log:
                log.seek(read[k])
                text = log.read()
            if not last:
                text = text[: text.rfind(b"\n") + 1]  # a line not ended yet comes with the next
            read[k] += len(text)
            for line in text.decode("utf-8", "replace").splitlines():
                print(f"{child.task.name}: {line}", file=sys.stderr)

    async def listen() -> None:
        while True:
            pass_on()
            await asyncio.sleep(GLANCE_SECONDS)

    listening = asyncio.create_task(listen())
    try:
        yield
    finally:
        listening.cancel()
        pass_on(last=True)


async def _attended(referee: LocalReferee, children: Sequence[Child], game: str) -> None:
    """Wait for all bots to dial in for the game; one that has ended never will."""
    names = [child.task.name for child in children]
    for _ in range(round(ATTEND_SECONDS / GLANCE_SECONDS)):
        missing = await referee.attended(names, GLANCE_SECONDS)
        if not missing:
            for name in names:
                plays = referee.hall.streams[name, ""].games
                if game not in plays:
                    raise WrongUse(f"bot {name} does not play {game}, only {', '.join(plays)}")
            return
        if died := _died([child for child in children if child.task.name in missing]):
            raise FellShort(died)
    silent = next(child for child in children if child.task.name == missing[0])
    raise FellShort(
        f"bot {missing[0]} ({shlex.join(silent.task.command)}) did not attend within"
        f" {ATTEND_SECONDS:.0f} s: {_tail(silent)}"
    )


def _died(children: Sequence[Child]) -> str:
    """What is to be said of a bot that has ended; empty if all live."""
    for child in children:
        code = child.process.poll() if child.process is not None else None
        if code is not None:
            return f"bot {child.task.name} ended with exit code {code}: {_tail(child)}"
    return ""


def _tail(child: Child) -> str:
    """The last lines that it wrote, as one."""
    if child.task.log is None:
        return "its last words stand above"
    lines = child.task.log.read_text("utf-8", "replace").strip().splitlines()
    return " | ".join(line.strip() for line in lines[-TAIL_LINES:]) or "it wrote nothing"


# Results


def keep(played: Sequence[Played], archive: Archive) -> None:
    """Write each match to a file of its own and say where it is."""
    for each in played:
        seats = " ".join(seat.bot for seat in each.record.seats)
        try:
            path = archive.path(archive.put_replay(each.record.match, each.journal))
        except OSError as error:
            raise WrongUse(f"--replay {archive.folder}: {error.strerror}") from None
        print(f"{seats}: {path}", file=sys.stderr)


def result(played: Played) -> dict[str, Any]:
    """A match as the JSON has it: seats and ranks by seat, no times."""
    return {
        "seats": [seat.bot for seat in played.record.seats],
        "ranks": list(played.ranks),
        "reason": played.reason if played.ending == NORMAL else played.ending,
        "decisions": played.decisions,
        "digest": played.digest.hex(),
    }


def count(entries: Sequence[Entry], played: Sequence[Played]) -> dict[str, dict[str, int]]:
    """Wins, draws and losses by bot; sides that share the first rank have drawn."""
    totals = {entry.name: {"wins": 0, "draws": 0, "losses": 0} for entry in entries}
    for each in played:
        if not each.ranks:
            continue
        record = each.record
        teams = games.get(record.game).facts.teams
        options = games.get(record.game).read_options(record.options)
        sides = teams(len(record.seats), options)
        first = sum(each.ranks[side[0]] == 1 for side in sides)
        for seat, rank in zip(record.seats, each.ranks, strict=True):
            what = "losses" if rank > 1 else "wins" if first == 1 else "draws"
            totals[seat.bot][what] += 1
    return totals


def _show(played: Sequence[Played], totals: Mapping[str, Mapping[str, int]]) -> None:
    table = Table("bot", "wins", "draws", "losses", box=None)
    for name, figures in totals.items():
        table.add_row(name, *(str(figures[what]) for what in ("wins", "draws", "losses")))
    screen = console()
    screen.print(table)
    endings: dict[str, int] = {}
    for each in played:
        reason = str(result(each)["reason"])
        endings[reason] = endings.get(reason, 0) + 1
    screen.print(", ".join(f"{reason} {n}" for reason, n in sorted(endings.items())))
