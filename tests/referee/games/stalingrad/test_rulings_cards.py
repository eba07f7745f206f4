"""Rulings (§11) on cards, their windows, and Operation Uranus."""

from __future__ import annotations

from pathlib import Path

from referee.games.stalingrad import events
from tests.referee.games.stalingrad.table import (
    G,
    R,
    cards,
    control,
    do,
    hands,
    kind,
    rations,
    refresh,
    retouched,
    rubble,
    settle,
    stack,
    table,
    take,
    texts,
    told,
    until,
    where,
)


def test_ruling_35_scouts_keep_their_card_secret() -> None:
    """Also C13: it goes to the hand; playing it is another matter."""
    s = table(G, german={"G384": "PAV.P 1"}, hand=["scouts 1", "tanks 2"])
    do(s, "play scouts 1", "search sniper -3")
    assert kind(s) == "G main"
    assert cards(s, s.hand[G]) == ["sniper -3", "tanks +2"]
    assert told(s, R, events.Searched) == [events.Searched(G, ())]
    assert told(s, G, events.Searched) == [events.Searched(G, (("sniper", -3),))]
    assert s.view(R).known_hands[G] == ()


def test_ruling_40_a_cancelled_card_is_discarded_and_its_cost_unpaid() -> None:
    s = table(
        R, russian={"R169": "PAV.P 9"}, german={"G384": "PAV.P 1"},
        hand=["uranus_iii 1", "victory 3"], enemy_hand=["fog_of_war -2", "tanks 2"],
    )  # fmt: skip
    do(s, "play uranus_iii 1", "G: play fog_of_war -2")
    settle(s)
    assert kind(s) == "R main"
    assert rations(s, "R169") == (9,)
    assert cards(s, s.discard[R]) == ["uranus_iii +1"]
    assert "uranus_iii +1" not in cards(s, s.hand[R])


def test_ruling_41_fog_of_war_cancels_any_card_played_for_effect() -> None:
    s = table(
        G, german={"G384": "PAV.P 2"}, hand=["fog_of_war -2", "fog_of_war -3"],
        enemy_hand=["sniper -1", "fog_of_war -2"],
    )  # fmt: skip
    do(s, "move G384", "to PAV.C", "R: play sniper -1", "G: play fog_of_war -2")
    assert kind(s) == "R on_card"
    do(s, "R: play fog_of_war -2", "G: play fog_of_war -3")
    # The last Fog cancels the second, so the first cancels the Sniper.
    settle(s)
    assert where(s, "G384") == "PAV.C"
    assert cards(s, s.discard[R]) == ["fog_of_war -2", "sniper -1"]
    assert cards(s, s.discard[G]) == ["fog_of_war -3", "fog_of_war -2"]
    s = table(
        G, german={"G384": "PAV.C 2"}, russian={"R169": "PAV.C 1"},
        hand=["tanks 2", "tanks 3"], enemy_hand=["fog_of_war -2", "victory 3"],
    )  # fmt: skip
    do(s, "attack PAV")
    until(s, "G firefight")
    take(s, "fire tanks 3")
    assert kind(s) == "R firefight", "no window after a Firefight card"


def test_ruling_42_a_sniper_meets_every_move() -> None:
    s = table(
        G, german={"G384": "PAV.P 0", "G376": "GUM.P 0"}, russian={"R308": "DOC.C 1"},
        hand=["high_morale 1", "attack 1"], enemy_hand=["sniper -1", "sniper -2"],
    )  # fmt: skip
    do(s, "play high_morale 1", "free_move G384", "to PAV.C")
    assert kind(s) == "R on_move"
    do(s, "R: pass", "stop", "play attack 1", "target G376")
    until(s, "R on_move")
    do(s, "R: play sniper -2")
    settle(s)
    assert where(s, "G376") == "GUM.P"
    s = table(
        G, german={"G16P": "GRA.C 9", "G384": "PAV.P 2"}, russian={"R308": "GRA.C 9"},
        hand=["reserve_forces 2", "tanks 2"], enemy_hand=["sniper -1", "victory 3"],
    )  # fmt: skip
    do(s, "attack GRA", "play reserve_forces 2")
    asked = []
    while kind(s) not in ("R absorb", None):
        asked.append(kind(s))
        s.choose(s.asked()[0], 0)
    take(s, "retreat R308")
    while s.asked() and kind(s) != "G main":
        asked.append(kind(s))
        s.choose(s.asked()[0], 0)
    assert where(s, "G384") == "GRA.C"
    assert "R on_move" not in asked
    assert "G on_move" not in asked


