"""How help is laid out: a group lists each command with its whole first sentence."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup


class Commands(TyperGroup):
    """A group whose list cuts no text off; Typer's own ends each at the line's end."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        rows = [
            (name, first_words(self.commands[name].help or ""))
            for name in self.list_commands(ctx)
            if not self.commands[name].hidden
        ]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)


def first_words(text: str) -> str:
    """The first paragraph, on one line."""
    return " ".join(text.strip().split("\n\n")[0].split())
