"""The tree of commands, and how their errors become one line and an exit code."""

import os
import re
import sys
from collections.abc import Sequence
from typing import Annotated

import typer
from typer.exceptions import TyperException

from matchmaker import output
from matchmaker.cli import (
    acts,
    bans,
    bots,
    bridging,
    certificates,
    keeping,
    local,
    logs,
    machine,
    matches,
    processes,
    replays,
    seasons,
    tables,
    tournaments,
    watching,
)
from matchmaker.cli.helping import Commands
from matchmaker.errors import WrongUse
from matchmaker.interrupts import INTERRUPTED
from referee.engine.errors import BadData, BadOption, UnknownGame, WarladderError

WRONG_USE = (WrongUse, UnknownGame, BadOption, BadData)
LONG_WORD = re.compile(r"([^\s/'\"]{60})[^\s/'\"]{60,}")
"""Longer than any name, digest or address of ours: a slip of the hand, or noise."""

app = typer.Typer(
    cls=Commands,
    name="warladder",
    help="Tournament server for AI bots that play war games with hidden information.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for group in (machine, processes, local, watching, bridging, tables, keeping, acts, certificates):
    group.add_to(app)
app.add_typer(bots.app, name="bot")
app.add_typer(bans.app, name="author")
app.add_typer(seasons.app, name="season")
app.add_typer(logs.app, name="log")
app.add_typer(matches.app, name="match")
app.add_typer(replays.app, name="replay")
app.add_typer(tournaments.app, name="tournament")


def show_version(wanted: bool) -> None:
    if wanted:
        print(output.version())
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=show_version, is_eager=True, help="Show it and exit."),
    ] = False,
) -> None:
    """Options before the command's name."""


def run(arguments: Sequence[str]) -> int:
    """
    Run one command.

    Returns:
        The exit code.
    """
    try:
        check_text(arguments)
        result = app(list(arguments), prog_name="warladder", standalone_mode=False)
    except TyperException as error:
        text = error.format_message()
        if text.lstrip().startswith("Usage: "):  # help, asked for by giving no command
            print(text, file=sys.stderr)
            return error.exit_code
        return fail(f"warladder: {text.rstrip('.')}; {remedy(error)}", error.exit_code)
    except WRONG_USE as error:
        return fail(f"warladder: {error}", 2)
    except WarladderError as error:
        return fail(f"warladder: {error}", 1)
    except typer.Abort:
        return INTERRUPTED
    return result if isinstance(result, int) else 0


def check_text(arguments: Sequence[str]) -> None:
    """
    Raises:
        WrongUse: A word, or a setting of ours, is not text: it cannot be printed, hashed or sent.
    """
    ours = {name: value for name, value in os.environ.items() if name.startswith("WARLADDER_")}
    for name, text in [*(("argument", word) for word in arguments), *ours.items()]:
        try:
            text.encode()
        except UnicodeEncodeError:
            shown = text.encode(errors="backslashreplace").decode()
            raise WrongUse(f"{name} {shown!r} is not UTF-8 text") from None


def remedy(error: TyperException) -> str:
    """Where to read what is right."""
    context = getattr(error, "ctx", None)
    return f"see `{context.command_path if context else 'warladder'} --help`"


def fail(line: str, code: int) -> int:
    """One line, whatever was typed."""
    print(LONG_WORD.sub(r"\1…", " ".join(line.splitlines())), file=sys.stderr)
    return code