def test_ruling_43_a_cancelled_free_move_is_used() -> None:
    s = table(
        G, german={"G384": "PAV.P 0", "G376": "GUM.P 0"}, hand=["high_morale 1", "tanks 2"],
        enemy_hand=["sniper -1", "victory 3"],
    )  # fmt: skip
    do(s, "play high_morale 1", "free_move G384", "to PAV.C", "R: play sniper -1")
    settle(s)
    assert s.view(G).left == 3
    assert texts(s) == ["stop", "free_move G376"]


def test_ruling_44_no_move_bars_moves_alone() -> None:
    s = table(
        G, german={"G384": "PAV.P 3", "G376": "DOC.C 3"}, russian={"R308": "DOC.C 9"},
        hand=["attack 1", "reserve_forces 2", "high_morale 1"],
    )  # fmt: skip
    s.no_move[s.book.force_no["G384"]] = 1
    refresh(s)
    assert "move G384" not in texts(s)
    do(s, "play attack 1")
    assert kind(s) == "G battle", "G376 in DOC.C was the only target"
    assert s.view(G).battle.participants == ("G376",)
    take(s, "play reserve_forces 2")
    settle(s)
    assert where(s, "G384") == "DOC.C"
    until(s, "R absorb")
    while kind(s) == "R absorb":
        s.choose(R, 0)
    assert "retreat G384" in texts(s)


def test_ruling_45_attack_comes_from_anywhere_and_others_pay_to_join() -> None:
    s = table(
        G, german={"G384": "PAV.P 0", "G376": "DOC.P 3", "G113": "DOC.C 3", "G20R": "DOC.C 0"},
        russian={"R308": "DOC.C 9", "R84T": "GRA.C 1"}, hand=["attack 1", "tanks 2"],
    )  # fmt: skip
    do(s, "play attack 1")
    assert texts(s) == [f"target {each}" for each in ("G113", "G20R", "G376", "G384")]
    take(s, "target G384")
    assert texts(s) == ["target GRA", "target DOC"]
    take(s, "target DOC")
    until(s, "G participants")
    assert where(s, "G384") == "DOC.C"
    assert texts(s) == ["participants", "participants G113"], "G20R cannot pay"
    take(s, "participants G113")
    assert s.view(G).battle.participants == ("G113", "G384")
    assert rations(s, "G384", "G113") == (0, 2)
    assert rubble(s, "DOC") == 1


def test_ruling_45_attack_may_start_in_place() -> None:
    s = table(
        G, german={"G384": "DOC.C 0", "G376": "GUM.P 1"}, russian={"R308": "DOC.C 9"},
        hand=["attack 1", "tanks 2"], enemy_hand=["sniper -1", "victory 3"],
    )  # fmt: skip
    s.no_move[s.book.force_no["G384"]] = 1
    refresh(s)
    do(s, "play attack 1", "target G384")
    until(s, "G battle")
    assert told(s, R, events.MoveDeclared) == []
    assert s.view(G).battle.free == "G384"


def test_ruling_46_reserve_forces_come_from_any_perimeter() -> None:
    s = table(
        G, german={"G16P": "GRA.C 9"}, enemy_hand=["reserve_forces 2", "victory 3"],
        russian={"R308": "GRA.C 9", "R169": "PAV.P 1", "R84T": "GRA.P 1", "R90T": "PAV.C 1"},
    )  # fmt: skip
    do(s, "attack GRA", "R: play reserve_forces 2")
    assert texts(s) == ["target R169", "target R84T"]
    s = table(
        G, german={"G16P": "GRA.C 9"}, enemy_hand=["reserve_forces 2", "victory 3"],
        russian={"R308": "GRA.C 9", "R45R": "GRA.C 9", "R42N": "GRA.C 9", "R169": "PAV.P 1"},
    )  # fmt: skip
    do(s, "attack GRA")
    until(s, "R battle")
    assert "play reserve_forces 2" not in texts(s), "no room"


