"""Test vectors TV-01 to TV-23 (§10): Locations, windows, supply, moving, buying, drawing."""

from __future__ import annotations

from referee.games.stalingrad.board import LOCATIONS
from tests.referee.games.stalingrad.table import (
    G,
    R,
    cards,
    control,
    destroyed,
    do,
    hands,
    hold_fire,
    kind,
    no_move,
    place,
    rations,
    refresh,
    rubble,
    settle,
    table,
    take,
    texts,
    to_main,
    until,
    where,
)

MAMAYEV = ("MAM", "CEN", "BAR", "GUM", "RED")


def test_tv_01_a_destroyed_location_yields_nothing_and_takes_no_rubble() -> None:
    s = table(
        G, line=MAMAYEV, rubble={"MAM": 9}, german={"G16P": "MAM.C 9"}, russian={"R308": "MAM.C 9"}
    )
    do(s, "attack MAM")
    assert (destroyed(s, "MAM"), rubble(s, "MAM")) == (True, 0)
    to_main(s)
    place(s, {"G16P": "MAM.C 9", "R308": "MAM.C 9"})
    refresh(s)
    do(s, "attack MAM")
    assert (destroyed(s, "MAM"), rubble(s, "MAM")) == (True, 0)
    place(s, {"R308": "GUM.P 9"})
    assert control(s, "MAM") == "G"
    assert s.yield_of(s.place_of("MAM"), G) == 0
    assert s.controlled(G) == 1


def test_tv_02_chart_of_mamayev_kurgan() -> None:
    s = table(line=MAMAYEV)
    seen = []
    for n in (0, 4, 5, 7, 8, 9):
        s.rubble[0] = n
        seen.append(s.yield_of(0, G))
    assert seen == [3, 3, 2, 2, 1, 1]


def test_tv_03_chart_of_central_station() -> None:
    s = table(line=MAMAYEV)
    station = s.place_of("CEN")
    seen = []
    for n in (2, 3, 5):
        s.rubble[station] = n
        seen.append(s.yield_of(station, G))
    assert seen == [2, 1, 1]
    s.add_rubble(station, 1)
    assert destroyed(s, "CEN")


def test_tv_04_a_main_card_is_not_played_in_the_enemys_turn() -> None:
    s = table(
        R,
        russian={"R169": "GUM.P 3", "R308": "GRA.C 3", "R45R": "DOC.P 3"},
        german={"G16P": "GRA.C 3", "G384": "PAV.C 3"},
        hand=["propaganda_war 1", "fresh_supplies -1"],
        enemy_hand=["dive_bombers 1", "rubble -1"],
    )
    asked = []
    do(s, "move R45R")
    take(s, "to DOC.C")
    asked.append((kind(s), texts(s)))
    do(s, "play fresh_supplies -1")
    asked.append((kind(s), texts(s)))
    do(s, "attack GRA")
    until(s, "G battle")
    asked.append((kind(s), texts(s)))
    assert asked == [
        ("G on_move", ["pass"]),
        ("G on_card", ["pass"]),
        ("G battle", ["pass"]),
    ]


def test_tv_05_a_rubble_card_needs_two_rubble() -> None:
    for n, offered in ((0, False), (1, True)):
        s = table(
            G,
            rubble={"GRA": n},
            german={"G16P": "GRA.C 3"},
            russian={"R308": "GRA.C 9"},
            enemy_hand=["rubble -1", "victory 3"],
        )
        do(s, "attack GRA")
        until(s, "R absorb")
        assert rubble(s, "GRA") == n + 1
        assert ("play rubble -1" in texts(s)) is offered


def test_tv_06_big_push_lasts_until_the_end_of_the_turn() -> None:
    s = table(
        G,
        german={"G16P": "GRA.C 3", "G376": "GUM.C 5"},
        russian={"R308": "GRA.C 9", "R92N": "GRA.C 9", "R169": "GUM.C 9"},
        enemy_hand=["big_push 1", "victory 3", "victory 3"],
    )
    do(s, "attack GRA", "R: play big_push 1")
    until(s, "R firefight")
    assert s.view(R).battle.base == (3 + 1 + 3 + 1, 5)
    to_main(s)
    do(s, "attack GUM")
    until(s, "R firefight")
    assert s.view(R).battle.base == (1 + 1, 2)
    to_main(s)
    assert s.combat_add == [1, 0]
    do(s, "end")
    settle(s)
    assert s.combat_add == [0, 0]


def firefight_table(german: list[str], russian: list[str], **forces: str):
    """The 16th Panzer (5) attacks the 308th (3) at the Grain Elevator."""
    return table(
        G,
        german={"G16P": forces.get("german", "GRA.C 20")},
        russian={"R308": forces.get("russian", "GRA.C 20")},
        hand=german,
        enemy_hand=russian,
    )


