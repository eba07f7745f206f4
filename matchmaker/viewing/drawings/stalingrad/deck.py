"""What Action cards do, in words made from their records: when, at what cost, on what, to what."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from matchmaker.viewing.drawings.stalingrad.names import card
from matchmaker.viewing.words import signed, words

if TYPE_CHECKING:
    from matchmaker.viewing.table import Json, Table

WHEN = {
    "MAIN": "as an Action", "ON_CARD": "when a card is played", "ON_MOVE": "when a Force moves",
    "BATTLE": "before a Firefight", "ABSORB": "when absorbing Hits",
    "ON_DESTROYED": "when an own Force was destroyed", "AFTER_BATTLE": "after a battle",
    "ON_DRAW": "when DRAW begins",
}  # fmt: skip
WHO = {"self": "you", "enemy": "the enemy", "acting": "the acting side"}
MODIFIED = {
    "buy_cost": "the cost of bought Forces", "location_yield": "the yield of Locations",
    "perimeter_ration": "Rations of Perimeters", "move_cost": "Rations that a Move costs",
    "draw_count": "cards drawn", "resupply_rations": "Rations of a Resupply",
    "bought_rations": "Rations of bought Forces", "combat": "Combat",
}  # fmt: skip
CONTROL = {"own": "that you Control", "enemy": "that the enemy Controls", "none": "Uncontrolled"}


def cards(t: Table) -> Iterator[str]:
    """The own hand, each name once, with what its card does."""
    counts: dict[str, list[str]] = {}
    for kind in t.view["hand"]:
        counts.setdefault(kind["card"], []).append(signed(kind["ff"]))
    if not counts:
        yield "Your hand is empty."
    for name, values in counts.items():
        yield f"{t.name(name)} ({', '.join(values)}): {does(t, name, t.viewer)}"
    for n in (0, 1):
        for kind in t.view["in_play"][n]:
            paid = _removal(t, record(t, kind["card"], n))
            yield f"In play, {t.seat(n)}: {card(t, kind)}: {does(t, kind['card'], n)}{paid}"


def record(t: Table, name: str, seat: int) -> Json:
    side = "RG"[seat]
    of_both = t.components.get("cards", ())
    return next((each for each in of_both if each["id"] == name and each["side"] == side), {})


def does(t: Table, name: str, seat: int) -> str:
    """What a side's card does; nothing is known of a card of a set that is not here."""
    known = record(t, name, seat)
    if not known:
        return "not among the cards known here"
    # Scouts come at every moment but one: a list of all would say less.
    when = "at any time" if len(known["windows"]) > 3 else _either(WHEN, known["windows"])
    parts = [when]
    parts += [f"if {_worded(CONDITIONS, each)}" for each in known["condition"]]
    parts += [f"at the cost of: {_worded(COSTS, each)}" for each in known["cost"]]
    parts += [f"on {target(each)}" for each in known["targets"]]
    effects = [each for each in known["effect"] if not is_empty(each)]
    return f"{', '.join(parts)}: {'; '.join(_worded(EFFECTS, each) for each in effects)}"


def is_empty(effect: Json) -> bool:
    """An effect that a Location's note alone fills."""
    return bool(effect["op"] == "extra_hits" and effect["n"] == 0)


def _either(words_of: dict[str, str], names: list[str]) -> str:
    return " or ".join(words_of.get(each, words(each)) for each in names)


def target(given: Json) -> str:
    """What may be named with a card: `an enemy Force in a Control Area`."""
    owner = {"own": "an own ", "enemy": "an enemy "}.get(given.get("owner", ""), "a ")
    parts = [f"{owner}{'Force' if given['kind'] == 'force' else given['kind'].title()}"]
    parts += {"C": ["in a Control Area"], "P": ["in a Perimeter"]}.get(
        given.get("area", "") or given.get("type", ""), []
    )
    control = given.get("loc_control") or given.get("control")
    if control:
        parts.append(f"at a Location {CONTROL[control]}")
    for flag, said in (
        ("participant", "of the battle"), ("has_rations", "with Rations"),
        ("not_doubled", "not doubled yet"), ("has_enemy", "where an enemy Force is"),
        ("has_own", "where an own Force is"), ("room", "with room"),
    ):  # fmt: skip
        if given.get(flag):
            parts.append(said)
    return " ".join(parts)


