"""
Tables as pure folds of the results log, in order of match number whatever the order of arrival.

A late result goes back to the checkpoint before it and changes nothing else; a voided one is taken
out in the same way. What can no longer change is settled: kept as a table without its results.
"""

from bisect import insort
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from matchmaker.entries import BotAdded, Entry, Result, RulesSet, Seated, Standing, Void
from matchmaker.ratings import Rating, RatingRules, TrueSkill

CHECKPOINT_EVERY = 32
"""Results between two checkpoints: a late one costs at most so many ratings more than needed."""


class TooLate(Exception):
    """A change below what is settled: the table must be folded anew from the whole log."""


class Player(NamedTuple):
    """A version of a bot, with what it has done."""

    rating: Rating
    matches: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0


class Scored(NamedTuple):
    """What a rated result says to a table; sorts by match number."""

    number: int
    match: str
    seats: tuple[Seated, ...]
    sides: tuple[tuple[int, ...], ...]
    ranks: tuple[int, ...]


@dataclass
class Standings:
    """The table of a game after its rated results up to some match number."""

    players: dict[Seated, Player] = field(default_factory=dict)
    current: dict[str, str] = field(default_factory=dict)
    """The version of each bot that played last."""

    def copy(self) -> "Standings":
        return Standings(dict(self.players), dict(self.current))

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
        player = self.players.get(seated) or self._newcomer(seated, ratings)
        self.current[seated.bot] = seated.version
        return player

    def _newcomer(self, seated: Seated, ratings: TrueSkill) -> Player:
        """A bot begins afresh; a new version of a known one keeps mu and gets a wider sigma."""
        before = self.current.get(seated.bot)
        if before is None:
            return Player(ratings.fresh())
        return Player(ratings.reopen(self.players[Seated(seated.bot, before)].rating))


class GameFold:
    """One game's ladder: settled standings, the results after them, and checkpoints between."""

    def __init__(self, rules: RatingRules | None = None) -> None:
        self.rules = rules or RatingRules()
        self.ratings = TrueSkill(self.rules)
        self.settled = Standings()
        self.settled_to = 0
        """Match number up to which nothing can change any more."""
        self.results: list[Scored] = []
        self.now = Standings()
        self.counts: Counter[str] = Counter()
        """Closed matches by standing."""
        self.endings: Counter[str] = Counter()
        self.decisions = 0
        self._checkpoints: list[tuple[int, Standings]] = []
        """(results folded, standings after them), oldest first."""

    def add(self, result: Result) -> None:
        """Take a result in."""
        if result.standing is Standing.RATED and result.number <= self.settled_to:
            raise TooLate(f"match number {result.number} is settled (up to {self.settled_to})")
        self.counts[result.standing] += 1
        self.endings[result.ending] += 1
        self.decisions += result.decisions
        if result.standing is not Standing.RATED:
            return
        scored = Scored(result.number, result.match, result.seats, result.sides, result.ranks)
        if not self.results or scored > self.results[-1]:
            self.results.append(scored)
            self._advance(len(self.results) - 1)
            return
        insort(self.results, scored)
        self._refold(self.results.index(scored))

    def void(self, match: str) -> bool:
        """
        Take a rated result out.

        Returns:
            Whether it was found here; if not, it is settled or was never rated.
        """
        for index, scored in enumerate(self.results):
            if scored.match == match:
                del self.results[index]
                self._refold(index)
                self.counts[Standing.RATED] -= 1
                self.counts[Standing.VOID] += 1
                return True
        return False

    def settle(self, number: int) -> None:
        """Forget the results up to a match number, all of whose matches are closed."""
        count = 0
        while count < len(self.results) and self.results[count].number <= number:
            self.settled.apply(self.results[count], self.ratings)
            count += 1
        self.settled_to = max(self.settled_to, number)
        if count:
            del self.results[:count]
            self._checkpoints = [
                (index - count, table) for index, table in self._checkpoints if index > count
            ]

    def _refold(self, index: int) -> None:
        """Fold again from the checkpoint before the result at `index`."""
        while self._checkpoints and self._checkpoints[-1][0] > index:
            self._checkpoints.pop()
        begin, table = self._checkpoints[-1] if self._checkpoints else (0, self.settled)
        self.now = table.copy()
        self._advance(begin)

    def _advance(self, begin: int) -> None:
        for index in range(begin, len(self.results)):
            self.now.apply(self.results[index], self.ratings)
            last = self._checkpoints[-1][0] if self._checkpoints else 0
            if index + 1 - last >= CHECKPOINT_EVERY:
                self._checkpoints.append((index + 1, self.now.copy()))

    def dump(self) -> dict[str, Any]:
        """Give all of it as plain data; `load` reads it."""
        return {
            "rules": tuple(self.rules),
            "settled": _dump_standings(self.settled),
            "settled_to": self.settled_to,
            "results": self.results,
            "counts": dict(sorted(self.counts.items())),
            "endings": dict(sorted(self.endings.items())),
            "decisions": self.decisions,
        }

    @classmethod
    def load(cls, data: dict[str, Any]) -> "GameFold":
        fold = cls(RatingRules(*data["rules"]))
        fold.settled = _load_standings(data["settled"])
        fold.settled_to = data["settled_to"]
        fold.results = [
            Scored(number, match, tuple(Seated(*s) for s in seats), sides, ranks)
            for number, match, seats, sides, ranks in data["results"]
        ]
        fold.counts.update(data["counts"])
        fold.endings.update(data["endings"])
        fold.decisions = data["decisions"]
        fold.now = fold.settled.copy()
        fold._advance(0)
        return fold