def hits_after(s, *played: str) -> tuple[int, int]:
    """Hits that each inflicts, without what was flipped."""
    hold_fire(s)
    do(s, "attack GRA")
    until(s, "G firefight")
    do(s, *played)
    battle = s.view(R).battle
    return battle.base[R] + battle.fire[R], battle.base[G] + battle.fire[G]


def test_tv_07_a_positive_value_adds_to_the_own_hits() -> None:
    s = firefight_table(["tanks 2"], ["victory 3"])
    assert hits_after(s, "G: fire tanks 2") == (3, 7)
    settle(s)
    assert s.view(R).battle.hits == (3, 7)


def test_tv_08_a_negative_value_takes_from_the_enemys_hits() -> None:
    s = firefight_table(["scouts -1"], ["victory 3"])
    assert hits_after(s, "G: fire scouts -1") == (2, 5)
    settle(s)
    assert s.view(R).battle.hits == (2, 5)


def test_tv_09_control() -> None:
    s = table(
        line=MAMAYEV,
        russian={"R169": "BAR.C 1", "R308": "GUM.C 1", "R45R": "CEN.P 1"},
        german={"G16P": "BAR.C 1", "G384": "CEN.P 1", "G100": "GUM.P 1"},
    )
    assert [control(s, each) for each in ("BAR", "CEN", "GUM")] == ["-", "-", "R"]


def test_tv_10_supply_of_a_controlled_location_may_be_split() -> None:
    """A Russian without cards and Forces has nothing but `end`, so it is the German's turn."""
    for first, second, gained in (
        ("G16P", "G16P", (2, 1)),
        ("G16P", "G384", (1, 2)),
        ("G384", "G384", (0, 3)),
    ):
        s = table(R, rubble={"PAV": 1}, german={"G16P": "PAV.C 0", "G384": "PAV.P 0"})
        assert texts(s) == ["place_ration G16P", "place_ration G384"]
        do(s, f"G: place_ration {first}", f"G: place_ration {second}")
        assert kind(s) == "G main"
        assert rations(s, "G16P", "G384") == gained


def test_tv_11_the_perimeter_is_supplied_whoever_controls_the_location() -> None:
    s = table(R, german={"G384": "PAV.P 0"}, russian={"R169": "PAV.C 2"})
    do(s, "end")
    assert kind(s) == "G main"
    assert rations(s, "G384") == (1,)


def test_tv_12_sniper_stops_a_move() -> None:
    s = table(G, german={"G384": "PAV.P 2", "G16P": "GUM.P 1"}, enemy_hand=["sniper -1"])
    do(s, "move G384", "to PAV.C", "R: play sniper -1")
    settle(s)
    assert where(s, "G384") == "PAV.P"
    assert rations(s, "G384") == (2,)
    assert no_move(s, "G384")
    assert [text for text in texts(s) if text.startswith("move")] == ["move G16P"]
    do(s, "end")
    assert not no_move(s, "G384")


def test_tv_13_fog_of_war_cancels_artillery_barrage() -> None:
    s = table(
        G, german={"G384": "PAV.P 2"}, russian={"R169": "PAV.C 2"},
        hand=["artillery_barrage 1"], enemy_hand=["fog_of_war -2"],
    )  # fmt: skip
    do(s, "play artillery_barrage 1", "R: play fog_of_war -2")
    settle(s)
    assert kind(s) == "G main"
    assert rubble(s, "PAV") == 0
    assert rations(s, "R169") == (2,)
    assert cards(s, s.discard[G]) == ["artillery_barrage +1"]
    assert cards(s, s.discard[R]) == ["fog_of_war -2"]


def test_tv_14_scouts_fetch_the_sniper_in_the_window() -> None:
    forces = {"G384": "PAV.P 2", "G16P": "GUM.P 1"}
    s = table(G, german=forces, enemy_hand=["scouts 1", "victory 3"])
    deck, order = len(s.deck[R]), s.deck[R].copy()
    do(s, "move G384", "to PAV.C", "R: play scouts 1", "R: search sniper -1")
    assert kind(s) == "R on_move", "the same window asks again"
    known = s.view(G)
    assert all(kind_.card != "sniper" for kind_ in known.known_hands[R])
    assert not any("sniper" in repr(event) for event in s.events(G))
    do(s, "R: play sniper -1")
    settle(s)
    assert where(s, "G384") == "PAV.P"
    assert rations(s, "G384") == (2,)
    assert no_move(s, "G384")
    assert hands(s)[R] == 1
    assert len(s.deck[R]) == deck - 1
    order.remove(s.book.kind_no[R]["sniper", -1])
    assert s.deck[R] != order, "shuffled"


