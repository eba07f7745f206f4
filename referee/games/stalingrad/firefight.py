"""The Firefight (§4.2): Firefight values of hand cards, in turn, until two passes in succession."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.engine import PASS, Option, Window
from referee.games.stalingrad import events
from referee.games.stalingrad.battle import Battle

if TYPE_CHECKING:
    from referee.games.stalingrad.state import Stalingrad


@dataclass(kw_only=True)
class Firefight(Window):
    """From the attacker on, one card or a pass each; a pass is not final."""

    KIND = "firefight"
    PUBLIC_OPTIONS = False
    SHOWN = ("seat", "passes")

    passes: int = 0
    """In succession."""

    def is_open(self, s: Stalingrad) -> bool:
        return self.passes < 2

    def options(self, s: Stalingrad) -> list[Option]:
        offers = s.book.card_options["fire"]
        return [PASS, *(offers[kind] for kind in sorted(set(s.hand[self.seat])))]

    def forced(self, s: Stalingrad) -> Option | None:
        """An empty hand, which all can see, passes."""
        return None if s.hand[self.seat] else PASS

    def take(self, s: Stalingrad, option: Option) -> None:
        seat = self.seat
        self.seat = 1 - seat
        if option == PASS:
            self.passes += 1
            if s.log is not None:
                s.tell(events.Passed(seat, "FIREFIGHT"))
            return
        self.passes = 0
        kind = s.kind_no(seat, option)
        s.leave_hand(seat, kind)
        s.table[seat].append(kind)
        battle = s.running(Battle)
        battle.add_fire(seat, s.book.ff[kind])
        if s.log is not None:
            s.tell(events.FirePlayed(seat, s.kind_id(kind), battle.fire))