def test_ruling_53_one_recover_wounded_for_each_force_destroyed() -> None:
    """After an own cost too; cancelled ones count."""
    s = table(
        R, russian={"R169": "PAV.P 1", "R308": "PAV.P 1"}, german={"G384": "PAV.P 1"},
        hand=["uranus_i 3", "recover_wounded -1", "recover_wounded -2", "victory 3"],
        enemy_hand=["fog_of_war -2", "tanks 2"],
    )  # fmt: skip
    do(s, "play uranus_i 3", "destroy_own R308")
    assert kind(s) == "R on_destroyed"
    assert texts(s) == ["pass", "play recover_wounded -2", "play recover_wounded -1"]
    do(s, "R: play recover_wounded -1", "G: play fog_of_war -2")
    settle(s)
    assert kind(s) == "R main", "the second is not offered"
    assert cards(s, s.in_play[R]) == ["uranus_i +3"], "the card resolves after ON_DESTROYED"
    assert rations(s, "R169") == (1,)


def test_ruling_54_recover_wounded_comes_after_the_absorb() -> None:
    full = {"R112": "GRA.P 0", "R45R": "GRA.P 0", "R42N": "GRA.P 0"}
    s = table(
        G, german={"G16P": "GRA.C 9"}, russian={"R308": "GRA.C 0", "R84T": "GRA.C 0", **full},
        enemy_hand=["recover_wounded -1", "victory 3"],
    )  # fmt: skip
    s.deck[R], s.deck[G] = [], []
    refresh(s)
    do(s, "attack GRA")
    until(s, "R absorb")
    assert not any("recover" in text for text in texts(s))
    take(s, "destroy R308")
    assert kind(s) == "R on_destroyed"
    assert s.view(R).absorb is None
    assert where(s, "R84T") == "", "both are gone before it"


def test_ruling_56_propaganda_war_bars_the_bonus_alone() -> None:
    s = table(
        G, german={"G384": "PAV.C 1", "G376": "DOC.C 1"}, hand=["tanks 2"],
        enemy_hand=["propaganda_war 1", "victory 3"],
    )  # fmt: skip
    do(s, "end", "R: play propaganda_war 1")
    settle(s)
    assert hands(s)[G] == 1 + 5


def test_ruling_66_notes_add_up_in_any_order(tmp_path: Path) -> None:
    note = {"key": "resupply_rations", "add": 2}
    folder = retouched(tmp_path, "locations", PAV={"note": note})
    for line in (("GUM", "PAV", "GRA", "TRA", "DOC"), ("PAV", "GUM", "GRA", "TRA", "DOC")):
        german = {"G384": "PAV.C 0", "G376": "GUM.C 0"}
        s = table(G, line=line, german=german, hand=["tanks 2", "tanks 3"], cards=folder)
        do(s, "resupply", "discard tanks 2")
        assert s.view(G).left == 2 + 1 + 2


def test_ruling_68_uranus_cards_add_up(tmp_path: Path) -> None:
    effect = [{"op": "modifier", "key": "buy_cost", "who": "enemy", "add": 2}]
    folder = retouched(tmp_path, "cards", uranus_v={"effect": effect})
    s = table(G, german={"G384": "PAV.P 1"}, cards=folder)
    stack(s, R, in_play=["uranus_i 3", "uranus_v -2"])
    top = s.force_deck[G][0]
    assert s.buy_cost(top) == s.force(top).cost + 3


def test_every_uranus_card_does_what_it_says() -> None:
    """§8.7, effects while in play."""
    s = table(G, german={"G384": "PAV.C 3", "G376": "DOC.P 0", "G16P": "GUM.P 0"}, hand=["tanks 2"])
    stack(s, R, in_play=[
        "uranus_i 3", "uranus_ii 2", "uranus_iii 1", "uranus_iv -1", "uranus_v -2", "uranus_vi -3",
    ])  # fmt: skip
    refresh(s)
    f = s.book.force_no
    assert s.buy_cost(f["G24P"]) == 5
    assert s.yield_of(s.place_of("PAV"), G) == 1
    assert s.yield_of(s.place_of("GUM"), G) == 0
    assert s.yield_of(s.place_of("PAV"), R) == 2
    assert (s.move_cost(f["G384"]), s.move_cost(f["G16P"]), s.move_cost(f["R169"])) == (2, 0, 1)
    do(s, "end")
    assert hands(s)[G] == 1 + 5 + 1 - 1
    settle(s)
    assert hands(s)[R] == 5 + 1, "a Russian without cards and Forces ends, and draws one more"
    assert (s.acting, s.round) == (G, 2)
    assert rations(s, "G384", "G376") == (4, 0), "one from the Location, none for the Perimeter"


