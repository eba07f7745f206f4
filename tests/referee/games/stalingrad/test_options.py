"""What the options of a match change (§13)."""

from __future__ import annotations

from typing import Any

import pytest

from referee.engine.errors import BadOption
from referee.games.stalingrad.events import HitsAbsorbed, Searched
from referee.games.stalingrad.game import GAME
from referee.games.stalingrad.options import OPTIONS, Config
from referee.games.stalingrad.state import Stalingrad
from tests.referee.games.stalingrad.table import (
    G,
    R,
    do,
    hands,
    hold_fire,
    kind,
    medals,
    rations,
    refresh,
    settle,
    stack,
    table,
    take,
    texts,
    to_main,
    told,
    where,
)


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


def test_every_option_has_a_test_here() -> None:
    tested = {
        "adjudication", "area_capacity", "attack_card_joiners", "base_draw", "card_repeat_cap",
        "cards", "fog_scope", "free_move_cap", "max_actions_per_turn", "max_rounds",
        "medal_requires_participation", "opening_hand_german", "opening_hand_russian",
        "reserve_from", "resupply_rations", "retreat_absorb", "scouts_reveal",
        "setup_total_german", "setup_total_russian", "window_policy",
    }  # fmt: skip
    assert set(OPTIONS) == tested
    assert len(Config._fields) == len(OPTIONS) - 3, "two pairs, and `cards` is its digest"


def test_defaults_are_those_of_the_specification() -> None:
    config = GAME.start(seed="x").book.config
    assert config == Config(
        max_rounds=20, adjudication="compare", free_move_cap=4, max_actions_per_turn=200,
        card_repeat_cap=True, setup_totals=(11, 9), opening_hands=(10, 5), base_draw=5,
        area_capacity=3, retreat_absorb=2, resupply_rations=2, medal_requires_participation=True,
        fog_scope="any_effect_card", reserve_from="perimeter", attack_card_joiners=True,
        scouts_reveal=False, window_policy="public_count",
    )  # fmt: skip


def test_set_up_totals_hands_and_draw() -> None:
    s = GAME.start(
        seed="x",
        options={
            "setup_total_russian": 7, "setup_total_german": 4, "opening_hand_russian": 3,
            "opening_hand_german": 2, "base_draw": 1,
        },
    )  # fmt: skip
    while s.step == "SETUP":
        s.choose(s.asked()[0], 0)
    to_main(s)
    assert [sum(s.force(f).cost for f in s.forces_of(seat)) for seat in (R, G)] == [7, 4]
    assert hands(s) == (3, 2)
    do(s, "end")
    settle(s)
    assert hands(s)[G] == 2 + 1


@pytest.mark.parametrize(("adjudication", "winner"), [("compare", G), ("russian_holds", R)])
def test_the_limit_and_its_adjudication(adjudication: str, winner: int) -> None:
    s = table(
        R, russian={"R169": "PAV.P 1"}, german={"G384": "GUM.C 1"}, round_=3, max_rounds=3,
        adjudication=adjudication,
    )  # fmt: skip
    do(s, "end")
    outcome = s.outcome()
    assert outcome
    assert outcome.ranks[winner] == 1
    assert outcome.reason == ("ADJUDICATED_HOLD" if winner == R else "ADJUDICATED_a")


def test_the_cap_on_actions_leaves_the_end() -> None:
    s = table(G, german={"G16P": "PAV.P 1"}, hand=["tanks 2"], enemy_hand=["propaganda_war 1"],
              max_actions_per_turn=2)  # fmt: skip
    do(s, "move G16P", "to PAV.C", "move G16P", "to PAV.P", "R: pass")
    assert kind(s) == "R on_draw", "all can see that nothing but the end is left"


@pytest.mark.parametrize("cap", [0, 2])
def test_the_cap_on_free_moves(cap: int) -> None:
    s = table(G, german={"G16P": "PAV.P 1"}, hand=["tanks 2"], free_move_cap=cap)
    for area in ("PAV.C", "PAV.P")[:cap]:
        do(s, "move G16P", f"to {area}")
    assert rations(s, "G16P") == (1,)
    do(s, "move G16P", "to GUM.P")
    assert rations(s, "G16P") == (0,)


