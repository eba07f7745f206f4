"""
A position of Battle for Stalingrad as greedy sees it, and what it is worth to a seat.

The worth is a sum. Each Location: control is worth `CONTROL`, a contested one its share by
strength, Perimeter Forces count a little for where they could go. Each Force: its Combat and
Specials, and its Rations with falling returns. What is the enemy's counts against it.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from typing import Any

from forces import FORCES, USUAL

CONTROL = 9.0
STANDING_BY = 0.25
"""What a Force in the Perimeter Area counts for its Location."""
RATION = (0.0, 1.3, 2.3, 3.0, 3.5, 3.9)
"""What so many Rations on one Force are worth; further ones `MORE` each."""
MORE = 0.15
CAPACITY = 3


class Unit:
    """A Force on the board."""

    __slots__ = ("area", "id", "medals", "no_move", "place", "printed", "rations", "seat")

    def __init__(self, id_: str, seat: int, area: str, rations: int, medals: int = 0) -> None:
        self.id = id_
        self.seat = seat
        self.place, self.area = area.split(".")
        self.rations = rations
        self.medals = medals
        self.no_move = False
        self.printed = FORCES.get(id_, USUAL)

    @property
    def strength(self) -> float:
        return self.printed.combat + self.medals + 0.5 * min(self.rations, 3)

    @property
    def worth(self) -> float:
        printed = self.printed
        specials = printed.attack_bonus + printed.retreat_extra + 2 * printed.ignore
        return 1.2 * (printed.combat + self.medals) + 0.4 * specials + 1.0 + rations(self.rations)


def rations(count: int) -> float:
    last = len(RATION) - 1
    return RATION[count] if count <= last else RATION[last] + MORE * (count - last)


class Board:
    def __init__(self, view: Any, seat: int) -> None:
        self.seat = seat
        self.places = list(view.locations)
        self.rubble = dict(zip(view.locations, view.rubble))
        self.units: dict[str, Unit] = {}
        for k, id_ in enumerate(view.forces):
            unit = Unit(id_, side(id_), view.areas[k], view.rations[k], view.medals[k])
            unit.no_move = view.no_move[k]
            self.units[id_] = unit

    def copy(self) -> Board:
        twin = copy(self)
        twin.units = {id_: copy(unit) for id_, unit in self.units.items()}
        twin.rubble = dict(self.rubble)
        return twin

    def at(self, seat: int, place: str, area: str) -> list[Unit]:
        return [
            u for u in self.units.values() if u.place == place and u.area == area and u.seat == seat
        ]

    def own(self) -> list[Unit]:
        return [unit for unit in self.units.values() if unit.seat == self.seat]

    def controller(self, place: str) -> int | None:
        holders = {u.seat for u in self.units.values() if u.place == place and u.area == "C"}
        return holders.pop() if len(holders) == 1 else None

    # Worth

    def worth(self) -> float:
        """To the viewer's seat; the enemy's worth is the same with the other sign."""
        total = sum(self.of_place(place) for place in self.places)
        for unit in self.units.values():
            total += unit.worth if unit.seat == self.seat else -unit.worth
        return total

    def of_place(self, place: str) -> float:
        holding, near = [0.0, 0.0], [0.0, 0.0]
        for unit in self.units.values():
            if unit.place == place:
                (holding if unit.area == "C" else near)[unit.seat] += unit.strength
        mine, theirs = holding[self.seat], holding[1 - self.seat]
        reserve = STANDING_BY * (near[self.seat] - near[1 - self.seat])
        if mine and theirs:
            return CONTROL * 0.6 * (mine - theirs) / (mine + theirs) + 0.2 * reserve
        if mine or theirs:
            held = CONTROL if mine else -CONTROL
            # A lone Force that the enemy's reserve outweighs will not hold for long.
            threat = near[1 - self.seat] - mine if mine else theirs - near[self.seat]
            weak = max(-2.0, min(2.0, 0.4 * threat))
            return held - (max(weak, 0.0) if mine else min(weak, 0.0)) + 0.2 * reserve
        return reserve

    # Changes

    def moved(self, id_: str, area: str, cost: int = 0) -> float:
        """What it is worth to have this Force in another area, for so many Rations."""
        unit = self.units[id_]
        place, to = area.split(".")
        touched = {unit.place, place}
        before = sum(map(self.of_place, touched)) + unit.worth
        was = (unit.place, unit.area, unit.rations)
        unit.place, unit.area, unit.rations = place, to, unit.rations - cost
        after = sum(map(self.of_place, touched)) + unit.worth
        unit.place, unit.area, unit.rations = was
        return after - before

    def added(self, id_: str, area: str, carrying: int | None = None) -> float:
        """What a new Force is worth there."""
        printed = FORCES.get(id_, USUAL)
        unit = Unit(id_, self.seat, area, printed.rations if carrying is None else carrying)
        before = self.of_place(unit.place)
        self.units[id_] = unit
        after = self.of_place(unit.place) + unit.worth
        del self.units[id_]
        return after - before

    def destinations(self, id_: str) -> Iterable[str]:
        """Areas that a Move may go to."""
        unit = self.units[id_]
        for place in self.places:
            enemy = self.controller(place) == 1 - unit.seat
            for area in "CP":
                here = unit.place == place
                if here and unit.area == area:
                    continue
                if len(self.at(unit.seat, place, area)) >= CAPACITY:
                    continue
                if area == "P" or not enemy or (here and unit.area == "P"):
                    yield f"{place}.{area}"

    def hit(self, ids: Iterable[str], hits: int, retreat: bool = True) -> None:
        """
        Let these Forces absorb Hits as a sensible player would.

        Ignored Hits first, spare Rations, then retreats, the last Rations, and destruction.
        """
        units = [self.units[id_] for id_ in ids if id_ in self.units]
        for unit in units:
            hits -= min(hits, unit.printed.ignore)
        for keep in (2, 1):
            for unit in sorted(units, key=lambda u: -u.rations):
                spare = min(max(unit.rations - keep, 0), hits)
                unit.rations -= spare
                hits -= spare
        for unit in sorted(units, key=lambda u: u.worth):
            if hits <= 0 or not retreat:
                break
            if unit.area == "C" and len(self.at(unit.seat, unit.place, "P")) < CAPACITY:
                unit.area = "P"
                hits -= 2 + unit.printed.retreat_extra + unit.medals
        for unit in sorted(units, key=lambda u: u.worth):
            if hits <= 0:
                break
            spent = min(unit.rations, hits)
            unit.rations -= spent
            hits -= spent
            if hits > 0:
                del self.units[unit.id]
                hits -= 1


def side(id_: str) -> int:
    """Ids of Russian Forces begin with R, of German ones with G."""
    return 0 if id_.startswith("R") else 1
