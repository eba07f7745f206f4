"""What one viewer may know of a skirmish (Hidden information)."""

from __future__ import annotations

from typing import NamedTuple

from referee.engine.frames import Seen


class View(NamedTuple):
    """All that this viewer may know; built from nothing by `State.view`."""

    viewer: int
    """Seat, or PUBLIC (-1)."""
    seats: int
    teams: bool
    rounds: int
    hills: tuple[int, ...]
    """Values in row order; the first `rounds` are fought for."""
    round: int
    """From 1; 0 before the first."""
    hand: tuple[int, ...]
    """Own cards, ascending; empty for the public."""
    hand_sizes: tuple[int, ...]
    deck_size: int
    shown: tuple[int, ...]
    """Per seat the card shown in this round; 0 where none is."""
    dice: tuple[tuple[int, ...], ...]
    """Per seat the dice added in this round, in the order rolled."""
    gone: tuple[int, ...]
    """Every card discarded, or shown in an earlier round, in the order it went."""
    taken: tuple[int, ...]
    """Per seat the sum of the hills it took itself."""
    stack: Seen
    """Unfinished business, as this viewer may know it."""
