"""The commands for people at a running ladder: watch, human."""

from typing import Annotated

import typer

from matchmaker.cli.options import Json


def add_to(app: typer.Typer) -> None:
    app.command()(watch)
    app.command()(human)


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


def human(
    game: Annotated[
        list[str] | None, typer.Option(metavar="G", help="Only this one; may be repeated.")
    ] = None,
) -> int:
    """
    Play on a running ladder yourself, as the bot that WARLADDER_TOKEN belongs to.

    You sit down at WARLADDER_REFEREE, else at the `up` that runs in WARLADDER_HOME, else at
    127.0.0.1:7700. The ladder's clocks hold for you as for any bot.
    """
    from matchmaker.tools.human import command

    return command.run(game or ())
