"""Moving (§3.3), and the free Moves of High Morale (§8.6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.engine import Frame, Option, Procedure, Window
from referee.games.stalingrad import events
from referee.games.stalingrad.board import AREAS, OFF
from referee.games.stalingrad.play import CardWindow
from referee.games.stalingrad.vocabulary import ON_MOVE

if TYPE_CHECKING:
    from referee.games.stalingrad.state import Stalingrad

STOP = Option("stop")


def open_areas(s: Stalingrad, seat: int) -> list[int]:
    """Areas that a Force of this side may reach from anywhere: with room, no enemy-held `C`."""
    full = s.book.config.area_capacity
    mine, enemy = AREAS * seat, AREAS * (1 - seat)
    areas = s.areas
    found = []
    for area in range(0, AREAS, 2):
        own = areas[mine + area]
        if len(own) < full and (own or not areas[enemy + area]):
            found.append(area)
        if len(areas[mine + area + 1]) < full:
            found.append(area + 1)
    return found


def destinations(s: Stalingrad, f: int, reach: list[int]) -> list[int]:
    """
    Areas that a Force may move to (§3.3), in board order.

    `reach` is what `open_areas` gives for its side; from `L.P` an Advance goes to `L.C` too,
    whoever Controls L.
    """
    at = s.area_of[f]
    found = [area for area in reach if area != at]
    if at % 2 and at - 1 not in reach and s.has_room(s.book.seat_of[f], at - 1):
        found.append(at - 1)
        found.sort()
    return found


def has_destination(s: Stalingrad, f: int, reach: list[int]) -> bool:
    at = s.area_of[f]
    if len(reach) > 1 or (reach and reach[0] != at):
        return True
    return bool(at % 2 and at - 1 not in reach and s.has_room(s.book.seat_of[f], at - 1))


def free_movers(s: Stalingrad, seat: int) -> list[int]:
    """Forces that can make a Move that costs nothing because a card grants it."""
    reach = open_areas(s, seat)
    return [f for f in s.forces_of(seat) if not s.no_move[f] and has_destination(s, f, reach)]


def destination_options(s: Stalingrad, f: int) -> list[Option]:
    offers = s.book.area_options
    board = s.board
    reach = open_areas(s, s.book.seat_of[f])
    return [offers[2 * board[area // 2] + area % 2] for area in destinations(s, f, reach)]


def declare_move(s: Stalingrad, f: int, option: Option, *, granted: bool) -> Move:
    """Show a Force and its destination together."""
    area = s.area_no(str(option.args[0]))
    return show_move(s, f, area, granted=granted)


def show_move(s: Stalingrad, f: int, area: int, *, granted: bool) -> Move:
    seat = s.book.seat_of[f]
    if s.log is not None:
        way = way_of(s.area_of[f], area)
        s.tell(events.MoveDeclared(seat, s.force(f).id, s.area_id(area), granted, way))
    return Move(seat=seat, force=f, area=area, granted=granted)


def way_of(start: int, goal: int) -> str:
    """Which Move this is; from `L.P` to `L.C` it is called an Advance (ruling 11)."""
    if goal % 2:
        return "perimeter"
    return "advance" if start == goal + 1 else "control"


@dataclass(kw_only=True)
class Move(Procedure):
    """A declared Move: the enemy's window, then payment and the Move itself."""

    STEPS = ("on_move", "go")
    SHOWN = ("seat", "force", "area", "granted", "cancelled")

    seat: int
    force: int
    area: int
    """Destination."""
    granted: bool
    """By a card: free, and not counted against a free mover's cap."""
    cancelled: bool = False

    def on_move(self, s: Stalingrad) -> Frame:
        return CardWindow(seat=1 - self.seat, window=ON_MOVE)

    def go(self, s: Stalingrad) -> None:
        """Pay and move; a cancelled Move costs nothing, nor one that can no longer be made."""
        f = self.force
        gone = s.area_of[f] in (OFF, self.area)
        if self.cancelled or gone or not s.has_room(self.seat, self.area):
            return
        cost = 0 if self.granted else s.move_cost(f)
        if cost > s.rations[f]:
            if s.log is not None:
                s.tell(events.MoveCancelled(s.force(f).id))
            return  # unpayable since it was declared: void
        if cost:
            s.change_rations(f, -cost)
        elif not self.granted and s.force(f).free_move:
            s.use_free_move(f)
        s.move(f, self.area)


@dataclass(kw_only=True)
class FreeMoves(Window):
    """High Morale: Moves at no cost by any own Forces, one after the other."""

    SHOWN = ("seat", "left")
    OWN = ("begun",)

    left: int
    begun: int = -1
    """The Force of a Move whose destination is not chosen yet."""

    def kind(self, s: Stalingrad) -> str:
        return "free_move" if self.begun < 0 else "move_dest"

    def is_open(self, s: Stalingrad) -> bool:
        return self.begun >= 0 or (self.left > 0 and bool(free_movers(s, self.seat)))

    def options(self, s: Stalingrad) -> list[Option]:
        if self.begun >= 0:
            return destination_options(s, self.begun)
        offers = s.book.force_options["free_move"]
        return [STOP, *(offers[f] for f in free_movers(s, self.seat))]

    def take(self, s: Stalingrad, option: Option) -> Frame | None:
        if option == STOP:
            self.left = 0
            return None
        if self.begun < 0:
            self.begun = s.force_no(option)
            return None
        f, self.begun = self.begun, -1
        self.left -= 1
        return declare_move(s, f, option, granted=True)
