"""`warladder bot check`: whether a program is a good bot."""

from pathlib import Path
from typing import Annotated

import typer

from matchmaker.cli.options import Json


def add_to(app: typer.Typer) -> None:
    app.command()(check)


def check(
    command: Annotated[
        list[str],
        typer.Argument(metavar="COMMAND", help="It starts the bot; or a sample's name."),
    ],
    game: Annotated[
        str, typer.Option(metavar="G", help="To play; the first of the bot's if not given.")
    ] = "",
    rule: Annotated[
        list[str] | None,
        typer.Option("--rule", metavar="NAME", help="Only this one; may be repeated."),
    ] = None,
    transcripts: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Play these instead of the ones shipped.")
    ] = None,
    keep: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep what was said, and what it printed.")
    ] = None,
    patience: Annotated[
        float, typer.Option(min=0.5, metavar="SECONDS", help="For what is due at once.")
    ] = 15.0,
    jobs: Annotated[
        int, typer.Option(min=1, metavar="N", help="Transcripts played at a time.")
    ] = 6,
    json: Json = False,
) -> int:
    """
    Check a bot against the protocol: one line a rule.

    warladder bot check -- ./my_bot.sh

    The bot is started anew for each situation and dials a referee that plays it from a file.
    """
    from matchmaker.tools import check as tool

    return tool.run(
        command, game=game, rules=rule or (), json=json, folder=transcripts, keep=keep,
        patience=patience, jobs=jobs,
    )  # fmt: skip
