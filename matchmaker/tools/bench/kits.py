"""
What a decision costs a bot of each kit, through a real referee.

The kits' `greedy` bots take the same options, so every kit plays the same matches: two processes of
it against one another, many matches at once on one stream each, for the time that a row has. A
while before warms both sides up and does not count; what has begun is played to its end after the
time, so that all kits can be compared match by match. The referee is a process of its own, anew for
each kit. The raw limit is a bare client
of `grpc.aio` that reads and writes as many bytes at a bare server and looks at none of them, two
streams as well; a kit in a quick language may cost less than that.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import psutil

from matchmaker import kits, lineup
from matchmaker.errors import FellShort, WrongUse
from matchmaker.supervise import Child, Supervisor, Task
from matchmaker.tools.bench.echo import Traffic
from matchmaker.tools.bench.figures import Row, cost, rounded
from matchmaker.tools.bench.processes import Helper, socket_folder
from matchmaker.tools.bench.referee import Measured, bytes_for_one, echo, traffic_of

BOT = "greedy"
SEATS = 2
MATCHES = 8
"""At once; about 150 decisions each."""
WARM_SHARE = 0.5
"""Of the time, once before and not counted: a JVM is slow at first."""
START_SECONDS = 60.0
MIB = 1 << 20


class Kit(NamedTuple):
    """A kit's bots under load."""

    decisions: int
    rate: float
    """Decisions in a second."""
    bot_seconds: float
    """CPU of a bot for one decision."""
    referee_seconds: float
    """CPU of the referee for one decision."""
    memory: int
    """Bytes of a bot resident at the end."""
    traffic: Traffic
    lengths: Sequence[int]
    """Decisions of each match that was begun, in the order of their deals."""


def measure(games: Sequence[str], seconds: float) -> list[Row]:
    """
    Rows of every kit that is built; those that are not are named on standard error.

    Raises:
        WrongUse: Another game than the kits'.
        FellShort: No kit is built, a match went wrong, or two kits played different matches.
    """
    game = lineup.default()  # the demo's: it is what kits play
    if game not in games:
        raise WrongUse(f"bench kits: they play {game}, not {', '.join(games)}")
    return measure_kits(kits.folders(), seconds)


def measure_kits(folders: Mapping[str, Path], seconds: float) -> list[Row]:
    """The same for these kits, by language."""
    built = {language: folder for language, folder in folders.items() if is_built(folder)}
    for language in sorted(folders.keys() - built.keys()):
        how = f"make -C {folders[language]}"
        print(f"warladder: bench: {language} is not built: {how}", file=sys.stderr)
    if not built:
        raise FellShort("bench: no kit is built")
    found: dict[str, Kit] = {}
    for language, folder in built.items():
        found[language] = play(language, (str(folder / kits.START), BOT), seconds)
    agree(found)
    traffic = next(iter(found.values())).traffic
    with socket_folder() as place:
        raw = echo(place, traffic, seconds, SEATS)
    return [row for language, kit in found.items() for row in rows(language, kit, raw)] + [
        raw_row(raw, traffic)
    ]


