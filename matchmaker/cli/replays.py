"""The commands on closed matches and their files: replay list, show, verify."""

from pathlib import Path
from typing import Annotated

import typer

from matchmaker.cli.helping import Commands
from matchmaker.cli.options import Json

app = typer.Typer(
    cls=Commands,
    help="Read and check closed matches.",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
)
File = Annotated[Path, typer.Argument(metavar="FILE", help="As `replay list` names it.")]


@app.command("list")
def list_(
    bot: Annotated[str | None, typer.Option(metavar="NAME", help="With this bot.")] = None,
    game: Annotated[str | None, typer.Option(metavar="G", help="Of this game.")] = None,
    last: Annotated[int, typer.Option(min=1, metavar="N", help="The last so many.")] = 20,
    json: Json = False,
) -> None:
    """List closed matches in their order, with the files of their replays."""
    from matchmaker import closed, connection, output

    with connection.ladder() as ladder:
        rows = closed.matches(ladder, bot, game, last)
    if json:
        print(output.document("replay list", True, matches=[row.fields() for row in rows]))
    else:
        for row in rows:
            print(output.harmless(row.line()))


@app.command()
def show(
    file: File,
    seat: Annotated[int | None, typer.Option(metavar="N", help="What this seat knew.")] = None,
    tables: Annotated[bool, typer.Option("--tables", help="Draw the table at each turn.")] = False,
    json: Json = False,
) -> int:
    """Tell the course of a match."""
    from matchmaker.tools import replay

    return replay.show(file, seat, json, tables)


@app.command()
def verify(file: File, json: Json = False) -> int:
    """Play a match again and compare every word."""
    from matchmaker.tools import replay

    return replay.verify(file, json)
