"""The record of a battle in progress, apart from its steps (`attack.py`)."""

from __future__ import annotations

from dataclasses import dataclass

from referee.engine import Procedure

NONE = -1


@dataclass(kw_only=True)
class Battle(Procedure):
    """Who takes part, what cards changed, and the totals. Pairs are by seat: (R, G)."""

    SHOWN = (
        "seat", "place", "participants", "defenders", "free", "doubled", "no_firefight",
        "no_retreat", "extra_hits", "base", "fire", "hits", "shaken", "lost",
    )  # fmt: skip

    seat: int
    """The attacker."""
    place: int
    """The Location's place in the line."""
    participants: tuple[int, ...]
    """Of the attacker."""
    defenders: tuple[int, ...] = ()
    free: int = NONE
    """The Force that Attack! moved here, which pays nothing."""
    doubled: tuple[int, ...] = ()
    no_firefight: bool = False
    no_retreat: tuple[bool, bool] = (False, False)
    extra_hits: tuple[int, int] = (0, 0)
    base: tuple[int, int] = (0, 0)
    """Sums of `eff`, fixed when the BATTLE window has closed."""
    fire: tuple[int, int] = (0, 0)
    """What Firefight values add; may be below 0."""
    hits: tuple[int, int] = (0, 0)
    """Hits that each side inflicts."""
    shaken: tuple[bool, bool] = (False, False)
    """A participant of this side has retreated or was destroyed."""
    lost: tuple[int, ...] = ()
    """Participants destroyed, in order."""

    def forces(self, seat: int) -> tuple[int, ...]:
        """Participants of a side."""
        return self.participants if seat == self.seat else self.defenders

    def add_fire(self, seat: int, ff: int) -> None:
        """A positive value adds to the own total, a negative one takes from the enemy's (§4.2)."""
        gains = seat if ff > 0 else 1 - seat
        self.fire = with_added(self.fire, gains, ff)

    def note_shaken(self, seat: int) -> None:
        self.shaken = with_value(self.shaken, seat, True)

    def note_retreat(self, seat: int) -> None:
        self.note_shaken(seat)

    def note_destroyed(self, seat: int, f: int) -> None:
        self.note_shaken(seat)
        self.lost = (*self.lost, f)


def with_added(pair: tuple[int, int], seat: int, n: int) -> tuple[int, int]:
    return (pair[0] + n, pair[1]) if seat == 0 else (pair[0], pair[1] + n)


def with_value(pair: tuple[bool, bool], seat: int, value: bool) -> tuple[bool, bool]:
    return (value, pair[1]) if seat == 0 else (pair[0], value)
