"""A match on a terminal: what has happened line by line, and the table when it is worth it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from textwrap import fill
from typing import Any

from rich.console import Console
from rich.text import Text

from matchmaker.output import harmless
from matchmaker.viewing.table import Table

HEADING = 80
"""Columns of a line across the screen."""


class Screen:
    """Prints a match; where it prints to no terminal, one line stays one line."""

    def __init__(self, console: Console, table: Table) -> None:
        self.console = console
        self.table = table

    def say(self, text: Any = "", style: str = "") -> None:
        """Something that rich prints, or a text of ours or of others."""
        self.console.print(harmless(text) if isinstance(text, str) else text, style=style)

    def happened(self, events: Iterable[Sequence[Any]]) -> None:
        """
        One sentence for each event, given as its name, its plain fields, and maybe the sentence.
        """
        for event in events:
            self.point(event[2] if len(event) > 2 else self.table.tell(event))

    def point(self, text: str, mark: str = "· ") -> None:
        """A line of a list; what does not fit stands below, under the first word."""
        self.console.print(
            fill(
                harmless(text), max(20, self.console.width - 1),
                initial_indent=mark, subsequent_indent=" " * len(mark),
            )
        )  # fmt: skip

    def heading(self, text: str) -> None:
        width = min(HEADING, self.console.width)
        self.console.print(Text(f"══ {text} ".ljust(width, "═"), "bold", overflow="crop"))

    def draw(self) -> None:
        """The whole table."""
        self.heading(self.table.turn() or self.table.game)
        self.point(self.table.phase(), "")
        for part in self.table.draw():
            if isinstance(part, str):
                for line in part.splitlines():
                    text = line.lstrip()
                    self.point(text, " " * (len(line) - len(text)))
            else:
                self.console.print(part)
