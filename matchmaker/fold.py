"""
Tables as pure folds of the results log, in order of match number whatever the order of arrival.

A late result goes back to the checkpoint before it and changes nothing else; a voided one is taken
out in the same way. What can no longer change is settled: kept as a table without its results.
A season of a game is a fold of its own.
"""

from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from typing import Any

from matchmaker import standings
from matchmaker.entries import (
    BotAdded,
    Entry,
    Keep,
    Result,
    RulesSet,
    Season,
    Seated,
    Standing,
    TournamentBegun,
    TournamentEnded,
    Void,
    tournament_of,
)
from matchmaker.ratings import RatingRules, TrueSkill
from matchmaker.standings import Standings
from matchmaker.tally import Scored, Tally
from matchmaker.tournaments.contest import Contest

CHECKPOINT_EVERY = 32
"""Results between two checkpoints: a late one costs at most so many ratings more than needed."""

PRESEASON = "preseason"
"""What a game's first season is called: it is there without an entry of the log."""


class TooLate(Exception):
    """A change below what is settled: the table must be folded anew from the whole log."""


class GameFold:
    """One season of a game: settled standings, the results after them, and checkpoints between."""

    def __init__(
        self,
        rules: RatingRules | None = None,
        season: Season | None = None,
        earlier: tuple["GameFold", ...] = (),
    ) -> None:
        self.rules = rules or RatingRules()
        self.ratings = TrueSkill(self.rules)
        self.season = season
        """None for the first."""
        self.earlier = earlier
        """The seasons before it, oldest first."""
        self.settled = Standings()
        self.settled_to = 0
        """Match number up to which nothing can change any more."""
        self.results: list[Scored] = []
        self.tally = Tally()
        """Of all its rated results, settled or not."""
        self.kept: tuple[int, Any] | None = None
        """A revision, and the fit that was made of it: tables and pairing both want it."""
        self.counts: Counter[str] = Counter()
        """Closed matches by standing."""
        self.endings: Counter[str] = Counter()
        self.decisions = 0
        self.last_number = 0
        """The highest match number of its results, rated or not."""
        self.revision = 0
        """Rises with every change of what a table shows."""
        self._course = 0
        """Rises with every change of the rated results."""
        self._inherited_from = -1
        """Course of the season before when its ratings were taken over."""
        self._now = self.settled.copy()
        self._folded = 0
        """Results that are in `_now`."""
        self._checkpoints: list[tuple[int, Standings]] = []
        """(results folded, standings after them), oldest first."""

    @property
    def name(self) -> str:
        return self.season.name if self.season else PRESEASON

    @property
    def after(self) -> int:
        """Results of a greater match number are of this season or a later one."""
        return self.season.number if self.season else 0

    @property
    def seasons(self) -> tuple["GameFold", ...]:
        """All seasons up to this one, oldest first."""
        return (*self.earlier, self)

    @property
    def rated_in_all(self) -> int:
        """Rated results of all seasons up to this one."""
        return sum(each.counts[Standing.RATED] for each in self.seasons)

    @property
    def now(self) -> Standings:
        """The table after all results; to be read only."""
        self.refresh()
        return self._now

    def refresh(self) -> None:
        """Rate what is new; many late results cost together what the latest of them costs."""
        self._inherit()
        for index in range(self._folded, len(self.results)):
            self._now.apply(self.results[index], self.ratings)
            last = self._checkpoints[-1][0] if self._checkpoints else 0
            if index + 1 - last >= CHECKPOINT_EVERY:
                self._checkpoints.append((index + 1, self._now.copy()))
        self._folded = len(self.results)

    def add(self, result: Result) -> None:
        """Take a result in."""
        if result.standing is Standing.RATED and result.number <= self.settled_to:
            raise TooLate(f"match number {result.number} is settled (up to {self.settled_to})")
        self.revision += 1
        self.last_number = max(self.last_number, result.number)
        self.counts[result.standing] += 1
        self.endings[result.ending] += 1
        self.decisions += result.decisions
        if result.standing is not Standing.RATED:
            return
        scored = Scored(
            result.number, result.match, result.seats, result.sides, result.ranks, result.pairing
        )
        self.tally.add(scored)
        index = bisect(self.results, scored)
        self.results.insert(index, scored)
        self._go_back(index)

    def void(self, match: str) -> bool:
        """
        Take a rated result out.

        Returns:
            Whether it was found here; if not, it is settled or was never rated.
        """
        for index, scored in enumerate(self.results):
            if scored.match == match:
                del self.results[index]
                self.tally.remove(scored)
                self._go_back(index)
                self.revision += 1
                self.counts[Standing.RATED] -= 1
                self.counts[Standing.VOID] += 1
                return True
        return False

    def settle(self, number: int) -> None:
        """Forget the results up to a match number, all of whose matches are closed."""
        self.refresh()
        count = 0
        while count < len(self.results) and self.results[count].number <= number:
            self.settled.apply(self.results[count], self.ratings)
            count += 1
        self.settled_to = max(self.settled_to, number)
        self.tally.settle(self.settled_to)
        if count:
            del self.results[:count]
            self._folded -= count
            self._checkpoints = [
                (index - count, table) for index, table in self._checkpoints if index > count
            ]

    def _go_back(self, index: int) -> None:
        """The results from `index` on have changed: fold again from the checkpoint before."""
        self._course += 1
        if index < self._folded:
            while self._checkpoints and self._checkpoints[-1][0] > index:
                self._checkpoints.pop()
            begin, table = self._checkpoints[-1] if self._checkpoints else (0, self.settled)
            self._now, self._folded = table.copy(), begin

    def _inherit(self) -> None:
        """Begin with what the season before leaves, anew if that has changed."""
        if self.season is None or self.season.keep is Keep.NOTHING:
            return
        before = self.earlier[-1]
        table = before.now
        if before._course != self._inherited_from:
            assert not self.settled.players, "a season is settled before the one before it"
            self._inherited_from = before._course
            self.settled = Standings(inherited=table.heirs(before.ratings))
            self._checkpoints.clear()
            self._course += 1
            self._now, self._folded = self.settled.copy(), 0

    def dump(self) -> dict[str, Any]:
        """Give all of it as plain data; `load` reads it."""
        self.refresh()
        return {
            "rules": tuple(self.rules),
            "season": tuple(getattr(self.season, each.name) for each in fields(Season))
            if self.season
            else None,
            "settled": standings.dump(self.settled),
            "settled_to": self.settled_to,
            "results": self.results,
            "tally": self.tally.dump(),
            "counts": dict(sorted(self.counts.items())),
            "endings": dict(sorted(self.endings.items())),
            "decisions": self.decisions,
            "last_number": self.last_number,
        }

    @classmethod
    def load(cls, data: dict[str, Any], earlier: tuple["GameFold", ...] = ()) -> "GameFold":
        season = None
        if data["season"]:
            game, name, number, keep = data["season"]
            season = Season(game=game, name=name, number=number, keep=Keep(keep))
        fold = cls(RatingRules(*data["rules"]), season, earlier)
        fold.settled = standings.load(data["settled"])
        fold.settled_to = data["settled_to"]
        fold.results = [
            Scored(number, match, tuple(Seated(*s) for s in seats), sides, ranks, pairing)
            for number, match, seats, sides, ranks, pairing in data["results"]
        ]
        fold.tally = Tally.load(data["tally"])
        fold.counts.update(data["counts"])
        fold.endings.update(data["endings"])
        fold.decisions = data["decisions"]
        fold.last_number = data["last_number"]
        fold._now = fold.settled.copy()
        if earlier:  # what it took over is in its settled standings
            fold._inherited_from = earlier[-1]._course
        fold.refresh()
        return fold


