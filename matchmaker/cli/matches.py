"""The commands on matches under way: match cancel."""

from typing import Annotated

import typer

from matchmaker import output
from matchmaker.cli.options import Json

app = typer.Typer(
    help="Step in.", no_args_is_help=True, rich_markup_mode=None, add_completion=False
)


@app.callback()
def group() -> None:
    """Keeps the command's name though there is one alone."""


@app.command()
def cancel(
    match: Annotated[str, typer.Argument(metavar="MATCH")],
    why: Annotated[str, typer.Option(metavar="TEXT", help="Both bots' authors read it.")],
    json: Json = False,
) -> None:
    """End a match as cancelled: it is never rated, and nobody is to blame."""
    from matchmaker import cancelling, connection

    with connection.ladder() as ladder:
        how = cancelling.cancel(ladder, match, why)
    if json:
        print(
            output.document("match cancel", True, match=match, before=how is cancelling.How.BEFORE)
        )
    else:
        print(f"match {match} {how.value}")
