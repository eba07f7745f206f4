"""
What a leader believes of the bots that are there, from one choice of pairings to the next.

Fits take time, so a belief is made anew only as often as its share of the leader's time allows;
between, pairings that begin are counted in the one at hand.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from matchmaker import table
from matchmaker.entries import Seated
from matchmaker.fold import GameFold
from matchmaker.series import Pairing

if TYPE_CHECKING:
    from matchmaker.information import Belief

WORK_SHARE = 0.1
"""Beliefs take at most this share of the leader's time."""
MOST_BOTS = 1_000
"""With more bots there is no belief: the work grows with the cube of their number."""
WEIGHT_OF_NEWEST = 0.2
"""In the usual length of a bot's matches."""


def flying(pairings: Iterable[Pairing], game: str) -> list[tuple[str, str, int]]:
    """Rated duels of a game that have begun: who meets, and how many matches are to close."""
    return [
        (each.bots[0].bot, each.bots[1].bot, len(each.orders))
        for each in pairings
        if each.game == game and each.rated and len(each.bots) == 2
    ]


@dataclass
class _Held:
    """A belief, and what of."""

    belief: Belief | None
    ladder: GameFold
    revision: int
    players: dict[str, Seated]


class Beliefs:
    """Of all games of a ladder."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self._held: dict[str, _Held] = {}
        self._due: dict[str, float] = {}
        self._took: dict[str, deque[float]] = {}
        self._seconds: dict[tuple[str, str], float] = {}

    def of(
        self,
        game: str,
        ladder: GameFold,
        players: Mapping[str, Seated],
        flying: Iterable[tuple[str, str, int]],
    ) -> Belief | None:
        """
        Give the belief about a game's bots.

        Args:
            players: The version of each bot that is there.
            flying: Pairings that have begun: two bots, and how many matches are still to close.

        Returns:
            None without numpy or with too many bots. A bot that came a moment ago may be unknown.
        """
        held = self._held.get(game)
        if held is not None and held.ladder is ladder and held.revision == ladder.revision:
            if held.players.keys() >= players.keys() and all(
                held.players[bot] == player for bot, player in players.items()
            ):
                return held.belief
        began = self.clock()
        if held is not None and began < self._due.get(game, began):
            return held.belief
        made = self._make(ladder, players, flying)
        self._held[game] = _Held(made, ladder, ladder.revision, dict(players))
        took = self._took.setdefault(game, deque(maxlen=3))
        took.append(self.clock() - began)
        self._due[game] = self.clock() + min(took) / WORK_SHARE
        return made

    def note_seconds(self, game: str, bots: Iterable[str], seconds: float) -> None:
        """Take the length of a match in."""
        for bot in bots:
            usual = self._seconds.get((game, bot), seconds)
            self._seconds[game, bot] = usual + WEIGHT_OF_NEWEST * (seconds - usual)

    def usual_seconds(self, game: str, bots: Iterable[str]) -> dict[str, float]:
        """
        Tell how long bots' matches take; of those that have not played, what others' take.

        Returns:
            By bot; 0 for all while nothing is known. Bots that are not asked for are forgotten.
        """
        there = list(bots)
        known = {bot: self._seconds[game, bot] for bot in there if (game, bot) in self._seconds}
        usual = sum(known.values()) / len(known) if known else 0.0
        for name, bot in list(self._seconds):
            if name == game and bot not in known:
                del self._seconds[name, bot]
        return {bot: known.get(bot, usual) for bot in there}

    @staticmethod
    def _make(
        ladder: GameFold,
        players: Mapping[str, Seated],
        flying: Iterable[tuple[str, str, int]],
    ) -> Belief | None:
        columns = table.estimator()
        if columns is None or len(players) > MOST_BOTS:
            return None
        from matchmaker.information import believe

        fit = columns.fitted(ladder)
        if fit is None:
            return None
        last = ladder.now.current
        before = {
            bot: Seated(bot, last[bot])
            for bot, player in players.items()
            if bot in last and player not in ladder.now.players
        }
        return believe(fit, players, before, flying)
