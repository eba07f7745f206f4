"""A view alone says what a question is about: no event need be remembered for it (§7.6)."""

from __future__ import annotations

import pytest

from referee.games import PUBLIC
from referee.games.stalingrad.game import GAME
from tests.referee.games.stalingrad.table import G, R, do, kind, table, take, texts, until

VIEWERS = pytest.mark.parametrize("viewer", [PUBLIC, R, G])


@VIEWERS
def test_set_up_shows_the_force_that_is_to_be_placed(viewer: int) -> None:
    s = GAME.start(seed="questions")
    assert s.view(viewer).begun == ()
    take(s, texts(s)[0])
    force = texts(s)  # only areas are offered
    assert all(text.startswith("to ") for text in force)
    assert s.view(viewer).begun == ("pick", "R06G")


@VIEWERS
def test_a_battle_shows_how_many_passes_end_it(viewer: int) -> None:
    s = table(
        russian={"R169": "GUM.C 1"}, german={"G384": "GUM.C 4", "G376": "GUM.P"},
        hand=["tanks 2", "rubble"], enemy_hand=["tanks", "rubble"],
    )  # fmt: skip
    do(s, "G: attack GUM")

    def passes() -> int:
        battle = s.view(viewer).battle
        assert battle is not None
        return battle.passes

    assert (kind(s), passes()) == ("G battle", 0)
    take(s, "pass")
    assert (kind(s), passes()) == ("R battle", 1)
    take(s, "play tanks 2")
    until(s, "G battle")
    assert passes() == 0
    until(s, "G firefight")
    assert passes() == 0
    take(s, "pass")
    assert (kind(s), passes()) == ("R firefight", 1)


@VIEWERS
def test_a_mourner_sees_how_many_forces_wait_for_an_answer(viewer: int) -> None:
    s = table(
        R,
        russian={"R169": "GUM.C 1", "R15G": "PAV.C 1"},
        hand=["uranus_i", "recover_wounded -1", "recover_wounded -2"],
    )
    do(s, "R: play uranus_i 3", "destroy_own R169")
    assert (kind(s), s.view(viewer).left) == ("R on_destroyed", 1)
