"""ACTIONS (§3.2): the acting player's own question, again and again until he ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.engine import Frame, Option
from referee.games.stalingrad import events
from referee.games.stalingrad.attack import can_attack, declare_attack, participant_options
from referee.games.stalingrad.board import LOCATIONS
from referee.games.stalingrad.buy import (
    PayUranus,
    Resupply,
    can_buy,
    declare_buy,
    payable_removals,
)
from referee.games.stalingrad.moves import (
    declare_move,
    destination_options,
    has_destination,
    open_areas,
)
from referee.games.stalingrad.play import Declaring

if TYPE_CHECKING:
    from referee.games.stalingrad.records import Card
    from referee.games.stalingrad.state import Stalingrad

END = Option("end")
RESUPPLY = Option("resupply")
BUY = Option("buy")


@dataclass(kw_only=True)
class Main(Declaring):
    """
    Play, move, attack, resupply, buy, pay_uranus or end.

    What consists of several choices is shown when the last is made: until then it is `begun`.
    """

    SHOWN = ("seat", "ended")
    OWN = ("begun",)

    ended: bool = False

    def kind(self, s: Stalingrad) -> str:
        if not self.begun:
            return "main"
        return {"play": "target", "move": "move_dest", "attack": "participants"}[str(self.begun[0])]

    def is_open(self, s: Stalingrad) -> bool:
        return not self.ended

    def options(self, s: Stalingrad) -> list[Option] | tuple[Option, ...]:
        if self.begun:
            what, chosen = self.begun[0], int(self.begun[1])
            if what == "move":
                return destination_options(s, chosen)
            if what == "attack":
                return participant_options(s, self.seat, chosen)
            return self.target_options(s)
        if s.actions >= s.book.config.max_actions_per_turn:
            return (END,)
        seat = self.seat
        offered = [END, *self.card_options(s)]
        forces = s.forces_of(seat)
        if forces:
            reach = open_areas(s, seat)
            moves = s.book.force_options["move"]
            for f in forces:
                if (
                    not s.no_move[f]
                    and s.rations[f] >= s.move_cost(f)
                    and has_destination(s, f, reach)
                ):
                    offered.append(moves[f])
        attacks = s.book.attack_options
        for place in range(LOCATIONS):
            if can_attack(s, seat, place):
                offered.append(attacks[s.board[place]])
        if forces and s.hand[seat]:
            offered.append(RESUPPLY)
        if can_buy(s, seat):
            offered.append(BUY)
        if s.in_play[1 - seat]:
            removals = s.book.card_options["pay_uranus"]
            offered.extend(removals[kind] for kind in payable_removals(s, seat))
        return offered

    def forced(self, s: Stalingrad) -> Option | None:
        """
        A declaration goes on by itself where there is one way; an empty hand, or the cap on
        Actions, may leave nothing but the end, as all can see (§7.4).
        """
        capped = s.actions >= s.book.config.max_actions_per_turn
        if self.begun or capped or not s.hand[self.seat]:
            offered: tuple[Option, ...] = s.offered(self)
            return offered[0] if len(offered) == 1 else None
        return None

    def take(self, s: Stalingrad, option: Option) -> Frame | None:
        if self.begun and self.begun[0] == "move":
            f, self.begun = int(self.begun[1]), ()
            self.acted(s)
            return declare_move(s, f, option, granted=False)
        if self.begun and self.begun[0] == "attack":
            place, self.begun = int(self.begun[1]), ()
            self.acted(s)
            taking_part = tuple(s.book.force_no[str(each)] for each in option.args)
            return declare_attack(s, self.seat, place, taking_part)
        if self.begun or option.verb == "play":
            return self.take_card(s, option)
        if option.verb == "move":
            self.begun = ("move", s.force_no(option))
        elif option.verb == "attack":
            self.begun = ("attack", s.place_of(str(option.args[0])))
        else:
            return self.act_at_once(s, option)
        return None

    def act_at_once(self, s: Stalingrad, option: Option) -> Frame | None:
        """Actions that are shown as soon as they are chosen."""
        seat = self.seat
        if option == BUY:
            self.acted(s, keep_points=True)
            return declare_buy(s, seat)
        if option == END:
            self.ended = True
            s.set_buy_points(0)
            return None
        self.acted(s)
        if option == RESUPPLY:
            if s.log is not None:
                s.tell(events.ResupplyDeclared(seat))
            return Resupply(seat=seat)
        removed = s.kind_no(1 - seat, option)
        if s.log is not None:
            s.tell(events.UranusPayment(seat, s.kind_id(removed)))
        return PayUranus(seat=seat, removed=removed)

    def declared(self, s: Stalingrad, card: Card) -> None:
        self.acted(s, keep_points=card.has("buy_points"))

    def acted(self, s: Stalingrad, *, keep_points: bool = False) -> None:
        """An Action is declared; buy_points last through `buy` and Reinforcements only (§3.4)."""
        s.actions += 1
        if not keep_points:
            s.set_buy_points(0)
