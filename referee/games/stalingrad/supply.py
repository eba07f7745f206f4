"""SUPPLY (§3.1), and placing Rations one by one wherever a rule or a card gives them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.engine import Frame, Option, Procedure, Window
from referee.games.stalingrad.board import LOCATIONS

if TYPE_CHECKING:
    from referee.games.stalingrad.state import Stalingrad

ANYWHERE = -1


@dataclass(kw_only=True)
class Supply(Procedure):
    """Locations in board order, then one Ration for each Force in a Perimeter Area."""

    STEPS = ("location", "perimeter")
    SHOWN = ("seat", "place")

    seat: int
    place: int = 0
    """The next Location's place in the line."""

    def location(self, s: Stalingrad) -> Frame | None:
        if self.place == LOCATIONS:
            return None
        place, self.place = self.place, self.place + 1
        self.again("location")
        if s.controller(place) != self.seat:
            return None
        return PlaceRations(seat=self.seat, left=s.yield_of(place, self.seat), place=place)

    def perimeter(self, s: Stalingrad) -> None:
        """Whoever Controls the Location, destroyed or not."""
        n = max(0, 1 + s.modifier("perimeter_ration", self.seat))
        if n:
            for f in s.forces_of(self.seat):
                if s.area_of[f] % 2:
                    s.change_rations(f, n)


@dataclass(kw_only=True)
class PlaceRations(Window):
    """Place Rations on own Forces, one at a time."""

    KIND = "place_ration"
    SHOWN = ("seat", "left", "place", "area")

    left: int
    place: int = ANYWHERE
    """Only at this Location."""
    area: str = ""
    """Only in `C` or `P`."""

    def forces(self, s: Stalingrad) -> list[int]:
        if self.place != ANYWHERE:
            both = (2 * self.place, 2 * self.place + 1)
            return sorted(f for area in both for f in s.in_area(self.seat, area))
        return s.forces_in(self.seat, self.area)

    def is_open(self, s: Stalingrad) -> bool:
        return self.left > 0 and bool(self.forces(s))

    def options(self, s: Stalingrad) -> list[Option]:
        offers = s.book.force_options["place_ration"]
        return [offers[f] for f in self.forces(s)]

    def take(self, s: Stalingrad, option: Option) -> None:
        self.left -= 1
        s.change_rations(s.force_no(option), 1)
