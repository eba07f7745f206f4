"""Plays tournaments without bots: events follow from what a course wants."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count

from matchmaker import formats
from matchmaker.formats.contract import (
    Course,
    Entrant,
    Event,
    Forfeited,
    Meeting,
    Played,
    Row,
    Terms,
    Value,
    Withdrew,
)

Ranks = Callable[[tuple[str, ...]], tuple[int, ...]]
"""Gives the ranks of a match by seat."""


def entrants(bots: int | Sequence[str]) -> tuple[Entrant, ...]:
    """Bots named by their seeds, with as many digits as are needed, or those given."""
    names = [f"b{n:02d}" for n in range(1, bots + 1)] if isinstance(bots, int) else bots
    return tuple(Entrant(bot, seed) for seed, bot in enumerate(names, 1))


def terms(
    format: str,
    *,
    seats: int = 2,
    sides: tuple[tuple[int, ...], ...] = (),
    chance: str = "lots",
    **settings: Value,
) -> Terms:
    return Terms(
        format=format,
        game="skirmish",
        seats=seats,
        sides=sides,
        chance=chance,
        settings=formats.with_defaults(format, settings),
    )


def stronger(seats: tuple[str, ...]) -> tuple[int, ...]:
    """The name that sorts first wins: the lower seed of `entrants`."""
    order = sorted(seats)
    return tuple(order.index(bot) + 1 for bot in seats)


def drawn(seats: tuple[str, ...]) -> tuple[int, ...]:
    return (1,) * len(seats)


class Tournament:
    """A tournament and its events so far."""

    def __init__(self, of: Terms, field: Sequence[Entrant]) -> None:
        self.terms = of
        self.field = tuple(field)
        self.events: list[Event] = []
        self.numbers = count(1)
        formats.get(of.format).check(of, self.field)

    @property
    def course(self) -> Course:
        return formats.get(self.terms.format).course(self.terms, self.field, self.events)

    @property
    def rows(self) -> dict[str, Row]:
        return {row.bot: row for row in self.course.standings}

    @property
    def order(self) -> list[str]:
        return [row.bot for row in self.course.standings]

    def wanted(self, key: str) -> Meeting:
        return next(each for each in self.course.wanted if each.key == key)

    def play(self, meeting: Meeting, ranks: Ranks = stronger, matches: int | None = None) -> None:
        """Play what is left of a meeting, or so many matches of it."""
        for order in meeting.orders[:matches]:
            seats = tuple(meeting.bots[index] for index in order)
            self.add(meeting.key, seats, ranks(seats))

    def add(self, key: str, seats: tuple[str, ...], ranks: tuple[int, ...]) -> None:
        sides = self.terms.sides or tuple((seat,) for seat in range(len(seats)))
        faults = ("",) * len(seats)
        self.events.append(Played(key, next(self.numbers), seats, sides, ranks, faults))

    def pair(self) -> None:
        """Put the round that is to be drawn into the log, if there is one."""
        paired = self.course.pair
        if paired is not None:
            self.events.append(paired)

    def step(self, ranks: Ranks = stronger) -> bool:
        """Play all that is wanted now; say whether the tournament goes on."""
        self.pair()
        for meeting in self.course.wanted:
            self.play(meeting, ranks)
        return not self.course.over

    def run(self, ranks: Ranks = stronger) -> Course:
        for _ in range(200):
            if not self.step(ranks):
                return self.course
        raise AssertionError("it never ends")

    def forfeit(self, meeting: Meeting, *absent: str) -> None:
        self.events.append(Forfeited(meeting.key, absent))

    def withdraw(self, bot: str, reason: str = "of its own") -> None:
        self.events.append(Withdrew(bot, reason))
