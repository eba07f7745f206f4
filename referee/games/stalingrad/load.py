"""Reading and checking component files (§8): locations.json, forces.json and cards.json."""

from __future__ import annotations

import json
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from referee.engine.errors import BadData
from referee.games.stalingrad import vocabulary as words
from referee.games.stalingrad.check import (
    FILES,
    LOCATIONS,
    URANUS,
    Checker,
    reachable,
)
from referee.games.stalingrad.deductions import Box, warnings
from referee.games.stalingrad.records import (
    SIDES,
    Card,
    Components,
    Effect,
    Force,
    Location,
    Note,
    Target,
)

SHIPPED = Path(__file__).parent / "data"
SETUP_TOTALS = (11, 9)
"""Cost that the starting Forces must sum to, by seat (set-up, §2)."""

_known: dict[str, Components] = {}
"""Every set read so far, by digest."""


@cache
def shipped() -> Components:
    """The set that comes with the game."""
    return load(SHIPPED)


def load(path: str | Path) -> Components:
    """
    Read the component files of a folder.

    Raises:
        BadData: The files cannot be used; the text names each fault.
    """
    folder = Path(path)
    if not folder.is_dir():
        raise BadData(f"cards={str(path)!r}: no such folder; it must hold {_names()}")
    raw = {}
    for file in FILES:
        try:
            raw[file] = json.loads((folder / f"{file}.json").read_text("utf-8"))
        except FileNotFoundError:
            raise BadData(f"{file}.json: not in {str(path)!r}; it must hold {_names()}") from None
        except (OSError, ValueError) as fault:
            raise BadData(f"{file}.json: cannot be read: {fault}") from None
    return build(raw)


def read_text(text: str) -> Components:
    """
    The components that `Components.text` describes, as another process sends them.

    Raises:
        BadData: As `load`.
    """
    try:
        raw = json.loads(text)
    except ValueError as fault:
        raise BadData(f"component data cannot be read: {fault}") from None
    if not isinstance(raw, dict) or set(raw) != set(FILES):
        raise BadData(f"component data: expected one object with {', '.join(FILES)}")
    return build(raw)


def known(digest: str) -> Components:
    """
    A set that this process has read before, or the shipped one.

    Raises:
        BadData: It has not been read; a digest alone does not tell what is in it.
    """
    if digest not in _known:
        shipped()
    if digest not in _known:
        raise BadData(f"component data {digest} have not been read here: load them first")
    return _known[digest]