class Fold:
    """All ladders beneath one log."""

    def __init__(self) -> None:
        self.games: dict[str, GameFold] = {}
        """The running season of each game; it knows those before it."""
        self.authors: dict[str, str] = {}
        self.voided: set[str] = set()
        """Matches that were taken out before their result came."""
        self.contests: dict[str, Contest] = {}
        """Tournaments that have begun and not ended, by id."""

    def add(self, entry: Entry) -> None:
        """
        Take one entry in.

        Raises:
            TooLate: It changes what is settled; fold the whole log anew.
        """
        counted = self.follow(entry)
        if isinstance(entry, Result):
            self._add_result(entry)
        elif isinstance(entry, BotAdded):
            self._add_bot(entry)
        elif isinstance(entry, Void):
            # `any` would stop at the first season, which is right: a match is in one.
            rated = any(season.void(entry.match) for season in self._all())
            if not rated and not counted:
                raise TooLate(f"match {entry.match} is settled or was never rated")
        elif isinstance(entry, Season):
            self._begin(entry)
        elif isinstance(entry, RulesSet):
            self._set_rules(entry)

    def follow(self, entry: Entry) -> bool:
        """
        Tell the running tournaments of an entry; to be called in log order.

        Returns:
            Whether it concerned one, and a void: one that is not rated.
        """
        if isinstance(entry, Result):
            found = tournament_of(entry.cause)
            if entry.match in self.voided:
                return False
            contest = self.contests.get(found[0]) if found else None
            if contest is not None:
                contest.add_result(entry)
            return contest is not None
        if isinstance(entry, Void):
            found_in = [each for each in self.contests.values() if each.void(entry.match)]
            return any(not each.begun.rated for each in found_in)
        if isinstance(entry, BotAdded | RulesSet | Season):
            return False
        if isinstance(entry, TournamentBegun):
            self.contests[entry.tournament] = Contest(entry)
            return True
        contest = self.contests.get(entry.tournament)
        if contest is not None:
            contest.add(entry)
            if isinstance(entry, TournamentEnded):
                del self.contests[entry.tournament]
        return contest is not None

    def game(self, name: str) -> GameFold:
        if name not in self.games:
            self.games[name] = GameFold()
        return self.games[name]

    def settle(self, number: int) -> None:
        for season in self._all():
            season.settle(number)

    def refresh(self) -> None:
        """Rate what is new in every table."""
        for game in self.games.values():
            game.refresh()

    def dump(self) -> dict[str, Any]:
        games = sorted(self.games.items())
        return {
            "games": {name: [each.dump() for each in game.seasons] for name, game in games},
            "authors": dict(sorted(self.authors.items())),
            "voided": sorted(self.voided),
            "contests": {name: each.dump() for name, each in sorted(self.contests.items())},
        }

    @classmethod
    def load(cls, data: dict[str, Any]) -> "Fold":
        fold = cls()
        for name, seasons in data["games"].items():
            for season in seasons:
                known = fold.games.get(name)
                fold.games[name] = GameFold.load(season, known.seasons if known else ())
        fold.authors = dict(data["authors"])
        fold.voided = set(data["voided"])
        contests = data.get("contests", {})
        fold.contests = {name: Contest.load(each) for name, each in contests.items()}
        return fold

    def _all(self) -> Iterator[GameFold]:
        """Every season of every game, a game's oldest first."""
        for game in self.games.values():
            yield from game.seasons

    def _add_result(self, result: Result) -> None:
        if result.match in self.voided:
            self.voided.discard(result.match)
            if result.standing is Standing.RATED:
                result = replace(result, standing=Standing.VOID)
        seasons = reversed(self.game(result.game).seasons)
        found = next(each for each in seasons if result.number > each.after or not each.season)
        found.add(result)

    def _add_bot(self, entry: BotAdded) -> None:
        if self.authors.get(entry.bot) != entry.author:
            self.authors[entry.bot] = entry.author
            for season in self._all():  # an author stands in every row
                season.revision += 1

    def _begin(self, entry: Season) -> None:
        known = self.game(entry.game)
        if any(each.name == entry.name for each in known.seasons):
            return  # it has begun
        if entry.number < max(known.after, known.last_number):
            raise TooLate(f"season {entry.name} of {entry.game} begins before what was folded")
        new = GameFold(known.rules, entry, known.seasons)
        new.settled_to = known.settled_to
        self.games[entry.game] = new

    def _set_rules(self, entry: RulesSet) -> None:
        known = self.games.get(entry.game)
        if known is None or (not known.counts and not known.earlier):
            self.games[entry.game] = GameFold(entry.rules)
        elif known.rules != entry.rules:
            raise TooLate(f"new rating rules for {entry.game} rate all its results anew")


def whole(entries: Iterable[Entry]) -> Fold:
    """
    Fold a whole log at once: the definition that everything quicker must equal.

    Voids, seasons and the last rating rules count from the start; results go in order of match
    number. Of two seasons with one name the first counts.
    """
    fold = Fold()
    results: list[Result] = []
    seasons: list[Season] = []
    rules: dict[str, RatingRules] = {}
    for entry in entries:
        if isinstance(entry, Result):
            results.append(entry)
        elif isinstance(entry, Void):
            fold.voided.add(entry.match)
        elif isinstance(entry, BotAdded):
            fold.authors[entry.bot] = entry.author
        elif isinstance(entry, Season):
            if all((each.game, each.name) != (entry.game, entry.name) for each in seasons):
                seasons.append(entry)
        elif isinstance(entry, RulesSet):
            rules[entry.game] = entry.rules
        fold.follow(entry)
    for game, constants in rules.items():
        fold.games[game] = GameFold(constants)
    for season in sorted(seasons, key=lambda each: each.number):
        fold._begin(season)
    for result in sorted(results, key=lambda r: (r.number, r.match)):
        fold._add_result(result)
    fold.refresh()
    return fold
