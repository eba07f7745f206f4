"""Checking component files record by record (§8.8): every fault with file, record and reason."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from referee.games.stalingrad import vocabulary as words
from referee.games.stalingrad.records import SIDES

FILES = ("locations", "forces", "cards")

FIELDS: dict[str, dict[str, type | tuple[type, ...]]] = {
    "locations": {
        "id": str,
        "name": str,
        "chart": list,
        "destroyed_at": int,
        "note": (dict, type(None)),
        "note_kept": bool,
        "provenance": str,
    },
    "forces": {
        "id": str,
        "name": str,
        "side": str,
        "cost": int,
        "combat": int,
        "rations": int,
        "specials": list,
        "provenance": str,
    },
    "cards": {
        "id": str,
        "name": str,
        "side": str,
        "copies": list,
        "windows": list,
        "condition": list,
        "cost": list,
        "targets": list,
        "effect": list,
        "stay": (str, dict),
        "provenance": dict,
    },
}
OPTIONAL = {"title": str}
LOCATIONS = 10
URANUS = 6
LOWEST_FF, HIGHEST_FF = -3, 3


def card_id(name: str) -> str:
    """The id that a card's name gives: lower case, spaces as `_`, other signs dropped."""
    return re.sub(r"[^a-z0-9_]", "", name.lower().replace(" ", "_"))


def reachable(costs: Iterable[int], total: int) -> bool:
    """Whether some of the costs sum to exactly `total`."""
    sums = 1
    for cost in costs:
        sums |= sums << cost
    return bool(sums >> total & 1)


