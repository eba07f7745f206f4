"""The commands on single matches: match cancel, void, anew."""

from typing import Annotated

import typer

from matchmaker import output
from matchmaker.cli.helping import Commands
from matchmaker.cli.options import By, Json

app = typer.Typer(
    cls=Commands,
    help="Cancel a match, or take its result out.",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
)
Match = Annotated[str, typer.Argument(metavar="MATCH", help="Its id.")]
Why = Annotated[str, typer.Option(metavar="TEXT", help="The bots' authors read it.")]


@app.command()
def cancel(match: Match, why: Why, by: By = None, json: Json = False) -> None:
    """End a running match as cancelled: it is never rated, and nobody is to blame."""
    from matchmaker import audit, cancelling, connection

    with connection.ladder() as ladder:
        how = cancelling.cancel(ladder, match, why, by=audit.who(by))
    if json:
        print(
            output.document("match cancel", True, match=match, before=how is cancelling.How.BEFORE)
        )
    else:
        print(f"match {match} {how.value}")


@app.command()
def void(match: Match, why: Why, by: By = None, json: Json = False) -> None:
    """Take a closed match's result out of the table; a tournament plays it anew."""
    from matchmaker import audit, connection, voiding

    with connection.ladder() as ladder:
        done = voiding.void(ladder, match, why, by=audit.who(by))
    if json:
        print(output.document("match void", True, match=match, position=done.position))
    else:
        print(f"match {match} is void (entry {done.position} of the results log)")


@app.command()
def anew(match: Match, why: Why, by: By = None, json: Json = False) -> None:
    """Take a ladder match's result out and let the same seats play again, on a fresh deal."""
    from matchmaker import audit, connection, voiding

    with connection.ladder() as ladder:
        done = voiding.void(ladder, match, why, anew=True, by=audit.who(by))
    if json:
        print(
            output.document(
                "match anew", True, match=match, position=done.position, pairing=done.pairing
            )
        )
    else:
        print(f"match {match} is void and is played anew when all its bots are there")
