"""Meetings that tournaments want, as pairings for the ladder to plan: whose turn it is, and how."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from matchmaker.attendance import Player
from matchmaker.entries import Seated, tournament_of
from matchmaker.series import Pairing, new_pairing
from matchmaker.tournaments.runner import Wanted
from matchmaker.tournaments.shares import LADDER, LADDER_WEIGHT, Shares


class Meetings:
    """What running tournaments want now, and what is left for the ladder."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock
        self.shares = Shares()
        self._wanted: Sequence[Wanted] = ()
        self._demand: Counter[str] = Counter()
        """Meetings that could begin now, by bot."""
        self._weights: dict[str, dict[str, float]] = {}
        """By bot, the tournaments that want it now and their weights."""
        self._running: dict[str, float] = {}
        """Weights of all that want anything."""

    def look(
        self,
        wanted: Sequence[Wanted],
        players: Callable[[str], Mapping[str, Player]],
        pairings: Iterable[Pairing],
    ) -> None:
        """See what is wanted in this round."""
        running = {each.contest.begun.tournament: each.contest.begun.weight for each in wanted}
        for gone in self._running.keys() - running.keys():
            self.shares.forget(gone)
        self._running = running
        begun = {pairing.cause for pairing in pairings}
        self._wanted = [
            each
            for each in wanted
            if each.is_sure
            and each.cause not in begun
            and all(bot in players(each.contest.begun.game) for bot in each.meeting.bots)
        ]
        self._demand = Counter(bot for each in self._wanted for bot in each.meeting.bots)
        self._weights = {}
        for each in self._wanted:
            for bot in each.meeting.bots:
                activities = self._weights.setdefault(bot, {})
                activities[each.contest.begun.tournament] = each.contest.begun.weight

    @property
    def waiting(self) -> int:
        """Meetings that could begin if their bots had places."""
        return len(self._wanted)

    def begin(
        self,
        players: Callable[[str], Mapping[str, Player]],
        free: Callable[[Player], int],
        on_ladder: Callable[[str], bool],
    ) -> Iterator[Pairing]:
        """
        Give a pairing for each meeting that can begin now; whoever takes it plans it at once.

        Args:
            free: Places of a bot that nothing has taken yet.
            on_ladder: Whether the ladder would pair a bot.
        """
        for each in self._wanted:
            begun = each.contest.begun
            there = [players(begun.game)[bot] for bot in each.meeting.bots]
            if all(
                self._may(player, begun.tournament, free(player), on_ladder) for player in there
            ):
                yield new_pairing(
                    begun.game,
                    [Seated(player.bot, player.version) for player in there],
                    # One public setting for one rotation of the seats; the next has its own.
                    each.meeting.orders[: begun.seats],
                    rated=begun.rated,
                    cause=each.cause,
                    options=begun.options,
                )

    def _may(
        self, player: Player, tournament: str, free: int, on_ladder: Callable[[str], bool]
    ) -> bool:
        rivals = dict(self._weights[player.bot])
        if on_ladder(player.bot):
            rivals[LADDER] = LADDER_WEIGHT
        if free <= 0 or free >= self._demand[player.bot] + (LADDER in rivals):
            return free > 0
        return self.shares.may(player.bot, tournament, rivals, self.clock())

    def left_for_ladder(self, bot: str, free: int) -> int:
        """Give how many of a bot's free places the ladder may take now."""
        demand = self._demand[bot]
        if not demand or free <= 0:
            return free
        rivals = {**self._weights[bot], LADDER: LADDER_WEIGHT}
        if self.shares.may(bot, LADDER, rivals, self.clock()):
            return max(1, free - demand)
        return max(0, free - demand)

    def served(self, pairing: Pairing) -> None:
        """Note that a match of a pairing was planned."""
        found = tournament_of(pairing.cause)
        for seated in pairing.bots:
            if found is None:
                self.shares.serve(seated.bot, LADDER, LADDER_WEIGHT)
            else:
                weight = self._running.get(found[0])
                if weight is not None:
                    self.shares.serve(seated.bot, found[0], weight)
                if pairing.fresh and self._demand[seated.bot] > 0:
                    self._demand[seated.bot] -= 1
