"""Whatever stands in a component file, it is read or refused: nothing else comes of it (§8.8)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from referee.engine.errors import BadData
from referee.games.stalingrad import load
from referee.games.stalingrad.check import FILES

ODD: tuple[Any, ...] = (None, 7, 1.5, "x", [], {}, [[]], {"op": []})
SPOILT = {
    "locations": ("GUM", "TRA"),
    "forces": ("R248",),
    "cards": ("attack", "dive_bombers", "sniper", "uranus_ii"),
}


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every (holder, key) inside a value."""
    keys: Any = value if isinstance(value, dict) else range(len(value))
    for key in list(keys):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from places(value[key])


@pytest.mark.parametrize(("file", "name"), [(f, name) for f in FILES for name in SPOILT[f]])
def test_any_value_anywhere_is_read_or_refused(file: str, name: str) -> None:
    raw = {each: json.loads((load.SHIPPED / f"{each}.json").read_text("utf-8")) for each in FILES}
    row = next(each for each in raw[file] if each["id"] == name)
    if file == "cards":
        row["title"] = name
    refusals = []
    for holder, key in places(row):
        right = holder[key]
        for odd in ODD:
            holder[key] = odd
            try:
                load.build(raw)
            except BadData as fault:
                refusals.append(str(fault))
        holder[key] = right
    assert refusals
    assert all(f"{file}.json" in text for text in refusals)


def test_a_title_is_a_text() -> None:
    raw = {each: json.loads((load.SHIPPED / f"{each}.json").read_text("utf-8")) for each in FILES}
    raw["cards"][0]["title"] = 5
    with pytest.raises(BadData, match="title is 5, of the wrong type"):
        load.build(raw)
