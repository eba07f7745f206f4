"""
The ladder: pairings begun, their matches planned one after the other, as late as possible.

A match is planned when each of its bots has a place free, so the queue never holds more than can
be played at once. Of a pairing one match is played at a time, the next is planned when it closes.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import redis

from matchmaker import beliefs, deals, scripts
from matchmaker.attendance import Attendance, Player
from matchmaker.entries import Seated, tournament_of
from matchmaker.fold import GameFold
from matchmaker.keys import Keys
from matchmaker.leader import Deposed, Term
from matchmaker.log import Log
from matchmaker.pairing import Entrant, PairingRules, choose, seat_orders
from matchmaker.practise import Practise
from matchmaker.series import Pairing, after, new_pairing, pack_pairing, unpack_pairing
from matchmaker.tournaments.meetings import Meetings
from matchmaker.tournaments.runner import Wanted
from matchmaker.tournaments.shares import LADDER
from matchmaker.waits import Waits
from referee import games
from referee.store.plainly import as_bytes
from referee.store.records import Clocks, MatchRecord, Pace, SeatRecord, pack_record
from referee.store.scripts import packed

RECENT = 2_000
"""Pairings remembered for shares and repeats."""
PLANNED_AT_ONCE = 32
"""Matches in one script: few enough that nobody's choice waits for it."""
LARGE, BEGUN_AT_ONCE = 200, 25
"""With more bots so many pairings are begun in a round: each takes some milliseconds to choose."""
LEFT_SECONDS = 3.0
"""So long bots wait for one that has left between two matches; a lost line is back by then."""
ABANDON_SECONDS = 120.0
"""A pairing whose bots cannot go on for so long is left as it is."""
UNKNOWN_LENGTH_SECONDS = 1.0
"""Patience of bots before a ladder's first match has closed."""
LONGEST_PATIENCE_SECONDS = 60.0


@dataclass(frozen=True, kw_only=True)
class LadderRules:
    """One ladder: a game and what is fixed for all its matches."""

    game: str
    seats: int = 2
    clocks: Clocks = field(default_factory=Clocks)
    pace: Pace = field(default_factory=Pace)
    options: Mapping[str, Any] = field(default_factory=dict)
    patience_ms: int | None = None
    """Fixed patience of bots; None takes the usual length of the ladder's matches."""


class _Ready(NamedTuple):
    """A match that only the store's word is missing for."""

    pairing: Pairing
    players: tuple[Player, ...]
    instances: tuple[str, ...]


