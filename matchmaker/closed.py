"""Closed matches as the results log has them, with the files of their replays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from heapq import nlargest
from pathlib import Path
from typing import Any

from matchmaker import registry
from matchmaker.archive import Archive
from matchmaker.connection import Ladder
from matchmaker.entries import Result, Void
from matchmaker.keys import Keys
from matchmaker.log import Log, Logged
from matchmaker.walk import every
from referee import games


@dataclass(frozen=True, kw_only=True)
class Row:
    """One closed match."""

    at_ms: int
    """When it was closed, by the store's clock."""
    result: Result
    standing: str
    """What it counts for; `void` too if an operator took it out later."""
    file: str
    """Its replay; empty if nothing was played, or the archive is not known."""

    @property
    def when(self) -> str:
        return datetime.fromtimestamp(self.at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")

    def line(self) -> str:
        """For people: when, match, game, bots with their ranks, ending, standing, file."""
        result = self.result
        ranks = [f" {rank}." for rank in result.ranks] or [""] * len(result.seats)
        bots = ", ".join(f"{seat.bot}{rank}" for seat, rank in zip(result.seats, ranks))
        return "  ".join(
            filter(
                None,
                (
                    self.when, result.match, result.game, bots, result.ending, self.standing,
                    self.file,
                ),
            )
        )  # fmt: skip

    def fields(self) -> dict[str, Any]:
        """As JSON shows it."""
        result = self.result
        return {
            "number": result.number,
            "match": result.match,
            "at_ms": self.at_ms,
            "game": result.game,
            "bots": [seat.bot for seat in result.seats],
            "ranks": list(result.ranks),
            "ending": result.ending,
            "reason": result.reason,
            "standing": self.standing,
            "why": result.why.value,
            "decisions": result.decisions,
            "file": self.file,
        }


def archive_of(ladder: Ladder) -> Archive | None:
    """The ladder's archive; None if it is not known."""
    return Archive(Path(ladder.archive)) if ladder.archive else None


def log_of(ladder: Ladder) -> Iterator[Logged]:
    """Read the whole results log; without an archive its tail alone."""
    log, archive = Log(ladder.redis, Keys(ladder.namespace)), archive_of(ladder)
    if archive is None:
        return log.whole_tail(log.base().position)
    return every(log, archive, log.position())


def matches(ladder: Ladder, bot: str | None, game: str | None, last: int) -> list[Row]:
    """
    Find the last closed matches, in order of match number.

    Without an archive those of the log's tail alone are known.

    Raises:
        WrongUse: No bot or game of this name was ever here.
    """
    if game is not None:
        games.get(game)
    archive = archive_of(ladder)
    found: list[tuple[int, Result]] = []
    voided = set()
    for logged in log_of(ladder):
        entry = logged.entry
        if isinstance(entry, Void):
            voided.add(entry.match)
        elif isinstance(entry, Result):
            if bot is not None and all(seat.bot != bot for seat in entry.seats):
                continue
            if game is None or entry.game == game:
                found.append((logged.at_ms, entry))
    if bot is not None and not found:
        _known(ladder, bot)
    newest = nlargest(last, found, key=lambda each: each[1].number)
    return [
        Row(
            at_ms=at_ms,
            result=result,
            standing="void" if result.match in voided else result.standing.value,
            file=str(archive.path(result.archive)) if archive and result.archive else "",
        )
        for at_ms, result in reversed(newest)
    ]


def _known(ladder: Ladder, bot: str) -> None:
    """
    Raises:
        WrongUse: There was never such a bot.
    """
    if not registry.history(ladder.redis, bot, namespace=ladder.namespace):
        registry.find(ladder.redis, bot, namespace=ladder.namespace)
