"""The ready documents of a ladder: what readers get without folding anything."""

import json
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import redis

from matchmaker.entries import Seated, Standing
from matchmaker.errors import WrongUse
from matchmaker.fold import Fold, GameFold
from matchmaker.keys import Keys
from matchmaker.standings import Player
from matchmaker.tally import NO_FIVES, Counts, Tally
from referee.store.plainly import as_bytes

NOT_ESTIMATED: dict[str, Any] = {
    "estimate": None, "low": None, "high": None, "rank_low": None, "rank_high": None,
    "above_next": None, "tie_group": None, "provisional": None,
}  # fmt: skip


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
        are of the season. The README says what each column is.
    """
    ladder = _season(fold, game, season)
    rows: list[dict[str, Any]] = []
    earlier: list[dict[str, Any]] = []
    seats = _seats(ladder.tally)
    for seated, player in ladder.now.players.items():
        row: dict[str, Any] = {
            "bot": seated.bot,
            "author": fold.authors.get(seated.bot, ""),
            "rank": 0,
            "version": seated.version,
            **_figures(player),
            **NOT_ESTIMATED,
            "sides": [counts._asdict() for counts in seats.get(seated, ())],
            "pentanomial": list(ladder.tally.fives.get(seated, NO_FIVES)),
        }
        current = ladder.now.current[seated.bot] == seated.version
        (rows if current else earlier).append(row)
    for some in (rows, earlier):
        some.sort(key=lambda row: (-row["worth"], row["bot"], row["version"]))
    columns = estimator() if rows else None
    fit = columns.fitted(ladder) if columns else None
    if columns and fit:
        columns.fill(fit, ladder.rules, rows, earlier)
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
        "order": "trueskill" if rows and not fit else "estimate",
        "prior": columns.prior(fit, ladder.rules) if columns and fit else None,
        "side_effect": columns.side_effect(fit, ladder.rules) if columns and fit else [],
        "table": rows,
        "earlier": earlier,
    }


def head_to_head(
    fold: Fold, game: str, position: int, head: bytes, season: str | None = None
) -> dict[str, Any]:
    """
    Make the document of who met whom: a pure function, so equal logs give equal bytes.

    Args:
        season: In which; in the running one if None.

    Returns:
        `players`: bot and version. `meetings`: rows of two indices into it, and how often the first
        did better, equally, worse than the second. `position`, `head` as in `render`.
    """
    ladder = _season(fold, game, season)
    players = ladder.tally.players()
    index = {player: number for number, player in enumerate(players)}
    return {
        "game": game,
        "season": ladder.name,
        "position": position,
        "head": head.hex(),
        "players": [list(player) for player in players],
        "meetings": [
            [index[one], index[other], *counts]
            for (one, other), counts in ladder.tally.head_to_head().items()
        ],
    }


def _season(fold: Fold, game: str, season: str | None) -> GameFold:
    ladder = fold.games.get(game) or GameFold()
    if season is None:
        return ladder
    return next(each for each in ladder.seasons if each.name == season)


def estimator() -> ModuleType | None:
    """What makes the estimate; None where there is no numpy."""
    try:
        from matchmaker import columns
    except ImportError:
        return None
    return columns


def warm_up() -> None:
    """Load what makes the estimate: it would delay the first table by half a second."""
    estimator()


def _seats(tally: Tally) -> dict[Seated, list[Counts]]:
    """Counts by seat of each player."""
    found: dict[Seated, list[Counts]] = {}
    for (player, seat), counts in sorted(tally.seats.items()):
        mine = found.setdefault(player, [])
        mine += [Counts()] * (seat - len(mine)) + [counts]
    return found


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


def stored(shown: Mapping[str, Any]) -> bytes:
    """Give a ready document as it is stored: equal ones are equal bytes."""
    return json.dumps(shown, ensure_ascii=False, separators=(",", ":")).encode()


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
        return completed(table)
    past = as_bytes(connection.get(keys.past_table(game, season)))
    if past is None:
        raise WrongUse(f"{game} has no season {season!r}; there are: {', '.join(table['seasons'])}")
    table = json.loads(past)
    return completed(table)


def completed(table: dict[str, Any]) -> dict[str, Any]:
    """A table of a program that knew no estimate yet; the next result brings a new one."""
    if "order" not in table:
        table["order"] = "trueskill"
        table["side_effect"] = []
        for row in table["table"]:
            row |= NOT_ESTIMATED
    return table


def read_head_to_head(
    connection: redis.Redis,
    game: str,
    namespace: str = "warladder",
    season: str | None = None,
) -> dict[str, Any]:
    """
    Read who met whom: see `head_to_head` for its shape.

    Returns:
        An empty document if nothing was written yet.
    """
    keys = Keys(namespace)
    text = as_bytes(connection.get(keys.head_to_head(game)))
    if season is not None and (text is None or json.loads(text)["season"] != season):
        text = as_bytes(connection.get(keys.past_head_to_head(game, season)))
    if text is None:
        return head_to_head(Fold(), game, 0, bytes(32))
    found: dict[str, Any] = json.loads(text)
    return found


def games(connection: redis.Redis, namespace: str = "warladder") -> list[str]:
    """Name the games that have a table."""
    return sorted(name.decode() for name in as_bytes(connection.smembers(Keys(namespace).tables)))
