"""The options of a match (§13)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from referee.engine import OptionSpec

OPTIONS: dict[str, OptionSpec] = {
    "max_rounds": OptionSpec(default=20, low=1, high=100, says="rounds before adjudication (TR)"),
    "adjudication": OptionSpec(
        default="compare",
        choices=("compare", "russian_holds"),
        says="at the limit: compare Locations, Force value, Rations; or the Russian wins (TR)",
    ),
    "free_move_cap": OptionSpec(
        default=4, low=0, high=50, says="cost-free Moves of a free mover in a turn (TR)"
    ),
    "max_actions_per_turn": OptionSpec(
        default=200, low=1, high=1000, says="main choices in a turn (TR)"
    ),
    "card_repeat_cap": OptionSpec(
        default=True, says="a turn's plays of one name are at most its copies in the deck (TR)"
    ),
    "setup_total_russian": OptionSpec(
        default=11, low=1, high=30, says="cost of the Russian starting Forces, exactly"
    ),
    "setup_total_german": OptionSpec(
        default=9, low=1, high=30, says="cost of the German starting Forces, exactly"
    ),
    "opening_hand_russian": OptionSpec(
        default=10, low=0, high=55, says="cards the Russian begins with"
    ),
    "opening_hand_german": OptionSpec(
        default=5, low=0, high=55, says="cards the German begins with"
    ),
    "base_draw": OptionSpec(
        default=5, low=0, high=20, says="cards drawn in DRAW, before Locations"
    ),
    "area_capacity": OptionSpec(
        default=3, low=2, high=4, says="Forces of one side in an area at most"
    ),
    "retreat_absorb": OptionSpec(default=2, low=1, high=10, says="Hits that a retreat absorbs"),
    "resupply_rations": OptionSpec(default=2, low=0, high=10, says="Rations of a Resupply Action"),
    "medal_requires_participation": OptionSpec(
        default=True, says="Heroic Service goes to a Force that took part (ruling 71)"
    ),
    "fog_scope": OptionSpec(
        default="any_effect_card",
        choices=("any_effect_card", "artillery_barrage"),
        says="what Fog of War may cancel (ruling 41)",
    ),
    "reserve_from": OptionSpec(
        default="perimeter",
        choices=("perimeter", "same_location", "any_area"),
        says="where Reserve Forces come from (ruling 46)",
    ),
    "attack_card_joiners": OptionSpec(
        default=True, says="own Forces may join the attack of Attack! (ruling 45)"
    ),
    "scouts_reveal": OptionSpec(default=False, says="Scouts shows the card it takes (ruling 35)"),
    "window_policy": OptionSpec(
        default="public_count",
        choices=("public_count", "static"),
        says="windows open by unseen copies, or whatever has been seen (§7.4)",
    ),
    "cards": OptionSpec(default="", says="folder with other component data; empty: those shipped"),
}


class Config(NamedTuple):
    """Values of the options of one match, but for `cards`: its digest stands for it."""

    max_rounds: int
    adjudication: str
    free_move_cap: int
    max_actions_per_turn: int
    card_repeat_cap: bool
    setup_totals: tuple[int, int]
    opening_hands: tuple[int, int]
    base_draw: int
    area_capacity: int
    retreat_absorb: int
    resupply_rations: int
    medal_requires_participation: bool
    fog_scope: str
    reserve_from: str
    attack_card_joiners: bool
    scouts_reveal: bool
    window_policy: str


def config(values: Mapping[str, Any]) -> Config:
    """What a match is played by, from options that have been read and completed."""
    plain = {name: values[name] for name in Config._fields if name in values}
    return Config(
        **plain,
        setup_totals=(values["setup_total_russian"], values["setup_total_german"]),
        opening_hands=(values["opening_hand_russian"], values["opening_hand_german"]),
    )
