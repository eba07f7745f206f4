"""
A simulated ladder that pairs and ranks with the ladder's own code.

Only time and matches are left out: pairings begin in batches, each is played to its end before the
next begins, and the fit is made anew between.
"""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from dataclasses import field as made

from matchmaker import estimate
from matchmaker.entries import Seated
from matchmaker.estimate import Fit
from matchmaker.information import TOP_SHARE, believe
from matchmaker.numeric import Floats, np
from matchmaker.pairing import Entrant, PairingRules, choose
from matchmaker.ratings import TrueSkill
from matchmaker.tally import Scored, Tally
from matchmaker.tools.simulate.field import Field

BATCH = 25
RECENT = 2_000
RULES = PairingRules(patience_ms=0)
HERE = frozenset({"referee"})
RATINGS = TrueSkill()
NEW = RATINGS.fresh()


@dataclass
class Ladder:
    """A ladder of a field, from its first pairing on."""

    field: Field
    seed: int
    top_share: float = TOP_SHARE
    tally: Tally = made(default_factory=Tally)
    recent: list[tuple[str, ...]] = made(default_factory=list)
    begun: int = 0
    """Pairings in all."""
    seats: Counter[int] = made(default_factory=Counter)
    """Pairings by bot."""
    of_version: Counter[Seated] = made(default_factory=Counter)
    """Pairings by player."""
    before: dict[Seated, Seated] = made(default_factory=dict)
    fit: Fit | None = None
    _fitted: int = 0
    """Pairings that are in the fit."""

    def play(self, batch: int = BATCH, away: Collection[int] = ()) -> list[tuple[int, int]]:
        """
        Play one batch of pairings.

        Args:
            away: Bots that are not there.

        Returns:
            Who met whom, in the order begun.
        """
        self.refit()
        there = {bot: self.field.player(bot) for bot in range(len(self.field)) if bot not in away}
        numbers = {player.bot: bot for bot, player in there.items()}
        played = {bot for bot, _ in self.tally.seats}
        belief = believe(
            self.fit,
            {player.bot: player for player in there.values()},
            {p.bot: self.before[p] for p in there.values() if p in self.before and p not in played},
            top_share=self.top_share,
        )
        entrants = [
            Entrant(
                bot=player.bot,
                rating=NEW,
                free=batch,
                referees=HERE,
                matches=2 * self.of_version[player],
            )
            for player in there.values()
        ]
        groups = choose(
            entrants, self.recent, RULES, RATINGS, batch, belief, seed=self.seed + self.begun
        )
        pairs = [(numbers[one], numbers[other]) for one, other in groups]
        for pair in pairs:
            self._meet(*pair)
        self.recent = [*self.recent, *groups][-RECENT:]
        return pairs

    def refit(self) -> Fit:
        """Fit all results so far."""
        if self.fit is None or self._fitted != self.begun:
            self.fit = estimate.fit(self.tally, self.tally.players(), self.before)
            self._fitted = self.begun
        return self.fit

    def change(self, bot: int, by: float) -> None:
        """Let a bot come with a new version, announced."""
        old = self.field.player(bot)
        self.field.change(bot, by)
        self.before[self.field.player(bot)] = old

    def worth(self) -> Floats:
        """What the table goes by, of each bot of the field."""
        fit = self.refit()
        found = np.zeros(len(self.field))
        for bot in range(len(self.field)):
            player = self.field.player(bot)
            if player in fit.index:
                found[bot] = fit.strengths[fit.index[player]]
            elif player in self.before and self.before[player] in fit.index:
                found[bot] = estimate.HERITAGE * fit.strengths[fit.index[self.before[player]]]
        return found

    def _meet(self, one: int, other: int) -> None:
        self.begun += 1
        for number, (first, second) in enumerate(((one, other), (other, one))):
            won = self.field.first_wins(first, second)
            match = 2 * self.begun + number
            seats = self.field.player(first), self.field.player(second)
            ranks = (1, 2) if won else (2, 1)
            self.tally.add(Scored(match, f"m{match}", seats, ((0,), (1,)), ranks, f"p{self.begun}"))
        for bot in (one, other):
            self.seats[bot] += 1
            self.of_version[self.field.player(bot)] += 1
        if self.begun % 100 == 0:
            self.tally.settle(2 * self.begun + 1)