def test_the_cap_on_repeated_cards() -> None:
    for capped in (True, False):
        s = table(G, german={"G384": "PAV.P 1"}, hand=["desperation -2", "desperation -3"],
                  card_repeat_cap=capped)  # fmt: skip
        do(s, "play desperation -2", "play desperation -3")
        stack(s, G, hand=["desperation -2", "tanks 2"])
        refresh(s)
        assert ("play desperation -2" in texts(s)) is not capped


def test_room_in_an_area() -> None:
    for capacity, offered in ((2, False), (3, True)):
        s = table(G, german={"G384": "PAV.P 1", "G376": "PAV.P 1", "G113": "GUM.P 1"},
                  area_capacity=capacity)  # fmt: skip
        do(s, "move G113")
        assert ("to PAV.P" in texts(s)) is offered


def test_what_a_retreat_absorbs() -> None:
    s = table(G, german={"G16P": "PAV.C 9"}, russian={"R308": "PAV.C 9"}, retreat_absorb=4)
    hold_fire(s)
    do(s, "attack PAV", "R: retreat R308")
    assert [event.absorbed for event in told(s, R, HitsAbsorbed)] == [4, 1]


def test_what_a_resupply_gives() -> None:
    s = table(G, german={"G384": "PAV.P 1"}, hand=["tanks 2", "tanks 2"], resupply_rations=5)
    do(s, "resupply", "discard tanks 2")
    assert rations(s, "G384") == (6,)


def test_a_medal_may_go_to_any_force_there() -> None:
    full = {"R112": "GRA.P 1", "R45R": "GRA.P 1", "R42N": "GRA.P 1"}
    s = table(
        G, german={"G16P": "GRA.C 9", "G384": "GRA.C 1"}, russian={"R308": "GRA.C 0", **full},
        medal_requires_participation=False,
    )  # fmt: skip
    hold_fire(s)
    do(s, "attack GRA", "participants G16P", "G: ration G16P 3")
    assert texts(s) == ["medal G16P", "medal G384"]
    take(s, "medal G384")
    assert medals(s, "G384") == 1


@pytest.mark.parametrize("scope", ["any_effect_card", "artillery_barrage"])
def test_what_fog_of_war_may_cancel(scope: str) -> None:
    s = table(
        G, german={"G384": "PAV.P 1"}, russian={"R169": "GUM.C 9"},
        hand=["fresh_supplies -1", "artillery_barrage 1"], enemy_hand=["fog_of_war -2"],
        fog_scope=scope,
    )  # fmt: skip
    do(s, "play fresh_supplies -1")
    assert kind(s) == ("R on_card" if scope == "any_effect_card" else "G main")
    settle(s)
    do(s, "play artillery_barrage 1")
    assert texts(s, R) == ["pass", "play fog_of_war -2"]


def test_attack_without_joiners() -> None:
    s = table(
        G, german={"G384": "PAV.P 0", "G113": "DOC.C 3"}, russian={"R308": "DOC.C 9"},
        hand=["attack 1", "tanks 2"], attack_card_joiners=False,
    )  # fmt: skip
    do(s, "play attack 1", "target G384")
    settle(s)
    battle = s.view(G).battle
    assert battle
    assert battle.participants == ("G384",)


def test_scouts_that_show_their_card() -> None:
    s = table(G, german={"G384": "PAV.P 1"}, hand=["scouts 1", "tanks 2"], scouts_reveal=True)
    do(s, "play scouts 1", "search sniper -3")
    assert told(s, R, Searched) == [Searched(G, (("sniper", -3),))]
    assert s.view(R).known_hands[G] == (("sniper", -3),)
    assert ("sniper", -3) in {(k.card, k.ff) for k in s.view(R).known_hands[G]}


@pytest.mark.parametrize(("policy", "asked"), [("public_count", "G main"), ("static", "R on_move")])
def test_static_windows_do_not_count_what_is_seen(policy: str, asked: str) -> None:
    s = table(G, german={"G384": "PAV.P 2"}, hand=["tanks 2"], window_policy=policy)
    snipers = ["sniper -1", "sniper -2", "sniper -2", "sniper -3"]
    stack(s, R, hand=["victory 3"], discard=snipers)
    refresh(s)
    do(s, "move G384", "to PAV.C")
    assert kind(s) == asked


@pytest.mark.parametrize(
    ("option", "value"),
    [("max_rounds", 0), ("adjudication", "coin"), ("area_capacity", 9), ("base_draw", "many")],
)
def test_a_wrong_value_is_refused(option: str, value: object) -> None:
    with pytest.raises(BadOption, match=option):
        GAME.start(seed="x", options={option: value})
