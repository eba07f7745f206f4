"""Who comes where when seats have left by a fault. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from referee.engine import Outcome
from referee.match.journal import Ending

Sides = tuple[tuple[int, ...], ...]


class SeatFault(NamedTuple):
    """A fault that ended a seat's part."""

    seat: int
    ending: Ending


def is_over(sides: Sides, faults: Sequence[SeatFault]) -> bool:
    """
    Whether the faults alone end the match.

    With two sides the first one does; with more, when one side is left without a fault. A match of
    one side is played on while a seat of it is left.
    """
    out = {fault.seat for fault in faults}
    if not out:
        return False
    if len(sides) == 1:
        return out.issuperset(sides[0])
    return sum(1 for side in sides if out.isdisjoint(side)) <= 1


def ranks(sides: Sides, faults: Sequence[SeatFault], outcome: Outcome | None) -> tuple[int, ...]:
    """
    Per seat: 1 is best. Sides with a fault come last, the earlier fault the lower.

    Args:
        faults: In the order in which they happened.
        outcome: By the rules; None if the match ended before, with at most one side left.
    """
    order: list[int] = []
    """Sides with a fault, the first to fault first."""
    for fault in faults:
        side = next(k for k, seats in enumerate(sides) if fault.seat in seats)
        if side not in order:
            order.append(side)
    clean = [k for k in range(len(sides)) if k not in order]
    by_side: dict[int, int] = {}
    for k in clean:
        if outcome is None:
            by_side[k] = 1
        else:
            own = outcome.ranks[sides[k][0]]
            by_side[k] = 1 + sum(1 for other in clean if outcome.ranks[sides[other][0]] < own)
    for place, k in enumerate(reversed(order)):
        by_side[k] = len(clean) + 1 + place
    seats = sum(len(side) for side in sides)
    found = [0] * seats
    for k, together in enumerate(sides):
        for seat in together:
            found[seat] = by_side[k]
    return tuple(found)


def texts(seats: int, faults: Sequence[SeatFault]) -> tuple[str, ...]:
    """Per seat the ending it brought about, empty for none; its first fault counts."""
    found = [""] * seats
    for fault in faults:
        found[fault.seat] = found[fault.seat] or str(fault.ending)
    return tuple(found)
