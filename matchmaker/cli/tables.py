"""The table's commands: leaderboard, recompute."""

from typing import Annotated

import typer

from matchmaker import output
from matchmaker.cli.options import Json
from matchmaker.errors import WrongUse


def add_to(app: typer.Typer) -> None:
    app.command()(leaderboard)
    app.command()(recompute)


def leaderboard(
    game: Annotated[
        str | None, typer.Option(metavar="G", help="Else the only one that has a ladder.")
    ] = None,
    season: Annotated[
        str | None, typer.Option(metavar="NAME", help="Of this season; else the running one.")
    ] = None,
    json: Json = False,
) -> None:
    """Show the table of a game's ladder."""
    from matchmaker import board, connection, table

    with connection.ladder() as ladder:
        wanted = which(game, table.games(ladder.redis, ladder.namespace))
        found = table.read(ladder.redis, wanted, ladder.namespace, season)
    if json:
        print(
            output.document(
                "leaderboard",
                True,
                game=wanted,
                season=found["season"],
                position=found["position"],
                head=found["head"],
                order=found["order"],
                side_effect=found["side_effect"],
                table=found["table"],
            )
        )
    else:
        print(board.final(found))
        print(f"position {found['position']}, head {found['head']}")


def recompute(json: Json = False) -> int:
    """Build every table anew from the results log and compare, bit for bit."""
    import sys
    from pathlib import Path

    from matchmaker import connection, rater
    from matchmaker.archive import Archive

    with connection.ladder() as ladder:
        if not ladder.archive:
            raise WrongUse("WARLADDER_ARCHIVE is not set: the older part of the log is there")
        found = rater.recompute(ladder.redis, Archive(Path(ladder.archive)), ladder.namespace)
    for line in found.differences:
        print(f"warladder: {line}", file=sys.stderr)
    if json:
        print(
            output.document(
                "recompute",
                found.ok,
                position=found.position,
                head=found.head,
                results=found.results,
                games=found.games,
                differences=found.differences,
            )
        )
    elif found.ok:
        print(f"{found.results} results up to entry {found.position}: every table is as stored")
    return 0 if found.ok else 1


def which(game: str | None, tables: list[str]) -> str:
    """The game whose table is wanted: the one that is named, or the only one."""
    from matchmaker import lineup
    from referee import games

    if game is not None:
        return games.get(game).facts.game
    if len(tables) == 1:
        return tables[0]
    if not tables or lineup.default() in tables:
        return lineup.default()
    raise WrongUse(f"there are tables of {', '.join(tables)}: name one with --game")
