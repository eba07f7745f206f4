"""
The choice of pairings by what they would tell: who meets whom in a duel ladder with numpy.

The promises of `pairing` hold here too; only what two bots are worth to each other differs.
"""

from collections import Counter
from collections.abc import Sequence

from matchmaker.information import PAIRING, Belief
from matchmaker.numeric import Flags, Floats, Integers, np
from matchmaker.pairing import REMATCH, SHARE_LIMIT, Entrant, PairingRules, Pool
from matchmaker.ratings import Ratings

FLOOR = 0.5
"""Who has had less than this share of the mean number of matches goes first."""
FLOOR_MATCHES = 200
"""The floor is no higher: a bot that played so many is known well enough."""
CAP, NEW_CAP = 3, 4
"""The most pairings of a bot among `WINDOW_SHARE` of a pairing for each bot of the pool, in a row;
of a bot below the floor."""
WINDOW_SHARE = 4
"""A quarter of a pairing for each bot: 25 pairings of 100 bots."""
OVERDUE = 2.0
"""Who has sat out so many pairings for each bot of the pool goes before all but `first`; an even
turn comes after a half."""
OTHERS = 3
"""While so many others are ready, nobody meets its last opponent again."""
DURATIONS = 3.0
"""Bots count as no more than so much slower or quicker than the usual."""
CANDIDATES = 200
"""Ready bots that are compared, drawn by chance if there are more: the work grows with the
square."""
EQUAL = 1e-9
"""Gains that differ by no larger share are equal, and chance decides."""