class Ladder:
    """All ladders of one matchmaker, while it leads."""

    def __init__(
        self,
        connection: redis.Redis,
        keys: Keys,
        term: Term,
        rules: Sequence[LadderRules],
        target: int | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.redis = connection
        self.keys = keys
        self.term = term
        self.log = Log(connection, keys)
        self.rules = {each.game: each for each in rules}
        self.target = target
        """Rated matches to play in all; None never stops."""
        self.clock = clock
        self.pairings: dict[str, Pairing] = {}
        self.open: frozenset[str] = frozenset()
        """Ids of matches that are not closed, as of `look`."""
        self.number = 0
        """Of the match that was planned last."""
        self.waits = Waits(clock)
        self.practise = Practise(connection, keys, clock)
        self.meetings = Meetings(clock)
        self.beliefs = beliefs.Beliefs(clock)
        self._recent: dict[str, deque[tuple[str, ...]]] = {}
        self._stuck_since: dict[str, float] = {}
        self._left: dict[str, float] = {}
        """Begun pairings with a bot that is not there, and since when."""
        self._planned_at: dict[str, float] = {}
        self._seated: dict[str, list[tuple[str, str]]] = {}
        """Instances in the matches that this leader planned."""
        self._ready: list[_Ready] = []
        self._used: Counter[str] = Counter()
        """Places by bot: taken, as of this round's look, or promised to what is ready."""
        self._busy: Counter[tuple[str, str]] = Counter()
        """Matches of each bot's instance, what is ready among them."""
        self._lengths: dict[str, deque[float]] = {game: deque(maxlen=32) for game in self.rules}
        self._begun: dict[str, float] = dict.fromkeys(self.rules, float("-inf"))
        """When each game's last pairing was begun: the game that waited longest goes first."""

    def load(self) -> None:
        """Take over from whoever led before."""
        stored = as_bytes(self.redis.hgetall(self.keys.pairings))
        self.pairings = {name.decode(): unpack_pairing(data) for name, data in stored.items()}
        self.number = int(as_bytes(self.redis.get(self.keys.number)) or 0)
        for game in self.rules:
            lines = as_bytes(self.redis.lrange(self.keys.recent(game), 0, RECENT - 1))
            groups = (tuple(line.decode().split(" ")) for line in reversed(lines))
            self._recent[game] = deque(groups, maxlen=RECENT)
        self._stuck_since.clear()
        self._left.clear()
        self._planned_at.clear()
        self._seated.clear()
        if self.target is None:
            self.redis.delete(self.keys.target)
        else:
            self.redis.set(self.keys.target, self.target)

    def take_anew(self) -> None:
        """Take in the pairings that operators want played; they are kept already."""
        while names := as_bytes(self.redis.lpop(self.keys.anew, 100)):
            for name in names:
                data = as_bytes(self.redis.hget(self.keys.pairings, name))
                if data is not None:
                    self.pairings.setdefault(name.decode(), unpack_pairing(data))

    def look(self) -> int:
        """
        See which matches are open; to be called before the log is folded.

        Returns:
            The match number up to which nothing can change any more.
        """
        rows = as_bytes(self.redis.zrange(self.keys.open, 0, -1, withscores=True))
        self.open = frozenset(name.decode() for name, _ in rows)
        lowest = min((int(number) for _, number in rows), default=self.number + 1)
        return lowest - 1

    def plan(
        self,
        attendance: Attendance,
        folds: Mapping[str, GameFold],
        wanted: Sequence[Wanted] = (),
    ) -> int:
        """
        Plan what can be played now: begun pairings, practise, tournaments, then new pairings.

        Args:
            folds: Of the log, folded after `look`.
            wanted: Meetings of tournaments, by the same fold.

        Returns:
            How many matches were planned.

        Raises:
            Deposed: Another matchmaker leads.
        """
        self._go_on()
        self._used = Counter(attendance.used)
        self._busy = Counter(seat for seats in self._seated.values() for seat in seats)
        rated = sum(fold.rated_in_all for fold in folds.values())
        players = {game: self.players(attendance, game) for game in self.rules}
        self._leave_unwanted(wanted)
        unsure = {each.cause for each in wanted if not each.is_sure}
        for pairing in [each for each in self.pairings.values() if not each.match]:
            if pairing.cause in unsure:
                continue
            if self._is_over(pairing, rated):
                self._drop(pairing)
            elif len(self._ready) < attendance.room and self._may_play(pairing, rated):
                self._prepare(pairing, players.get(pairing.game, {}))
        planned = self._plan_ready()
        for pairing in self.practise.pairings(attendance, players, self._engaged()):
            self._prepare(pairing, players[pairing.game])
        planned += self._plan_ready()
        self._prepare_meetings(players, wanted, rated, attendance.room - planned)
        planned += self._plan_ready()
        for game in sorted(self.rules, key=lambda game: self._begun[game]):
            room = min(attendance.room - planned, self._pairings_left(rated))
            for group in self._choose(game, players[game], attendance, folds.get(game), room):
                self._prepare(self._begin(game, group, players[game]), players[game])
                self._begun[game] = self.clock()
            planned += self._plan_ready()
        return planned

    def players(self, attendance: Attendance, game: str) -> dict[str, Player]:
        """Bots that can be paired in a game now."""
        facts = games.get(game).facts
        return attendance.players(game, facts.rules, facts.cards)

    def recent(self, game: str) -> list[tuple[str, ...]]:
        """Bots of a game's last pairings, oldest first."""
        return list(self._recent[game])

    # Pairings that have begun

    def _go_on(self) -> None:
        """Step every pairing whose match has closed, and drop those that are over or stuck."""
        closed = [p for p in self.pairings.values() if p.match and p.match not in self.open]
        results = self.log.results([pairing.match for pairing in closed])
        for pairing in closed:
            self._seated.pop(pairing.match, None)
            began = self._planned_at.pop(pairing.match, None)
            if began is not None and pairing.game in self._lengths:
                self._lengths[pairing.game].append(self.clock() - began)
                there = [each.bot for each in pairing.bots]
                self.beliefs.note_seconds(pairing.game, there, self.clock() - began)
            following = after(pairing, results.get(pairing.match))
            if following is None:
                self._drop(pairing)
            else:
                self.pairings[pairing.pairing] = following

    def _target_of(self, pairing: Pairing) -> int | None:
        """The target, if matches of this pairing are the ladder's own and count towards it."""
        return self.target if pairing.rated and not tournament_of(pairing.cause) else None

    def _is_over(self, pairing: Pairing, rated: int) -> bool:
        """
        Whether the target was reached without it.

        Results of tournaments count too, so a pairing of the ladder may be half played then; were
        it kept, its bots would be engaged for ever.
        """
        target = self._target_of(pairing)
        return target is not None and rated >= target

    def _may_play(self, pairing: Pairing, rated: int) -> bool:
        """Whether the target leaves room for a match of this pairing, if it is the ladder's."""
        target = self._target_of(pairing)
        if target is None:
            return True
        running = sum(1 for each in self.pairings.values() if each.rated and each.match)
        ready = sum(1 for each in self._ready if each.pairing.rated)
        return rated + running + ready < target

    def _pairings_left(self, rated: int) -> int:
        """How many more pairings may be begun."""
        if self.target is None:
            return RECENT
        promised = sum(len(each.orders) for each in self.pairings.values() if each.rated)
        left = self.target - rated - promised
        orders = min(len(seat_orders(each.seats)) for each in self.rules.values())
        return max(0, -(-left // orders))

    def _leave_unwanted(self, wanted: Sequence[Wanted]) -> None:
        """Drop what waits of meetings that their tournaments do not want played any more."""
        causes = {each.cause for each in wanted}
        for pairing in list(self.pairings.values()):
            if not pairing.match and tournament_of(pairing.cause) and pairing.cause not in causes:
                self._drop(pairing)

    def _prepare_meetings(
        self,
        players: Mapping[str, Mapping[str, Player]],
        wanted: Sequence[Wanted],
        rated: int,
        room: int,
    ) -> None:
        """Begin meetings of tournaments whose turn it is."""
        paired = frozenset[str]()
        if wanted and self._pairings_left(rated):
            paired = paired.union(*(there for there in players.values() if len(there) > 1))
        self.meetings.look(wanted, players.__getitem__, self.pairings.values())
        engaged = self._engaged()
        begun = self.meetings.begin(
            players.__getitem__,
            lambda player: player.places - max(engaged[player.bot], self._used[player.bot]),
            paired.__contains__,
        )
        for pairing in begun:
            if len(self._ready) >= room:
                return
            self._prepare(pairing, players[pairing.game])

    def _drop(self, pairing: Pairing) -> None:
        self.pairings.pop(pairing.pairing, None)
        self._stuck_since.pop(pairing.pairing, None)
        self._left.pop(pairing.pairing, None)
        self.redis.hdel(self.keys.pairings, pairing.pairing)

    def _stuck(self, pairing: Pairing) -> None:
        """A pairing that cannot go on now: leave it as it is after a while."""
        if tournament_of(pairing.cause):
            return  # its tournament says for how long it waits
        since = self._stuck_since.setdefault(pairing.pairing, self.clock())
        if self.clock() - since >= ABANDON_SECONDS:
            self._drop(pairing)

    # New pairings

    def _choose(
        self,
        game: str,
        players: Mapping[str, Player],
        attendance: Attendance,
        fold: GameFold | None,
        room: int,
    ) -> list[tuple[str, ...]]:
        rules, fold = self.rules[game], fold or GameFold()
        engaged, flying = self._engaged(), beliefs.flying(self.pairings.values(), game)
        left = Counter(bot for one, other, count in flying for bot in (one, other) * count)
        seated = {bot: Seated(bot, player.version) for bot, player in players.items()}
        seconds = self.beliefs.usual_seconds(game, players)
        entrants = []
        for bot, player in players.items():
            free = player.places - max(engaged.get(bot, 0), attendance.used.get(bot, 0))
            free = self.meetings.left_for_ladder(bot, free)
            known = fold.now.players.get(seated[bot])
            entrants.append(
                Entrant(
                    bot=bot,
                    rating=fold.now.rating(seated[bot], fold.ratings),
                    free=max(0, free),
                    waiting_ms=self.waits.of(bot, free > 0),
                    first=bot in attendance.first,
                    referees=player.referees,
                    matches=(known.matches if known else 0) + left[bot],
                    seconds=seconds[bot],
                )
            )
        self.waits.keep(game, players)
        if room <= 0 or sum(entrant.free > 0 for entrant in entrants) < rules.seats:
            return []
        belief = self.beliefs.of(game, fold, seated, flying) if rules.seats == 2 else None
        chosen = PairingRules(seats=rules.seats, patience_ms=self._patience_ms(rules))
        recent = self.recent(game)
        if belief is not None and len(players) > LARGE:
            room = min(room, BEGUN_AT_ONCE)
        return choose(entrants, recent, chosen, fold.ratings, room, belief, self.number)

    def _engaged(self) -> Counter[str]:
        """
        Pairings that each bot is in.

        One whose other bot has left keeps nobody from playing meanwhile: it goes on when that bot
        is back and there are places.
        """
        now = self.clock()
        return Counter(
            bot.bot
            for name, each in self.pairings.items()
            if now - self._left.get(name, now) < LEFT_SECONDS
            for bot in each.bots
        )

    def _patience_ms(self, rules: LadderRules) -> int:
        if rules.patience_ms is not None:
            return rules.patience_ms
        lengths = self._lengths[rules.game]
        usual = sum(lengths) / len(lengths) if lengths else UNKNOWN_LENGTH_SECONDS
        return int(1000 * min(usual, LONGEST_PATIENCE_SECONDS))

    def usual_seconds(self) -> dict[str, float]:
        """Usual length of each game's matches, as far as this leader has seen any."""
        return {game: sum(some) / len(some) for game, some in self._lengths.items() if some}

    def _begin(self, game: str, group: tuple[str, ...], players: Mapping[str, Player]) -> Pairing:
        return new_pairing(
            game,
            [Seated(bot, players[bot].version) for bot in group],
            orders=seat_orders(len(group)),
        )

    # Matches

    def _prepare(self, pairing: Pairing, players: Mapping[str, Player]) -> None:
        """Make a pairing's next match ready to be planned, if its bots are there with a place."""
        there = [players.get(bot.bot) for bot in pairing.bots]
        if tournament_of(pairing.cause):  # a bot is entered, whatever its version
            versions = {player.bot: player.version for player in there if player}
            bots = (Seated(bot.bot, versions.get(bot.bot, bot.version)) for bot in pairing.bots)
            pairing = replace(pairing, bots=tuple(bots))
        if any(
            player and player.version != bot.version for player, bot in zip(there, pairing.bots)
        ):
            self._drop(pairing)  # a new version is another player
            return
        present = [player for player in there if player is not None]
        instances = self._instances(present) if len(present) == len(there) else None
        if instances is None:
            if not pairing.fresh:
                self._left.setdefault(pairing.pairing, self.clock())
            self._stuck(pairing)
            return
        self._left.pop(pairing.pairing, None)
        if any(self._used[player.bot] >= player.places for player in present):
            self._wait_for_places(pairing)
            return
        self._used.update(player.bot for player in present)
        self._ready.append(_Ready(pairing, tuple(present), instances))
        self._busy.update((player.bot, name) for player, name in zip(present, instances))

    def _plan_ready(self) -> int:
        """
        Plan what is ready, many matches in one script.

        Returns:
            How many were planned.

        Raises:
            Deposed: Another matchmaker leads.
        """
        ready, self._ready = self._ready, []
        planned = 0
        while ready:
            records = [
                self._record(each.pairing, self.number + count, each.instances)
                for count, each in enumerate(ready[:PLANNED_AT_ONCE], 1)
            ]
            plans = [_plan(each, record) for each, record in zip(ready, records)]
            answers = self.redis.eval(
                scripts.PLAN, 0, self.keys.prefix, self.term.token, packed(plans)
            )
            for each, record, (answer, *_) in zip(ready, records, answers):
                if answer == -1:
                    raise Deposed("another matchmaker leads; its term refused our plan")
                if answer == -2:
                    self.number = int(as_bytes(self.redis.get(self.keys.number)) or 0)
                    return planned
                if answer == -3:
                    self._wait_for_places(each.pairing)
                else:
                    self._planned(each, record)
                    planned += 1
            del ready[: len(answers)]  # the last may have been refused: its number is free
        return planned

    def _planned(self, ready: _Ready, record: MatchRecord) -> None:
        """Keep that a match has been planned."""
        pairing = ready.pairing
        if pairing.fresh and pairing.cause == LADDER:
            self._recent[pairing.game].append(tuple(player.bot for player in ready.players))
        self.meetings.served(pairing)
        self.number = record.number
        self.open |= {record.match}
        self.pairings[pairing.pairing] = _begun(pairing, record)
        self._stuck_since.pop(pairing.pairing, None)
        self._left.pop(pairing.pairing, None)
        self._planned_at[record.match] = self.clock()
        self._seated[record.match] = [(seat.bot, seat.instance) for seat in record.seats]

    def _wait_for_places(self, pairing: Pairing) -> None:
        """A bot has no place for it: one that has begun goes on later, another comes to nothing."""
        if not pairing.fresh:
            self._stuck(pairing)

    def _instances(self, players: Sequence[Player]) -> tuple[str, ...] | None:
        """Name an instance of each bot, the least busy, all at one referee; None if none is."""
        common = frozenset.intersection(*(player.referees for player in players))
        if not common:
            return None
        busy = self._busy
        at = min(
            sorted(common),
            key=lambda referee: sum(
                min(busy[player.bot, name] for name in player.instances[referee])
                for player in players
            ),
        )
        return tuple(
            min(player.instances[at], key=lambda name: (busy[player.bot, name], name))
            for player in players
        )

    def _record(self, pairing: Pairing, number: int, instances: tuple[str, ...]) -> MatchRecord:
        rules = self.rules.get(pairing.game) or LadderRules(game=pairing.game)
        facts = games.get(pairing.game).facts
        seats = tuple(
            SeatRecord(
                bot=pairing.bots[index].bot,
                version=pairing.bots[index].version,
                instance=instances[index],
            )
            for index in pairing.orders[0]
        )
        deal = deals.fresh()
        return MatchRecord(
            match=deal.match,
            number=number,
            game=pairing.game,
            rules=facts.rules,
            cards=facts.cards,
            seats=seats,
            seed=deal.seed,
            salt=deal.salt,
            setting=pairing.setting,
            options=pairing.options or rules.options,
            clocks=rules.clocks,
            pace=rules.pace,
            rated=pairing.rated,
            pairing=pairing.pairing,
            cause=pairing.cause,
            attempt=pairing.attempt,
        )


def _begun(pairing: Pairing, record: MatchRecord) -> Pairing:
    """A pairing while this match of it is played."""
    return replace(pairing, match=record.match, fresh=False)


def _plan(ready: _Ready, record: MatchRecord) -> list[Any]:
    """A match as the script takes it."""
    pairing = ready.pairing
    return [
        record.match,
        record.number,
        pack_record(record),
        record.game,
        [player.bot for player in ready.players],
        [player.places for player in ready.players],
        pairing.pairing,
        pack_pairing(_begun(pairing, record)),
        pairing.fresh and pairing.cause == LADDER,
    ]
