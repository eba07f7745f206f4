"""Selectors and owners that no shipped card uses (§8.8), each on a card made for the test."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from referee.games.stalingrad.check import FILES
from referee.games.stalingrad.load import SHIPPED
from referee.games.stalingrad.state import Stalingrad
from tests.referee.games.stalingrad.table import (
    G,
    R,
    cards,
    do,
    hold_fire,
    plays,
    rations,
    settle,
    table,
    take,
    texts,
    until,
    where,
)


def made(id_: str, effect: dict[str, Any], *targets: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "id": id_, "name": id_.capitalize(), "side": "G", "copies": [{"ff": 0, "n": 2}],
        "windows": ["MAIN"], "condition": [], "cost": [], "targets": list(targets),
        "effect": [effect], "stay": "none", "provenance": {}, **more,
    }  # fmt: skip


def shelling(id_: str, **words: Any) -> dict[str, Any]:
    """Rubble on a Location that these words select."""
    target = {"var": "L", "kind": "location", **words}
    return made(id_, {"op": "rubble", "loc": "L", "n": 1}, target)


OWN = {"kind": "force", "owner": "own"}
ENEMY = {"kind": "force", "owner": "enemy"}
RAID = {"op": "steal_rations", "from": "S", "to": "T", "n": 1}
CARDS = [
    shelling("ours", control="own"),
    shelling("theirs", control="enemy"),
    shelling("nobodys", control="none"),
    shelling("manned", has_own=True),
    shelling("ruins", destroyed=True),
    shelling("houses", destroyed=False),
    made("larder", RAID, {"var": "S", **ENEMY, "has_rations": True}, {"var": "T", **OWN}),
    made("neighbour", RAID, {"var": "S", **ENEMY}, {"var": "T", **OWN, "in_location": "S"}),
    made("mercy", {"op": "give_each", "filter": {"owner": "enemy"}, "n": 1}),
    made("front", {"op": "give_each", "filter": {"owner": "own", "area": "C"}, "n": 1}),
    made(
        "fatigue",
        {"op": "combat_add", "filter": {"owner": "enemy"}, "n": -1, "until": "end_of_turn"},
    ),
    made("mines", {"op": "forbid_move", "force": "T", "until": "end_of_turn"}, {"var": "T", **OWN}),
    made("census", {"op": "search", "n": 2}),
    made("panic", {"op": "retreat_force", "force": "T"}, {"var": "T", **ENEMY}),
    made(
        "march",
        {"op": "move_force", "force": "T", "area": "A", "ignore_control": False},
        {"var": "T", **OWN}, {"var": "A", "kind": "area", "owner": "own", "type": "C"},
    ),
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The shipped files with these cards added."""
    path: Path = tmp_path_factory.mktemp("selectors")
    for file in FILES:
        rows = json.loads((SHIPPED / f"{file}.json").read_text("utf-8"))
        rows += CARDS if file == "cards" else []
        (path / f"{file}.json").write_text(json.dumps(rows), "utf-8")
    return str(path)


def front(folder: str, *hand: str, **more: str) -> Stalingrad:
    """GUM is German, GRA Russian, TRA contested; nobody is at DOC, which is destroyed, and PAV."""
    s = table(
        G, german={"G384": "GUM.C 1", "G376": "TRA.C 2", **more},
        russian={"R169": "GRA.C 0", "R84T": "TRA.C 3"}, hand=[*hand, "tanks 2"], cards=folder,
    )  # fmt: skip
    s.add_rubble(s.place_of("DOC"), 6)
    return s


@pytest.mark.parametrize(
    ("card", "locations"),
    [
        ("ours", ["GUM"]),
        ("theirs", ["GRA"]),
        ("nobodys", ["TRA", "DOC", "PAV"]),
        ("manned", ["GUM", "TRA"]),
        ("ruins", ["DOC"]),
        ("houses", ["GUM", "GRA", "TRA", "PAV"]),
    ],
)
def test_a_location_is_selected_by_control_forces_and_destruction(
    folder: str, card: str, locations: list[str]
) -> None:
    s = front(folder, f"{card} 0")
    take(s, f"play {card} 0")
    if len(locations) > 1:
        assert texts(s) == [f"target {each}" for each in locations]
    else:
        assert s.kind(G) == "main", "a single target is no choice"
        place = s.place_of(locations[0])
        assert (s.rubble[place], s.destroyed[place]) in ((1, 0), (0, 1))


def test_forces_are_selected_by_rations_and_by_the_location_of_another(folder: str) -> None:
    s = front(folder, "larder 0", "neighbour 0", G113="TRA.P 1")
    do(s, "play larder 0")
    assert texts(s) == [f"target {each}" for each in ("G113", "G376", "G384")], "R169 has none"
    s = front(folder, "neighbour 0", G113="TRA.P 1")
    do(s, "play neighbour 0")
    assert texts(s) == ["target G113", "target G376"], "no German is where R169 is"
    take(s, "target G113")
    assert rations(s, "R84T", "G113") == (2, 2)


def test_a_card_may_feed_the_enemy_or_the_front(folder: str) -> None:
    s = front(folder, "mercy 0", "front 0", G113="TRA.P 1")
    do(s, "play mercy 0", "play front 0")
    assert rations(s, "R169", "R84T") == (1, 4)
    assert rations(s, "G384", "G376", "G113") == (2, 3, 1)


def test_a_card_may_weaken_the_enemy_until_the_end_of_the_turn(folder: str) -> None:
    s = front(folder, "fatigue 0")
    hold_fire(s)
    do(s, "play fatigue 0", "attack TRA")
    until(s, "R absorb")
    assert s.view(R).battle.base == (2 - 1, 2)
    do(s, "R: ration R84T 2")
    settle(s)


def test_a_force_falls_back_only_from_c_and_where_there_is_room(folder: str) -> None:
    s = front(folder, "panic 0")
    do(s, "play panic 0")
    assert texts(s) == ["target R169", "target R84T"]
    take(s, "target R84T")
    assert where(s, "R84T") == "TRA.P"
    full = dict.fromkeys(("R42N", "R27T", "R45R"), "GRA.P")
    s = table(
        G, german={"G384": "GUM.C 1"}, russian={"R169": "GRA.C", "R84T": "TRA.P", **full},
        hand=["panic 0", "tanks 2"], cards=folder,
    )  # fmt: skip
    assert plays(s) == [], "one has no room, the others are in a Perimeter Area"


def test_a_force_is_put_where_there_is_room_and_the_enemy_is_not_in_control(folder: str) -> None:
    full = {"G113": "PAV.C", "G20R": "PAV.C", "G09F": "PAV.C"}
    s = front(folder, "march 0", **full)
    do(s, "play march 0", "target G384")
    assert texts(s) == ["target TRA.C", "target DOC.C"], "GUM is where it is, GRA Russian, PAV full"
    take(s, "target DOC.C")
    assert (where(s, "G384"), rations(s, "G384")) == ("DOC.C", (1,))


def test_a_card_may_forbid_a_move_and_search_for_two(folder: str) -> None:
    s = front(folder, "mines 0", "census 0", G113="TRA.P 1")
    do(s, "play mines 0", "target G113")
    movable = [text for text in texts(s) if text.startswith("move ")]
    assert movable == ["move G376", "move G384"]
    do(s, "play census 0", "search tanks 2", "search tanks 3")
    assert s.kind(G) == "main"
    assert cards(s, s.hand[G]) == ["tanks +2", "tanks +2", "tanks +3"]
