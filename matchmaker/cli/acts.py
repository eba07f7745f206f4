"""The audit log's command."""

from typing import Annotated

import typer

from matchmaker import output
from matchmaker.cli.options import Json


def add_to(app: typer.Typer) -> None:
    app.command()(audit)


def audit(
    bot: Annotated[str | None, typer.Option(metavar="NAME", help="What concerns this bot.")] = None,
    json: Json = False,
) -> None:
    """Tell what operators did: when, who, what, to whom and why; oldest first."""
    from matchmaker import audit as acts
    from matchmaker import closed, connection
    from matchmaker.keys import Keys

    with connection.ladder() as ladder:
        keys = Keys(ladder.namespace)
        found = acts.read(ladder.redis, keys, closed.archive_of(ladder), bot)
    if json:
        print(output.document("audit", True, acts=[act._asdict() for act in found]))
        return
    for act in found:
        print(output.harmless(act.line()))