class Checker:
    """Collects faults; `at` names the file and record that is being read."""

    def __init__(self) -> None:
        self.faults: list[str] = []
        self.at = ""

    def fault(self, reason: str) -> None:
        self.faults.append(f"{self.at}: {reason}")

    def expect(self, holds: bool, reason: str) -> bool:
        if not holds:
            self.fault(reason)
        return holds

    def number(self, value: Any, what: str, low: int | None = 0) -> bool:
        right = type(value) is int and (low is None or value >= low)
        return self.expect(
            right, f"{what} is {value!r}, expected a whole number"
            + ("" if low is None else f" from {low}")
        )  # fmt: skip

    def one_of(self, value: Any, known: Iterable[str], what: str) -> bool:
        known = tuple(known)
        return self.expect(
            isinstance(value, str) and value in known,
            f"{what} is {value!r}, known are {', '.join(known)}",
        )

    def records(self, file: str, rows: Any) -> list[dict[str, Any]]:
        """Records of one file whose fields are all there and of the right type."""
        self.at = f"{file}.json"
        if not self.expect(isinstance(rows, list), "expected a list of records"):
            return []
        sound = []
        for k, row in enumerate(rows):
            named = isinstance(row, dict) and row.get("id")
            self.at = f"{file}.json: record {named or f'number {k + 1}'}"
            if self.expect(isinstance(row, dict), "expected an object") and self.fields(file, row):
                sound.append(row)
        return sound

    def fields(self, file: str, row: dict[str, Any]) -> bool:
        before = len(self.faults)
        for name, kind in FIELDS[file].items():
            if name not in row:
                self.fault(f"{name} is missing")
            elif not isinstance(row[name], kind) or (kind is int and type(row[name]) is bool):
                self.fault(f"{name} is {row[name]!r}, of the wrong type")
        for name in row:
            if name in FIELDS[file]:
                continue
            if file != "cards" or name not in OPTIONAL:
                self.fault(f"unknown field {name!r}")
            elif not isinstance(row[name], OPTIONAL[name]):
                self.fault(f"{name} is {row[name]!r}, of the wrong type")
        if "id" in row and isinstance(row["id"], str):
            self.expect(
                bool(re.fullmatch(r"[A-Za-z0-9_]+", row["id"])),
                "id may hold letters, digits and _ alone",
            )
        return len(self.faults) == before

    def location(self, row: dict[str, Any], notes: Mapping[str, set[str]]) -> None:
        rows = row["chart"]
        if self.expect(bool(rows), "chart is empty"):
            sound = all(
                isinstance(each, list)
                and len(each) == 2
                and all(type(n) is int and n >= 0 for n in each)
                for each in rows
            )
            if self.expect(sound, f"chart {rows!r}: expected rows of [most Rubble, Rations]"):
                most = [each[0] for each in rows]
                self.expect(most == sorted(set(most)), f"chart rows do not ascend: {most}")
                self.expect(
                    row["destroyed_at"] == most[-1] + 1,
                    f"destroyed_at is {row['destroyed_at']}, expected {most[-1] + 1}: "
                    "one more than the last chart row",
                )
        note = row["note"]
        if note is not None and self.one_of(note.get("key"), words.NOTE_KEYS, "note key"):
            self.number(note.get("add"), "note add", None)
            wanted = {"key", "add"} | ({"card", "param"} if note["key"] == "card" else set())
            self.expect(set(note) == wanted, f"note has {sorted(note)}, expected {sorted(wanted)}")
            named = note.get("card")
            if note["key"] == "card" and self.expect(
                isinstance(named, str) and named in notes,
                f"note names the unknown card {named!r}",
            ):
                self.one_of(note.get("param"), sorted(notes[note["card"]]), "note param")

    def force(self, row: dict[str, Any]) -> None:
        self.one_of(row["side"], SIDES, "side")
        for name in ("cost", "combat", "rations"):
            self.number(row[name], name)
        for special in row["specials"]:
            if self.expect(
                isinstance(special, dict) and set(special) == {"key", "n"},
                f"special {special!r}: expected key and n",
            ) and self.one_of(special["key"], words.SPECIALS, "special"):
                self.number(special["n"], f"special {special['key']}", 1)

    def card(self, row: dict[str, Any]) -> None:
        self.one_of(row["side"], SIDES, "side")
        self.expect(
            row["id"] == card_id(row["name"]),
            f"id should be {card_id(row['name'])!r}, made from the name",
        )
        self.copies(row["copies"])
        self.expect(bool(row["windows"]), "windows is empty")
        moments = frozenset(
            each for each in row["windows"] if self.one_of(each, words.MOMENTS, "window")
        )
        variables = self.targets(row["targets"], moments)
        self.expect(bool(row["effect"]), "effect is empty")
        self.steps(row["effect"], "effect", words.EFFECTS, moments, variables)
        self.steps(row["condition"], "condition", words.CONDITIONS, moments, {})
        self.steps(row["cost"], "cost", words.COSTS, moments, {})
        self.stay(row)
        own = [
            each.get("var")
            for each in row["targets"]
            if isinstance(each, dict) and each.get("owner") == "own"
        ]
        for each in row["effect"]:
            if isinstance(each, dict) and each.get("op") in ("assault", "join_battle"):
                what = f"{each['op']}: force {each.get('force')!r}"
                self.expect(each.get("force") in own, f"{what} is none of the player's own")
        ops = [str(each.get("op")) for each in row["effect"] if isinstance(each, dict)]
        if "search" in ops:
            self.expect(ops == ["search"], "search must be a card's only effect")
        if {"modifier", "card_param"} & set(ops):
            self.expect(row["stay"] != "none", "a modifier needs a card that stays in play")
        if words.ABSORB in moments:
            self.expect(moments == {words.ABSORB}, "a card for ABSORB has no other window")
            self.expect(not row["targets"], "a card for ABSORB declares no targets")
            self.expect(not row["cost"], "a card for ABSORB has no cost")

    def copies(self, copies: list[Any]) -> None:
        self.expect(bool(copies), "copies is empty")
        values = []
        for each in copies:
            if not self.expect(
                isinstance(each, dict) and set(each) == {"ff", "n"},
                f"copies {each!r}: expected ff and n",
            ):
                continue
            if self.number(each["ff"], "ff", None):
                values.append(each["ff"])
                self.expect(
                    LOWEST_FF <= each["ff"] <= HIGHEST_FF,
                    f"ff is {each['ff']}, expected {LOWEST_FF} to {HIGHEST_FF}",
                )
            self.number(each["n"], "copies n", 1)
        self.expect(len(values) == len(set(values)), f"an ff stands twice in copies: {values}")

    def targets(self, targets: list[Any], moments: frozenset[str]) -> dict[str, str]:
        """Variables with their kinds."""
        variables: dict[str, str] = {}
        for each in targets:
            if not self.expect(isinstance(each, dict), f"target {each!r}: expected an object"):
                continue
            var, kind = each.get("var"), each.get("kind")
            if not self.one_of(kind, words.SELECTORS, "target kind"):
                continue
            fresh = isinstance(var, str) and var.isidentifier() and var not in variables
            if not self.expect(fresh, f"target variable {var!r} is no name or stands twice"):
                continue
            for name, value in each.items():
                if name in ("var", "kind"):
                    continue
                form = words.SELECTORS[kind].get(name)
                if self.expect(form is not None, f"target {var}: unknown filter {name!r}"):
                    self.selector(f"target {var}: {name}", str(form), value, variables)
            if kind != "location":
                self.expect("owner" in each, f"target {var}: owner is missing")
            in_battle = (
                each.get("participant")
                or each.get("not_doubled")
                or each.get("in_location") == "battle"
            )
            if in_battle:
                self.expect(
                    moments == {words.BATTLE},
                    f"target {var}: only BATTLE knows a battle",
                )
            variables[var] = kind
        return variables

    def selector(self, what: str, form: str, value: Any, variables: Mapping[str, str]) -> None:
        if form == "flag":
            self.expect(type(value) is bool, f"{what} is {value!r}, expected true or false")
        elif form == "place":
            self.one_of(value, ("battle", *variables), what)
        else:
            known = {"owner": ("own", "enemy"), "area": ("C", "P"), "control": words.CONTROL}
            self.one_of(value, known[form], what)

    def steps(
        self,
        steps: list[Any],
        what: str,
        known: Mapping[str, words.Word],
        moments: frozenset[str],
        variables: Mapping[str, str],
    ) -> None:
        for step in steps:
            if not self.expect(isinstance(step, dict), f"{what} {step!r}: expected an object"):
                continue
            op = step.get("op")
            if what == "effect" and isinstance(op, str) and op in words.RESERVED:
                self.fault(f"effect op {op!r} is reserved: no rule is built for it yet")
                continue
            if not self.one_of(op, known, f"{what} op"):
                continue
            word = known[str(op)]
            given = set(step) - {"op"}
            wanted = {"loc"} if op == "controls" and "loc" in given else set(word.params)
            if self.expect(
                given == wanted, f"{op}: has {sorted(given)}, expected {sorted(wanted)}"
            ):
                for name in sorted(given):
                    form = word.params.get(name, "location id")
                    self.param(f"{op}: {name}", form, step[name], variables, moments)
            wrong = sorted(moments - word.windows)
            self.expect(not wrong, f"{op} cannot be used in {', '.join(wrong)}")

    def param(
        self,
        what: str,
        form: str,
        value: Any,
        variables: Mapping[str, str],
        moments: frozenset[str],
    ) -> None:
        forces = tuple(var for var, kind in variables.items() if kind == "force")
        places = tuple(var for var, kind in variables.items() if kind == "location")
        if form == "count":
            self.number(value, what)
        elif form == "whole":
            self.number(value, what, None)
        elif form == "force":
            self.one_of(value, forces, what)
        elif form == "mover":
            mover = ("mover",) if moments == {words.ON_MOVE} else ()
            self.one_of(value, (*forces, *mover), what)
        elif form == "area":
            areas = tuple(var for var, kind in variables.items() if kind == "area")
            self.one_of(value, areas, what)
        elif form == "flag":
            self.expect(type(value) is bool, f"{what} is {value!r}, expected true or false")
        elif form == "loc":
            self.one_of(value, (*places, *(f"{each}.loc" for each in forces)), what)
        elif form == "who":
            self.one_of(value, words.WHO, what)
        elif form == "until":
            self.one_of(value, words.UNTIL, what)
        elif form == "key":
            self.one_of(value, words.MODIFIERS, what)
        elif form == "filter":
            self.filter(what, value)
        else:
            self.expect(isinstance(value, str), f"{what} is {value!r}, expected a text")

    def filter(self, what: str, value: Any) -> None:
        if not self.expect(isinstance(value, dict), f"{what} is {value!r}, expected an object"):
            return
        op = what.split(":")[0]
        one_side = op in ("distribute", "remove_rations")
        self.one_of(value.get("owner"), ("own",) if one_side else ("own", "enemy"), what)
        if "area" in value:
            if self.expect(op != "combat_add", f"{what}: combat_add knows no area"):
                self.one_of(value["area"], ("C", "P"), f"{what} area")
        self.expect(set(value) <= {"owner", "area"}, f"{what}: unknown filter in {sorted(value)}")

    def stay(self, row: dict[str, Any]) -> None:
        stay = row["stay"]
        if isinstance(stay, str):
            self.one_of(stay, words.STAYS, "stay")
            return
        cost = stay.get("until_paid")
        if self.expect(
            set(stay) == {"until_paid"} and isinstance(cost, list) and bool(cost),
            f"stay is {stay!r}, expected until_paid with a cost",
        ):
            self.expect(row["side"] == "R", "only Russian cards stay until the German pays")
            self.steps(cost, "removal cost", words.COSTS, frozenset({words.MAIN}), {})

    def unique(self, file: str, keys: Iterable[tuple[str, ...]]) -> None:
        seen: set[tuple[str, ...]] = set()
        for key in keys:
            self.at = f"{file}.json: record {' '.join(key)}"
            self.expect(key not in seen, "stands twice")
            seen.add(key)
