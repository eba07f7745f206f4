"""The table of one season of a game after some rated results: who stands how, by his ratings."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from matchmaker.entries import Seated
from matchmaker.ratings import Rating, TrueSkill
from matchmaker.tally import Scored


class Player(NamedTuple):
    """A version of a bot, with what it has done."""

    rating: Rating
    matches: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0


@dataclass
class Standings:
    """The table of a game after its rated results up to some match number."""

    players: dict[Seated, Player] = field(default_factory=dict)
    current: dict[str, str] = field(default_factory=dict)
    """The version of each bot that played last."""
    inherited: dict[str, Rating] = field(default_factory=dict)
    """What bots brought along from the season before, as they begin with it; never changed."""
    before: dict[Seated, Seated] = field(default_factory=dict)
    """Of each player that is a new version: the one that played when it came."""

    def copy(self) -> "Standings":
        return Standings(dict(self.players), dict(self.current), self.inherited, dict(self.before))

    def heirs(self, ratings: TrueSkill) -> dict[str, Rating]:
        """What its bots take into the next season; who did not play gets a wider sigma too."""
        last = {bot: self.players[Seated(bot, version)] for bot, version in self.current.items()}
        known = {**self.inherited, **{bot: player.rating for bot, player in last.items()}}
        return {bot: ratings.reopen(rating) for bot, rating in sorted(known.items())}

    def rating(self, seated: Seated, ratings: TrueSkill) -> Rating:
        """What is believed of a player now, whether it has played or not."""
        known = self.players.get(seated)
        return known.rating if known else self._newcomer(seated, ratings).rating

    def apply(self, scored: Scored, ratings: TrueSkill) -> None:
        """Rate one match."""
        before = [
            [self._enter(scored.seats[seat], ratings) for seat in side] for side in scored.sides
        ]
        ranks = [scored.ranks[side[0]] for side in scored.sides]
        after = ratings.rate([[player.rating for player in side] for side in before], ranks)
        best = min(ranks)
        shared = ranks.count(best) > 1
        for side, rank, players, rated in zip(scored.sides, ranks, before, after):
            won = rank == best and not shared
            drawn = rank == best and shared
            for seat, player, rating in zip(side, players, rated):
                self.players[scored.seats[seat]] = Player(
                    rating,
                    player.matches + 1,
                    player.wins + won,
                    player.draws + drawn,
                    player.losses + (not won and not drawn),
                )

    def _enter(self, seated: Seated, ratings: TrueSkill) -> Player:
        """Find a player, or open its entry."""
        player = self.players.get(seated)
        if player is None:
            player = self._newcomer(seated, ratings)
            known = self.current.get(seated.bot)
            if known is not None:
                self.before[seated] = Seated(seated.bot, known)
        self.current[seated.bot] = seated.version
        return player

    def _newcomer(self, seated: Seated, ratings: TrueSkill) -> Player:
        """A bot begins afresh; a new version of a known one keeps mu and gets a wider sigma."""
        before = self.current.get(seated.bot)
        if before is None:
            return Player(self.inherited.get(seated.bot) or ratings.fresh())
        return Player(ratings.reopen(self.players[Seated(seated.bot, before)].rating))


def dump(table: Standings) -> dict[str, Any]:
    players = [(*seated, *player.rating, *player[1:]) for seated, player in table.players.items()]
    inherited = {bot: tuple(rating) for bot, rating in table.inherited.items()}
    before = [(*seated, earlier.version) for seated, earlier in table.before.items()]
    return {
        "players": players, "current": table.current, "inherited": inherited, "before": before,
    }  # fmt: skip


def load(data: dict[str, Any]) -> Standings:
    players = {
        Seated(bot, version): Player(Rating(mu, sigma), matches, wins, draws, losses)
        for bot, version, mu, sigma, matches, wins, draws, losses in data["players"]
    }
    inherited = {bot: Rating(*rating) for bot, rating in data["inherited"].items()}
    before = {
        Seated(bot, version): Seated(bot, earlier) for bot, version, earlier in data["before"]
    }
    return Standings(players, dict(data["current"]), inherited, before)
