"""
What ladders usually do, to compare with: simple rules, with a table by TrueSkill's mu - 3 sigma.

`uniform` draws both bots; `nearest` gives the bot with the fewest matches the one with the nearest
mu; `quality` gives it the one with the best match quality, as the makers of TrueSkill propose.
"""

from collections.abc import Callable

from matchmaker.numeric import Floats, np
from matchmaker.ratings import Rating, RatingRules
from matchmaker.tools.simulate.duel import rate_duel
from matchmaker.tools.simulate.field import Field

RULES = RatingRules()


class Rival:
    """A ladder of a field that pairs by a simple rule."""

    def __init__(self, field: Field, seed: int, rule: str) -> None:
        count = len(field)
        self.field = field
        self.chance = np.random.Generator(np.random.PCG64([29, seed]))
        self.ratings = [Rating(RULES.mu, RULES.sigma)] * count
        self.mu: Floats = np.full(count, RULES.mu)
        self.variance: Floats = np.full(count, RULES.sigma**2)
        self.begun = 0
        self.pairings: Floats = np.zeros(count)
        """By bot."""
        self.pair: Callable[[], tuple[int, int]] = {
            "uniform": self._uniform,
            "nearest": lambda: self._fewest_and(self._nearness),
            "quality": lambda: self._fewest_and(self._quality),
        }[rule]

    def play(self, pairings: int) -> None:
        for _ in range(pairings):
            one, other = self.pair()
            for first, second in ((one, other), (other, one)):
                if self.field.first_wins(first, second):
                    self._rate(first, second)
                else:
                    self._rate(second, first)
            self.begun += 1
            self.pairings[[one, other]] += 1

    def worth(self) -> Floats:
        """What the table goes by."""
        found: Floats = self.mu - 3 * np.sqrt(self.variance)
        return found

    def _rate(self, winner: int, loser: int) -> None:
        rated = rate_duel(self.ratings[winner], self.ratings[loser], RULES)
        for bot, rating in zip((winner, loser), rated):
            self.ratings[bot] = rating
            self.mu[bot], self.variance[bot] = rating.mu, rating.sigma**2

    def _uniform(self) -> tuple[int, int]:
        count = len(self.ratings)
        one, step = int(self.chance.integers(count)), int(self.chance.integers(1, count))
        return one, (one + step) % count

    def _fewest_and(self, value: Callable[[int], Floats]) -> tuple[int, int]:
        one = self._best(-self.pairings)
        worth = value(one)
        worth[one] = -np.inf
        return one, self._best(worth)

    def _nearness(self, one: int) -> Floats:
        found: Floats = -np.abs(self.mu - self.mu[one])
        return found

    def _quality(self, one: int) -> Floats:
        apart = 2 * RULES.beta**2 + self.variance + self.variance[one]
        found: Floats = -((self.mu - self.mu[one]) ** 2) / (2 * apart) - np.log(apart) / 2
        return found

    def _best(self, values: Floats) -> int:
        """The place of the largest; chance decides between equals."""
        best = np.flatnonzero(values == values.max())
        return int(best[self.chance.integers(len(best))] if len(best) > 1 else best[0])