class Fold:
    """All ladders beneath one log."""

    def __init__(self) -> None:
        self.games: dict[str, GameFold] = {}
        self.authors: dict[str, str] = {}

    def add(self, entry: Entry) -> None:
        """
        Take one entry in.

        Raises:
            TooLate: It changes what is settled; fold the whole log anew.
        """
        if isinstance(entry, Result):
            self.game(entry.game).add(entry)
        elif isinstance(entry, BotAdded):
            self.authors[entry.bot] = entry.author
        elif isinstance(entry, Void):
            # `any` would stop at the first game, which is right: a match has one game.
            if not any(game.void(entry.match) for game in self.games.values()):
                raise TooLate(f"match {entry.match} is settled or was never rated")
        else:
            self._set_rules(entry)

    def game(self, name: str) -> GameFold:
        return self.games.setdefault(name, GameFold())

    def settle(self, number: int) -> None:
        for game in self.games.values():
            game.settle(number)

    def dump(self) -> dict[str, Any]:
        return {
            "games": {name: game.dump() for name, game in sorted(self.games.items())},
            "authors": dict(sorted(self.authors.items())),
        }

    @classmethod
    def load(cls, data: dict[str, Any]) -> "Fold":
        fold = cls()
        fold.games = {name: GameFold.load(game) for name, game in data["games"].items()}
        fold.authors = dict(data["authors"])
        return fold

    def _set_rules(self, entry: RulesSet) -> None:
        known = self.games.get(entry.game)
        if known is None or not known.counts:
            self.games[entry.game] = GameFold(entry.rules)
        elif known.rules != entry.rules:
            raise TooLate(f"new rating rules for {entry.game} rate all its results anew")


def whole(entries: Iterable[Entry]) -> Fold:
    """
    Fold a whole log at once: the definition that everything quicker must equal.

    Voids and the last rating rules count from the start; results go in order of match number.
    """
    fold = Fold()
    results: list[Result] = []
    voided: set[str] = set()
    rules: dict[str, RatingRules] = {}
    for entry in entries:
        if isinstance(entry, Result):
            results.append(entry)
        elif isinstance(entry, Void):
            voided.add(entry.match)
        elif isinstance(entry, BotAdded):
            fold.authors[entry.bot] = entry.author
        else:
            rules[entry.game] = entry.rules
    for game, constants in rules.items():
        fold.games[game] = GameFold(constants)
    for result in sorted(results, key=lambda r: (r.number, r.match)):
        fold.add(result)
    for match in sorted(voided):
        for ladder in fold.games.values():
            if ladder.void(match):
                break
    return fold


def _dump_standings(table: Standings) -> dict[str, Any]:
    players = [(*seated, *player.rating, *player[1:]) for seated, player in table.players.items()]
    return {"players": players, "current": table.current}


def _load_standings(data: dict[str, Any]) -> Standings:
    players = {
        Seated(bot, version): Player(Rating(mu, sigma), matches, wins, draws, losses)
        for bot, version, mu, sigma, matches, wins, draws, losses in data["players"]
    }
    return Standings(players, dict(data["current"]))
