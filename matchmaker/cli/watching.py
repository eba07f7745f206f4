"""The command that follows a running match: watch."""

from typing import Annotated

import typer

from matchmaker.cli.options import Json


def add_to(app: typer.Typer) -> None:
    app.command()(watch)


def watch(
    match: Annotated[
        str | None, typer.Argument(metavar="MATCH", help="Its id; without it, those that run.")
    ] = None,
    json: Json = False,
) -> int:
    """
    Follow a running match as the public may know it, until it has closed.

    It is shown as late as the match says. With --json each step is an object on a line of its own.
    """
    from matchmaker.tools import watch as tool

    return tool.run(match, json)
