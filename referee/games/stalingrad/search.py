"""Searching the own Action deck (Scouts, §8.6), and recovering a discarded card."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.engine import Option, Window

if TYPE_CHECKING:
    from referee.games.stalingrad.state import Stalingrad


@dataclass(kw_only=True)
class Search(Window):
    """Take any card of the deck into the hand, unseen by the enemy; the deck is shuffled."""

    KIND = "search"
    PUBLIC_OPTIONS = False
    SHOWN = ("seat", "left")

    left: int

    def is_open(self, s: Stalingrad) -> bool:
        return self.left > 0 and bool(s.deck[self.seat])

    def options(self, s: Stalingrad) -> list[Option]:
        offers = s.book.card_options["search"]
        return [offers[kind] for kind in sorted(set(s.deck[self.seat]))]

    def forced(self, s: Stalingrad) -> Option | None:
        """A deck of one card, whose size is public, leaves no choice."""
        deck = s.deck[self.seat]
        return s.book.card_options["search"][deck[0]] if len(deck) == 1 else None

    def take(self, s: Stalingrad, option: Option) -> None:
        self.left -= 1
        s.fetch(self.seat, s.kind_no(self.seat, option))


@dataclass(kw_only=True)
class Recover(Window):
    """Take cards of the own discard pile into the hand; the pile lies open, so all see which."""

    KIND = "search"
    SHOWN = ("seat", "left")

    left: int

    def is_open(self, s: Stalingrad) -> bool:
        return self.left > 0 and bool(s.discard[self.seat])

    def options(self, s: Stalingrad) -> list[Option]:
        offers = s.book.card_options["search"]
        return [offers[kind] for kind in sorted(set(s.discard[self.seat]))]

    def take(self, s: Stalingrad, option: Option) -> None:
        self.left -= 1
        s.recover(self.seat, s.kind_no(self.seat, option))
