"""What a seat is asked, and the options, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matchmaker.viewing.drawings.stalingrad.names import area, card, fact, force, place
from matchmaker.viewing.words import words

if TYPE_CHECKING:
    from matchmaker.viewing.table import Table

ASK = {
    "setup_pick": "Set-up: choose a starting Force; cost left: {left}",
    "setup_place": "Set-up: where does it go?",
    "place_ration": "Which Force gets a Ration? {left} to place",
    "main": "ACTIONS: your Action",
    "move_dest": "Move: where to?",
    "buy_place": "Buy Forces: where does it go?",
    "participants": "Attack: which Forces take part? Each spends a Ration",
    "target": "The card's target",
    "free_move": "A free Move: which Force? {left} left",
    "discard": "Discard a card; {left} to go",
    "search": "Take a card from the pile into your hand",
    "on_card": "A card was played; do you answer it?",
    "on_move": "A Move was declared; do you answer it?",
    "battle": "A battle, before the Firefight: do you play a card?",
    "firefight": "Firefight: play a card for its value, or pass; two passes in a row end it",
    "on_destroyed": "A Force was destroyed; do you play a card?",
    "after_battle": "The battle is over; do you play a card?",
    "on_draw": "DRAW begins; do you play a card?",
    "absorb": "Absorb Hits: how? {left} left",
    "medal": "Heroic Service: which Force gets the counter?",
    "lose_ration": "Which Force loses a Ration? {left} to lose",
    "destroy_own": "Which Force of yours is destroyed? {left} to go",
}

GROUPS = {
    "play": "Play a card", "move": "Move, for a Ration", "attack": "Attack, for a Ration each",
    "pay_uranus": "Pay to be rid of", "ignore": "Ignore a Hit", "ration": "Spend Rations",
    "retreat": "Retreat into the Perimeter", "destroy": "Lose the Force",
}  # fmt: skip
"""Verbs of which there may be several among others."""

BY_FORCE = {"free_move", "ignore", "retreat", "destroy", "medal", "lose_ration", "destroy_own",
            "place_ration", "move"}  # fmt: skip
BY_CARD = {"play", "fire", "discard", "search", "pay_uranus"}
ALONE = {
    "end": "end your Actions",
    "resupply": "Resupply: discard a card, place Rations",
    "pass": "pass",
    "stop": "no more free Moves",
}


def option(t: Table, verb: str, args: list[str]) -> tuple[str, str]:
    return GROUPS.get(verb, ""), _said(t, verb, args)


def _said(t: Table, verb: str, args: list[str]) -> str:
    if verb in ALONE:
        return ALONE[verb]
    if verb == "buy":
        return _buy(t)
    if verb == "pick":
        return f"{t.name(args[0])}{strength(t, args[0])}"
    if verb in BY_CARD:
        return card(t, {"card": args[0], "ff": int(args[1])})
    if verb == "ration":
        return f"{t.count(int(args[1]), 'Ration')} of {force(t, args[0])}"
    if verb in BY_FORCE:
        return force(t, args[0])
    if verb == "attack":
        return place(t, args[0])
    if verb == "participants":
        return ", ".join(force(t, each) for each in args)
    if verb in ("to", "target"):
        return _thing(t, args[0])
    return f"{words(verb)} {t.listed(args)}"


def _thing(t: Table, thing: str) -> str:
    """A Force, a Location or an area."""
    if "." in thing:
        return area(t, thing)
    if fact(t, "locations", thing):
        return place(t, thing)
    return force(t, thing)


def _buy(t: Table) -> str:
    top = t.view["force_deck_tops"][t.viewer] if t.view and t.viewer >= 0 else ""
    known = f", {t.name(top)}{strength(t, top)}" if top else ""
    return f"Buy the top card of the Force deck{known}"


def strength(t: Table, thing: str) -> str:
    """What a Force that is not on the board costs and brings."""
    known = fact(t, "forces", thing)
    if not known:
        return ""
    more = "".join(f", {each}" for each in specials(known))
    return f": cost {known['cost']}, Combat {known['combat']}, Rations {known['rations']}{more}"


SPECIALS = {
    "attack_bonus": "attack +{}", "retreat_extra": "retreat +{}", "ignore": "ignores {}",
    "free_move": "free Moves",
}  # fmt: skip


def specials(known: dict[str, object]) -> list[str]:
    """A Force's specials: `attack +2`, `free Moves`."""
    found = known.get("specials", ())
    assert isinstance(found, list)
    return [SPECIALS.get(each["key"], each["key"]).format(each.get("n", "")) for each in found]
