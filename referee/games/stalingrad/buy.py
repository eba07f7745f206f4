"""Resupply (§3.2), Buy Forces (§3.4), and the German paying for Operation Uranus (§8.7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.engine import Ask, Frame, Option, Procedure
from referee.games.stalingrad import events
from referee.games.stalingrad.costs import Discard, Paying, Payment
from referee.games.stalingrad.moves import open_areas
from referee.games.stalingrad.play import mourning
from referee.games.stalingrad.supply import PlaceRations
from referee.games.stalingrad.targets import payable

if TYPE_CHECKING:
    from referee.games.stalingrad.state import Stalingrad


def can_buy(s: Stalingrad, seat: int) -> bool:
    deck = s.force_deck[seat]
    if not deck or s.buy_cost(deck[0]) > s.buy_points + len(s.hand[seat]):
        return False
    return bool(open_areas(s, seat))


def payable_removals(s: Stalingrad, seat: int) -> list[int]:
    """Kinds in play of the enemy that this side can pay to be rid of, in canonical order."""
    return [
        kind
        for kind in sorted(set(s.in_play[1 - seat]))
        if s.card(kind).removal and payable(s, seat, s.card(kind).removal, len(s.hand[seat]))
    ]


@dataclass(kw_only=True)
class Resupply(Procedure):
    """Discard a card, place Rations on any own Forces."""

    STEPS = ("discard", "place_rations")
    SHOWN = ("seat",)

    seat: int

    def discard(self, s: Stalingrad) -> Frame:
        return Discard(seat=self.seat, left=1)

    def place_rations(self, s: Stalingrad) -> Frame:
        n = s.book.config.resupply_rations + s.note(self.seat, "resupply_rations")
        n += s.modifier("resupply_rations", self.seat)
        return PlaceRations(seat=self.seat, left=n)


@dataclass(kw_only=True)
class Buy(Procedure):
    """The face-up top card of the Force deck: pay, place, turn the next one."""

    STEPS = ("pay", "place", "turn_next")
    SHOWN = ("seat", "cost", "extra_rations")

    seat: int
    cost: int
    """What is left to pay in cards."""
    extra_rations: int
    """Of notes and modifiers, read before the placement (ruling 82)."""

    def pay(self, s: Stalingrad) -> Frame:
        return Discard(seat=self.seat, left=self.cost)

    def place(self, s: Stalingrad) -> Frame:
        return BuyPlace(seat=self.seat)

    def turn_next(self, s: Stalingrad) -> None:
        if s.log is not None:
            s.tell(events.TopTurned(self.seat, s.top_force(self.seat)))


def declare_buy(s: Stalingrad, seat: int) -> Buy:
    """Points are spent first; the rest is paid in cards."""
    f = s.force_deck[seat][0]
    cost = s.buy_cost(f)
    if s.log is not None:
        s.tell(events.BuyDeclared(seat, s.force(f).id, cost))
    points = min(cost, s.buy_points)
    s.set_buy_points(s.buy_points - points)
    extra = s.note(seat, "bought_rations") + s.modifier("bought_rations", seat)
    return Buy(seat=seat, cost=cost - points, extra_rations=extra)


@dataclass(kw_only=True)
class BuyPlace(Ask):
    """Any own Perimeter Area, or a Control Area that the enemy does not Control."""

    KIND = "buy_place"
    SHOWN = ("seat",)

    def options(self, s: Stalingrad) -> list[Option]:
        offers = s.book.area_options
        return [offers[2 * s.board[a // 2] + a % 2] for a in open_areas(s, self.seat)]

    def take(self, s: Stalingrad, option: Option) -> None:
        seat = self.seat
        f = s.force_deck[seat].pop(0)
        s.known_bottom[seat] = min(s.known_bottom[seat], len(s.force_deck[seat]))
        area = s.area_no(str(option.args[0]))
        s.put(f, area)
        if s.log is not None:
            s.tell(events.ForcePlaced(s.force(f).id, s.area_id(area)))
        extra = s.running(Buy).extra_rations
        s.change_rations(f, max(0, s.force(f).rations + extra))


@dataclass(kw_only=True)
class PayUranus(Paying):
    """A card in play is paid for and goes to its owner's discard pile; its modifier ends."""

    STEPS = ("pay", "mourn", "remove")
    SHOWN = ("seat", "removed", "destroyed")

    seat: int
    """Who pays."""
    removed: int
    """Kind of the enemy's card."""

    def pay(self, s: Stalingrad) -> Frame:
        due = tuple((cost.op, cost.params["n"]) for cost in s.card(self.removed).removal)
        return Payment(seat=self.seat, costs=due)

    def mourn(self, s: Stalingrad) -> Frame | None:
        return mourning(self.seat, self.destroyed)

    def remove(self, s: Stalingrad) -> None:
        s.clear_from("in_play", 1 - self.seat, self.removed)