def _worded(of: dict[str, Callable[[Json], str]], effect: Json) -> str:
    sentence = of.get(effect["op"])
    if sentence is not None:
        return sentence(effect)
    return f"{words(effect['op'])} {' '.join(str(v) for k, v in effect.items() if k != 'op')}"


def some(number: Any, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _whom(given: Json) -> str:
    area = {"C": " in Control Areas", "P": " in Perimeters"}.get(given.get("area", ""), "")
    return f"{'own' if given.get('owner') == 'own' else 'enemy'} Forces{area}"


EFFECTS: dict[str, Callable[[Json], str]] = {
    "rubble": lambda e: f"{signed(e['n'])} Rubble on its Location",
    "give_each": lambda e: f"{some(e['n'], 'Ration')} to each of the {_whom(e['filter'])}",
    "distribute": lambda e: f"{some(e['n'], 'Ration')} among {_whom(e['filter'])}",
    "steal_rations": lambda e: f"up to {some(e['n'], 'Ration')} from the first to the second",
    "remove_rations": lambda e: f"{WHO[e['who']]} loses {some(e['n'], 'Ration')}",
    "medal": lambda e: f"Heroic Service: {some(e['n'], 'counter')}",
    "draw": lambda e: f"{WHO[e['who']]} draw {some(e['n'], 'card')}",
    "search": lambda e: f"take {some(e['n'], 'card')} of your choice from the Action deck",
    "discard": lambda e: f"discard {some(e['n'], 'card')}",
    "discard_random": lambda e: f"{WHO[e['who']]} discard {some(e['n'], 'card')} unseen",
    "recover_discard": lambda e: f"take {some(e['n'], 'card')} from the discard pile",
    "peek": lambda e: f"look at the top {some(e['n'], 'card')} of your Action deck",
    "free_moves": lambda e: f"up to {some(e['n'], 'free Move')}",
    "assault": lambda e: "the Force moves there and attacks, for nothing",
    "move_force": lambda e: "the Force moves there",
    "retreat_force": lambda e: "the Force retreats into its Perimeter",
    "join_battle": lambda e: "the Force joins the battle",
    "combat_add": lambda e: f"Combat {signed(e['n'])} for {_whom(e['filter'])} in this turn",
    "combat_double": lambda e: "its Combat counts double in this battle",
    "extra_hits": lambda e: f"{WHO[e['who']]} inflict {some(e['n'], 'extra Hit')}",
    "no_retreat": lambda e: f"{WHO[e['who']]} may not retreat in this battle",
    "no_firefight": lambda e: "no Firefight and no flip in this battle",
    "absorb": lambda e: f"absorbs {some(e['n'], 'Hit')}",
    "card_attack": lambda e: f"{some(e['hits'], 'Hit')} on the Force",
    "cancel_card": lambda e: "the card is cancelled",
    "cancel_move": lambda e: "the Move is cancelled",
    "forbid_move": lambda e: "the Force may not move again in this turn",
    "no_draw_bonus": lambda e: f"{WHO[e['who']]} draws no cards for Locations",
    "destroy_own": lambda e: f"destroy {some(e['n'], 'own Force')}",
    "buy_points": lambda e: f"{some(e['n'], 'point')} to buy Forces with",
    "modifier": lambda e: f"for {WHO[e['who']]}: {MODIFIED[e['key']]} {signed(e['add'])}",
}
COSTS: dict[str, Callable[[Json], str]] = {
    "discard": lambda e: some(e["n"], "card"),
    "remove_rations": lambda e: some(e["n"], "Ration"),
    "destroy_own": lambda e: some(e["n"], "own Force"),
}
CONDITIONS: dict[str, Callable[[Json], str]] = {
    "rubble_at_least": lambda e: f"the Location has {e['n']} Rubble or more",
    "own_force_destroyed": lambda e: "an own Force was destroyed",
    "enemy_lost_or_retreated": lambda e: "an enemy Force was lost or retreated",
    "cards_to_search": lambda e: "there are cards to search",
    "controls": lambda e: f"you Control {some(e['n'], 'Location')} or more",
    "hand_at_least": lambda e: f"you hold {some(e['n'], 'card')} or more",
}


def _removal(t: Table, known: Json) -> str:
    stay = known.get("stay")
    if not isinstance(stay, dict):
        return ""
    paid = ", ".join(_worded(COSTS, each) for each in stay["until_paid"])
    return f" (stays until its enemy pays {paid})"