def build(raw: dict[str, Any]) -> Components:
    """
    Check parsed files and make records of them.

    Raises:
        BadData: The text names each fault with file, record and reason.
    """
    check = Checker()
    rows = {file: check.records(file, raw[file]) for file in FILES}
    _check(check, rows)
    if check.faults:
        raise BadData("; ".join(check.faults))
    text = json.dumps(raw, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    locations = tuple(_location(row) for row in rows["locations"])
    forces = tuple(sorted(map(_force, rows["forces"]), key=lambda each: (each.seat, each.id)))
    cards = tuple(sorted(map(_card, rows["cards"]), key=lambda each: (each.seat, each.id)))
    box = Box(
        {each.id: each for each in locations},
        {each.id: each for each in forces},
        {(each.seat, each.id): each for each in cards},
    )
    components = Components(
        locations, forces, cards, sha256(text.encode()).hexdigest(), text, tuple(warnings(box))
    )
    return _known.setdefault(components.digest, components)


def _names() -> str:
    return ", ".join(f"{file}.json" for file in FILES)


def _check(check: Checker, rows: dict[str, list[dict[str, Any]]]) -> None:
    notes: dict[str, set[str]] = {}
    for row in rows["cards"]:
        check.at = f"cards.json: record {row['side']} {row['id']}"
        check.card(row)
        for step in row["effect"]:
            word = words.EFFECTS.get(str(step.get("op"))) if isinstance(step, dict) else None
            notes.setdefault(row["id"], set()).update({word.note} - {""} if word else ())
    for row in rows["locations"]:
        check.at = f"locations.json: record {row['id']}"
        check.location(row, notes)
    for row in rows["forces"]:
        check.at = f"forces.json: record {row['id']}"
        check.force(row)
    check.unique("locations", [(row["id"],) for row in rows["locations"]])
    check.unique("forces", [(row["id"],) for row in rows["forces"]])
    check.unique("cards", [(row["side"], row["id"]) for row in rows["cards"]])
    if check.faults:
        return
    check.at = "locations.json"
    count = len(rows["locations"])
    check.expect(count == LOCATIONS, f"{count} Locations, expected {LOCATIONS}")
    check.at = "cards.json"
    uranus = sum(row["side"] == "R" and isinstance(row["stay"], dict) for row in rows["cards"])
    check.expect(
        uranus == URANUS, f"{uranus} Russian cards stay until paid, expected {URANUS} (Uranus)"
    )
    for seat, side in enumerate(SIDES):
        check.at = "cards.json"
        check.expect(any(row["side"] == side for row in rows["cards"]), f"no cards of side {side}")
        check.at = "forces.json"
        costs = [row["cost"] for row in rows["forces"] if row["side"] == side]
        check.expect(
            reachable(costs, SETUP_TOTALS[seat]),
            f"no starting Forces of side {side} cost {SETUP_TOTALS[seat]} in sum",
        )
    for row in rows["cards"]:
        check.at = f"cards.json: record {row['side']} {row['id']}"
        for step in row["effect"]:
            if step["op"] == "card_param":
                if check.one_of(step["card"], sorted(notes), "card_param: card"):
                    check.one_of(step["param"], sorted(notes[step["card"]]), "card_param: param")
        for step in row["condition"]:
            if "loc" in step:
                check.one_of(step["loc"], [each["id"] for each in rows["locations"]], "controls")


def _location(row: dict[str, Any]) -> Location:
    note = row["note"]
    return Location(
        id=row["id"],
        name=row["name"],
        chart=tuple((most, rations) for most, rations in row["chart"]),
        destroyed_at=row["destroyed_at"],
        note=note and Note(note["key"], note.get("card", ""), note.get("param", ""), note["add"]),
        note_kept=row["note_kept"],
        provenance=row["provenance"],
    )


def _force(row: dict[str, Any]) -> Force:
    specials: dict[str, int] = {}
    for each in row["specials"]:
        specials[each["key"]] = specials.get(each["key"], 0) + each["n"]
    return Force(
        id=row["id"],
        name=row["name"],
        seat=SIDES.index(row["side"]),
        cost=row["cost"],
        combat=row["combat"],
        rations=row["rations"],
        attack_bonus=specials.get("attack_bonus", 0),
        retreat_extra=specials.get("retreat_extra", 0),
        ignore=specials.get("ignore", 0),
        free_move="free_move" in specials,
        provenance=row["provenance"],
    )


def _steps(steps: list[dict[str, Any]]) -> tuple[Effect, ...]:
    return tuple(
        Effect(step["op"], {name: step[name] for name in step if name != "op"}) for step in steps
    )


def _card(row: dict[str, Any]) -> Card:
    stay = row["stay"]
    return Card(
        id=row["id"],
        name=row["name"],
        title=row.get("title", ""),
        seat=SIDES.index(row["side"]),
        copies=tuple(sorted((each["ff"], each["n"]) for each in row["copies"])),
        windows=tuple(row["windows"]),
        condition=_steps(row["condition"]),
        cost=_steps(row["cost"]),
        targets=tuple(Target(**each) for each in row["targets"]),
        effect=_steps(row["effect"]),
        stay=stay if isinstance(stay, str) else "until_paid",
        removal=() if isinstance(stay, str) else _steps(stay["until_paid"]),
        provenance=row["provenance"],
    )
