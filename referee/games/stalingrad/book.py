"""
Components and options of a match, numbered for speed.

Inside the state a Force, a card and a kind of card (name and Firefight value) are small numbers in
the order of §3.2, so that sorted numbers are the canonical order; a Location is its place in the
line, from 0. Options, views and events speak in the rulebook's ids.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

from referee.engine import Option
from referee.engine.errors import BadData, BadOption
from referee.games.stalingrad import load
from referee.games.stalingrad.check import reachable
from referee.games.stalingrad.options import Config
from referee.games.stalingrad.records import SIDES, Card, Components, Force, Location, Target
from referee.games.stalingrad.vocabulary import MAIN, MOMENTS

FORCE_VERBS = (
    "pick", "move", "place_ration", "target", "free_move", "retreat", "ignore", "destroy", "medal",
    "lose_ration", "destroy_own",
)  # fmt: skip
"""Of options that name one Force."""
CARD_VERBS = ("play", "fire", "discard", "search", "pay_uranus")
"""Of options that name a card and its Firefight value."""
MOST_RATIONS = 16
"""Rations spent by one `ration` option at most; more by repetition (§4.3)."""


class CardKind(NamedTuple):
    """What tells cards of one side apart: copies equal in both have no identity."""

    card: str
    """Card id."""
    ff: int
    """Firefight value."""


class Book:
    """Shared by all states of matches with these components and options; never changed."""

    def __init__(self, components: Components, config: Config) -> None:
        self.components = components
        self.config = config
        self.forces: tuple[Force, ...] = components.forces
        self.force_no = {force.id: f for f, force in enumerate(self.forces)}
        self.forces_of: tuple[tuple[int, ...], ...] = tuple(
            tuple(f for f, force in enumerate(self.forces) if force.seat == seat)
            for seat in range(2)
        )
        self.seat_of: tuple[int, ...] = tuple(force.seat for force in self.forces)
        self.locations: tuple[Location, ...] = components.locations
        self.location_no = {each.id: no for no, each in enumerate(self.locations)}
        self.cards: tuple[Card, ...] = tuple(
            _with_reserves_from(config.reserve_from, card) for card in components.cards
        )
        self._number_cards()
        self._list_options()

    def _number_cards(self) -> None:
        kinds = [
            (c, ff, n) for c, card in enumerate(self.cards) for ff, n in card.copies
        ]  # sorted by seat, id, ff: the canonical order
        self.card_of: tuple[int, ...] = tuple(c for c, _, _ in kinds)
        self.ff: tuple[int, ...] = tuple(ff for _, ff, _ in kinds)
        self.kinds: tuple[CardKind, ...] = tuple(
            CardKind(self.cards[c].id, ff) for c, ff, _ in kinds
        )
        self.kind_no: tuple[dict[CardKind, int], ...] = tuple(
            {
                kind: k
                for k, kind in enumerate(self.kinds)
                if self.cards[self.card_of[k]].seat == seat
            }
            for seat in range(2)
        )
        self.deck_list: tuple[tuple[int, ...], ...] = tuple(
            tuple(
                k for k, (c, _, n) in enumerate(kinds) if self.cards[c].seat == seat
                for _ in range(n)
            )
            for seat in range(2)
        )  # fmt: skip
        """Every card of a side's Action deck, ascending."""
        self.copies: tuple[int, ...] = tuple(n for _, _, n in kinds)
        """By kind."""
        self.kinds_of: tuple[range, ...] = tuple(
            range(min(numbers.values()), max(numbers.values()) + 1) for numbers in self.kind_no
        )
        """By seat: its kinds, which are one run of numbers."""
        self.totals: tuple[int, ...] = tuple(card.total for card in self.cards)
        self.playable_in: dict[str, frozenset[int]] = {
            moment: frozenset(c for c, card in enumerate(self.cards) if moment in card.windows)
            for moment in MOMENTS
        }
        self.openers: tuple[dict[str, tuple[int, ...]], ...] = tuple(
            {
                moment: tuple(
                    c
                    for c in sorted(self.playable_in[moment])
                    if self.cards[c].seat == seat and not self.cards[c].has("search")
                )
                for moment in MOMENTS
                if moment != MAIN
            }
            for seat in range(2)
        )
        """By seat and window: cards for which a window opens (§7.4); Scouts alone opens none."""

    def _list_options(self) -> None:
        ids = [force.id for force in self.forces]

        def by_force(verb: str) -> tuple[Option, ...]:
            return tuple(Option(verb, (each,)) for each in ids)

        def by_kind(verb: str) -> tuple[Option, ...]:
            return tuple(Option(verb, (kind.card, kind.ff)) for kind in self.kinds)

        self.force_options = {verb: by_force(verb) for verb in FORCE_VERBS}
        self.card_options = {verb: by_kind(verb) for verb in CARD_VERBS}
        self.ration_options: tuple[tuple[Option, ...], ...] = tuple(
            tuple(Option("ration", (each, n)) for n in range(1, MOST_RATIONS + 1)) for each in ids
        )
        self.attack_options = tuple(Option("attack", (each.id,)) for each in self.locations)
        self.area_ids = tuple(f"{each.id}.{area}" for each in self.locations for area in "CP")
        """By 2 × Location number, + 1 for the Perimeter Area."""
        self.area_options = tuple(Option("to", (each,)) for each in self.area_ids)

    def subsets(self, forces: tuple[int, ...], smallest: int) -> tuple[Option, ...]:
        """Every set of at least so many of these Forces, by size, then ids."""
        return _subsets(tuple(self.forces[f].id for f in forces), smallest)


def _with_reserves_from(place: str, card: Card) -> Card:
    """A card that brings a Force into a battle, which may come from elsewhere (ruling 46)."""
    if place == "perimeter" or not card.has("join_battle"):
        return card
    joining = {effect.params["force"] for effect in card.effect if effect.op == "join_battle"}

    def moved(target: Target) -> Target:
        if target.var not in joining:
            return target
        if place == "any_area":
            return target._replace(area="")
        return target._replace(in_location="battle")

    return card._replace(targets=tuple(map(moved, card.targets)))


@lru_cache(maxsize=4096)
def _subsets(ids: tuple[str, ...], smallest: int) -> tuple[Option, ...]:
    return tuple(
        Option("participants", chosen)
        for size in range(smallest, len(ids) + 1)
        for chosen in combinations(ids, size)
    )


@lru_cache(maxsize=64)
def book(digest: str, config: Config) -> Book:
    """
    The book of a match; equal arguments give the same one.

    Raises:
        BadData: Component data with this digest have not been read, or do not allow the set-up.
        BadOption: The areas cannot hold the Forces of the set-up.
    """
    made = Book(load.known(digest), config)
    for seat, side in enumerate(SIDES):
        costs = [made.forces[f].cost for f in made.forces_of[seat]]
        total = config.setup_totals[seat]
        if not reachable(costs, total):
            raise BadData(f"forces.json: no starting Forces of side {side} cost {total} in sum")
        areas = 10 if seat == 0 else 5
        most = costs.count(0) + total
        if most > areas * config.area_capacity:
            raise BadOption(
                f"set-up total {total} of side {side}: {most} Forces might be chosen, "
                f"but the areas hold {areas * config.area_capacity}"
            )
    return made
