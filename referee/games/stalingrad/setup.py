"""Set-up (§2): Locations, starting Forces, decks, opening hands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.engine import Frame, Option, Procedure, Window, chance
from referee.games.stalingrad import events
from referee.games.stalingrad.board import AREAS, LOCATIONS
from referee.games.stalingrad.check import reachable
from referee.games.stalingrad.records import GERMAN, RUSSIAN, SIDES
from referee.games.stalingrad.turn import Turn

if TYPE_CHECKING:
    from referee.games.stalingrad.state import Stalingrad

NOT_PICKED = -1


def lay_locations(s: Stalingrad, setting: str) -> None:
    """R1: five of the ten Locations, in a line, by the setting's own stream."""
    ids = [each.id for each in s.book.locations]
    drawn = chance.shuffled(setting, "locations", ids)[:LOCATIONS]
    s.board = tuple(s.book.location_no[each] for each in drawn)
    s.unused = tuple(no for no in range(len(ids)) if no not in s.board)
    if s.log is not None:
        russian, german = (tuple(s.force(f).id for f in forces) for forces in s.book.forces_of)
        unused = tuple(ids[no] for no in s.unused)
        s.tell(events.BoardLaid(tuple(drawn), unused, russian, german))


@dataclass(kw_only=True)
class SetUp(Procedure):
    """The Russian sets up, then the German, who sees all of it; then the German's first turn."""

    STEPS = (
        "russian_forces", "form_russian_deck", "german_forces", "form_german_deck",
        "deal_russian_hand", "deal_german_hand", "first_turn",
    )  # fmt: skip

    def russian_forces(self, s: Stalingrad) -> Frame:
        return ChooseForces(seat=RUSSIAN, left=s.book.config.setup_totals[RUSSIAN])

    def form_russian_deck(self, s: Stalingrad) -> None:
        form_force_deck(s, RUSSIAN)

    def german_forces(self, s: Stalingrad) -> Frame:
        return ChooseForces(seat=GERMAN, left=s.book.config.setup_totals[GERMAN])

    def form_german_deck(self, s: Stalingrad) -> None:
        form_force_deck(s, GERMAN)

    def deal_russian_hand(self, s: Stalingrad) -> None:
        s.draw(RUSSIAN, s.book.config.opening_hands[RUSSIAN])

    def deal_german_hand(self, s: Stalingrad) -> None:
        s.draw(GERMAN, s.book.config.opening_hands[GERMAN])

    def first_turn(self, s: Stalingrad) -> Frame:
        s.acting = GERMAN
        return Turn()


def form_force_deck(s: Stalingrad, seat: int) -> None:
    """R2, R3: Starting Rations; all ids shuffled and the chosen ones struck out (§7.6)."""
    on_board = s.forces_of(seat)
    for f in on_board:
        s.rations[f] = s.force(f).rations
    ids = [s.force(f).id for f in s.book.forces_of[seat]]
    order = chance.shuffled(s.seed, f"{SIDES[seat]}.forces", ids)
    s.force_deck[seat] = [f for f in map(s.book.force_no.__getitem__, order) if s.area_of[f] < 0]
    if s.log is not None:
        s.tell(
            events.ForceDeckFormed(
                seat,
                tuple(s.force(f).id for f in on_board),
                tuple(s.rations[f] for f in on_board),
                s.top_force(seat),
            )
        )


def shuffle_decks(s: Stalingrad) -> None:
    """R4, its first half: as the streams are independent, nothing is lost by doing it at once."""
    for seat in (RUSSIAN, GERMAN):
        s.deck[seat] = s.shuffled(seat, s.book.deck_list[seat])
        if s.log is not None:
            s.tell(events.DeckMade(seat, len(s.deck[seat])))


@dataclass(kw_only=True)
class ChooseForces(Window):
    """Pick a Force, place it, and again until the total is exact (§2.1)."""

    SHOWN = ("seat", "left", "force")

    left: int
    """What is left to spend."""
    force: int = NOT_PICKED
    """Picked, to be placed next."""

    def kind(self, s: Stalingrad) -> str:
        return "setup_pick" if self.force == NOT_PICKED else "setup_place"

    def is_open(self, s: Stalingrad) -> bool:
        return self.left > 0 or self.force != NOT_PICKED

    def options(self, s: Stalingrad) -> list[Option]:
        if self.force != NOT_PICKED:
            offers = s.book.area_options
            first, step = (0, 1) if self.seat == RUSSIAN else (1, 2)
            return [
                offers[2 * s.board[area // 2] + area % 2]
                for area in range(first, AREAS, step)
                if s.has_room(self.seat, area)
            ]
        pile = [f for f in s.book.forces_of[self.seat] if s.area_of[f] < 0]
        costs = [s.force(f).cost for f in pile]
        legal = set()
        for cost in set(costs):
            rest = costs.copy()
            rest.remove(cost)
            if cost <= self.left and reachable(rest, self.left - cost):
                legal.add(cost)
        offers = s.book.force_options["pick"]
        return [offers[f] for f, cost in zip(pile, costs, strict=True) if cost in legal]

    def take(self, s: Stalingrad, option: Option) -> None:
        if self.force == NOT_PICKED:
            self.force = s.force_no(option)
            self.left -= s.force(self.force).cost
            if s.log is not None:
                s.tell(events.ForcePicked(self.seat, s.force(self.force).id))
            return
        f, self.force = self.force, NOT_PICKED
        area = s.area_no(str(option.args[0]))
        s.put(f, area)
        if s.log is not None:
            s.tell(events.ForcePlaced(s.force(f).id, s.area_id(area)))
