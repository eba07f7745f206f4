"""Paying: discards, lost Rations, own Forces destroyed, one item at a time (§8.7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.engine import Frame, Option, Procedure, Window
from referee.games.stalingrad.battle import Battle

if TYPE_CHECKING:
    from referee.games.stalingrad.state import Stalingrad


@dataclass(kw_only=True)
class Payment(Procedure):
    """One cost after another; the frame below is told how many Forces it cost."""

    STEPS = ("pay",)
    SHOWN = ("seat", "costs")

    seat: int
    costs: tuple[tuple[str, int], ...]
    """Pairs of (cost, how many), first paid first."""

    def pay(self, s: Stalingrad) -> Frame | None:
        if not self.costs:
            return None
        (cost, n), self.costs = self.costs[0], self.costs[1:]
        self.again("pay")
        return COSTS[cost](seat=self.seat, left=n)


@dataclass(kw_only=True)
class Discard(Window):
    """Discard cards face up, one after the other; asked with two cards even if they are equal."""

    KIND = "discard"
    PUBLIC_OPTIONS = False
    SHOWN = ("seat", "left")

    left: int

    def is_open(self, s: Stalingrad) -> bool:
        return self.left > 0 and bool(s.hand[self.seat])

    def options(self, s: Stalingrad) -> list[Option]:
        offers = s.book.card_options["discard"]
        return [offers[kind] for kind in sorted(set(s.hand[self.seat]))]

    def forced(self, s: Stalingrad) -> Option | None:
        hand = s.hand[self.seat]
        return s.book.card_options["discard"][hand[0]] if len(hand) == 1 else None

    def take(self, s: Stalingrad, option: Option) -> None:
        self.left -= 1
        s.discard_from_hand(self.seat, s.kind_no(self.seat, option))


@dataclass(kw_only=True)
class LoseRation(Window):
    """Remove Rations of own Forces, one at a time."""

    KIND = "lose_ration"
    SHOWN = ("seat", "left", "area")

    left: int
    area: str = ""
    """Only in `C` or `P`."""

    def forces(self, s: Stalingrad) -> list[int]:
        return [f for f in s.forces_in(self.seat, self.area) if s.rations[f]]

    def is_open(self, s: Stalingrad) -> bool:
        return self.left > 0 and bool(self.forces(s))

    def options(self, s: Stalingrad) -> list[Option]:
        offers = s.book.force_options["lose_ration"]
        return [offers[f] for f in self.forces(s)]

    def take(self, s: Stalingrad, option: Option) -> None:
        self.left -= 1
        s.change_rations(s.force_no(option), -1)


@dataclass(kw_only=True)
class DestroyOwn(Window):
    """Destroy own Forces, one at a time."""

    KIND = "destroy_own"
    SHOWN = ("seat", "left")

    left: int

    def is_open(self, s: Stalingrad) -> bool:
        return self.left > 0 and bool(s.forces_of(self.seat))

    def options(self, s: Stalingrad) -> list[Option]:
        offers = s.book.force_options["destroy_own"]
        return [offers[f] for f in s.forces_of(self.seat)]

    def take(self, s: Stalingrad, option: Option) -> None:
        self.left -= 1
        f = s.force_no(option)
        s.destroy(f)
        s.running(Paying).destroyed += 1
        for frame in s.stack:
            if isinstance(frame, Battle) and f in frame.forces(self.seat):
                frame.note_shaken(self.seat)


@dataclass(kw_only=True)
class Paying(Procedure):
    """A frame that has a cost paid and counts the Forces destroyed by it."""

    destroyed: int = 0


COSTS: dict[str, type[Discard] | type[LoseRation] | type[DestroyOwn]] = {
    "discard": Discard,
    "remove_rations": LoseRation,
    "destroy_own": DestroyOwn,
}
