"""What the options of a match change (§13)."""

from __future__ import annotations

from typing import Any

import pytest

from referee.games.stalingrad.state import Stalingrad
from tests.referee.games.stalingrad.table import do, table, take, texts, where


def battle_of_two_fronts(**options: Any) -> Stalingrad:
    """The Russian may call Reserve Forces to GUM from its Perimeter, another, or GRA's `C`."""
    s = table(
        russian={"R169": "GUM.C 1", "R112": "GUM.P 1", "R45R": "DOC.P 1", "R42N": "GRA.C 1"},
        german={"G384": "GUM.C 4"},
        enemy_hand=["reserve_forces 1"],
        **options,
    )
    do(s, "G: attack GUM", "R: play reserve_forces 1")
    return s


@pytest.mark.parametrize(
    ("reserve_from", "forces"),
    [("perimeter", ["R112", "R45R"]), ("any_area", ["R112", "R42N", "R45R"])],
)
def test_reserve_from_says_where_reserve_forces_come_from(
    reserve_from: str, forces: list[str]
) -> None:
    s = battle_of_two_fronts(reserve_from=reserve_from)
    assert texts(s) == [f"target {force}" for force in forces]
    take(s, f"target {forces[1]}")
    assert where(s, forces[1]) == "GUM.C"


def test_reserve_from_the_same_location_leaves_one_force() -> None:
    """It is not asked for, as all can see that there is no other."""
    assert where(battle_of_two_fronts(reserve_from="same_location"), "R112") == "GUM.C"
