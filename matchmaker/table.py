"""The ready table of a ladder: what readers get without folding anything."""

import json
from typing import Any

import redis

from matchmaker.entries import Standing
from matchmaker.fold import Fold, GameFold, Player
from matchmaker.keys import Keys
from referee.store.plainly import as_bytes


def render(fold: Fold, game: str, position: int, head: bytes) -> dict[str, Any]:
    """
    Make the table of a game from a fold: a pure function, so equal logs give equal bytes.

    Returns:
        `table`: one row a bot, its current version, best first. `earlier`: versions that play no
        more. `position`, `head`: the log entry up to which this holds, and the chain there.
    """
    ladder = fold.games.get(game) or GameFold()
    rows: list[dict[str, Any]] = []
    earlier: list[dict[str, Any]] = []
    for seated, player in ladder.now.players.items():
        row: dict[str, Any] = {
            "bot": seated.bot,
            "author": fold.authors.get(seated.bot, ""),
            "rank": 0,
        }
        row |= {"version": seated.version, **_figures(player)}
        current = ladder.now.current[seated.bot] == seated.version
        (rows if current else earlier).append(row)
    for some in (rows, earlier):
        some.sort(key=lambda row: (-row["worth"], row["bot"], row["version"]))
    for rank, row in enumerate(rows, 1):
        row["rank"] = rank
    return {
        "game": game,
        "position": position,
        "head": head.hex(),
        "matches": sum(ladder.counts.values()),
        "rated": ladder.counts[Standing.RATED],
        "unrated": ladder.counts[Standing.UNRATED],
        "void": ladder.counts[Standing.VOID],
        "endings": dict(sorted(ladder.endings.items())),
        "decisions": ladder.decisions,
        "table": rows,
        "earlier": earlier,
    }


def _figures(player: Player) -> dict[str, Any]:
    return {
        "mu": player.rating.mu,
        "sigma": player.rating.sigma,
        "worth": player.rating.worth,
        "matches": player.matches,
        "wins": player.wins,
        "draws": player.draws,
        "losses": player.losses,
    }


def read(connection: redis.Redis, game: str, namespace: str = "warladder") -> dict[str, Any]:
    """
    Read a ladder's ready table: see `render` for its shape.

    Returns:
        An empty table if nothing was played yet.
    """
    stored = as_bytes(connection.get(Keys(namespace).table(game)))
    if stored is None:
        return render(Fold(), game, 0, bytes(32))
    table: dict[str, Any] = json.loads(stored)
    return table


def games(connection: redis.Redis, namespace: str = "warladder") -> list[str]:
    """Name the games that have a table."""
    return sorted(name.decode() for name in as_bytes(connection.smembers(Keys(namespace).tables)))
