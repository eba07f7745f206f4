"""A ladder's table for people: live on a terminal, plain lines without one."""

import sys
import time
from itertools import pairwise
from types import TracebackType
from typing import Any, Self

from rich.console import Group, RenderableType
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from matchmaker import output
from matchmaker.fold import PRESEASON

PLAIN_SECONDS = 5.0
"""Between two plain lines."""


def render(now: dict[str, Any]) -> Table:
    """
    The ladder as a table, best first. With names of usual length it is 80 columns wide.

    TrueSkill's sigma is not shown: pairing by strength makes it far too small (README, Table).
    """
    season = "" if now["season"] == PRESEASON else f", season {now['season']}"
    grid = Table(
        title=f"{now['game']} ladder{season}", title_justify="left", box=None, padding=(0, 1, 0, 0)
    )
    grid.add_column("rank", justify="right")
    grid.add_column("bot", overflow="ellipsis", min_width=8)
    grid.add_column("author", overflow="ellipsis", min_width=6)
    estimated = now["order"] == "estimate"
    heads = ("estimate, 95 %", "ranks") if estimated else ("mu",)
    for name in (*heads, "matches", "wins", "draws", "losses"):
        grid.add_column(name, justify="right", no_wrap=True)
    above = None
    for row in now["table"]:
        rank, above = _rank(row, above), row
        figures = _estimated(row) if estimated else (f"{row['mu']:.2f}",)
        grid.add_row(
            rank, *map(output.harmless, (row["bot"], row["author"])), *figures,
            str(row["matches"]), str(row["wins"]), str(row["draws"]), str(row["losses"]),
        )  # fmt: skip
    return grid


def _rank(row: dict[str, Any], above: dict[str, Any] | None) -> str:
    """The rank; with `=` where the row ties with the one above it."""
    group = row["tie_group"]
    return f"{row['rank']}{'=' if above and group and above['tie_group'] == group else ''}"


def _estimated(row: dict[str, Any]) -> tuple[str, str]:
    """Estimate and interval share a column: their heads would be wider than their figures."""
    interval = f"{row['low']:.1f}–{row['high']:.1f}"
    ranks = f"{row['rank_low']}–{row['rank_high']}{'?' if row['provisional'] else ''}"
    return f"{row['estimate']:.1f} {interval:>9}", ranks


def legend(now: dict[str, Any]) -> str:
    """What the table's signs mean, in one line; nothing if it has none."""
    if now["order"] != "estimate":
        return "ordered by mu - 3 sigma: there is no estimate here (README, Table)"
    signs = []
    if any(_rank(row, above).endswith("=") for above, row in pairwise(now["table"])):
        signs.append("= tied with the one above")
    if any(row["provisional"] for row in now["table"]):
        signs.append("? ranks not known well yet")
    return "; ".join(signs)


def counts(now: dict[str, Any]) -> str:
    """How many matches closed, and how, in one line."""
    endings = ", ".join(f"{name} {count}" for name, count in now["endings"].items())
    line = f"{now['rated']} rated, {now['unrated']} unrated, {now['void']} void"
    return f"{line} ({endings})" if endings else line


def final(now: dict[str, Any], seconds: float | None = None) -> str:
    """The table and its counts as plain text."""
    took = f" in {seconds:.1f} s" if seconds is not None else ""
    lines = [output.drawn(render(now)), legend(now), counts(now) + took]
    return "\n".join(line for line in lines if line)


class Board:
    """Shows a table while matches are played; on standard error, which is not the result."""

    def __init__(self, game: str, matches: int) -> None:
        self.console = output.console(file=sys.stderr)
        self.game = game
        self.matches = matches
        self.progress = Progress(
            TextColumn("rated"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
            console=self.console,
        )  # fmt: skip
        self.task = self.progress.add_task("rated", total=matches)
        # No refreshing thread: the main thread starts processes and takes the signals.
        self.live = Live(console=self.console, auto_refresh=False, transient=True)
        self.said = ""
        self.said_at = 0.0

    def __enter__(self) -> Self:
        if self.console.is_terminal:
            self.live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.console.is_terminal:
            self.live.stop()

    def show(self, now: dict[str, Any]) -> None:
        self.progress.update(self.task, completed=min(now["rated"], self.matches))
        if self.console.is_terminal:
            self._draw(Group(render(now), counts(now), self.progress))
        else:
            self._say(f"{self.game}: {counts(now)} of {self.matches}")

    def away(self) -> None:
        """Redis does not answer: nothing is known, and no clock of a match runs."""
        if self.console.is_terminal:
            self._draw(Group("Redis is away; waiting for it", self.progress))
        else:
            self._say(f"{self.game}: Redis is away; waiting for it")

    def _draw(self, what: RenderableType) -> None:
        self.live.update(what, refresh=True)

    def _say(self, line: str) -> None:
        """A line, unless nothing is new or the last is too fresh."""
        if line == self.said or time.monotonic() - self.said_at < PLAIN_SECONDS:
            return
        self.said, self.said_at = line, time.monotonic()
        print(line, file=sys.stderr, flush=True)
