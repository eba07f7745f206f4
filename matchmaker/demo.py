"""A demo: a rated ladder of a line-up's bots in a temporary home, shown as it goes."""

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matchmaker import connection, lineup, output, ports, table, targets
from matchmaker.board import Board, final
from matchmaker.errors import FellShort, WrongUse
from matchmaker.fold import Fold
from matchmaker.machine import Machine, Plan
from matchmaker.settings import AWAY
from matchmaker.supervise import Supervisor

STILL_SECONDS = 180.0
"""A demo in which no match closes for so long has fallen short."""
COLUMNS = ("bot", "author", "rank", "mu", "sigma", "matches", "wins", "draws", "losses")


@dataclass(frozen=True, kw_only=True)
class Wish:
    game: str | None
    matches: int | None
    json: str | None
    """A file, or `-` for standard output."""
    serve: bool
    """Go on, with pages, until Ctrl-C."""
    web_port: int | None
    """Where pages are served, also without `serve`; a free port if None."""
    redis_url: str | None


def run(wish: Wish) -> int:
    """
    Play the demo.

    Returns:
        The exit code: 0 when all its matches were rated.
    """
    chosen = lineup.of(wish.game or lineup.default())
    matches = chosen.matches if wish.matches is None else wish.matches
    if wish.json not in (None, "-"):
        check_writable(Path(str(wish.json)))
    began = time.monotonic()
    if wish.web_port is not None:
        ports.check(ports.showing(f"{ports.LOOPBACK}:{wish.web_port}", "--web-port"))
    with Supervisor() as supervisor:
        home = supervisor.temporary_folder("warladder-")
        machine = Machine(
            supervisor,
            Plan(
                games=(chosen.game,),
                data=home / "data",
                archive=home / "archive",
                logs=home / "logs",
                runtime=home,
                namespace=home.name if wish.redis_url else "warladder",
                redis_url=wish.redis_url,
                pace="floor_ms=0,quantum_ms=0,watch_delay_ms=0",
                matches=None if wish.serve else matches,
                web=pages(wish),
            ),
        )
        try:
            machine.start()
            machine.attend(chosen.bots)
            if machine.web:
                print(f"pages at {machine.web}", file=sys.stderr)
            for name, address in machine.metrics.items():
                print(f"metrics of {name}: {address}", file=sys.stderr)
            if wish.serve:
                listed = targets.write(home, "demo", machine.metrics)
                print(f"targets for Prometheus: {listed}", file=sys.stderr)
            last, complaint = watch(machine, chosen.game, matches)
            report(wish, last, time.monotonic() - began, ok=not complaint)
            if complaint:
                raise FellShort(complaint)
            while wish.serve:
                supervisor.poll(60.0)
        finally:
            targets.clear(home)
            machine.stop()
    return 0


def pages(wish: Wish) -> str | None:
    """Where pages are served; nowhere by a demo that ends by itself, unless it is told to."""
    if wish.web_port is None and not wish.serve:
        return None
    return f"{ports.LOOPBACK}:{wish.web_port or 0}"


def watch(machine: Machine, game: str, matches: int) -> tuple[dict[str, Any], str]:
    """
    Show the table as it grows, until so many matches are rated.

    Returns:
        The last table, and what is wrong if it is not the whole one; else an empty text.
    """
    now: dict[str, Any] = table.render(Fold(), game, 0, b"")
    moved, closed = time.monotonic(), 0
    with (
        connection.to(machine.redis_url) as client,
        Board(game, matches) as board,
    ):
        while True:
            machine.supervisor.poll(0.25)
            try:
                now = table.read(client, game, machine.plan.namespace)
            except AWAY:
                board.away()
            else:
                board.show(now)
            if now["rated"] >= matches:
                return now, ""
            if now["matches"] != closed:
                moved, closed = time.monotonic(), now["matches"]
            elif time.monotonic() - moved > STILL_SECONDS:
                return now, (
                    f"no match closed for {STILL_SECONDS:.0f} s, {now['rated']} of {matches} are"
                    f" rated{machine.supervisor.complaints()}"
                )


def report(wish: Wish, last: dict[str, Any], seconds: float, *, ok: bool) -> None:
    """Print what came out, as a table or as JSON."""
    text = output.document(
        "demo",
        ok,
        game=last["game"],
        seconds=round(seconds, 1),
        matches=last["matches"],
        rated=last["rated"],
        unrated=last["unrated"],
        void=last["void"],
        endings=last["endings"],
        table=[{column: row[column] for column in COLUMNS} for row in last["table"]],
    )
    if wish.json == "-":
        print(text)
        return
    if wish.json is not None:
        Path(wish.json).write_text(text + "\n")
    print(final(last, seconds))
    sys.stdout.flush()


def check_writable(file: Path) -> None:
    try:
        file.open("a").close()
    except OSError as error:
        raise WrongUse(f"--json {file}: {error.strerror}") from None
