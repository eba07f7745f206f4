"""
What pages and API show, read from ready documents and a bounded part of the log.

Everything here blocks: it runs in threads. Whoever reads may read at the same time as others.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from matchmaker import chronicle, registry, table, underway
from matchmaker.archive import Archive
from matchmaker.browse import Found, Past, Row, Wanted
from matchmaker.chronicle import Point
from matchmaker.connection import Ladder
from matchmaker.entries import Result
from matchmaker.errors import WrongUse
from matchmaker.keys import Keys
from matchmaker.log import Log
from matchmaker.settings import AWAY
from matchmaker.underway import Underway
from matchmaker.web.problems import NotHere, StoreAway, Unreadable
from referee.engine.errors import WarladderError

TREND_MATCHES = 20
"""A trend is the change over at least so many matches."""
RECENT = 100
"""Matches of a bot from which endings and faults are told."""
KEPT_MEETINGS = 8
"""Documents of who met whom that stay in memory; one of 500 bots is some MB."""

Shown = dict[str, Any]


@contextmanager
def reachable() -> Iterator[None]:
    """
    Raises:
        StoreAway: Redis does not answer.
    """
    try:
        yield
    except AWAY:
        raise StoreAway("the ladder's store does not answer; try again in a moment") from None


class Meeting(NamedTuple):
    """One bot against another, versions together."""

    opponent: str
    better: int
    equal: int
    worse: int

    @property
    def matches(self) -> int:
        return self.better + self.equal + self.worse

    @property
    def share(self) -> float:
        """Of the points."""
        return (self.better + self.equal / 2) / max(1, self.matches)


class Reading:
    """One ladder, as readers see it."""

    def __init__(self, ladder: Ladder) -> None:
        self.ladder = ladder
        self.keys = Keys(ladder.namespace)
        self.log = Log(ladder.redis, self.keys)
        self.archive = Archive(Path(ladder.archive))
        self.past = Past(self.log, self.archive)
        self._lock = threading.Lock()
        """Of the past's own memory, and of what is kept here."""
        self._tables: dict[tuple[str, str], tuple[bytes, Shown]] = {}
        self._meetings: dict[str, tuple[bytes, Shown]] = {}

    # Tables

    def games(self) -> list[str]:
        """Name the games that have a table."""
        return table.games(self.ladder.redis, self.ladder.namespace)

    def table(self, game: str, season: str = "") -> Shown:
        """
        Read a ready table; parsed anew only if it has changed.

        Raises:
            NotHere: There is no such game or season.
        """
        key = self.keys.past_table(game, season) if season else self.keys.table(game)
        text = self.ladder.redis.get(key)
        if text is None and season:
            running = self.table(game)
            if running["season"] == season:
                return running
            raise NotHere(f"{game} has no season {season!r}: {', '.join(running['seasons'])}")
        if text is None:
            raise NotHere(f"there is no ladder of {game!r}; there are: {self._named_games()}")
        assert isinstance(text, bytes), "our clients decode nothing"
        kept = self._tables.get((game, season))
        if kept is not None and kept[0] == text:
            return kept[1]
        parsed = table.completed(json.loads(text))
        self._tables[game, season] = text, parsed
        return parsed

    def _named_games(self) -> str:
        return ", ".join(self.games()) or "none"

    def at(self, game: str, season: str = "") -> tuple[int, str]:
        """Up to where in the log a table holds, and the chain's head there."""
        now = self.table(game, season)
        return now["position"], now["head"]

    def trends(self, now: Shown) -> dict[str, Shown | None]:
        """
        Tell how each bot's estimate changed over its last matches.

        Returns:
            By bot: `change` in points and the `matches` it took; None if it is too new.
        """
        wanted = {row["bot"]: trend_points(row["matches"]) for row in now["table"]}
        points = chronicle.read_last(self.ladder.redis, self.keys, now["game"], wanted)
        return {row["bot"]: trend(row, now["season"], points[row["bot"]]) for row in now["table"]}

    def course(self, game: str, bot: str) -> list[Point]:
        """How a bot stood in the running season, oldest first."""
        return chronicle.read(self.ladder.redis, self.keys, game, bot)

    def meetings(self, game: str, bot: str) -> tuple[Shown, list[Meeting]]:
        """
        Tell whom a bot met in the running season, most matches first; versions together.

        Returns:
            `position` and `head` up to which it holds, and the meetings.
        """
        text = self.ladder.redis.get(self.keys.head_to_head(game))
        if text is None:
            return {"position": 0, "head": ""}, []
        assert isinstance(text, bytes), "our clients decode nothing"
        with self._lock:
            kept = self._meetings.get(game)
            if kept is None or kept[0] != text:
                while len(self._meetings) >= KEPT_MEETINGS:
                    self._meetings.pop(next(iter(self._meetings)))
                kept = self._meetings[game] = text, json.loads(text)
        shown = kept[1]
        players = [name for name, _ in shown["players"]]
        own = {number for number, name in enumerate(players) if name == bot}
        sums: dict[str, Counter[str]] = {}
        for one, other, better, equal, worse in shown["meetings"]:
            if one in own and players[other] != bot:
                counts = {"better": better, "equal": equal, "worse": worse}
                sums.setdefault(players[other], Counter()).update(counts)
            elif other in own and players[one] != bot:
                counts = {"better": worse, "equal": equal, "worse": better}
                sums.setdefault(players[one], Counter()).update(counts)
        found = [
            Meeting(name, each["better"], each["equal"], each["worse"])
            for name, each in sums.items()
        ]
        found.sort(key=lambda each: (-each.matches, each.opponent))
        return {"position": shown["position"], "head": shown["head"]}, found

    # Bots

    def bot(self, name: str) -> registry.Bot | None:
        """
        Find a bot; None for one that was removed, or that the log alone tells of.

        Raises:
            NotHere: There was never such a bot.
        """
        try:
            return registry.find(self.ladder.redis, name, namespace=self.ladder.namespace)
        except WrongUse:
            if self.history(name) or self.log.of_bot(name) or self._is_in_a_table(name):
                return None
            raise NotHere(f"there was never a bot {name!r} on this ladder") from None

    def _is_in_a_table(self, bot: str) -> bool:
        tables = (self.table(game) for game in self.games())
        return any(row["bot"] == bot for now in tables for row in (*now["table"], *now["earlier"]))

    def bots(self) -> list[registry.Bot]:
        return registry.bots(self.ladder.redis, namespace=self.ladder.namespace)

    def history(self, bot: str) -> list[Shown]:
        """What happened to a bot's entry, newest first."""
        return registry.history(self.ladder.redis, bot, namespace=self.ladder.namespace)

    def bot_of_token(self, token: str) -> str | None:
        return registry.of_token(self.ladder.redis, token, namespace=self.ladder.namespace)

    # Matches

    def matches(self, wanted: Wanted, count: int, before: int = 0) -> Found:
        """Find closed matches, newest first."""
        with self._reading():
            return self.past.find(wanted, count, before)

    def recent(self, bot: str) -> list[Row]:
        """A bot's last matches, newest first."""
        with self._reading():
            return self.past.of_bot(bot, RECENT)

    def closed(self, match: str, position: int = 0) -> Row | None:
        with self._reading():
            found = self.past.match(match, position)
            # A place comes from a link, which may be wrong: the match is what was asked for.
            return self.past.match(match) if found is None and position else found

    def match(self, match: str, position: int = 0) -> Row | Underway | None:
        """
        Find a match in whatever state it is; None if there is none of this id.

        It may close between two looks, so the first is made again: what is not under way and was
        ever planned is closed.
        """
        return (
            self.closed(match, position)
            or underway.find(self.ladder, match)
            or self.closed(match, position)
        )

    def all_underway(self) -> list[Underway]:
        return underway.listed(self.ladder)

    def underway_of(self, bot: str) -> list[Underway]:
        return underway.of_bot(self.ladder, bot)

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """
        Raises:
            Unreadable: The archive's part of the log cannot be read.
        """
        with self._lock:
            try:
                yield
            except WarladderError as fault:
                name = type(fault).__name__
                raise Unreadable(
                    f"a part of the archived log cannot be read here ({name}); tell the operator"
                ) from None


