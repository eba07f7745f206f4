"""Rounds and turns (§3): SUPPLY, ACTIONS, DRAW, END, victory and the limit (§5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.engine import Frame, Procedure
from referee.games.stalingrad import events
from referee.games.stalingrad.board import LOCATIONS
from referee.games.stalingrad.main import Main
from referee.games.stalingrad.play import CardWindow
from referee.games.stalingrad.records import GERMAN, RUSSIAN
from referee.games.stalingrad.supply import Supply
from referee.games.stalingrad.victory import adjudicate
from referee.games.stalingrad.vocabulary import ON_DRAW

if TYPE_CHECKING:
    from referee.games.stalingrad.state import Stalingrad


@dataclass(kw_only=True)
class Turn(Procedure):
    """One turn after another, the German's first; a round is a German and a Russian turn."""

    STEPS = ("begin", "supply", "act", "draw_window", "draw", "expire", "end")
    SHOWN = ("no_draw_bonus",)

    no_draw_bonus: bool = False
    """Propaganda War: no cards for Controlled Locations in this DRAW step."""

    def begin(self, s: Stalingrad) -> None:
        if s.acting == GERMAN:
            s.round += 1
        s.actions = 0
        if s.log is not None:
            s.tell(events.TurnBegan(s.round, s.acting))

    def supply(self, s: Stalingrad) -> Frame:
        s.begin_step("SUPPLY")
        return Supply(seat=s.acting)

    def act(self, s: Stalingrad) -> Frame:
        s.begin_step("ACTIONS")
        return Main(seat=s.acting)

    def draw_window(self, s: Stalingrad) -> Frame:
        s.begin_step("DRAW")
        return CardWindow(seat=1 - s.acting, window=ON_DRAW)

    def draw(self, s: Stalingrad) -> None:
        n = s.book.config.base_draw + s.modifier("draw_count", s.acting)
        if not self.no_draw_bonus:
            n += s.controlled(s.acting)
        s.draw(s.acting, max(0, n))

    def expire(self, s: Stalingrad) -> None:
        """Effects until the end of the turn are over (§3.6)."""
        s.begin_step("END")
        self.no_draw_bonus = False
        s.combat_add = [0, 0]
        s.no_move = [0] * len(s.no_move)
        s.free_moves_used = [0] * len(s.free_moves_used)
        s.plays = [0] * len(s.plays)
        if s.log is not None:
            s.tell(events.TurnEnded(s.acting))
        for seat in (RUSSIAN, GERMAN):
            for kind in tuple(s.in_play[seat]):
                if s.card(kind).stay == "end_of_turn":
                    s.clear_from("in_play", seat, kind)

    def end(self, s: Stalingrad) -> None:
        """Victory, then the limit, then the other side's turn."""
        if s.controlled(s.acting) == LOCATIONS:
            s.finish(s.acting, "FIVE_LOCATIONS")
        elif s.acting == RUSSIAN and s.round >= s.book.config.max_rounds:
            s.finish(*adjudicate(s))
        else:
            s.acting = 1 - s.acting
            self.again("begin")
