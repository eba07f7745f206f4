"""Meetings as events leave them: what was played, what was given away, what is left."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from matchmaker.formats.contract import (
    Entered,
    Event,
    Forfeited,
    Meeting,
    Paired,
    Played,
    Withdrew,
)

Sides = tuple[tuple[int, ...], ...]
Record = tuple[int, int, int]
"""Wins, draws and losses."""


class Log:
    """The events of a tournament, by what they are about."""

    def __init__(self, events: Sequence[Event]) -> None:
        self.played: defaultdict[str, list[Played]] = defaultdict(list)
        self.absent: defaultdict[str, set[str]] = defaultdict(set)
        self.rounds: dict[int, tuple[Meeting, ...]] = {}
        self.entered: dict[str, int] = {}
        """Bots that came late, in order, with the number of rounds drawn before."""
        self.withdrawn: dict[str, str] = {}
        """Bots that take part no more, with the reason; one that enters again does."""
        for event in events:
            self._take(event)
        for matches in self.played.values():
            matches.sort(key=lambda each: each.number)

    def _take(self, event: Event) -> None:
        if isinstance(event, Played):
            self.played[event.meeting].append(event)
        elif isinstance(event, Forfeited):
            self.absent[event.meeting].update(event.absent)
        elif isinstance(event, Paired):
            self.rounds.setdefault(event.round, event.meetings)
        elif isinstance(event, Entered):
            self.withdrawn.pop(event.bot, None)
            self.entered.setdefault(event.bot, len(self.rounds))
        elif isinstance(event, Withdrew):
            self.withdrawn[event.bot] = event.reason

    def tally(self, meeting: Meeting, sides: Sides) -> Tally:
        """
        Work out a meeting.

        A match counts if its bots sit as one of the meeting's seat orders says, of equal ones the
        lower numbers; so results of other bots, in a node that has changed hands, do not. What is
        not played is given away by those who did not come or have withdrawn.
        """
        rest = Counter(tuple(meeting.bots[i] for i in order) for order in meeting.orders)
        counted = []
        for match in self.played.get(meeting.key, ()):
            if rest[match.seats] > 0:
                rest[match.seats] -= 1
                counted.append(match)
        absent = frozenset(
            bot
            for bot in meeting.bots
            if bot in self.absent.get(meeting.key, ()) or bot in self.withdrawn
        )
        left = []
        for order in meeting.orders:
            seats = tuple(meeting.bots[i] for i in order)
            if rest[seats] > 0:
                rest[seats] -= 1
                left.append(order)
        return _tally(meeting, counted, tuple(left), absent, sides)


@dataclass(frozen=True, kw_only=True)
class Tally:
    """A meeting with what came of it."""

    meeting: Meeting
    played: tuple[Played, ...]
    left: tuple[tuple[int, ...], ...]
    """Seat orders without a match that counts, given away ones included."""
    absent: frozenset[str]
    """Who gives away what is left; nobody where nothing is."""
    taken: Mapping[tuple[str, str], float]
    """Half points of the first bot from the second, given ones included."""
    record: Mapping[str, Record]
    """Of the matches that were played."""

    @property
    def over(self) -> bool:
        return not self.left or bool(self.absent)

    @property
    def wanted(self) -> Meeting:
        """The meeting with what is still to play."""
        return replace(self.meeting, orders=() if self.absent else self.left)

    @property
    def points(self) -> tuple[int, ...]:
        """Half points, in the order of the meeting's bots."""
        return tuple(self.of(bot) for bot in self.meeting.bots)

    @property
    def state(self) -> str:
        if len(self.meeting.bots) == 1:
            return "bye"
        if self.absent:
            return "forfeit"
        return "over" if self.over else "open"

    def of(self, bot: str) -> int:
        return round(sum(self.taken.get((bot, other), 0.0) for other in self.meeting.bots))


