"""Reaction windows (§7): who is asked when, nesting, looping, and the public predicate Q."""

from __future__ import annotations

import pytest

from referee.games.stalingrad.events import Passed
from referee.games.stalingrad.game import KINDS
from tests.referee.games.stalingrad.table import (
    G,
    R,
    cards,
    do,
    hold_fire,
    kind,
    refresh,
    stack,
    table,
    take,
    texts,
    told,
    until,
    where,
)

GERMAN = {"G384": "PAV.P 3", "G16P": "GRA.C 9"}
RUSSIAN = {"R308": "GRA.C 9", "R169": "GUM.P 1"}


def test_the_catalogue_of_decisions() -> None:
    """§3.8, §7.5: windows take standing orders and are paced; absorb is paced alone."""
    orders = {name for name, row in KINDS.items() if row.standing_order}
    windows = {"on_card", "on_move", "battle", "on_destroyed", "after_battle", "on_draw"}
    assert orders == windows
    assert {name for name, row in KINDS.items() if row.paced} == {*windows, "absorb"}
    assert len(KINDS) == 22


def test_scouts_alone_open_no_window() -> None:
    """§7.4: every Sniper is seen, so Scouts in hand would fetch nothing for the window."""
    s = table(G, german=GERMAN, russian=RUSSIAN)
    gone = ["sniper -1", "sniper -2", "sniper -2", "sniper -3"]
    stack(s, R, hand=["scouts 1", "scouts -1"], discard=gone)
    refresh(s)
    do(s, "move G384", "to PAV.C")
    assert kind(s) == "G main"


def test_scouts_are_played_in_any_window_that_opens() -> None:
    s = table(G, german=GERMAN, russian=RUSSIAN, enemy_hand=["scouts 1", "scouts -1", "victory 3"])
    do(s, "move G384", "to PAV.C")
    assert texts(s) == ["pass", "play scouts -1", "play scouts 1"]


def test_an_empty_hand_is_not_asked() -> None:
    s = table(G, german=GERMAN, russian=RUSSIAN)
    do(s, "move G384", "to PAV.C")
    assert kind(s) == "G main"


def test_every_trigger_opens_its_window_for_whom_it_should() -> None:
    """§7.1: what is asked, in order, in a turn with a card, a Move, a battle and a draw."""
    s = table(
        G, german=GERMAN, russian=RUSSIAN, hand=["fresh_supplies -1", "victory 3"],
        enemy_hand=["victory 3", "scouts 1"],
    )  # fmt: skip
    hold_fire(s)
    asked: list[str] = []

    def take_all(*wanted: str) -> None:
        for text in wanted:
            while text not in texts(s):
                asked.append(str(kind(s)))
                s.choose(s.asked()[0], 0)
            take(s, text)

    take_all("play fresh_supplies -1", "move G384", "to PAV.C", "attack GRA")
    take_all("retreat R308", "ration R308 3", "retreat G16P", "end")
    while kind(s) != "R main":
        asked.append(str(kind(s)))
        s.choose(s.asked()[0], 0)
    assert asked == [
        "R on_card", "R on_move", "G battle", "R battle", "G firefight", "R firefight",
        "G after_battle", "R after_battle", "R on_draw",
    ]  # fmt: skip


def test_battle_goes_round_until_two_passes_in_succession() -> None:
    s = table(
        G, german=GERMAN, russian=RUSSIAN, hand=["big_push 1", "tanks 2", "victory 3"],
        enemy_hand=["big_push 1", "victory 3"],
    )  # fmt: skip
    do(s, "attack GRA")
    for text in ("G: pass", "R: play big_push 1"):
        take(s, text)
    take(s, "G: pass")  # its ON_CARD window
    for text in ("G: play big_push 1", "R: pass", "R: pass", "G: play tanks 2", "R: pass"):
        take(s, text)
    assert kind(s) == "R battle", "the first of these passes was in ON_CARD"
    take(s, "R: pass")
    assert kind(s) == "G battle"
    take(s, "G: pass")
    assert kind(s) == "G firefight"


def test_a_cancelled_card_in_battle_is_no_pass() -> None:
    s = table(
        G, german=GERMAN, russian=RUSSIAN, hand=["fog_of_war -2", "victory 3"],
        enemy_hand=["sewer_warfare 1", "victory 3"],
    )  # fmt: skip
    do(s, "attack GRA")
    take(s, "G: pass")
    take(s, "R: play sewer_warfare 1")
    take(s, "G: play fog_of_war -2")
    take(s, "R: pass")
    assert kind(s) == "G battle"
    take(s, "G: pass")
    assert kind(s) == "R battle"


def test_a_window_asks_again_after_a_card_that_did_not_close_it() -> None:
    s = table(
        G, german=GERMAN, russian=RUSSIAN, hand=["fog_of_war -2", "victory 3"],
        enemy_hand=["sniper -1", "sniper -2"],
    )  # fmt: skip
    do(s, "move G384", "to PAV.C", "R: play sniper -1", "G: play fog_of_war -2")
    until(s, "R on_move")
    do(s, "R: play sniper -2", "G: pass")
    assert where(s, "G384") == "PAV.P"
    assert cards(s, s.in_play[R]) == ["sniper -2"]


def test_one_pass_closes_a_window() -> None:
    s = table(G, german=GERMAN, russian=RUSSIAN, enemy_hand=["sniper -1", "sniper -2"])
    do(s, "move G384", "to PAV.C", "R: pass")
    assert kind(s) == "G main"
    assert told(s, G, Passed) == [Passed(R, "ON_MOVE")]


@pytest.mark.parametrize(("rubble", "asked"), [(0, False), (1, True)])
def test_absorb_is_asked_for_a_single_option_if_q_holds(rubble: int, asked: bool) -> None:
    """§7.4: with enough Rubble a card may be there for all that is known."""
    full = {"R112": "GRA.P 1", "R45R": "GRA.P 1", "R42N": "GRA.P 1"}
    s = table(
        G, german=GERMAN, russian={"R308": "GRA.C 1", **full}, rubble={"GRA": rubble},
        enemy_hand=["victory 3"],
    )  # fmt: skip
    do(s, "attack GRA")
    seen = []
    while kind(s) not in ("G absorb", "G main"):
        seen.append((kind(s), len(texts(s))))
        s.choose(s.asked()[0], 0)
    assert (("R absorb", 1) in seen) is asked


def test_no_window_in_the_firefight() -> None:
    s = table(
        G, german=GERMAN, russian=RUSSIAN, hand=["tanks 2", "victory 3"],
        enemy_hand=["fog_of_war -2", "victory 3"],
    )  # fmt: skip
    do(s, "attack GRA", "G: fire tanks 2")
    assert kind(s) == "R firefight"
    assert texts(s) == ["pass", "fire fog_of_war -2", "fire victory 3"]
