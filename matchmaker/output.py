"""What our outputs have in common: every `--json`, and tables for people."""

import io
import json
import sys
from importlib.metadata import version as installed
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # slow to import, and most commands draw no table
    from rich.table import Table

WIDEST = 1000
"""Columns of an output that is no terminal: as many as a table needs."""


def version() -> str:
    """Our own version, as installed."""
    return installed("warladder")


def document(command: str, ok: bool, **fields: object) -> str:
    """One JSON object on one line, the same text for the same content."""
    head = {"command": command, "version": version(), "ok": ok}
    return json.dumps({**head, **fields}, ensure_ascii=False)


def rows(table: list[dict[str, object]]) -> str:
    """The list of rows that `bench` prints."""
    return json.dumps(table, ensure_ascii=False)


def drawn(table: "Table", width: int | None = None) -> str:
    """
    A table as plain text, without blanks at the ends of lines.

    Args:
        width: At most so many columns. None is those of the terminal; where there is none,
            nothing is cut or folded.
    """
    from rich.console import Console

    if width is None:
        width = Console(file=sys.stdout).width if sys.stdout.isatty() else WIDEST
    text = io.StringIO()
    Console(file=text, width=width, force_terminal=False, color_system=None).print(table)
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines())