def _tally(
    meeting: Meeting,
    played: Sequence[Played],
    left: tuple[tuple[int, ...], ...],
    absent: frozenset[str],
    sides: Sides,
) -> Tally:
    taken: defaultdict[tuple[str, str], float] = defaultdict(float)
    record = dict.fromkeys(meeting.bots, (0, 0, 0))
    for match in played:
        ranks = [match.ranks[side[0]] for side in match.sides]
        _share(taken, match.seats, match.sides, ranks)
        for bot, outcome in outcomes(match).items():
            record[bot] = plus(record[bot], outcome)
    absent = absent if left else frozenset()
    if absent:
        for order in left:
            seats = tuple(meeting.bots[i] for i in order)
            away = [any(seats[seat] in absent for seat in side) for side in sides]
            _share(taken, seats, sides, [2 if each else 1 for each in away], nothing=2)
    return Tally(
        meeting=meeting,
        played=tuple(played),
        left=left,
        absent=absent,
        taken=dict(taken),
        record=record,
    )


def _share(
    taken: defaultdict[tuple[str, str], float],
    seats: Sequence[str],
    sides: Sides,
    ranks: Sequence[int],
    nothing: int | None = None,
) -> None:
    """
    Write down who took how much from whom: in a team, from each opponent an equal part.

    Args:
        ranks: By side.
        nothing: Sides that share this rank take nothing from each other: both were away.
    """
    for one, other in combinations(range(len(sides)), 2):
        if ranks[one] == ranks[other]:
            first = second = 0 if ranks[one] == nothing else 1
        else:
            first, second = (2, 0) if ranks[one] < ranks[other] else (0, 2)
        for mine in sides[one]:
            for theirs in sides[other]:
                taken[seats[mine], seats[theirs]] += first / len(sides[other])
                taken[seats[theirs], seats[mine]] += second / len(sides[one])


def outcomes(match: Played) -> dict[str, Record]:
    """Give each bot a win, draw or loss: the best rank alone, shared, or another."""
    best = min(match.ranks)
    shared = sum(match.ranks[side[0]] == best for side in match.sides) > 1
    found = {}
    for seat, bot in enumerate(match.seats):
        top = match.ranks[seat] == best
        found[bot] = (int(top and not shared), int(top and shared), int(not top))
    return found


def annulled(tallies: Sequence[Tally], withdrawn: Mapping[str, str]) -> frozenset[str]:
    """
    Name the withdrawn bots that have played less than half of their matches.

    Their results stand, but give nobody points, as chess federations have it.
    """
    found = set()
    for bot in withdrawn:
        mine = [tally for tally in tallies if bot in tally.meeting.bots]
        whole = sum(len(tally.meeting.orders) for tally in mine)
        if 2 * sum(len(tally.played) for tally in mine) < whole:
            found.add(bot)
    return frozenset(found)


def added(tallies: Sequence[Tally], without: frozenset[str]) -> dict[tuple[str, str], float]:
    """Add up who took how much from whom, leaving bots out."""
    taken: defaultdict[tuple[str, str], float] = defaultdict(float)
    for tally in tallies:
        for (bot, other), part in tally.taken.items():
            if bot not in without and other not in without:
                taken[bot, other] += part
    return dict(taken)


def totals(tallies: Sequence[Tally], taken: Mapping[tuple[str, str], float]) -> dict[str, int]:
    """Give the half points of all bots of these meetings."""
    points = dict.fromkeys((bot for tally in tallies for bot in tally.meeting.bots), 0.0)
    for (bot, _), part in taken.items():
        points[bot] += part
    return {bot: round(each) for bot, each in points.items()}


def recorded(
    tallies: Sequence[Tally], bots: Sequence[str], without: frozenset[str]
) -> dict[str, Record]:
    """Add up wins, draws and losses; duels with bots that are left out do not count."""
    record = dict.fromkeys(bots, (0, 0, 0))
    for tally in tallies:
        if len(tally.meeting.bots) == 2 and without.intersection(tally.meeting.bots):
            continue
        for bot, more in tally.record.items():
            if bot in record:
                record[bot] = plus(record[bot], more)
    return record


def plus(one: Record, other: Record) -> Record:
    """Add wins to wins, draws to draws, losses to losses."""
    return one[0] + other[0], one[1] + other[1], one[2] + other[2]
