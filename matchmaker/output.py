"""What our outputs have in common: every `--json`, and tables for people."""

import io
import json
import sys
from importlib.metadata import version as installed
from typing import TYPE_CHECKING, Any

from referee.logs import harmless

if TYPE_CHECKING:  # slow to import, and most commands draw no table
    from rich.console import Console
    from rich.table import Table

__all__ = ["console", "document", "drawn", "harmless", "rows", "screen", "version"]

WIDEST = 1000
"""Columns of an output that is no terminal: as many as a table needs."""


def version() -> str:
    """Our own version, as installed."""
    return installed("warladder")


def document(command: str, ok: bool, **fields: object) -> str:
    """
    One JSON object on one line, the same text for the same content.

    What cannot be printed is escaped, as JSON does it: a terminal may be what reads it.
    """
    head = {"command": command, "version": version(), "ok": ok}
    return printable(json.dumps({**head, **fields}, ensure_ascii=False))


def rows(table: list[dict[str, object]]) -> str:
    """The list of rows that `bench` prints."""
    return printable(json.dumps(table, ensure_ascii=False))


def printable(text: str) -> str:
    """A JSON text with no letter in it that cannot be printed."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else json.dumps(letter)[1:-1] for letter in text)


def drawn(table: "Table", width: int | None = None) -> str:
    """
    A table as plain text, without blanks at the ends of lines.

    Args:
        width: At most so many columns. None is those of the terminal; where there is none,
            nothing is cut or folded.
    """
    if width is None:
        width = console().width if sys.stdout.isatty() else WIDEST
    text = io.StringIO()
    console(file=text, width=width, force_terminal=False, color_system=None).print(table)
    return "\n".join(harmless(line.rstrip()) for line in text.getvalue().rstrip("\n").split("\n"))


def screen() -> "Console":
    """Standard output for texts and tables; where it is no terminal, no line is folded."""
    return console() if sys.stdout.isatty() else console(width=WIDEST, no_color=True)


def console(**wishes: Any) -> "Console":
    """A console that shows text as it is: what bots call themselves is no markup."""
    from rich.console import Console

    return Console(markup=False, emoji=False, highlight=False, **wishes)