def test_ruling_69_the_german_pays_in_his_own_actions_card_by_card() -> None:
    s = table(
        G, german={"G384": "PAV.P 9", "G376": "PAV.P 9", "G113": "DOC.P 1"},
        hand=["tanks 2"] * 2 + ["tanks 3"], enemy_hand=["victory 3"],
    )  # fmt: skip
    stack(s, R, in_play=["uranus_iv -1", "uranus_v -2", "uranus_i 3"], hand=["victory 3"])
    refresh(s)
    assert [text for text in texts(s) if "uranus" in text] == [
        "pay_uranus uranus_i 3", "pay_uranus uranus_iv -1", "pay_uranus uranus_v -2",
    ]  # fmt: skip
    do(s, "pay_uranus uranus_iv -1", *["lose_ration G384"] * 5)
    assert rations(s, "G384") == (4,)
    do(s, "pay_uranus uranus_v -2", "destroy_own G113")
    assert where(s, "G113") == ""
    settle(s)
    assert cards(s, s.in_play[R]) == ["uranus_i +3"]
    assert cards(s, s.discard[R])[-2:] == ["uranus_iv -1", "uranus_v -2"]


def test_ruling_70_a_cost_that_cannot_be_paid_forbids_the_card() -> None:
    for card, russian, extra, offered in (
        ("uranus_ii 2", {"R169": "PAV.P 1"}, 1, False),
        ("uranus_ii 2", {"R169": "PAV.P 1"}, 2, True),
        ("uranus_iii 1", {"R169": "PAV.P 2"}, 1, False),
        ("uranus_iii 1", {"R169": "PAV.P 2", "R308": "PAV.P 1"}, 1, True),
        ("uranus_i 3", {}, 1, False),
    ):
        s = table(R, russian=russian, hand=[card, *["victory 3"] * extra], tops={R: ["R169"]})
        assert (f"play {card}" in texts(s)) is offered


def test_ruling_80_dive_bombers_need_an_enemy_controlled_location() -> None:
    """Also C12."""
    s = table(
        G, german={"G384": "PAV.C 1"}, russian={"R169": "PAV.C 1", "R308": "DOC.P 1"},
        hand=["dive_bombers 1", "artillery_barrage 1"],
    )  # fmt: skip
    assert control(s, "PAV") == "-"
    assert "play dive_bombers 1" not in texts(s)
    assert "play artillery_barrage 1" in texts(s)


def test_ruling_83_a_name_is_played_as_often_as_the_deck_has_copies() -> None:
    for capped in (True, False):
        s = table(
            G, german={"G384": "PAV.P 1"}, hand=["desperation -2", "desperation -3"],
            card_repeat_cap=capped,
        )  # fmt: skip
        do(s, "play desperation -2", "play desperation -3")
        stack(s, G, hand=["desperation -2", "tanks 2"])
        refresh(s)
        assert ("play desperation -2" in texts(s)) is not capped


def test_ruling_84_the_enemy_reacts_before_the_payment() -> None:
    s = table(
        R, russian={"R169": "PAV.P 9"}, german={"G384": "PAV.P 1"},
        hand=["uranus_ii 2", "victory 3", "victory 3", "sniper -1"],
        enemy_hand=["fog_of_war -2", "tanks 2"],
    )  # fmt: skip
    do(s, "play uranus_ii 2")
    assert kind(s) == "G on_card"
    assert hands(s)[R] == 3
    assert s.discard[R] == []
    do(s, "G: pass", "R: discard victory 3", "R: discard sniper -1")
    assert hands(s)[R] == 1


def test_a_card_that_can_no_longer_be_paid_is_void() -> None:
    """§3.2: the player has spent in the window what the card would have cost."""
    s = table(
        R, russian={"R169": "PAV.P 9"}, german={"G384": "PAV.P 1"},
        hand=["uranus_ii 2", "victory 3", "fog_of_war -2"], enemy_hand=["fog_of_war -2", "tanks 2"],
    )  # fmt: skip
    do(s, "play uranus_ii 2", "G: play fog_of_war -2", "R: play fog_of_war -2")
    settle(s)
    assert kind(s) == "R main"
    assert s.in_play[R] == []
    assert hands(s)[R] == 1
    assert told(s, G, events.CardVoid) == [events.CardVoid(R, ("uranus_ii", 2))]
    assert cards(s, s.discard[R]) == ["fog_of_war -2", "uranus_ii +2"]


