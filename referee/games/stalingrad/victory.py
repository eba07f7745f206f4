"""Adjudication at the turn limit (§5.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.games.stalingrad.board import NOBODY
from referee.games.stalingrad.records import GERMAN, RUSSIAN

if TYPE_CHECKING:
    from referee.games.stalingrad.state import Stalingrad


REASONS = {
    "FIVE_LOCATIONS": "the winner controlled all five Locations at the end of its turn",
    "ADJUDICATED_a": "at the round limit the winner controlled more Locations",
    "ADJUDICATED_b": (
        "at the round limit both controlled equally many Locations, and the winner's Forces on the"
        " board were worth more"
    ),
    "ADJUDICATED_c": (
        "at the round limit Locations and Forces were worth the same, and the winner's Forces had"
        " more Rations"
    ),
    "ADJUDICATED_HOLD": "the round limit came, and the Russian still held out",
    "DRAW": "at the round limit Locations, Forces and Rations were equal",
}
"""Every reason code of an end by the rules (§5), for people."""


def adjudicate(s: Stalingrad) -> tuple[int, str]:
    """The winner (or NOBODY) and the reason code: the first difference decides."""
    if s.book.config.adjudication == "russian_holds":
        return RUSSIAN, "ADJUDICATED_HOLD"
    comparisons = (
        ("ADJUDICATED_a", s.controlled(RUSSIAN), s.controlled(GERMAN)),
        ("ADJUDICATED_b", force_value(s, RUSSIAN), force_value(s, GERMAN)),
        ("ADJUDICATED_c", rations(s, RUSSIAN), rations(s, GERMAN)),
    )
    for reason, russian, german in comparisons:
        if russian != german:
            return (RUSSIAN if russian > german else GERMAN), reason
    return NOBODY, "DRAW"


def force_value(s: Stalingrad, seat: int) -> int:
    """Printed cost and medals of the Forces on the board."""
    return sum(s.force(f).cost + s.medals[f] for f in s.forces_of(seat))


def rations(s: Stalingrad, seat: int) -> int:
    return sum(s.rations[f] for f in s.forces_of(seat))
