"""A ladder's table for people: live on a terminal, plain lines without one."""

import sys
import time
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
    """The ladder as a table, best first. With names of usual length it is 80 columns wide."""
    season = "" if now["season"] == PRESEASON else f", season {now['season']}"
    grid = Table(
        title=f"{now['game']} ladder{season}", title_justify="left", box=None, padding=(0, 1, 0, 0)
    )
    grid.add_column("rank", justify="right")
    grid.add_column("bot", overflow="ellipsis", min_width=8)
    grid.add_column("author", overflow="ellipsis", min_width=6)
    for name in ("mu", "sigma", "mu - 3\nsigma", "matches", "wins", "draws", "losses"):
        grid.add_column(name, justify="right", no_wrap=True)
    for row in now["table"]:
        worth = row["mu"] - 3 * row["sigma"]
        grid.add_row(
            str(row["rank"]), *map(output.harmless, (row["bot"], row["author"])),
            f"{row['mu']:.2f}",
            f"{row['sigma']:.2f}", f"{worth:.2f}", str(row["matches"]),
            str(row["wins"]), str(row["draws"]), str(row["losses"]),
        )  # fmt: skip
    return grid


def counts(now: dict[str, Any]) -> str:
    """How many matches closed, and how, in one line."""
    endings = ", ".join(f"{name} {count}" for name, count in now["endings"].items())
    line = f"{now['rated']} rated, {now['unrated']} unrated, {now['void']} void"
    return f"{line} ({endings})" if endings else line


def final(now: dict[str, Any], seconds: float | None = None) -> str:
    """The table and its counts as plain text."""
    took = f" in {seconds:.1f} s" if seconds is not None else ""
    return f"{output.drawn(render(now))}\n{counts(now)}{took}"


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
