"""
The words that card records may use (§8.8): windows, ops, conditions, costs, selectors.

Only names and the form of parameters; what an op does stands in `ops.py`, under the same name.
"""

from __future__ import annotations

from typing import NamedTuple

MAIN = "MAIN"
ON_CARD = "ON_CARD"
ON_MOVE = "ON_MOVE"
BATTLE = "BATTLE"
ABSORB = "ABSORB"
ON_DESTROYED = "ON_DESTROYED"
AFTER_BATTLE = "AFTER_BATTLE"
ON_DRAW = "ON_DRAW"

WINDOWS = (ON_CARD, ON_MOVE, BATTLE, ABSORB, ON_DESTROYED, AFTER_BATTLE, ON_DRAW)
"""Every window of §7.1."""
MOMENTS = (MAIN, *WINDOWS)
"""All that a record may name under `windows`."""

ANY_WINDOW = frozenset(MOMENTS) - {ABSORB}
"""The absorbing player's own question takes no card that asks for something else."""


class Word(NamedTuple):
    """Form of one op, condition or cost."""

    params: dict[str, str]
    """
    Parameter → what it may be: `count`, `whole` (may be negative), `force` (a variable), `mover`
    (a variable, or the Force of the Move), `area` (a variable), `loc` (a variable of a Location, or
    of a Force with `.loc`), `flag`, `who`, `filter`, `until`, `key`, `card`, `word`.
    """
    number: str = ""
    """The parameter that a Location's `card` note may raise."""
    note: str = ""
    """What notes call it."""
    windows: frozenset[str] = ANY_WINDOW
    """Where a card with this op may be played."""


_BATTLE = frozenset({BATTLE})
_MAIN = frozenset({MAIN})

EFFECTS: dict[str, Word] = {
    # counters
    "rubble": Word({"loc": "loc", "n": "whole"}, "n", "rubble"),
    "give_each": Word({"filter": "filter", "n": "count"}, "n", "rations"),
    "distribute": Word({"filter": "filter", "n": "count"}, "n", "rations"),
    "steal_rations": Word({"from": "force", "to": "force", "n": "count"}, "n", "rations"),
    "remove_rations": Word({"who": "who", "n": "count", "filter": "filter"}, "n", "rations"),
    "medal": Word({"force": "force", "n": "count"}, "n", "medals"),
    # cards
    "draw": Word({"who": "who", "n": "count"}, "n", "cards"),
    "search": Word({"n": "count"}, "n"),
    "discard": Word({"n": "count"}, "n"),
    "discard_random": Word({"who": "who", "n": "count"}, "n"),
    "recover_discard": Word({"n": "count"}, "n"),
    "peek": Word({"n": "count"}, "n"),
    # movement
    "free_moves": Word({"n": "count"}, "n", "moves", _MAIN),
    "assault": Word({"force": "force", "loc": "loc"}, windows=_MAIN),
    "move_force": Word({"force": "force", "area": "area", "ignore_control": "flag"}),
    "retreat_force": Word({"force": "force"}),
    "join_battle": Word({"force": "force"}, windows=_BATTLE),
    # battle
    "combat_add": Word({"filter": "filter", "n": "whole", "until": "until"}, "n", "combat"),
    "combat_double": Word({"force": "force"}, windows=_BATTLE),
    "extra_hits": Word({"who": "who", "n": "whole"}, "n", "extra_hits", _BATTLE),
    "no_retreat": Word({"who": "who"}, windows=_BATTLE),
    "no_firefight": Word({}, windows=_BATTLE),
    "absorb": Word({"n": "count"}, "n", "absorb", frozenset({ABSORB})),
    "card_attack": Word({"force": "force", "hits": "count"}, "hits", "hits", _MAIN),
    # control of play
    "cancel_card": Word({}, windows=frozenset({ON_CARD})),
    "cancel_move": Word({}, windows=frozenset({ON_MOVE})),
    "forbid_move": Word({"force": "mover", "until": "until"}),
    "no_draw_bonus": Word({"who": "who"}, windows=frozenset({ON_DRAW})),
    "destroy_own": Word({"n": "count"}, "n"),
    "buy_points": Word({"n": "count"}, "n", "points", _MAIN),
    # persistent
    "modifier": Word({"key": "key", "who": "who", "add": "whole"}),
    "card_param": Word({"card": "card", "param": "word", "add": "whole"}),
}

RESERVED = ("look_at_hand",)
"""Words of §8.8 that no card of the set uses and no rule is built for."""

CONDITIONS: dict[str, Word] = {
    "rubble_at_least": Word({"n": "count"}, windows=frozenset({ABSORB})),
    "own_force_destroyed": Word({}, windows=frozenset({ON_DESTROYED})),
    "enemy_lost_or_retreated": Word({}, windows=frozenset({AFTER_BATTLE})),
    "cards_to_search": Word({}),
    "controls": Word({"n": "count"}),
    "hand_at_least": Word({"n": "count"}),
}

COSTS: dict[str, Word] = {
    "discard": Word({"n": "count"}),
    "remove_rations": Word({"n": "count"}),
    "destroy_own": Word({"n": "count"}),
}

WHO = ("self", "enemy", "acting")
UNTIL = ("end_of_turn",)
MODIFIERS = (
    "buy_cost",
    "location_yield",
    "perimeter_ration",
    "move_cost",
    "draw_count",
    "resupply_rations",
    "bought_rations",
    "combat",
)
NOTE_KEYS = ("resupply_rations", "bought_rations", "card")
SPECIALS = ("attack_bonus", "retreat_extra", "ignore", "free_move")
STAYS = ("none", "end_of_turn")
CONTROL = ("own", "enemy", "none")

SELECTORS: dict[str, dict[str, str]] = {
    "force": {
        "owner": "owner",
        "area": "area",
        "loc_control": "control",
        "participant": "flag",
        "has_rations": "flag",
        "in_location": "place",
        "not_doubled": "flag",
    },
    "area": {"owner": "owner", "type": "area", "room": "flag"},
    "location": {
        "control": "control",
        "has_enemy": "flag",
        "has_own": "flag",
        "destroyed": "flag",
    },
}
"""Kinds of target and the filters each knows."""
