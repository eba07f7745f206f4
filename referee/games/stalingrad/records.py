"""What the component files hold, as records: Locations, Forces and Action cards (§8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

RUSSIAN = 0
"""Seat of the Russian player."""
GERMAN = 1
"""Seat of the German player."""
SIDES = ("R", "G")
"""Letters of the sides in component files, indexed by seat."""


class Note(NamedTuple):
    """What a Location adds for the side that Controls it."""

    key: str
    """`resupply_rations`, `bought_rations`, or `card`."""
    card: str
    """Card id that a `card` note changes, else empty."""
    param: str
    """Parameter of that card, else empty."""
    add: int


class Location(NamedTuple):
    id: str
    name: str
    chart: tuple[tuple[int, int], ...]
    """Rows of (most Rubble, Rations), ascending."""
    destroyed_at: int
    note: Note | None
    note_kept: bool
    """The note stays when the Location is destroyed."""
    provenance: str

    def rations(self, rubble: int) -> int:
        """Rations that the chart gives at this much Rubble."""
        return next(rations for most, rations in self.chart if rubble <= most)


class Force(NamedTuple):
    id: str
    name: str
    seat: int
    cost: int
    combat: int
    rations: int
    attack_bonus: int
    retreat_extra: int
    ignore: int
    free_move: bool
    provenance: str


class Effect(NamedTuple):
    """One op with its parameters, as the file has them; not to be changed."""

    op: str
    params: Mapping[str, Any]


class Target(NamedTuple):
    """One variable that is declared with a card, and what it may be."""

    var: str
    kind: str
    """`force`, `location` or `area`."""
    owner: str = ""
    """Force, area: `own` or `enemy`."""
    area: str = ""
    """Force: `C`, `P`, or any if empty."""
    loc_control: str = ""
    """Force: who Controls its Location: `own`, `enemy`, `none`, or any if empty."""
    participant: bool = False
    has_rations: bool = False
    in_location: str = ""
    """Force: `battle`, or an earlier variable whose Location it must share."""
    not_doubled: bool = False
    control: str = ""
    """Location: as `loc_control`."""
    has_enemy: bool = False
    has_own: bool = False
    destroyed: bool | None = None
    type: str = ""
    """Area: `C`, `P`, or any if empty."""
    room: bool = False
    """Area: with room for one more Force of its side."""


class Card(NamedTuple):
    """All copies of one name in one side's Action deck."""

    id: str
    name: str
    title: str
    seat: int
    copies: tuple[tuple[int, int], ...]
    """Pairs of (Firefight value, number of copies), by value."""
    windows: tuple[str, ...]
    condition: tuple[Effect, ...]
    cost: tuple[Effect, ...]
    targets: tuple[Target, ...]
    effect: tuple[Effect, ...]
    stay: str
    """`none`, `end_of_turn` or `until_paid`."""
    removal: tuple[Effect, ...]
    """What the enemy pays to be rid of an `until_paid` card."""
    provenance: Mapping[str, str]

    @property
    def total(self) -> int:
        return sum(n for _, n in self.copies)

    def has(self, op: str) -> bool:
        return any(each.op == op for each in self.effect)


class Components(NamedTuple):
    """The whole box: what `load` gives out, checked."""

    locations: tuple[Location, ...]
    forces: tuple[Force, ...]
    """Russian by id, then German by id."""
    cards: tuple[Card, ...]
    """Russian by id, then German by id."""
    digest: str
    """SHA-256 over the canonical JSON of the three files."""
    text: str
    """That JSON: one object with `locations`, `forces`, `cards`."""
    warnings: tuple[str, ...]
    """Deductions K1–K12 from the sample game that these files break."""