class InformedPool(Pool):
    """A pool whose pairings are chosen by a belief, which learns of those that are taken."""

    def __init__(
        self,
        entrants: Sequence[Entrant],
        recent: Sequence[tuple[str, ...]],
        rules: PairingRules,
        ratings: Ratings,
        belief: Belief,
        seed: int,
    ) -> None:
        known = [each for each in entrants if each.bot in belief.index]
        super().__init__(known, recent, rules, ratings)
        self.belief = belief
        self.chance = np.random.Generator(np.random.PCG64(seed))
        self.order = list(self.entrants)
        self.numbers = {bot: number for number, bot in enumerate(self.order)}
        self.matches = {bot: e.matches for bot, e in self.entrants.items()}
        self.latest = list(recent)
        self.sat_out = _sat_out(self.order, recent)
        self.waiting = np.array([float(e.waiting_ms) for e in self.entrants.values()])
        self.seconds = _relative([e.seconds for e in self.entrants.values()])
        places = sorted({e.referees for e in known}, key=sorted)
        self.places = np.array([places.index(e.referees) for e in self.entrants.values()], int)
        self.meet = np.array([[bool(one & other) for other in places] for one in places], bool)

    def next_group(self) -> tuple[str, ...] | None:
        floor = min(FLOOR * self._mean(), FLOOR_MATCHES)
        ready = self._ready(floor)
        if len(ready) < 2:
            return None
        for anchor in self._anchors_of(ready, floor):
            others = [bot for bot in ready if bot != anchor]
            group = self._best_of([anchor], others, len(ready), at_once=True)
            if group is not None:
                return group
        drawn = ready
        if len(ready) > CANDIDATES:
            numbers = self.chance.choice(len(ready), CANDIDATES, replace=False)
            drawn = [ready[number] for number in sorted(numbers.tolist())]
        return self._best_of(drawn, drawn, len(ready), at_once=False)

    def take(self, group: tuple[str, ...]) -> None:
        super().take(group)
        self.belief.begin(*group)
        self.latest.append(group)
        for bot in self.order:
            self.sat_out[bot] += 1
        for bot in group:
            self.sat_out[bot] = 0
            self.matches[bot] += PAIRING

    def _mean(self) -> float:
        return sum(self.matches.values()) / max(1, len(self.matches))

    def _ready(self, floor: float) -> list[str]:
        """Bots that have a place, and have not had far more than the others lately."""
        pool = len(self.entrants)
        window = pool // WINDOW_SHARE
        lately: Counter[str] = Counter()
        if window > 1:
            lately.update(bot for group in self.latest[1 - window :] for bot in group)
        limit = float("inf")
        if self.served >= pool > 0:
            limit = SHARE_LIMIT * (self.served + self.rules.seats) / pool
        return [
            bot
            for bot in self.order
            if self.free[bot] > 0
            and self.seats[bot] + 1 <= limit
            and lately[bot] < (NEW_CAP if self.matches[bot] < floor else CAP)
        ]

    def _anchors_of(self, ready: Sequence[str], floor: float) -> list[str]:
        """Ready bots that go before all others, in order."""
        overdue = OVERDUE * len(self.entrants)
        first = [bot for bot in ready if self.entrants[bot].first]
        first.sort(key=lambda bot: -self.entrants[bot].waiting_ms)
        late = [bot for bot in ready if self.sat_out[bot] >= overdue]
        late.sort(key=lambda bot: -self.sat_out[bot])
        few = [bot for bot in ready if self.matches[bot] < floor]
        few.sort(key=lambda bot: self.matches[bot])
        return list(dict.fromkeys([*first, *late, *few]))

    def _best_of(
        self, ones: Sequence[str], others: Sequence[str], ready: int, *, at_once: bool
    ) -> tuple[str, ...] | None:
        """The pairing of one of some with one of others that tells most, if both accept it now."""
        worth = self._worth(ones, others, 0.0 if ready >= 2 + OTHERS else REMATCH)
        if not at_once:
            worth = np.where(self._accepted(ones, others, worth), worth, 0.0)
        best = float(worth.max(initial=0.0))
        if best <= 0:
            return None
        rows, columns = np.nonzero(worth >= best * (1 - EQUAL))
        drawn = int(self.chance.integers(len(rows)))
        one, other = ones[rows[drawn]], others[columns[drawn]]
        return (one, other) if one < other else (other, one)

    def _worth(self, ones: Sequence[str], others: Sequence[str], rematch: float) -> Floats:
        """What pairings would tell in the time they take; nothing where bots cannot meet."""
        rows, columns = self._at(ones), self._at(others)
        worth = self.belief.gains(ones, others)
        worth /= (self.seconds[rows][:, None] + self.seconds[columns][None, :]) / 2
        if len(self.meet) > 1 or not self.meet.all():
            worth = worth * self.meet[np.ix_(self.places[rows], self.places[columns])]
        column_of = {bot: number for number, bot in enumerate(others)}
        row_of = {bot: number for number, bot in enumerate(ones)}
        again = {(one, other) for one in ones for other in self.last.get(one, ())}
        again |= {(one, other) for other in others for one in self.last.get(other, ())}
        met = [pair for pair in again if pair[0] in row_of and pair[1] in column_of]
        if met:
            at = [row_of[one] for one, _ in met], [column_of[other] for _, other in met]
            worth[at] *= rematch
        return worth

    def _accepted(self, ones: Sequence[str], others: Sequence[str], worth: Floats) -> Flags:
        """Which of these take each other now rather than wait for who is busy."""
        patience = self.rules.patience_ms
        rows, columns = self._at(ones), self._at(others)
        waited = np.maximum(self.waiting[rows][:, None], self.waiting[columns][None, :])
        if patience <= 0 or waited.min(initial=0.0) >= patience:
            return np.ones(worth.shape, bool)
        asked = 1 - waited / patience
        best = self._worth(ones, self.order, REMATCH).max(axis=1)
        most = np.maximum(best[:, None], self._worth(others, self.order, REMATCH).max(axis=1))
        accepted: Flags = worth >= asked * most * (1 - EQUAL)
        return accepted

    def _at(self, bots: Sequence[str]) -> Integers:
        return np.array([self.numbers[bot] for bot in bots], dtype=np.int64)


def _sat_out(bots: Sequence[str], recent: Sequence[tuple[str, ...]]) -> dict[str, int]:
    """How many pairings have begun since each bot's last."""
    found: dict[str, int] = {}
    for count, group in enumerate(reversed(recent)):
        for bot in group:
            found.setdefault(bot, count)
    return {bot: found.get(bot, len(recent)) for bot in bots}


def _relative(seconds: Sequence[float]) -> Floats:
    """Usual lengths of bots' matches, as multiples of the middle one."""
    usual = float(np.median(seconds)) if seconds else 0.0
    if usual <= 0:
        return np.ones(len(seconds))
    found: Floats = np.clip(np.array(seconds) / usual, 1 / DURATIONS, DURATIONS)
    return found
