"""Unrated matches that bots ask for: with a house bot, planned like any other match."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgpack
import redis

from matchmaker import registry
from matchmaker.attendance import Attendance, Player
from matchmaker.entries import Seated
from matchmaker.keys import Keys
from matchmaker.series import Pairing, new_pairing
from referee import games
from referee.store.plainly import as_bytes

KEPT_SECONDS = 60.0
"""A request that finds no partner for so long is dropped; the bot may ask again."""
MOST_OF_ONE_BOT = 4


class Practise:
    """Requests that wait for a house bot with a place free."""

    def __init__(self, connection: redis.Redis, keys: Keys, clock: Callable[[], float]) -> None:
        self.redis = connection
        self.keys = keys
        self.clock = clock
        self.dropped = 0
        """Wishes that came to nothing."""
        self._waiting: deque[tuple[float, dict[str, Any]]] = deque()

    def pairings(
        self,
        attendance: Attendance,
        players: Mapping[str, Mapping[str, Player]],
        engaged: Counter[str],
    ) -> Iterator[Pairing]:
        """Give a pairing of one match for each request that can be met now."""
        self._fetch()
        for _ in range(len(self._waiting)):
            since, request = self._waiting.popleft()
            there = players.get(str(request.get("game")), {})
            pairing = self._meet(request, there, attendance, engaged)
            if pairing is not None:
                engaged.update(bot.bot for bot in pairing.bots)
                yield pairing
            elif self.clock() - since < KEPT_SECONDS:
                self._waiting.append((since, request))
            else:
                self._drop(request["bot"], "no house bot with a place free in a minute")

    def _drop(self, bot: str, why: str) -> None:
        self.dropped += 1
        registry.remember(self.redis, self.keys, bot, "practise", why)

    def _fetch(self) -> None:
        """Take requests out of the store; what a process takes to its death is asked again."""
        for data in as_bytes(self.redis.lpop(self.keys.practise, 16)) or ():
            try:
                request = dict(msgpack.unpackb(data))
                bot = str(request["bot"])
            except (ValueError, TypeError, KeyError, msgpack.UnpackException):
                self.dropped += 1
                continue
            same = sum(1 for _, other in self._waiting if other["bot"] == bot)
            if same < MOST_OF_ONE_BOT:
                self._waiting.append((self.clock(), request))
            else:
                self._drop(bot, f"more than {MOST_OF_ONE_BOT} wishes at once")

    def _meet(
        self,
        request: Mapping[str, Any],
        players: Mapping[str, Player],
        attendance: Attendance,
        engaged: Counter[str],
    ) -> Pairing | None:
        """Find house bots for a request; None if there are none now."""
        asker = players.get(request["bot"])
        if asker is None or not _has_place(asker, attendance, engaged):
            return None
        wanted = str(request.get("opponent") or "")
        group, common = [asker], asker.referees
        seats = min(number for number in games.get(request["game"]).facts.seats if number > 1)
        for bot in sorted(attendance.house & players.keys() - {asker.bot}):
            other = players[bot]
            if len(group) == seats or (wanted and len(group) == 1 and bot != wanted):
                continue
            if common & other.referees and _has_place(other, attendance, engaged):
                group.append(other)
                common = common & other.referees
        if len(group) < seats:
            return None
        seat = request.get("seat")
        turn = -int(seat) % seats if isinstance(seat, int) else 0
        order = tuple((turn + index) % seats for index in range(seats))
        bots = [Seated(player.bot, player.version) for player in group]
        return new_pairing(request["game"], bots, [order], rated=False, cause="practise")


def _has_place(player: Player, attendance: Attendance, engaged: Counter[str]) -> bool:
    used = max(engaged[player.bot], attendance.used.get(player.bot, 0))
    return used < player.places