def trend_points(matches: int) -> int:
    """How many of the last points reach back far enough: they are a spacing apart at least."""
    apart = chronicle.spacing(matches - TREND_MATCHES)
    return -(-TREND_MATCHES // apart) + 1


def trend(row: Shown, season: str, points: list[Point]) -> Shown | None:
    """
    How a row's estimate has changed over its last matches.

    Returns:
        None without an estimate now or so many matches ago.
    """
    if row["estimate"] is None:
        return None
    for point in reversed(points):
        if point.season != season or point.version != row["version"]:
            return None
        matches = row["matches"] - point.matches
        if matches >= TREND_MATCHES and point.estimate is not None:
            return {"change": round(row["estimate"] - point.estimate, 3), "matches": matches}
    return None


def endings_of(rows: list[Row], bot: str) -> Counter[str]:
    """How a bot's matches ended: `won`, `drawn`, `lost`, or through whose fault."""
    counts: Counter[str] = Counter()
    for row in rows:
        counts[ending_of(row, bot)] += 1
    return counts


def ending_of(row: Row, bot: str) -> str:
    """One word for how a match went for a bot."""
    seats = row.result.seats
    return went(row.result, next(number for number, seat in enumerate(seats) if seat.bot == bot))


def went(result: Result, own: int) -> str:
    """One word for how a match went for a seat: its own fault's name, else who was better."""
    if result.faults[own]:
        return result.faults[own]
    if not result.ranks:
        return "unplayed"
    best = min(result.ranks)
    if result.ranks[own] != best:
        return "lost"
    side = next(side for side in result.sides if own in side)
    others = [rank for seat, rank in enumerate(result.ranks) if seat not in side]
    return "drawn" if best in others else "won"
