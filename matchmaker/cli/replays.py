"""The commands on files of closed matches: replay show, verify."""

from pathlib import Path
from typing import Annotated

import typer

from matchmaker.cli.options import Json

app = typer.Typer(
    help="Read and check closed matches.",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
)
File = Annotated[Path, typer.Argument(metavar="FILE")]


@app.command()
def show(
    file: File,
    seat: Annotated[int | None, typer.Option(metavar="N", help="What this seat knew.")] = None,
    json: Json = False,
) -> int:
    """Tell the course of a match."""
    from matchmaker.tools import replay

    return replay.show(file, seat, json)


@app.command()
def verify(file: File, json: Json = False) -> int:
    """Play a match again and compare every word."""
    from matchmaker.tools import replay

    return replay.verify(file, json)
