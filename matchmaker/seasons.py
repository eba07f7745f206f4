"""Seasons of a game's ladder: begun by an entry of the results log, listed with what was played."""

from __future__ import annotations

from typing import NamedTuple

import redis

from matchmaker import audit, operator_scripts, registry, table
from matchmaker.entries import Keep, Season, encode
from matchmaker.errors import WrongUse
from matchmaker.fold import PRESEASON
from matchmaker.keys import Keys
from referee.store.plainly import as_bytes


class Row(NamedTuple):
    """A season as its ready table shows it."""

    game: str
    season: str
    running: bool
    rated: int
    """Matches."""
    leader: str
    """The bot at the top; empty if nobody has played."""


def entry(
    connection: redis.Redis, keys: Keys, game: str, name: str, keep: Keep = Keep.NOTHING
) -> Season:
    """
    Make a season's entry: what is planned from now on belongs to it.

    For scripts that append it by `lua.SEASON` in a step of their own.
    """
    number = int(as_bytes(connection.get(keys.number)) or 0)
    return Season(game=game, name=name, number=number, keep=keep)


def begin(
    connection: redis.Redis,
    game: str,
    name: str,
    *,
    keep: Keep = Keep.NOTHING,
    by: str = registry.OPERATOR,
    why: str,
    namespace: str = registry.HERE,
) -> Season:
    """
    Begin a season: the game's table starts afresh with the matches that are planned from now on.

    Raises:
        WrongUse: The name cannot be one, or is taken.
    """
    keys = Keys(namespace)
    why = audit.reason(why)
    if not registry.NAMES.fullmatch(name):
        raise WrongUse(
            f"season {name!r}: a name has 1 to 32 letters, digits, '.', '_' or '-'"
            " and begins with a letter or digit"
        )
    made = entry(connection, keys, game, name, keep)
    arguments = (keys.prefix, game, name, encode(made), by, why)
    is_new = name != PRESEASON and connection.eval(operator_scripts.BEGIN_SEASON, 0, *arguments)
    if not is_new:
        raise WrongUse(f"{game} has a season {name!r} already; choose another name")
    return made


def rows(connection: redis.Redis, games: list[str], namespace: str = registry.HERE) -> list[Row]:
    """List the seasons of these games, oldest first, as their ready tables have them."""
    found = []
    for game in games:
        now = table.read(connection, game, namespace)
        for name in now["seasons"]:
            shown = table.read(connection, game, namespace, name)
            leader = shown["table"][0]["bot"] if shown["table"] else ""
            found.append(Row(game, name, name == now["season"], shown["rated"], leader))
    return found
