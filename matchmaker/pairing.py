"""
Who meets whom: a pure choice from what the ladder knows at that moment.

A *pairing* is a few matches of the same bots on the same public setting, one for each seat order.
The value of two bots for each other is closeness × uncertainty × share × freshness; waiting lowers
what a bot asks of its opponent, so that a good match is worth a short wait and none a long one.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING

from matchmaker.ratings import Rating, Ratings

if TYPE_CHECKING:
    from matchmaker.information import Belief

SHARE_LIMIT = 2.0
"""No bot takes more than this many times an even share of the recent seats, however often it is
free: a bot that crashes at once is free all the time."""
AHEAD, HOLD = 1.2, 1.5
"""Who has had so much more than an even share lets others go first, for so many patiences; once
each bot of the pool has had two seats, for before that shares say little."""
SHARE_WINDOW = 10
"""Recent seats are those of so many pairings for each bot of the pool."""
REMATCH = 0.25
"""What a pairing is worth that either bot has just had."""


@dataclass(frozen=True, kw_only=True)
class Entrant:
    """A bot that attends, is not paused and plays this ladder's game."""

    bot: str
    rating: Rating
    free: int
    """Pairings it can begin now; 0 while it is busy (it still counts as a partner to wait for)."""
    waiting_ms: int = 0
    """How long it has had a place free."""
    first: bool = False
    """Its last opponent did not come: it is served before all others."""
    referees: frozenset[str] = frozenset()
    """Referees it attends: bots of one match need one in common."""
    matches: int = 0
    """Its rated matches, those of pairings that have begun among them."""
    seconds: float = 0.0
    """Usual length of its matches; 0 if that is not known of the pool."""


@dataclass(frozen=True, kw_only=True)
class PairingRules:
    """What a ladder may set."""

    seats: int = 2
    patience_ms: int = 2_000
    """After so long a bot takes any opponent."""


def seat_orders(seats: int) -> tuple[tuple[int, ...], ...]:
    """
    List the seat orders of a pairing: both sides of a duel, all orders for more.

    Returns:
        Orders as indices into the pairing's bots, by seat. Rotations of one order stand together,
        so that after `seats` matches each bot has had each seat once.
    """
    orders = []
    for rest in permutations(range(1, seats)):
        circle = (0, *rest)
        orders += [circle[turn:] + circle[:turn] for turn in range(seats)]
    return tuple(orders)


def choose(
    entrants: Sequence[Entrant],
    recent: Sequence[tuple[str, ...]],
    rules: PairingRules,
    ratings: Ratings,
    limit: int,
    belief: "Belief | None" = None,
    seed: int = 0,
) -> list[tuple[str, ...]]:
    """
    Choose the pairings to begin now.

    Args:
        entrants: The pool, busy bots included.
        recent: Bots of the ladder's last pairings, oldest first.
        limit: The most pairings to begin.
        belief: What all results say, if duels are to be chosen by what they would tell; pairings
            that are chosen are begun in it. A bot that it does not know waits.
        seed: Of the chance that decides between equal pairings.

    Returns:
        Bots of each pairing; equal input gives equal output.
    """
    if belief is not None and rules.seats == 2:
        from matchmaker.informed import InformedPool  # needs numpy, as the belief did

        pool: Pool = InformedPool(entrants, recent, rules, ratings, belief, seed)
    else:
        pool = Pool(entrants, recent, rules, ratings)
    chosen: list[tuple[str, ...]] = []
    while len(chosen) < limit:
        group = pool.next_group()
        if group is None:
            break
        pool.take(group)
        chosen.append(group)
    return chosen


