"""Who is there now: referees with room, and the bots that attend them and may be paired."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import redis

from matchmaker.keys import Keys
from referee.store import presence
from referee.store.plainly import as_bytes
from referee.store.records import Attending, Presence


class Player(NamedTuple):
    """A bot as it attends one game."""

    bot: str
    version: str
    places: int
    """Matches it takes at once, over all instances, referees and games."""
    instances: Mapping[str, tuple[str, ...]]
    """By referee where the game is played: those of its instances that attend there."""

    @property
    def referees(self) -> frozenset[str]:
        return frozenset(self.instances)


@dataclass(frozen=True, kw_only=True)
class Attendance:
    """One look at presence and registry."""

    referees: Mapping[str, Presence]
    paused: frozenset[str] = frozenset()
    """Bots that attend but get no matches."""
    house: frozenset[str] = frozenset()
    authors: Mapping[str, str] = field(default_factory=dict)
    used: Mapping[str, int] = field(default_factory=dict)
    """Places taken, by bot."""
    first: frozenset[str] = frozenset()
    """Bots whose last opponent did not come."""
    planned: int = 0
    """Matches that are planned and not opened."""

    @property
    def room(self) -> int:
        """How many more matches can be planned: what referees take, less what is on the way."""
        taking = (each.room for each in self.referees.values() if not each.draining)
        return max(0, sum(taking) - self.planned)

    @property
    def attending(self) -> dict[str, frozenset[str]]:
        """Games that each bot attends for, at any referee and by any rules."""
        found: dict[str, set[str]] = {}
        for referee in self.referees.values():
            for bot, streams in referee.attending.items():
                for stream in streams:
                    found.setdefault(bot, set()).update(stream.games)
        return {bot: frozenset(games) for bot, games in found.items()}

    def players(self, game: str, rules: str, cards: str) -> dict[str, Player]:
        """Bots that can be paired in a game under these rules and cards, by name."""
        streams: dict[str, list[tuple[str, Attending]]] = {}
        for name, referee in sorted(self.referees.items()):
            if referee.draining or referee.games.get(game) != rules:
                continue
            if referee.cards.get(game, cards) != cards:
                continue
            for bot, attending in referee.attending.items():
                for stream in attending:
                    if game in stream.games and not stream.leaving:
                        streams.setdefault(bot, []).append((name, stream))
        found = {}
        for bot, there in streams.items():
            if bot in self.paused or bot not in self.authors:
                continue
            # Instances of two versions at once: one version plays, for a row is a version's.
            version = max(stream.version for _, stream in there)
            current = [(name, stream) for name, stream in there if stream.version == version]
            found[bot] = Player(
                bot=bot,
                version=version,
                places=max(stream.max_matches for _, stream in current),
                instances={
                    name: tuple(sorted(s.instance for at, s in current if at == name))
                    for name, _ in current
                },
            )
        return found


def read(connection: redis.Redis, keys: Keys) -> Attendance:
    """Look at presence and registry: three round trips, whatever the number of bots."""
    referees = presence.present(connection, keys)
    bots = sorted({bot for each in referees.values() for bot in each.attending})
    with connection.pipeline(transaction=False) as pipe:
        pipe.smembers(keys.served_first)
        pipe.zcard(keys.planned)
        for bot in bots:
            pipe.hmget(keys.bot(bot), ["author", "paused", "house"])
            pipe.scard(keys.places(bot))
        answers = as_bytes(pipe.execute())
    paused, house, authors, used = set(), set(), {}, {}
    for index, bot in enumerate(bots):
        author, pause, is_house = answers[2 + 2 * index]
        used[bot] = int(answers[3 + 2 * index])
        if author is None:
            continue
        authors[bot] = author.decode()
        if pause:
            paused.add(bot)
        if is_house == b"1":
            house.add(bot)
    return Attendance(
        referees=referees,
        paused=frozenset(paused),
        house=frozenset(house),
        authors=authors,
        used=used,
        first=frozenset(name.decode() for name in answers[0]),
        planned=int(answers[1]),
    )
