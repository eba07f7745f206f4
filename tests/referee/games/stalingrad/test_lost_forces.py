"""
Cards that an owner may transcribe take Forces away in the middle of things.

What was declared for a Force that is gone, or for a place that is full, does not happen.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from referee.engine.errors import BadData
from referee.games.stalingrad import load
from referee.games.stalingrad.check import FILES
from tests.referee.games.stalingrad.table import (
    G,
    R,
    cards,
    do,
    kind,
    medals,
    rations,
    settle,
    table,
    take,
    until,
    where,
)

SACRIFICE = [{"op": "destroy_own", "n": 1}]


def made(id_: str, side: str, window: str, *effect: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "id": id_, "name": id_.capitalize(), "side": side, "copies": [{"ff": 0, "n": 2}],
        "windows": [window], "condition": [], "cost": [], "targets": [], "effect": list(effect),
        "stay": "none", "provenance": {}, **more,
    }  # fmt: skip


AREA = {"var": "A", "kind": "area", "owner": "own", "room": True}
OWN = {"var": "T", "kind": "force", "owner": "own"}
PUSH = {"op": "combat_add", "filter": {"owner": "own"}, "n": 1, "until": "end_of_turn"}
CARDS = [
    made("exchange", "G", "ON_CARD", {"op": "cancel_card"}, cost=SACRIFICE),
    made(
        "crowding", "G", "ON_CARD", {"op": "cancel_card"},
        {"op": "move_force", "force": "T", "area": "A", "ignore_control": True},
        targets=[OWN, AREA],
    ),
    made("stand", "R", "BATTLE", PUSH, cost=SACRIFICE),
    made("agents", "G", "MAIN", {"op": "search", "n": 1}, stay="end_of_turn"),
    made(
        "charge", "G", "MAIN", {"op": "assault", "force": "T", "loc": "U.loc"},
        targets=[OWN, {"var": "U", "kind": "force", "owner": "enemy"}],
    ),
]  # fmt: skip


def box() -> dict[str, Any]:
    raw = {file: json.loads((load.SHIPPED / f"{file}.json").read_text("utf-8")) for file in FILES}
    raw["cards"] += CARDS
    next(row for row in raw["locations"] if row["id"] == "PAV")["note"]["add"] = -5
    return raw


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("lost")
    for file, rows in box().items():
        (path / f"{file}.json").write_text(json.dumps(rows), "utf-8")
    return str(path)


def test_a_move_of_a_force_that_is_gone_does_not_happen(folder: str) -> None:
    s = table(
        german={"G384": "GUM.P 2", "G76I": "GRA.P 2"},
        hand=["exchange", "rubble"], enemy_hand=["sniper -3"], cards=folder,
    )  # fmt: skip
    do(s, "G: move G384", "G: to GUM.C", "R: play sniper -3", "G: play exchange 0")
    take(s, "destroy_own G384")
    settle(s)
    assert (kind(s), where(s, "G384"), rations(s, "G384")) == ("G main", "", (0,))


def test_a_move_into_an_area_that_has_filled_costs_nothing(folder: str) -> None:
    s = table(
        german={
            "G384": "GUM.P 2", "G76I": "GRA.P 2", "G295": "GUM.C 1", "G371": "GUM.C 1",
        },
        hand=["crowding", "rubble"], enemy_hand=["sniper -3"], cards=folder,
    )  # fmt: skip
    do(s, "G: move G384", "G: to GUM.C", "R: play sniper -3", "G: play crowding 0")
    take(s, "target G76I")
    take(s, "target GUM.C")
    settle(s)
    assert kind(s) == "G main"
    assert (where(s, "G76I"), where(s, "G384"), rations(s, "G384")) == ("GUM.C", "GUM.P", (2,))


def test_a_participant_that_is_gone_neither_strikes_nor_is_struck(folder: str) -> None:
    """It was destroyed in the battle all the same: Heroic Service and Victory follow."""
    s = table(
        russian={"R169": "GUM.C 1", "R15G": "PAV.C 1"},
        german={"G384": "GUM.C 4"},
        hand=["victory 3", "rubble"], enemy_hand=["stand", "rubble"], cards=folder,
    )  # fmt: skip
    do(s, "G: attack GUM", "R: play stand 0", "destroy_own R169")
    until(s, "G absorb")  # the flip alone
    assert s.view(G).battle.base == (0, 3)
    take(s, "ration G384 1")
    until(s, "G after_battle")
    assert s.view(G).force_deck_bottoms[R] == ("R169",)
    assert medals(s, "G384") == 1


def test_an_effect_on_a_force_that_is_gone_does_nothing(folder: str) -> None:
    s = table(
        russian={"R169": "GUM.C 2"},
        german={"G384": "GUM.P 2", "G76I": "GRA.P 2"},
        hand=["supply_raid 1", "exchange"], enemy_hand=["fog_of_war -3", "rubble"], cards=folder,
    )  # fmt: skip
    do(s, "G: play supply_raid 1", "G: target G384", "R: play fog_of_war -3")
    do(s, "G: play exchange 0", "destroy_own G384")
    settle(s)
    assert (kind(s), rations(s, "R169", "G384")) == ("G main", (2, 0))


def test_a_search_that_stays_in_play_is_in_play_once(folder: str) -> None:
    s = table(german={"G384": "GUM.P 2"}, hand=["agents", "rubble"], cards=folder)
    do(s, "G: play agents 0", "G: search tanks 3")
    settle(s)
    assert (cards(s, s.in_play[G]), s.table[G]) == (["agents +0"], [])


def test_an_attack_may_be_aimed_at_the_location_of_a_force(folder: str) -> None:
    s = table(
        russian={"R169": "GUM.C 2", "R15G": "PAV.C 1"},
        german={"G384": "GRA.P 2", "G76I": "TRA.P 2"},
        hand=["charge", "rubble"], cards=folder,
    )  # fmt: skip
    do(s, "G: play charge 0", "G: target G384", "G: target R15G")
    assert where(s, "G384") == "PAV.C"


def test_a_number_that_notes_lower_below_nothing_is_nothing(folder: str) -> None:
    """Pavlov's House takes 5 from the Hits of a Rubble card here."""
    s = table(
        russian={"R169": "GUM.C 2", "R15G": "PAV.C 1"},
        german={"G384": "GUM.C 4"},
        rubble={"GUM": 2}, hand=["rubble"], enemy_hand=["rubble -3"], cards=folder,
    )  # fmt: skip
    do(s, "G: attack GUM")
    until(s, "R absorb")
    hits = s.view(R).absorb.hits
    take(s, "play rubble -3")
    settle(s)
    assert s.view(R).absorb.hits == hits


def test_a_force_of_the_enemy_neither_attacks_nor_joins() -> None:
    raw = box()
    raw["cards"][-1]["targets"][0]["owner"] = "enemy"
    with pytest.raises(BadData, match="assault: force 'T' is none of the player's own"):
        load.build(raw)
