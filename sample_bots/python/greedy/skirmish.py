"""
Greedy at skirmish.

A hill is worth its value times the chance to take it. A card is worth what it could still win: its
rank among the cards not yet seen, times the mean of the hills to come. Each option is valued as
gain in the first less loss of the second; equal values are decided by the bot's own chance.
"""

from collections.abc import Iterable, Sequence
from random import Random
from typing import Any

from warladder.v1.referee_pb2 import Decide
from warladder.v1.skirmish_pb2 import SkirmishView

CARDS_PER_SEAT = 8
DIE = 6


class Greedy:
    def __init__(self, seat: int, sides: Sequence[int]) -> None:
        self.seat = seat
        self.rivals = [other for other, side in enumerate(sides) if side != sides[seat]]

    def told(self, events: Iterable[Any]) -> None:
        """The view holds all that counts."""

    def choose(self, asked: Decide, chance: Random) -> int:
        view = asked.view.skirmish
        hill = view.hills[view.round - 1]
        options = [option.skirmish for option in asked.options]
        if asked.kind == "name":
            values = [self.naming(view, hill, option.card) for option in options]
        else:
            values = [
                0.0 if option.verb == "pass" else self.supporting(view, hill, option.card)
                for option in options
            ]
        best = max(values)
        return chance.choice([i for i, value in enumerate(values) if value == best])

    def naming(self, view: SkirmishView, hill: int, card: int) -> float:
        """Chance to show the highest card, if each rival shows any card not seen yet."""
        rivals = sum(1 for rival in self.rivals if view.hand_sizes[rival])
        return hill * rank(view, card) ** rivals - price(view, card)

    def supporting(self, view: SkirmishView, hill: int, card: int) -> float:
        """Chance that one die turns the hill, for the price of a card."""
        strengths = strength(view)
        gap = max(strengths[rival] for rival in self.rivals) - strengths[self.seat]
        leads = gap < 0 or max(strengths) > max(strengths[s] for s in [self.seat, *self.rivals])
        if leads:
            return -1.0  # nothing to gain: this hill is ours, or our partner's, as it stands
        return hill * max(0, DIE - gap) / DIE - price(view, card)


def rank(view: SkirmishView, card: int) -> float:
    """Share of the cards not seen yet that this one beats."""
    seen = {*view.hand, *view.gone, *view.shown}
    unseen = [c for c in range(1, CARDS_PER_SEAT * view.seats + 1) if c not in seen]
    return sum(1 for other in unseen if other < card) / len(unseen) if unseen else 1.0


def price(view: SkirmishView, card: int) -> float:
    """What a card may still win on the hills to come."""
    to_come = view.hills[view.round : view.rounds]
    return rank(view, card) * sum(to_come) / len(to_come) if to_come else 0.0


def strength(view: SkirmishView) -> list[int]:
    """Card shown and dice, by seat."""
    dice = iter(view.dice)
    return [
        shown + sum(next(dice) for _ in range(count))
        for shown, count in zip(view.shown, view.dice_counts)
    ]
