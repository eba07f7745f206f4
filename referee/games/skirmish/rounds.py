"""A round: one hill is fought for (A round)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.engine import PASS, Ask, Option, Procedure, Sealed, Window, frame_table
from referee.games.skirmish.events import HillFought, Passed, Shown, Supported

if TYPE_CHECKING:
    from referee.games.skirmish.game import Skirmish

DIE = 6
"""Sides of a die of support."""


@dataclass(kw_only=True)
class Match(Procedure):
    """One round after another, then the end."""

    STEPS = ("round", "end")

    def round(self, s: Skirmish) -> Round | None:
        if s.round == s.rounds:
            return None
        s.begin_round()
        self.again("round")
        return Round()

    def end(self, s: Skirmish) -> None:
        s.end()


@dataclass(kw_only=True)
class Round(Procedure):
    """Name, support, take the hill, draw."""

    STEPS = ("name", "support", "take_hill", "draw")

    def name(self, s: Skirmish) -> Name:
        return Name(seats=tuple(seat for seat in range(s.seats) if s.hands[seat]))

    def support(self, s: Skirmish) -> Support | None:
        """Asked from the lowest card shown upwards; cards are unique, so there is no tie."""
        order = tuple(sorted((seat for seat in range(s.seats) if s.shown[seat]), key=s.shown_by))
        first = next((seat for seat in order if s.hands[seat]), None)
        return None if first is None else Support(seat=first, order=order)

    def take_hill(self, s: Skirmish) -> None:
        """The strongest takes the hill's value; a tie for the highest leaves it to nobody."""
        strengths = {seat: s.strength(seat) for seat in range(s.seats) if s.shown[seat]}
        best = max(strengths.values(), default=0)
        strongest = [seat for seat, strength in strengths.items() if strength == best]
        winner = strongest[0] if len(strongest) == 1 else -1
        value = s.hills[s.round - 1]
        if winner >= 0:
            s.taken[winner] += value
        s.tell(HillFought(value, winner))

    def draw(self, s: Skirmish) -> None:
        for seat in range(s.seats):
            s.draw(seat)


@dataclass(kw_only=True)
class Name(Sealed):
    """Every seat with a card names one; all are shown together (A round, 1)."""

    def question(self, s: Skirmish, seat: int) -> NameCard:
        return NameCard(seat=seat)

    def reveal(self, s: Skirmish) -> None:
        for seat in self.seats:
            (card,) = self.answers_of(seat)
            assert isinstance(card, int)
            s.hands[seat].remove(card)
            s.shown[seat] = card
        s.tell(Shown(tuple(s.shown)))


@dataclass(kw_only=True)
class NameCard(Ask):
    """Which card of the hand to name; a hand of one is named without asking."""

    KIND = "name"
    PUBLIC_OPTIONS = False
    SHOWN = ("seat",)

    def options(self, s: Skirmish) -> tuple[Option, ...]:
        return tuple(Option("name", (card,)) for card in s.hands[self.seat])

    def forced(self, s: Skirmish) -> Option | None:
        hand = s.hands[self.seat]
        return Option("name", (hand[0],)) if len(hand) == 1 else None

    def take(self, s: Skirmish, option: Option) -> None:
        sealed = s.stack[-1]
        assert isinstance(sealed, Name)
        sealed.answer(self.seat, option.args[0])


@dataclass(kw_only=True)
class Support(Window):
    """A discard for a die, or a pass, in turn until all have passed in a row (A round, 2)."""

    KIND = "support"
    PUBLIC_OPTIONS = False
    SHOWN = ("seat", "order", "passes")

    order: tuple[int, ...]
    """Seats from the lowest card shown upwards."""
    passes: int = 0
    """In a row, since the last discard."""

    def is_open(self, s: Skirmish) -> bool:
        able = sum(1 for seat in self.order if s.hands[seat])
        return self.passes < able

    def options(self, s: Skirmish) -> tuple[Option, ...]:
        return (PASS, *(Option("discard", (card,)) for card in s.hands[self.seat]))

    def take(self, s: Skirmish, option: Option) -> None:
        seat = self.seat
        if option == PASS:
            self.passes += 1
            s.tell(Passed(seat))
        else:
            self.passes = 0
            card = option.args[0]
            assert isinstance(card, int)
            s.hands[seat].remove(card)
            s.gone.append(card)
            die = s.roll("dice", DIE)
            s.dice[seat] = (*s.dice[seat], die)
            s.tell(Supported(seat, card, die))
        self.seat = self._next(s)

    def _next(self, s: Skirmish) -> int:
        """The next seat in turn with a card; the same one if no other has any."""
        k = self.order.index(self.seat) + 1
        turn = (*self.order[k:], *self.order[:k])
        return next((seat for seat in turn if s.hands[seat]), self.seat)


FRAMES = frame_table(Match, Round, Name, NameCard, Support)
