"""The table's commands: leaderboard, recompute."""

from typing import Annotated

import typer

from matchmaker import output
from matchmaker.cli.options import Json
from matchmaker.errors import WrongUse


def add_to(app: typer.Typer) -> None:
    app.command()(leaderboard)


def leaderboard(
    game: Annotated[str | None, typer.Option(metavar="G")] = None, json: Json = False
) -> None:
    """Show the table of a game's ladder."""
    from matchmaker import board, connection, table

    with connection.ladder() as ladder:
        wanted = which(game, table.games(ladder.redis, ladder.namespace))
        found = table.read(ladder.redis, wanted, ladder.namespace)
    if json:
        print(
            output.document(
                "leaderboard",
                True,
                game=wanted,
                position=found["position"],
                head=found["head"],
                table=found["table"],
            )
        )
    else:
        print(board.final(found))
        print(f"position {found['position']}, head {found['head']}")


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