class Pool:
    """The pool while pairings are taken from it, one after the other."""

    def __init__(
        self,
        entrants: Sequence[Entrant],
        recent: Sequence[tuple[str, ...]],
        rules: PairingRules,
        ratings: Ratings,
    ) -> None:
        self.rules = rules
        self.ratings = ratings
        self.entrants = {e.bot: e for e in sorted(entrants, key=lambda e: e.bot)}
        self.free = {bot: e.free for bot, e in self.entrants.items()}
        self.unknown = ratings.fresh().sigma
        window = recent[-SHARE_WINDOW * max(1, len(self.entrants)) :]
        self.meetings: Counter[tuple[str, str]] = Counter()
        self.seats: Counter[str] = Counter()
        self.last: dict[str, tuple[str, ...]] = {}
        self.served = 0
        for group in window:
            self._note(group)
        self._closeness: dict[tuple[str, str], float] = {}
        self._bests: dict[str, float] = {}

    def next_group(self) -> tuple[str, ...] | None:
        """The best group that its bots accept now, or None."""
        if len(self.entrants) < self.rules.seats:
            return None
        for anchor in self._anchors():
            group = self._group_around(anchor)
            if group is not None:
                return group
        return None

    def take(self, group: tuple[str, ...]) -> None:
        for bot in group:
            self.free[bot] -= 1
        self._note(group)
        self._bests.clear()

    def _note(self, group: tuple[str, ...]) -> None:
        here = [bot for bot in group if bot in self.entrants]
        for bot in here:
            self.seats[bot] += 1
            self.last[bot] = group
            for other in here:
                if bot < other:
                    self.meetings[bot, other] += 1
        self.served += len(group)

    def _anchors(self) -> list[Entrant]:
        """Bots that may begin a pairing, the one with the best claim first."""
        ready = [e for e in self.entrants.values() if self._is_ready(e)]
        return sorted(ready, key=lambda e: (not e.first, -e.waiting_ms, self.seats[e.bot], e.bot))

    def _is_ready(self, entrant: Entrant) -> bool:
        if self.free[entrant.bot] <= 0:
            return False
        pool = len(self.entrants)
        if self.served < pool:
            return True
        even = (self.served + self.rules.seats) / pool
        seats = self.seats[entrant.bot] + 1
        if self.served > 2 * pool and seats > AHEAD * even and not entrant.first:
            if entrant.waiting_ms < HOLD * self.rules.patience_ms:
                return False
        return seats <= SHARE_LIMIT * even

    def _group_around(self, anchor: Entrant) -> tuple[str, ...] | None:
        """Grow a group from one bot: each time the ready bot that suits all of it best."""
        group = [anchor]
        while len(group) < self.rules.seats:
            best: tuple[float, Entrant] | None = None
            for other in self.entrants.values():
                if other in group or not self._is_ready(other) or not _can_meet(group, other):
                    continue
                if not all(self._accept(member, other) for member in group):
                    continue
                worth = sum(self._value(member, other) for member in group)
                worth *= 1 + other.waiting_ms / max(1, self.rules.patience_ms)
                if best is None or worth > best[0]:
                    best = worth, other
            if best is None:
                return None
            group.append(best[1])
        return tuple(e.bot for e in group)

    def _accept(self, one: Entrant, other: Entrant) -> bool:
        """Whether two bots take each other now rather than wait for a better partner."""
        if one.first or other.first:
            return True
        waited = max(one.waiting_ms, other.waiting_ms)
        asked = 1 - waited / self.rules.patience_ms if self.rules.patience_ms else 0.0
        if asked <= 0:
            return True
        best = max(self._best(one), self._best(other))
        return self._value(one, other) >= asked * best

    def _best(self, one: Entrant) -> float:
        """The best value in the pool, busy bots included: what waiting could bring."""
        best = self._bests.get(one.bot)
        if best is None:
            others = (e for e in self.entrants.values() if e is not one and _can_meet([one], e))
            best = max((self._value(one, other) for other in others), default=0.0)
            self._bests[one.bot] = best
        return best

    def _value(self, one: Entrant, other: Entrant) -> float:
        pair = _pair(one.bot, other.bot)
        closeness = self._closeness.get(pair)
        if closeness is None:
            chance = self.ratings.chance(one.rating, other.rating)
            closeness = self._closeness[pair] = 4 * chance * (1 - chance)
        uncertainty = (one.rating.sigma**2 + other.rating.sigma**2) / (2 * self.unknown**2)
        share = 1 / ((0.5 + self._share(one.bot)) * (0.5 + self._share(other.bot)))
        freshness = 1 / (1 + self.meetings[pair])
        if other.bot in self.last.get(one.bot, ()) or one.bot in self.last.get(other.bot, ()):
            freshness *= REMATCH
        return closeness * uncertainty * share * freshness

    def _share(self, bot: str) -> float:
        """Recent seats as a multiple of an even share."""
        return self.seats[bot] * len(self.entrants) / self.served if self.served else 0.0


def _can_meet(group: Sequence[Entrant], other: Entrant) -> bool:
    common = other.referees
    for member in group:
        common = common & member.referees
    return bool(common)


def _pair(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one < other else (other, one)
