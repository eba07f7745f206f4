"""Figures beside the raw limit of the same run: `warladder bench engine|referee|ladder|kits`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module

from rich.table import Table

from matchmaker.errors import WrongUse
from matchmaker.interrupts import raise_again
from matchmaker.output import drawn
from matchmaker.output import rows as printed
from matchmaker.tools.bench.figures import Row
from referee.games import get, names

__all__ = ["measure", "run"]

WHAT = ("engine", "referee", "ladder", "kits")


def measure(what: str, games: Sequence[str], seconds: float) -> list[Row]:
    """
    Measure one part of the product.

    Args:
        games: Which games to play.
        seconds: How long each row may take.

    Raises:
        WrongUse: There is no such part.
    """
    if what not in WHAT:
        raise WrongUse(f"bench {what!r}: there are {', '.join(WHAT)}")
    part: Callable[[Sequence[str], float], list[Row]]
    part = import_module(f"{__name__}.{what}").measure
    return part(games, seconds)


def run(what: str, game: str | None = None, seconds: float = 5.0, json: bool = False) -> int:
    """Measure and print; returns the exit code."""
    games = names() if game is None else (get(game).name,)
    raise_again()  # what it starts is ended by the contexts around it
    rows = measure(what, games, seconds)
    if json:
        print(printed([row._asdict() for row in rows]))
        return 0
    table = Table(*Row._fields, box=None)
    for row in rows:
        table.add_row(*("" if value is None else str(value) for value in row))
    print(drawn(table))
    return 0