def test_tv_15_barrage_rubble_comes_first() -> None:
    s = table(
        G, german={"G384": "PAV.P 2"}, russian={"R169": "PAV.C 2"}, rubble={"PAV": 1},
        hand=["artillery_barrage 1"], enemy_hand=["rubble -1", "victory 3"],
    )  # fmt: skip
    do(s, "play artillery_barrage 1")
    until(s, "R absorb")
    assert rubble(s, "PAV") == 2
    assert "play rubble -1" in texts(s)


def test_tv_16_into_an_enemy_held_location_by_its_perimeter() -> None:
    s = table(
        G,
        german={"G384": "PAV.P 2", "G376": "GUM.P 2"},
        russian={"R169": "DOC.C 2"},
    )
    do(s, "move G384")
    assert "to DOC.C" not in texts(s)
    take(s, "to DOC.P")
    assert rations(s, "G384") == (1,)
    do(s, "move G384")
    take(s, "to DOC.C")
    assert rations(s, "G384") == (0,)
    assert control(s, "DOC") == "-"
    do(s, "move G376", "to DOC.C")
    assert where(s, "G376") == "DOC.C"
    assert rations(s, "G376") == (1,)


def test_tv_17_a_full_area_takes_no_more() -> None:
    full = {"G16P": "PAV.P 2", "G376": "PAV.P 2", "G113": "PAV.P 2"}
    s = table(
        G, german={**full, "G384": "GUM.P 2"}, hand=["tanks 2", "tanks 2", "tanks 3"],
        tops={G: ["G20R"]},
    )  # fmt: skip
    do(s, "move G384")
    assert "to PAV.P" not in texts(s)
    assert "to PAV.C" in texts(s)
    take(s, "to DOC.P")
    do(s, "buy", "discard tanks 2")
    assert "to PAV.P" not in texts(s)
    assert "to GUM.P" in texts(s)


def test_tv_18_a_force_without_rations_does_not_move() -> None:
    s = table(G, german={"G384": "PAV.P 0", "G16P": "PAV.P 0"})
    assert "move G384" not in texts(s)
    assert "move G16P" in texts(s), "a free mover needs none"


def test_tv_19_declaring_an_attack_adds_rubble() -> None:
    s = table(G, german={"G384": "PAV.C 2"}, russian={"R169": "PAV.C 2"})
    do(s, "attack PAV")
    assert rubble(s, "PAV") == 1


def test_tv_20_the_attacker_pays_and_only_participants_are_hit() -> None:
    s = table(
        G,
        german={"G384": "PAV.P 3", "G376": "PAV.P 3"},
        russian={"R13G": "PAV.C 9", "R15G": "PAV.C 9"},
    )
    do(s, "move G384", "to PAV.C", "move G376", "to PAV.C")
    do(s, "attack PAV", "participants G384")
    assert rations(s, "G384", "G376", "R13G", "R15G") == (1, 2, 9, 9)
    settle(s)
    while kind(s) == "R absorb":
        s.choose(R, 0)
    assert kind(s) == "G absorb"
    assert {text.split()[1] for text in texts(s)} == {"G384"}


def test_tv_21_no_attack_where_one_side_is_missing() -> None:
    s = table(
        G,
        german={"G384": "PAV.C 2", "G376": "GUM.P 3"},
        russian={"R169": "PAV.P 2", "R308": "GUM.C 1"},
    )
    assert not any(text.startswith("attack") for text in texts(s))


def test_tv_22_buy_points_are_spent_first_and_vanish_with_another_action() -> None:
    forces = {"G384": "PAV.P 2"}
    s = table(
        G, german=forces, tops={G: ["G20R", "G79I"]},
        hand=["reinforcements 1", "tanks 2", "tanks 3"],
    )  # fmt: skip
    do(s, "play reinforcements 1", "buy", "to PAV.P")
    assert s.buy_points == 1
    other = s.clone()
    do(s, "buy")
    assert kind(s) == "G discard", "2 less 1 point: one card"
    do(s, "discard tanks 2")
    assert kind(s) == "G buy_place"
    do(other, "move G384", "to PAV.C")
    assert other.buy_points == 0


def test_tv_23_five_cards_and_one_for_each_location() -> None:
    s = table(G, german={"G384": "PAV.C 2", "G376": "GUM.C 2", "G16P": "DOC.C 2"})
    do(s, "end")
    assert s.controlled(G) == 3
    assert hands(s)[G] == 8
    assert LOCATIONS == 5
