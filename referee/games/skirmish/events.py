"""What viewers of a skirmish may know happened."""

from __future__ import annotations

from typing import NamedTuple


class Began(NamedTuple):
    """The hills are laid out and the first hands dealt."""

    hills: tuple[int, ...]
    """Their values in row order."""
    hand: tuple[int, ...]
    """The viewer's own cards, ascending; empty for the public."""
    hand_sizes: tuple[int, ...]
    deck_size: int


class Shown(NamedTuple):
    """All sealed cards were shown together."""

    cards: tuple[int, ...]
    """Per seat; 0 where nothing was shown."""


class Supported(NamedTuple):
    """A seat discarded a card and added a die to its strength."""

    seat: int
    card: int
    die: int


class Passed(NamedTuple):
    """A seat passed in the support window."""

    seat: int


class HillFought(NamedTuple):
    """A round's hill was taken, or nobody took it."""

    value: int
    seat: int
    """Who took it; -1 for nobody."""


class Drew(NamedTuple):
    """A seat drew a card."""

    seat: int
    card: int
    """0 for everybody but the seat itself."""


class Ended(NamedTuple):
    """The last round is over."""

    scores: tuple[int, ...]
    ranks: tuple[int, ...]
