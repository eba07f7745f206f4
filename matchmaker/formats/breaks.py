"""
Tables and tie-breaks, as in the FIDE Handbook, C.07 (in force from 1 September 2023).

Values are in whole points, as printed tables have them; the scores they are made of in half points.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from enum import Enum
from typing import NamedTuple

from matchmaker.formats.contract import Row, Value
from matchmaker.formats.tally import Record

Rule = Callable[[Sequence[str]], Mapping[str, float]]
"""Gives each bot of a tie its value: the more, the better."""


class Kind(Enum):
    """What a round was to a bot."""

    PLAYED = "played"
    GIVEN = "given"
    """A bye, or the opponents did not come."""
    MISSED = "missed"
    """It did not come, was not there yet or had withdrawn."""


class Turn(NamedTuple):
    """One round of one bot."""

    kind: Kind
    points: float
    """Half points."""
    met: tuple[tuple[str, float], ...] = ()
    """Opponents, and the half points taken from each, where something was played."""


def rank(
    bots: Sequence[str],
    points: Mapping[str, int],
    rules: Sequence[tuple[str, Rule]],
    record: Mapping[str, Record],
    notes: Mapping[str, str],
    *,
    last: Collection[str] = (),
    by_points: bool = True,
) -> tuple[Row, ...]:
    """
    Order bots by points, then by one rule after the other within what is still tied.

    Args:
        bots: In the order in which those are listed whom no rule parts.
        last: Bots that stand below all others.
        by_points: Whether points come first at all.
    """
    groups = _split(bots, {bot: (bot not in last, points[bot] if by_points else 0) for bot in bots})
    values: dict[str, list[tuple[str, float]]] = {bot: [] for bot in bots}
    for name, rule in rules:
        parted = []
        for group in groups:
            found = rule(group)
            for bot in group:
                values[bot].append((name, found[bot]))
            parted += _split(group, found)
        groups = parted
    rows: list[Row] = []
    for group in groups:
        place = len(rows) + 1
        for bot in group:
            rows.append(
                Row(
                    place,
                    bot,
                    points[bot],
                    tuple(values[bot]),
                    *record[bot],
                    note=notes.get(bot, ""),
                )
            )
    return tuple(rows)


def winner(rows: Sequence[Row]) -> dict[str, Value]:
    """Name who is first: `winner` if it is one bot, else `winners`."""
    first = [row.bot for row in rows if row.place == 1]
    return {"winner": first[0]} if len(first) == 1 else {"winners": ", ".join(first)}


def wins(record: Mapping[str, Record]) -> Rule:
    """Count matches that were won in play."""
    return lambda group: {bot: float(record[bot][0]) for bot in group}


def fixed(values: Mapping[str, float]) -> Rule:
    """Take values that do not depend on who is tied."""
    return lambda group: values


class Opponents:
    """Tie-breaks from the opponents' scores in a Swiss tournament (art. 8.1, 9.1, 14.1, 16)."""

    def __init__(self, turns: Mapping[str, Sequence[Turn]], *, drawn: int, width: int) -> None:
        """
        Args:
            turns: Of each bot, by round.
            drawn: Half points of a meeting that is drawn throughout.
            width: Opponents in a meeting.
        """
        self.turns = turns
        self.width = width
        self.points = {bot: sum(turn.points for turn in mine) for bot, mine in turns.items()}
        self.adjusted = {
            bot: self.points[bot] + drawn * _missed_at_the_end(mine) for bot, mine in turns.items()
        }
        """To its opponents, rounds that a bot missed to the end count as draws (art. 16.3)."""

    def buchholz(self) -> dict[str, float]:
        """Add up the opponents' scores."""
        return {bot: sum(value for value, _ in self._parts(bot)) / 2 for bot in self.turns}

    def buchholz_cut(self) -> dict[str, float]:
        """Leave one score out: the least of the rounds missed, if any, else the least of all."""
        found = {}
        for bot in self.turns:
            parts = self._parts(bot)
            missed = [value for value, kind in parts if kind is Kind.MISSED]
            cut = min(missed or [value for value, _ in parts], default=0.0)
            found[bot] = (sum(value for value, _ in parts) - cut) / 2
        return found

    def sonneborn_berger(self) -> dict[str, float]:
        """Add up the opponents' scores, each times what was taken from it."""
        found = {}
        for bot, mine in self.turns.items():
            total = 0.0
            for turn in mine:
                if turn.kind is Kind.PLAYED:
                    total += sum(self.adjusted[other] * part for other, part in turn.met)
                else:
                    total += self.points[bot] * turn.points
            found[bot] = total / 4
        return found

    def _parts(self, bot: str) -> list[tuple[float, Kind]]:
        """Scores of the opponents; where none was played, the bot's own score (art. 16.4)."""
        parts: list[tuple[float, Kind]] = []
        for turn in self.turns[bot]:
            if turn.kind is Kind.PLAYED:
                parts += [(self.adjusted[other], turn.kind) for other, _ in turn.met]
            else:
                parts += [(self.points[bot], turn.kind)] * self.width
        return parts


def sonneborn_berger(
    bots: Sequence[str], points: Mapping[str, int], taken: Mapping[tuple[str, str], float]
) -> dict[str, float]:
    """Give Sonneborn–Berger where all meet all: a forfeit counts against who did not come."""
    total: defaultdict[str, float] = defaultdict(float)
    for (bot, other), part in taken.items():
        total[bot] += points[other] * part
    return {bot: total[bot] / 4 for bot in bots}


def direct_encounter(taken: Mapping[tuple[str, str], float], most: float) -> Rule:
    """
    Compare tied bots by what they took from one another (art. 6).

    If all have met, by those points, and again among those that are still level. If not, a bot is
    parted from the rest only if none of them could pass it in the meetings that did not take place.
    A value is the number of tied bots that stand below.

    Args:
        taken: Half points of the first from the second; a pair that is not there has not met.
        most: Half points to be had in a meeting that did not take place.
    """

    def rule(group: Sequence[str]) -> dict[str, float]:
        order = _encounter(list(group), taken, most)
        values, below = {}, len(group)
        for level in order:
            below -= len(level)
            values.update(dict.fromkeys(level, float(below)))
        return values

    return rule


def _encounter(
    group: list[str], taken: Mapping[tuple[str, str], float], most: float
) -> list[list[str]]:
    """Part a tie into levels, best first."""
    if len(group) < 2:
        return [group] if group else []
    had = {bot: sum(taken.get((bot, other), 0.0) for other in group) for bot in group}
    open_ = {
        bot: sum(other != bot and (bot, other) not in taken for other in group) for bot in group
    }
    if not any(open_.values()):
        levels = _split(group, had)
        if len(levels) == 1:
            return levels
        return [low for level in levels for low in _encounter(list(level), taken, most)]
    for bot in group:
        if all(had[other] + most * open_[other] < had[bot] for other in group if other != bot):
            return [[bot], *_encounter([other for other in group if other != bot], taken, most)]
    return [group]


def _split(bots: Sequence[str], values: Mapping[str, object]) -> list[list[str]]:
    """Group bots of equal value, the highest first; order is kept within."""
    groups: dict[object, list[str]] = {}
    for bot in bots:
        groups.setdefault(values[bot], []).append(bot)
    return [groups[value] for value in sorted(groups, reverse=True)]  # type: ignore[type-var]


def _missed_at_the_end(turns: Sequence[Turn]) -> int:
    missed = 0
    for turn in reversed(turns):
        if turn.kind is not Kind.MISSED:
            break
        missed += 1
    return missed
