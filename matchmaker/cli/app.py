"""The tree of commands, and how their errors become one line and an exit code."""

import sys
from collections.abc import Sequence
from typing import Annotated

import typer
from typer.exceptions import TyperException

from matchmaker import output
from matchmaker.cli import bots, local, machine, processes, replays, tables
from matchmaker.errors import WrongUse
from referee.engine.errors import BadData, BadOption, UnknownGame, WarladderError

WRONG_USE = (WrongUse, UnknownGame, BadOption, BadData)

app = typer.Typer(
    name="warladder",
    help="Tournament server for AI bots that play war games with hidden information.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for group in (machine, processes, local, tables):
    group.add_to(app)
app.add_typer(bots.app, name="bot")
app.add_typer(replays.app, name="replay")


def show_version(wanted: bool) -> None:
    if wanted:
        print(output.version())
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Show it.")
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
        result = app(list(arguments), prog_name="warladder", standalone_mode=False)
    except TyperException as error:
        # Help that was asked for by giving no command is a text of its own.
        text = error.format_message()
        return fail(text if "\n" in text else f"warladder: {text}", error.exit_code)
    except WRONG_USE as error:
        return fail(f"warladder: {error}", 2)
    except WarladderError as error:
        return fail(f"warladder: {error}", 1)
    except typer.Abort:
        return 130
    return result if isinstance(result, int) else 0


def fail(line: str, code: int) -> int:
    print(line, file=sys.stderr)
    return code