def test_ruling_85_recover_wounded_may_be_split_in_any_way() -> None:
    s = table(
        R, russian={"R169": "PAV.P 1", "R308": "PAV.P 1", "R84T": "DOC.P 0"},
        hand=["uranus_i 3", "recover_wounded -1", "victory 3"],
    )  # fmt: skip
    do(s, "play uranus_i 3", "destroy_own R308", "play recover_wounded -1")
    do(s, *["place_ration R84T"] * 3)
    assert rations(s, "R84T", "R169") == (3, 1)


def test_ruling_86_no_victory_after_a_card_attack() -> None:
    s = table(
        G, german={"G384": "GUM.C 3"}, russian={"R169": "PAV.C 0"},
        hand=["dive_bombers 1", "victory 3"],
    )  # fmt: skip
    asked = []
    do(s, "play dive_bombers 1")
    while s.asked() and kind(s) != "G main":
        asked.append(kind(s))
        s.choose(s.asked()[0], 0)
    assert "G after_battle" not in asked


def test_supply_raid_chooses_giver_and_taker() -> None:
    """§8.6: S is an enemy Force, T one's own; what is there is taken."""
    s = table(
        G, german={"G384": "PAV.P 1", "G376": "DOC.P 1"},
        russian={"R169": "PAV.P 5", "R308": "GUM.C 1"}, hand=["supply_raid 1", "tanks 2"],
    )  # fmt: skip
    do(s, "play supply_raid 1")
    assert texts(s) == ["target R169", "target R308"]
    take(s, "target R169")
    assert texts(s) == ["target G376", "target G384"]
    take(s, "target G376")
    assert rations(s, "R169", "G376") == (3, 3)


def test_air_supply_and_desperation() -> None:
    s = table(G, german={"G384": "PAV.P 1", "G376": "DOC.C 1"},
              hand=["air_supply -1", "desperation -2"])  # fmt: skip
    do(s, "play air_supply -1", *["place_ration G384"] * 2, *["place_ration G376"] * 3)
    assert rations(s, "G384", "G376") == (3, 4)
    do(s, "play desperation -2")
    assert hands(s)[G] == 3


def test_notes_of_every_location() -> None:
    """§8.3: what each note adds for the side that Controls the Location."""
    s = table(G, line=("BAR", "CEN", "RED", "TRA", "DOC"), german={
        "G384": "BAR.C 1", "G376": "CEN.C 1", "G113": "RED.C 1", "G20R": "TRA.C 1",
        "G16P": "DOC.C 1"})  # fmt: skip
    numbers = {
        ("artillery_barrage", "hits"): 1,
        ("high_morale", "moves"): 1,
        ("tanks", "extra_hits"): 1,
        ("reinforcements", "points"): 1,
    }
    for (card, param), added in numbers.items():
        assert s.card_param(G, card, param) == added
        assert s.card_param(R, card, param) == 0
    assert s.note(G, "bought_rations") == 1
    for name, kept in (("DOC", 1), ("TRA", 0)):
        s.add_rubble(s.place_of(name), 9)
        left = s.note(G, "bought_rations") if name == "DOC" else s.card_param(
            G, "reinforcements", "points")  # fmt: skip
        assert left == kept, "only what is marked stays when the Location is destroyed"


def test_tanks_inflict_an_extra_hit_for_red_october() -> None:
    line = ("RED", "GRA", "GUM", "TRA", "DOC")
    s = table(
        G, line=line, german={"G16P": "GRA.C 9", "G384": "RED.C 1"}, russian={"R308": "GRA.C 9"},
        hand=["tanks 2", "tanks 3"],
    )  # fmt: skip
    s.deck[R], s.deck[G] = [], []
    refresh(s)
    do(s, "attack GRA", "play tanks 2")
    until(s, "R absorb")
    assert s.view(R).battle.extra_hits == (0, 1)
    battle = s.view(R).battle
    assert s.view(R).absorb.hits == battle.base[G] + battle.fire[G] + 1
