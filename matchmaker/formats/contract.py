"""
What every format of tournament answers to: who meets whom next, how it stands, whether it is over.

Pure: a course is a function of the terms, the entrants and what the results log says of the
tournament, in log order. It is worked out anew from the beginning each time, so a result that an
operator takes out undoes whatever followed from it alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol

from referee.engine.errors import WarladderError

Value = int | float | str | bool


class BadTerms(WarladderError):
    """A tournament that cannot be held: the text says which term is wrong and what would do."""


class Setting(NamedTuple):
    """One of a format's own settings."""

    default: Value
    about: str
    """One line for the person who sets it."""
    low: float | None = None
    high: float | None = None
    among: tuple[str, ...] = ()
    """The texts it may be; empty if it is no text."""


class Entrant(NamedTuple):
    """A bot that takes part from the start."""

    bot: str
    seed: int
    """1 is believed the strongest; each number once."""


@dataclass(frozen=True, kw_only=True)
class Terms:
    """What a tournament is: fixed before its start."""

    format: str
    game: str
    seats: int = 2
    sides: tuple[tuple[int, ...], ...] = ()
    """Seats that win together; empty where each is for itself."""
    chance: str = ""
    """Text from which the format draws its lots: equal text, equal lots."""
    settings: Mapping[str, Value] = field(default_factory=dict)
    """The format's own settings, each of them there."""


@dataclass(frozen=True, kw_only=True)
class Meeting:
    """Bots that are to play a few matches against each other, seats rotated."""

    key: str
    """Names it within the tournament, for good."""
    round: int
    """From 1."""
    bots: tuple[str, ...]
    orders: tuple[tuple[int, ...], ...]
    """Seat orders of its matches, as indices into `bots` by seat; in `Course.wanted` those left."""
    label: str = ""
    """What people call it ("final"); empty for one of many."""


class Played(NamedTuple):
    """A match of a meeting that counts. `seats`, `ranks`, `faults` by seat."""

    meeting: str
    number: int
    seats: tuple[str, ...]
    """Names of the bots."""
    sides: tuple[tuple[int, ...], ...]
    ranks: tuple[int, ...]
    faults: tuple[str, ...]


class Forfeited(NamedTuple):
    """What is left of a meeting is not played: these bots did not come, the others are given it."""

    meeting: str
    absent: tuple[str, ...]


class Entered(NamedTuple):
    """A bot takes part from now on."""

    bot: str


class Withdrew(NamedTuple):
    """A bot takes part no more; what it has begun is left as it is."""

    bot: str
    reason: str


class Paired(NamedTuple):
    """The meetings of a round, drawn once and kept: later results do not change them."""

    round: int
    meetings: tuple[Meeting, ...]


Event = Played | Forfeited | Entered | Withdrew | Paired


class Row(NamedTuple):
    """How one bot stands."""

    place: int
    """Equal for those whom no rule parts."""
    bot: str
    points: int
    """Half points: a win of a duel is 2, a draw 1."""
    breaks: tuple[tuple[str, float], ...]
    """Name and value of each tie-break, in the order in which they count."""
    wins: int
    draws: int
    losses: int
    note: str = ""
    """`withdrawn: …`, `out in round 3`, `bye in round 2`; empty mostly."""


class Shown(NamedTuple):
    """A meeting as people see it: of the bracket, the cross table or a round's list."""

    meeting: Meeting
    points: tuple[int, ...]
    """Half points so far, in the order of its bots."""
    state: str
    """`waiting` for earlier meetings, `open`, `over`, `forfeit`, `bye`."""
    winner: str = ""
    """Who goes on, where that is the question."""


@dataclass(frozen=True, kw_only=True)
class Course:
    """A tournament as the log leaves it."""

    wanted: tuple[Meeting, ...] = ()
    """To be played now, in the order in which they should begin."""
    pair: Paired | None = None
    """A round to be put into the log before anything else happens."""
    standings: tuple[Row, ...] = ()
    """Best first."""
    shown: tuple[Shown, ...] = ()
    """All meetings, by round."""
    over: bool = False
    summary: Mapping[str, Value] = field(default_factory=dict)
    """What else the format has to say, plain: `winner`, a duel's `llr` and `verdict`."""


class Forecast(NamedTuple):
    """How long a tournament will be."""

    rounds: int
    """Parts that must follow one another."""
    matches: int
    """At most, where the course decides."""
    fewest: int
    """Matches of the bot that plays least."""
    most: int


class Format(Protocol):
    """One way to hold a tournament."""

    name: str
    about: str
    """One line for the person who chooses."""
    settings: Mapping[str, Setting]

    def check(self, terms: Terms, entrants: Sequence[Entrant]) -> None:
        """
        Say whether it can be held.

        Raises:
            BadTerms: It cannot.
        """

    def course(self, terms: Terms, entrants: Sequence[Entrant], events: Sequence[Event]) -> Course:
        """
        Work out how the tournament stands after these events.

        Raises:
            BadTerms: A bot entered that the format takes no more; so a late entry is tried first.
        """

    def forecast(self, terms: Terms, entrants: Sequence[Entrant]) -> Forecast:
        """Tell beforehand how much will be played."""


def match_points(played: Played) -> tuple[int, ...]:
    """
    Give each seat its half points: two for each side that its own did better than, one for a tie.

    Two sides: 2, 1 or 0. Three sides: 4, 2, 0 for clear ranks. A side's seats have the same.
    """
    points = [0] * len(played.seats)
    for side in played.sides:
        for other in played.sides:
            if other is not side:
                mine, theirs = played.ranks[side[0]], played.ranks[other[0]]
                for seat in side:
                    points[seat] += 2 if mine < theirs else 1 if mine == theirs else 0
    return tuple(points)


def most_points(sides: int) -> int:
    """Half points of who beats all others in one match."""
    return 2 * (sides - 1)


def left(meeting: Meeting, played: Sequence[Played]) -> Meeting:
    """Give a meeting with the seat orders that are still to be played."""
    done = Counter(each.seats for each in played if each.meeting == meeting.key)
    rest = []
    for order in meeting.orders:
        seats = tuple(meeting.bots[index] for index in order)
        if done[seats]:
            done[seats] -= 1
        else:
            rest.append(order)
    return replace(meeting, orders=tuple(rest))
