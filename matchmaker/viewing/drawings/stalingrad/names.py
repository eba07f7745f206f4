"""What things are called: sides, Locations, areas, Forces, cards, and where a match stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matchmaker.viewing.words import signed, words

if TYPE_CHECKING:
    from matchmaker.viewing.table import Json, Table

SIDES = ("Russian", "German")
AREAS = {"C": "Control", "P": "Perimeter"}


def names(components: Json) -> dict[str, str]:
    known = {}
    for each in components.get("locations", ()):
        known[each["id"]] = each["name"]
        known |= {f"{each['id']}.{k}": f"{each['name']}, {area}" for k, area in AREAS.items()}
    for kind in ("forces", "cards"):
        known |= {each["id"]: each["name"] for each in components.get(kind, ())}
    return known


def turn(view: Json) -> str:
    if not view["round"]:
        return "Set-up"
    return f"Round {view['round']} of {view['config']['max_rounds']}, {SIDES[view['acting']]} turn"


def phase(t: Table) -> str:
    view = t.view
    if not t.asked:
        return "over"
    left = f", {view['left']} left" if view["left"] else ""
    step = f"{view['step']}; " if view["round"] else ""
    return f"{step}{SIDES[t.asked[0]]} is asked: {words(view['kind'])}{left}"


def fact(t: Table, kind: str, thing: str) -> Json:
    """What a component file says of an id; nothing of a set that is not here."""
    return next((each for each in t.components.get(kind, ()) if each["id"] == thing), {})


def card(t: Table, kind: Json) -> str:
    """A card with its Firefight value: `Fog of War −2`."""
    return f"{t.name(kind['card'])} {signed(kind['ff'])}"


def place(t: Table, location: str) -> str:
    """A Location with the short name that the table shows: `The Docks (DOC)`."""
    return f"{t.name(location)} ({location})"


def area(t: Table, thing: str) -> str:
    """An area: `Control of The Docks (DOC)`."""
    location, _, which = thing.partition(".")
    return f"{AREAS.get(which, which)} of {place(t, location)}"


def of_force(view: Json, force: str, column: str) -> Any:
    """A column's value for a Force on the board; None for one that is not, or without a view."""
    forces = view.get("forces", ())
    return view[column][forces.index(force)] if force in forces else None


def force(t: Table, thing: str) -> str:
    """A Force with where it stands and what it has: `13th Guards (DOC Control, 3 Rations)`."""
    where = of_force(t.view, thing, "areas")
    if not where:
        return t.name(thing)
    location, _, which = where.partition(".")
    rations = t.count(of_force(t.view, thing, "rations"), "Ration")
    return f"{t.name(thing)} ({location} {AREAS.get(which, which)}, {rations})"
