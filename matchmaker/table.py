"""The ready table of a ladder: what readers get without folding anything."""

import json
from typing import Any

import redis

from matchmaker.entries import Standing
from matchmaker.errors import WrongUse
from matchmaker.fold import Fold, GameFold, Player
from matchmaker.keys import Keys
from referee.store.plainly import as_bytes


def render(
    fold: Fold, game: str, position: int, head: bytes, season: str | None = None
) -> dict[str, Any]:
    """
    Make the table of a game from a fold: a pure function, so equal logs give equal bytes.

    Args:
        season: Whose table; the running one's if None.

    Returns:
        `table`: one row a bot, its current version, best first. `earlier`: versions that play no
        more. `position`, `head`: the log entry up to which this holds, and the chain there.
        `seasons`: names of this and all before it, oldest first. All counts but `rated_in_all`
        are of the season.
    """
    ladder = fold.games.get(game) or GameFold()
    if season is not None:
        ladder = next(each for each in ladder.seasons if each.name == season)
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
        "season": ladder.name,
        "seasons": [each.name for each in ladder.seasons],
        "position": position,
        "head": head.hex(),
        "matches": sum(ladder.counts.values()),
        "rated": ladder.counts[Standing.RATED],
        "rated_in_all": ladder.rated_in_all,
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


def read(
    connection: redis.Redis,
    game: str,
    namespace: str = "warladder",
    season: str | None = None,
) -> dict[str, Any]:
    """
    Read a ladder's ready table: see `render` for its shape.

    Args:
        season: Whose table; the running one's if None.

    Returns:
        An empty table if nothing was played yet.

    Raises:
        WrongUse: There is no such season.
    """
    keys = Keys(namespace)
    stored = as_bytes(connection.get(keys.table(game)))
    table: dict[str, Any] = (
        render(Fold(), game, 0, bytes(32)) if stored is None else json.loads(stored)
    )
    if season is None or season == table["season"]:
        return table
    past = as_bytes(connection.get(keys.past_table(game, season)))
    if past is None:
        raise WrongUse(f"{game} has no season {season!r}; there are: {', '.join(table['seasons'])}")
    table = json.loads(past)
    return table


def games(connection: redis.Redis, namespace: str = "warladder") -> list[str]:
    """Name the games that have a table."""
    return sorted(name.decode() for name in as_bytes(connection.smembers(Keys(namespace).tables)))