def is_built(folder: Path) -> bool:
    """Whether the kit's bot can show its flags."""
    ran = subprocess.run(
        [folder / kits.START, "--help"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=START_SECONDS,
        check=False,
    )
    return ran.returncode == 0


def agree(found: Mapping[str, Kit]) -> None:
    """
    Raises:
        FellShort: They did not play the same matches, so their figures say nothing.
    """
    for match, lengths in enumerate(zip(*(kit.lengths for kit in found.values())), 1):
        if len(set(lengths)) > 1:
            counts = dict(zip(found, lengths))
            raise FellShort(
                f"bench: the kits took different options: decisions in match {match}: {counts}"
            )


def rows(language: str, kit: Kit, raw: Measured) -> list[Row]:
    return [
        Row(
            f"{language} decisions",
            rounded(kit.rate),
            "decisions/s",
            rounded(raw.rate),
            rounded(raw.rate / kit.rate),
            rounded(kit.bot_seconds * 1e6),
        ),
        cost(f"{language} bot", kit.bot_seconds, raw.clients_seconds),
        cost(f"{language} referee", kit.referee_seconds, raw.cpu_seconds),
        Row(f"{language} memory", rounded(kit.memory / MIB), "MiB", None, None, None),
    ]


def raw_row(raw: Measured, traffic: Traffic) -> Row:
    out, back = bytes_for_one(traffic)
    return Row(
        f"raw echo {out:.0f}+{back:.0f} bytes, {SEATS} streams",
        rounded(raw.rate),
        "round trips/s",
        None,
        None,
        rounded(raw.clients_seconds * 1e6),
    )


def play(language: str, command: tuple[str, ...], seconds: float) -> Kit:
    """
    Let two bots of a kit play one another.

    Args:
        seconds: That are measured.

    Raises:
        FellShort: A bot did not attend, or a match was not played to its end by the rules.
    """
    with socket_folder() as folder:
        address = f"unix:{folder}/referee.sock"
        words = (address, lineup.default(), str(SEATS), "listen")
        with Helper("host", *words) as host, Supervisor() as children:
            bots = [
                children.start(
                    Task(
                        name=f"{language}-{seat}",
                        command=(*command, "--max-matches", str(MATCHES)),
                        environment={
                            "WARLADDER_REFEREE": address,
                            "WARLADDER_TOKEN": token,
                            "WARLADDER_SEED": "bench",
                            "WARLADDER_TLS_CA": "",
                        },
                        log=folder / f"bot-{seat}.log",
                    )
                )
                for seat, token in enumerate(host.hear())
            ]
            if host.ask("wait")["missing"]:
                said = " | ".join(filter(None, (bot.last_line() for bot in bots)))
                raise FellShort(f"bench: a {language} bot did not attend: {said or 'no word'}")
            host.ask(f"keep {MATCHES}")
            time.sleep(seconds * WARM_SHARE)
            spent, before = cpu_seconds(bots), host.ask("now")
            time.sleep(seconds)
            spent, after = cpu_seconds(bots) - spent, host.ask("now")
            memory = sum(process(bot).memory_info().rss for bot in bots) // SEATS
            end = host.ask("finish")
    return figures(before, after, end, spent, memory)


def figures(
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    end: Mapping[str, Any],
    spent: float,
    memory: int,
) -> Kit:
    """
    From what the host said.

    Args:
        before, after: Of the time that is measured.
        end: When the last match was over.
        spent: CPU of all bots in that time.
        memory: Of a bot, in bytes.

    Raises:
        FellShort: A match went wrong, or nothing was decided in that time.
    """
    wrong = {
        what.removeprefix("ending "): number
        for what, number in end.items()
        if what.startswith("ending ") and what != "ending normal"
    }
    if wrong:
        raise FellShort(f"bench: matches ended as {wrong}")
    decisions = after["done"] - before["done"]
    if not decisions:
        raise FellShort("bench: nothing was decided in that time; give it more with --seconds")
    return Kit(
        decisions=decisions,
        rate=decisions / (after["wall"] - before["wall"]),
        bot_seconds=spent / decisions,
        referee_seconds=(after["cpu"] - before["cpu"]) / decisions,
        memory=memory,
        traffic=traffic_of({what: n - before.get(what, 0) for what, n in after.items()}),
        lengths=end["lengths"],
    )


def cpu_seconds(bots: Iterable[Child]) -> float:
    """Of these bots so far, what the kernel did for them among it."""
    times = [process(bot).cpu_times() for bot in bots]
    return float(sum(each.user + each.system for each in times))


def process(bot: Child) -> psutil.Process:
    assert bot.pid is not None
    return psutil.Process(bot.pid)
