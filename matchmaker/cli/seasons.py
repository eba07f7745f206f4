"""The commands on seasons: season begin, list."""

from typing import Annotated

import typer

from matchmaker import output
from matchmaker.cli.helping import Commands
from matchmaker.cli.options import By, Json
from matchmaker.entries import Keep

app = typer.Typer(
    cls=Commands,
    help="Begin a ladder's table afresh.",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
)


@app.command()
def begin(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The new season's.")],
    game: Annotated[str, typer.Option(metavar="G", help="The ladder's.")],
    why: Annotated[str, typer.Option(metavar="TEXT", help="For the audit log.")],
    keep: Annotated[
        Keep,
        typer.Option(
            metavar="nothing|mu", help="What bots bring along; `mu` comes with a wider sigma."
        ),
    ] = Keep.NOTHING,
    by: By = None,
    json: Json = False,
) -> None:
    """Begin a season: matches planned from now on count for a new table."""
    from matchmaker import audit, connection, seasons
    from referee import games

    found = games.get(game).facts.game
    with connection.ladder() as ladder:
        season = seasons.begin(
            ladder.redis, found, name,
            keep=keep, by=audit.who(by), why=why, namespace=ladder.namespace,
        )  # fmt: skip
    if json:
        print(
            output.document(
                "season begin", True, game=found, season=name, number=season.number, keep=keep.value
            )
        )
    else:
        print(f"season {name} of {found} begins after match number {season.number}")


@app.command("list")
def list_(
    game: Annotated[str | None, typer.Option(metavar="G", help="Of this game.")] = None,
    json: Json = False,
) -> None:
    """Show every season with its matches and who leads it, oldest first."""
    from matchmaker import connection, seasons, table
    from referee import games

    with connection.ladder() as ladder:
        names = (
            [games.get(game).facts.game] if game else table.games(ladder.redis, ladder.namespace)
        )
        rows = seasons.rows(ladder.redis, names, ladder.namespace)
    if json:
        print(output.document("season list", True, seasons=[row._asdict() for row in rows]))
        return
    for row in rows:
        words = f"{row.game}  {row.season}  {row.rated} rated"
        leader = f"  first: {row.leader}" if row.leader else ""
        print(output.harmless(words + leader + ("  running" if row.running else "")))
