"""`warladder bridge`: programs that read and write lines play as bots."""

from typing import Annotated

import typer


def add_to(app: typer.Typer) -> None:
    # What follows the program's name is the program's.
    app.command(context_settings={"allow_interspersed_args": False})(bridge)


def bridge(
    command: Annotated[
        list[str], typer.Argument(metavar="COMMAND", help="The program and its words.")
    ],
    game: Annotated[
        list[str] | None, typer.Option(metavar="G", help="Only this one; may be repeated.")
    ] = None,
    max_matches: Annotated[
        int, typer.Option(min=1, max=1000, metavar="N", help="How many at once.")
    ] = 1,
    detail: Annotated[
        str, typer.Option(metavar="full|no-labels|events", help="How much a question holds.")
    ] = "full",
    per_match: Annotated[
        bool, typer.Option("--per-match", help="Start a program for each match.")
    ] = False,
    updates: Annotated[
        bool, typer.Option("--updates", help="Tell events while nothing is asked, too.")
    ] = False,
    version: Annotated[
        str, typer.Option(metavar="V", help="Of the bot: results are kept by version.")
    ] = "1",
    instance: Annotated[str, typer.Option(metavar="I", help="Tells running copies apart.")] = "",
    referee: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Else WARLADDER_REFEREE, else that of `up`."),
    ] = None,
    token: Annotated[
        str | None, typer.Option(metavar="TOKEN", help="Else WARLADDER_TOKEN.")
    ] = None,
) -> int:
    """
    Attend with a program that reads JSON lines and answers each question with a line.

    warladder bridge --max-matches 4 -- ./my_bot.sh

    What the lines hold is in sample_bots/bridge/README.md.
    """
    from matchmaker.tools import bridge as tool

    return tool.run(
        command=command, games=game or (), max_matches=max_matches, detail=detail,
        version=version, instance=instance, per_match=per_match, updates=updates,
        referee=referee, token=token,
    )  # fmt: skip
