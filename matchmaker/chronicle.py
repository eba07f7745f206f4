"""
How each bot stood over time: points taken from the published tables, a bounded number of each bot.

A point is what the table said of a bot at an entry of the log, so it can be computed again from the
log up to there. The leader writes them behind the tables; nothing is ever computed from them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import redis

from matchmaker.keys import Keys
from matchmaker.leader import Deposed, Term
from referee.store.plainly import as_bytes
from referee.store.scripts import packed

MOST = 128
"""Points of a bot. One more thins them out: every second goes, the newest stays."""
FINE = 64
"""A point is at least one FINEth of the matches of its bot's version after the one before."""

WRITE = """
-- Write points of bots, if we lead. ARGV: prefix, term's token, most points of one bot, MessagePack
-- of [[game, bot, point, does it begin afresh], ...]. Returns whether it did.
local prefix = ARGV[1]
if redis.call('GET', prefix .. 'leader') ~= ARGV[2] then
  return 0
end
for _, each in ipairs(cmsgpack.unpack(ARGV[4])) do
  local game, bot, point, afresh = unpack(each)
  local key = prefix .. 'chronicle:' .. game .. ':' .. bot
  if afresh then
    redis.call('DEL', key)
  end
  if redis.call('RPUSH', key, point) > tonumber(ARGV[3]) then
    local all = redis.call('LRANGE', key, 0, -1)
    redis.call('DEL', key)
    for i = 1 + (#all + 1) % 2, #all, 2 do
      redis.call('RPUSH', key, all[i])
    end
  end
end
return 1
"""


class Point(NamedTuple):
    """A bot in a published table; units as there."""

    position: int
    """Of the log, up to where that table holds."""
    season: str
    version: str
    rank: int
    matches: int
    """Rated ones of this version."""
    mu: float
    sigma: float
    estimate: float | None
    low: float | None
    high: float | None


class Chronicle:
    """What a leader writes."""

    def __init__(self, connection: redis.Redis, keys: Keys, term: Term) -> None:
        self.redis = connection
        self.keys = keys
        self.term = term
        self._last: dict[tuple[str, str], Point | None] = {}
        """By game and bot; None if there is none."""

    def forget(self) -> None:
        """Another leader may have written: what is known of the store must be read again."""
        self._last.clear()

    def note(self, tables: Iterable[Mapping[str, Any]]) -> int:
        """
        Take points from tables that have just been published.

        Returns:
            How many.

        Raises:
            Deposed: Another matchmaker leads.
        """
        seen = [(shown, row) for shown in tables for row in shown["table"]]
        self._recall([(shown["game"], row["bot"]) for shown, row in seen])
        new: list[tuple[str, str, Point, bool]] = []
        for shown, row in seen:
            game, bot = shown["game"], row["bot"]
            point, last = point_of(shown, row), self._last[game, bot]
            afresh = last is not None and last.season != point.season
            if last is None or afresh or is_news(last, point):
                new.append((game, bot, point, afresh))
        if new:
            blob = packed([(game, bot, _stored(point), afresh) for game, bot, point, afresh in new])
            if not self.redis.eval(WRITE, 0, self.keys.prefix, self.term.token, MOST, blob):
                raise Deposed("another matchmaker leads; our points were refused")
            self._last.update({(game, bot): point for game, bot, point, _ in new})
        return len(new)

    def _recall(self, bots: Sequence[tuple[str, str]]) -> None:
        """Read the last points of those we do not know."""
        unknown = [each for each in bots if each not in self._last]
        if not unknown:
            return
        with self.redis.pipeline(transaction=False) as pipe:
            for game, bot in unknown:
                pipe.lindex(self.keys.chronicle(game, bot), -1)
            answers = as_bytes(pipe.execute())
        for each, text in zip(unknown, answers):
            self._last[each] = None if text is None else _read(text)


def point_of(shown: Mapping[str, Any], row: Mapping[str, Any]) -> Point:
    """Take the point out of a row of a ready table."""
    return Point(
        shown["position"], shown["season"], row["version"], row["rank"], row["matches"],
        round(row["mu"], 3), round(row["sigma"], 3), row["estimate"], row["low"], row["high"],
    )  # fmt: skip


def is_news(last: Point, point: Point) -> bool:
    """Whether a point is far enough from the one before: in matches, or another version."""
    if point.version != last.version:
        return True
    return abs(point.matches - last.matches) >= spacing(point.matches)


def read(connection: redis.Redis, keys: Keys, game: str, bot: str) -> list[Point]:
    """Read how a bot stood, oldest first."""
    return [_read(text) for text in as_bytes(connection.lrange(keys.chronicle(game, bot), 0, -1))]


def read_last(
    connection: redis.Redis, keys: Keys, game: str, wanted: Mapping[str, int]
) -> dict[str, list[Point]]:
    """
    Read the last points of many bots, oldest first, in one round trip.

    Args:
        wanted: How many of each bot.
    """
    with connection.pipeline(transaction=False) as pipe:
        for bot, count in wanted.items():
            pipe.lrange(keys.chronicle(game, bot), -count, -1)
        answers = as_bytes(pipe.execute())
    return {bot: [_read(text) for text in texts] for bot, texts in zip(wanted, answers)}


def spacing(matches: int) -> int:
    """Matches between two points of a version that has played so many."""
    return max(1, matches // FINE)


def _stored(point: Point) -> bytes:
    return json.dumps(list(point), ensure_ascii=False, separators=(",", ":")).encode()


def _read(text: bytes) -> Point:
    return Point(*json.loads(text))
