"""Absorbing Hits (§4.3), and attacks made by Action cards (§4.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.engine import Frame, Option, Procedure
from referee.games.stalingrad import events
from referee.games.stalingrad.battle import Battle
from referee.games.stalingrad.board import OFF
from referee.games.stalingrad.book import MOST_RATIONS
from referee.games.stalingrad.play import Declaring, mourning
from referee.games.stalingrad.targets import is_worth_asking
from referee.games.stalingrad.vocabulary import ABSORB

if TYPE_CHECKING:
    from referee.games.stalingrad.state import Stalingrad


def absorb_hits(
    s: Stalingrad,
    seat: int,
    hits: int,
    forces: tuple[int, ...],
    *,
    place: int,
    no_retreat: bool = False,
) -> Absorb:
    """Begin to absorb Hits on those still there; `ignore` is good once for each attack."""
    forces = tuple(f for f in forces if s.area_of[f] != OFF)
    ignore = tuple(s.force(f).ignore for f in forces)
    if s.log is not None:
        ids = tuple(s.force(f).id for f in forces)
        s.tell(events.AbsorbBegan(seat, s.location(place).id, hits, ids, ignore))
    return Absorb(
        seat=seat, hits=hits, forces=forces, ignore=ignore, place=place, no_retreat=no_retreat
    )  # fmt: skip


@dataclass(kw_only=True)
class Absorb(Declaring):
    """
    One answer to one or more Hits, until none are left, or no Force to take them.

    Asked if Q(ABSORB) holds, whatever the player holds; else only if there is a choice.
    """

    SHOWN = ("seat", "hits", "forces", "ignore", "place", "no_retreat")
    OWN = ("begun",)
    KIND = "absorb"

    hits: int
    forces: tuple[int, ...]
    """Participants that are left to take Hits, by id."""
    ignore: tuple[int, ...]
    """Hits that each can still ignore, like `forces`."""
    place: int
    no_retreat: bool

    def moment(self) -> str:
        return ABSORB

    def is_open(self, s: Stalingrad) -> bool:
        return self.hits > 0 and any(s.area_of[f] != OFF for f in self.forces)

    def can_retreat(self, s: Stalingrad, f: int) -> bool:
        """From `L.C` to `L.P`, if there is room and no card forbids it."""
        area = 2 * self.place
        return not self.no_retreat and s.area_of[f] == area and s.has_room(self.seat, area + 1)

    def options(self, s: Stalingrad) -> list[Option]:
        offers = s.book.force_options
        ignoring: list[Option] = []
        spending: list[Option] = []
        retreating: list[Option] = []
        dying: list[Option] = []
        for f, credit in zip(self.forces, self.ignore, strict=True):
            if s.area_of[f] == OFF:
                continue
            means = False
            if credit:
                means = True
                ignoring.append(offers["ignore"][f])
            if s.rations[f]:
                means = True
                most = min(s.rations[f], self.hits, MOST_RATIONS)
                spending.extend(s.book.ration_options[f][:most])
            if self.can_retreat(s, f):
                means = True
                retreating.append(offers["retreat"][f])
            if not means:
                dying.append(offers["destroy"][f])
        return [*ignoring, *spending, *retreating, *self.card_options(s), *dying]

    def forced(self, s: Stalingrad) -> Option | None:
        if is_worth_asking(s, self.seat, ABSORB, self):
            return None
        offered: tuple[Option, ...] = s.offered(self)
        return offered[0] if len(offered) == 1 else None

    def take(self, s: Stalingrad, option: Option) -> Frame | None:
        if option.verb == "play":
            return self.take_card(s, option)
        f = s.force_no(option)
        force = s.force(f)
        stopped = 1
        if option.verb == "ration":
            stopped = int(option.args[1])
            s.change_rations(f, -stopped)
        elif option.verb == "ignore":
            k = self.forces.index(f)
            self.ignore = (*self.ignore[:k], self.ignore[k] - 1, *self.ignore[k + 1 :])
        elif option.verb == "retreat":
            stopped = s.book.config.retreat_absorb + force.retreat_extra + s.medals[f]
            s.move(f, 2 * self.place + 1)
            self.attack(s).note_retreat(self.seat)
        else:
            k = self.forces.index(f)
            self.forces = (*self.forces[:k], *self.forces[k + 1 :])
            self.ignore = (*self.ignore[:k], *self.ignore[k + 1 :])
            s.destroy(f)
            self.attack(s).note_destroyed(self.seat, f)
        self.stop(s, stopped, force.id, option.verb)
        return None

    def stop(self, s: Stalingrad, n: int, force: str, how: str) -> None:
        """That many Hits fewer; a surplus is lost."""
        stopped = min(n, self.hits)
        self.hits -= stopped
        if s.log is not None:
            s.tell(events.HitsAbsorbed(self.seat, stopped, self.hits, force, how))

    def attack(self, s: Stalingrad) -> Battle | CardAttack:
        """What caused the Hits: the frame below."""
        below = s.stack[-2]
        assert isinstance(below, Battle | CardAttack), s.where()
        return below


def absorbed(s: Stalingrad, seat: int, destroyed: int) -> Frame | None:
    """All Hits are dealt with: ON_DESTROYED if that cost Forces."""
    if s.log is not None:
        s.tell(events.AbsorbEnded(seat))
    return mourning(seat, destroyed)


@dataclass(kw_only=True)
class CardAttack(Procedure):
    """An attack by an Action card on one Force: no battle, nothing comes back (§4.4)."""

    STEPS = ("absorb", "mourn")
    SHOWN = ("seat", "force", "hits", "destroyed")

    seat: int
    """The side that is hit."""
    force: int
    hits: int
    destroyed: int = 0

    def absorb(self, s: Stalingrad) -> Frame:
        place = s.area_of[self.force] // 2
        return absorb_hits(s, self.seat, self.hits, (self.force,), place=place)

    def mourn(self, s: Stalingrad) -> Frame | None:
        return absorbed(s, self.seat, self.destroyed)

    def note_retreat(self, seat: int) -> None:
        """Nobody asks whether a card's victim retreated."""

    def note_destroyed(self, seat: int, f: int) -> None:
        self.destroyed += 1
