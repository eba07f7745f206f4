"""Rulings on Action cards outside battles (§11: 35 to 47, 80, 84, 86; C12, C13)."""

from __future__ import annotations

from referee.games.stalingrad import events
from tests.referee.games.stalingrad.table import (
    G,
    R,
    begin,
    cards,
    control,
    do,
    hands,
    hold_the_rest,
    kind,
    medals,
    no_move,
    plays,
    rations,
    rubble,
    settle,
    table,
    take,
    texts,
    told,
    until,
    where,
)

# Scouts


def test_scouts_bring_a_card_to_the_hand_and_playing_it_is_another_matter() -> None:
    s = table(R, russian={"R169": "GUM.P 1"}, hand=["scouts 1", "scouts 1"])
    deck = len(s.deck[R])
    do(s, "R: play scouts 1", "R: search high_morale 3")
    assert kind(s) == "R main"
    assert plays(s) == ["high_morale 3", "scouts 1"]
    assert cards(s, s.hand[R]) == ["high_morale +3", "scouts +1"]
    assert len(s.deck[R]) == deck - 1
    assert told(s, G, events.Searched) == [events.Searched(R, ())]
    assert s.view(G).hand_sizes[R] == 2


def test_scouts_have_nothing_to_search_without_deck_and_discard_pile() -> None:
    s = table(R, russian={"R169": "GUM.P 1"}, hand=["scouts 1"])
    hold_the_rest(s, R)
    begin(s, R)
    assert not [card for card in plays(s) if card.startswith("scouts")]
    hold_the_rest(s, R, discard=["sniper -3"])
    begin(s, R)
    take(s, "R: play scouts 1")
    assert "sniper -3" in cards(s, s.hand[R]), "a deck of one card is no choice"
    assert cards(s, s.discard[R]) == ["scouts +1"]


# Attacks by cards


def test_hits_of_a_card_are_absorbed_by_every_means() -> None:
    s = table(
        G, russian={"R15G": "GUM.C 9"}, german={"G16P": "GRA.P 1"},
        hand=["dive_bombers 1"], enemy_hand=["rubble -3"],
    )  # fmt: skip
    do(s, "G: play dive_bombers 1")
    settle(s)
    assert texts(s) == [
        "ignore R15G", *(f"ration R15G {n}" for n in (1, 2, 3, 4)), "retreat R15G",
        "play rubble -3",
    ]  # fmt: skip
    do(s, "R: ignore R15G", "R: ration R15G 1", "R: play rubble -3")
    settle(s)
    assert (kind(s), where(s, "R15G"), rubble(s, "GUM")) == ("G main", "GUM.C", 2)


def test_an_attack_by_a_card_earns_neither_medal_nor_victory() -> None:
    """No battle, no participants; the Location is Controlled by the player of the card after it."""
    no_room = dict.fromkeys(("R42N", "R27T", "R45R"), "GUM.P 1")
    s = table(
        G, russian={"R169": "GUM.C", **no_room}, german={"G16P": "GUM.C 9"},
        hand=["artillery_barrage 1", "victory 3"],
    )  # fmt: skip
    do(s, "G: play artillery_barrage 1")
    assert where(s, "R169") == ""
    assert control(s, "GUM") == "G"
    assert medals(s, "G16P") == 0
    assert kind(s) == "G main", "no AFTER_BATTLE window"
    assert plays(s) == []


def test_dive_bombers_need_a_location_that_the_enemy_controls() -> None:
    """The card's own words go before the example, which lets one choose any Control Area."""
    s = table(
        G, russian={"R169": "GUM.C 1", "R248": "GRA.C 1", "R84T": "TRA.C 1", "R90T": "DOC.P 1"},
        german={"G16P": "GUM.C 1"}, hand=["dive_bombers 1", "artillery_barrage 1"],
    )  # fmt: skip
    take(s, "G: play dive_bombers 1")
    assert texts(s) == ["target R248", "target R84T"]
    s = table(
        G, russian={"R169": "GUM.C 1"}, german={"G16P": "GUM.C 1"},
        hand=["dive_bombers 1", "artillery_barrage 1"],
    )  # fmt: skip
    assert plays(s) == ["artillery_barrage 1"]


def test_rubble_of_a_card_may_destroy_the_location_and_with_it_the_cover() -> None:
    """§4.4: Rubble is placed first."""
    s = table(
        G, russian={"R15G": "GUM.C 9"}, german={"G16P": "GRA.P 1"}, rubble={"GUM": 3},
        hand=["dive_bombers 1"], enemy_hand=["rubble -3"],
    )  # fmt: skip
    do(s, "G: play dive_bombers 1")
    until(s, "R absorb")
    assert plays(s) == []
    assert s.view(R).absorb.hits == 4


# Fog of War


def test_fog_of_war_cancels_sniper_and_fog_too() -> None:
    s = table(
        G, german={"G384": "GUM.P 2"}, hand=["fog_of_war -2", "fog_of_war -3"],
        enemy_hand=["sniper -1", "fog_of_war -2"],
    )  # fmt: skip
    do(s, "G: move G384", "G: to GUM.C", "R: play sniper -1", "G: play fog_of_war -2")
    take(s, "R: play fog_of_war -2")
    take(s, "G: play fog_of_war -3")
    settle(s)
    assert where(s, "G384") == "GUM.C"
    assert cards(s, s.in_play[R]) == []
    assert cards(s, s.discard[R]) == ["fog_of_war -2", "sniper -1"]
    assert cards(s, s.discard[G]) == ["fog_of_war -3", "fog_of_war -2"]


def test_a_cancelled_fog_cancels_nothing_and_the_window_asks_again() -> None:
    """§7.3."""
    s = table(
        G, russian={"R169": "GUM.C 4"}, german={"G16P": "GRA.P 1"},
        hand=["artillery_barrage 1", "fog_of_war -2"],
        enemy_hand=["fog_of_war -2", "fog_of_war -3"],
    )  # fmt: skip
    do(s, "G: play artillery_barrage 1", "R: play fog_of_war -2", "G: play fog_of_war -2")
    take(s, "R: pass")
    assert kind(s) == "R on_card"
    assert plays(s) == ["fog_of_war -3"]
    take(s, "R: play fog_of_war -3")
    settle(s)
    assert (rubble(s, "GUM"), rations(s, "R169")) == (0, (4,))


def test_fog_of_war_does_not_touch_moves_resupply_buy_and_the_firefight() -> None:
    s = table(
        G, russian={"R15G": "GUM.C 9"}, german={"G16P": "GUM.P 9"}, tops={G: ["G113"]},
        hand=["tanks 2", "tanks 3", "big_push 1", "big_push 2"], enemy_hand=["fog_of_war -2"],
    )  # fmt: skip
    for text in (
        "move G16P", "to GUM.C", "R: pass", "resupply", "discard tanks 2", "buy",
        "discard big_push 1", "to GUM.P", "attack GUM",
    ):  # fmt: skip
        if text == "R: pass":
            assert kind(s) == "R on_move", "Sniper might be there"
        take(s, text)
    until(s, "G firefight")
    take(s, "G: fire tanks 3")
    assert kind(s) == "R firefight"
    assert not [event for event in told(s, G, events.Passed) if event.window == "ON_CARD"]


def test_a_card_that_can_no_longer_be_paid_for_is_void() -> None:
    """§3.2: the payer spent what the cost needs inside the window."""
    s = table(
        R, russian={"R169": "GUM.P 1"}, german={"G16P": "GUM.P 1"},
        hand=["uranus_ii 2", "fog_of_war -2", "sniper -1"], enemy_hand=["fog_of_war -2"],
    )  # fmt: skip
    do(s, "R: play uranus_ii 2", "G: play fog_of_war -2", "R: play fog_of_war -2")
    settle(s)
    assert kind(s) == "R main"
    assert told(s, G, events.CardVoid) == [events.CardVoid(R, ("uranus_ii", 2))]
    assert cards(s, s.discard[R]) == ["fog_of_war -2", "uranus_ii +2"]
    assert hands(s)[R] == 1


def test_the_enemy_reacts_to_a_declaration_before_anything_is_paid() -> None:
    s = table(
        R, russian={"R169": "GUM.P 3"}, german={"G16P": "GRA.P 1"},
        hand=["uranus_iii 1", "tanks 2"], enemy_hand=["fog_of_war -2"],
    )  # fmt: skip
    take(s, "R: play uranus_iii 1")
    assert (kind(s), rations(s, "R169")) == ("G on_card", (3,))
    take(s, "G: pass")
    assert rations(s, "R169") == (0,)
    s = table(R, russian={"R169": "GUM.P 3"}, hand=["tanks 2"], enemy_hand=["sniper -3"])
    do(s, "R: move R169", "R: to GUM.C")
    assert (kind(s), rations(s, "R169")) == ("G on_move", (3,))
    take(s, "G: pass")
    assert rations(s, "R169") == (2,)


# Sniper, High Morale, Attack!, Reserve Forces


def test_sniper_cancels_a_move_of_high_morale_which_is_used_up() -> None:
    s = table(
        G, german={"G384": "GUM.P 0", "G376": "GUM.P 0"}, hand=["high_morale 3", "tanks 2"],
        enemy_hand=["sniper -1"],
    )  # fmt: skip
    do(s, "G: play high_morale 3", "G: free_move G384", "G: to GUM.C", "R: play sniper -1")
    settle(s)
    assert kind(s) == "G free_move"
    assert s.view(G).left == 3
    assert where(s, "G384") == "GUM.P"
    assert texts(s) == ["stop", "free_move G376"]


def test_no_move_bars_moves_and_attack_but_neither_retreat_nor_reserve_forces() -> None:
    there = {"G384": "GUM.P 3", "G376": "GUM.C 3", "G113": "PAV.P 0"}
    s = table(
        G, russian={"R15G": "GUM.C 9"}, german=there, enemy_hand=["sniper -1"],
        hand=["attack 1", "reserve_forces 2", "high_morale 3"],
    )  # fmt: skip
    do(s, "G: move G384", "G: to GUM.C", "R: play sniper -1")
    settle(s)
    assert no_move(s, "G384")
    assert "move G384" not in texts(s)
    attack = s.clone()
    take(attack, "G: play attack 1")
    assert texts(attack) == ["target G113", "target G376"]
    take(s, "G: play high_morale 3")
    assert texts(s) == ["stop", "free_move G113", "free_move G376"]
    do(s, "G: stop", "G: attack GUM", "G: play reserve_forces 2", "G: target G384")
    until(s, "R absorb")
    assert where(s, "G384") == "GUM.C"
    take(s, f"R: ration R15G {s.view(R).absorb.hits}")
    assert kind(s) == "G absorb"
    assert "retreat G384" in texts(s)


def test_sniper_leaves_play_at_the_end_of_the_turn() -> None:
    s = table(G, german={"G384": "GUM.P 3"}, hand=["tanks 2"], enemy_hand=["sniper -1"])
    do(s, "G: move G384", "G: to GUM.C", "R: play sniper -1")
    settle(s)
    assert cards(s, s.in_play[R]) == ["sniper -1"]
    do(s, "G: end")
    settle(s)
    assert cards(s, s.discard[R])[0] == "sniper -1"
    assert not no_move(s, "G384")


def test_attack_comes_from_anywhere_and_others_may_join_for_a_ration() -> None:
    s = table(
        G, russian={"R15G": "DOC.C 9"},
        german={"G14P": "GRA.C 0", "G384": "DOC.C 2", "G376": "DOC.C 0", "G16P": "PAV.P 4"},
        hand=["attack 1", "attack 2"],
    )  # fmt: skip
    take(s, "G: play attack 1")
    assert texts(s) == [f"target {f}" for f in ("G14P", "G16P", "G376", "G384")]
    take(s, "G: target G14P")
    assert kind(s) == "G participants"
    assert texts(s) == ["participants", "participants G384"]
    take(s, "G: participants G384")
    battle = s.view(R).battle
    assert (battle.participants, battle.free) == (("G14P", "G384"), "G14P")
    assert rations(s, "G14P", "G384", "G376") == (0, 1, 0)
    assert rubble(s, "DOC") == 1


def test_attack_may_start_in_place_and_goes_where_the_enemy_is_in_control() -> None:
    there = {"russian": {"R15G": "DOC.C 9", "R39G": "GRA.C 3"}, "german": {"G14P": "DOC.C 0"}}
    s = table(G, hand=["attack 1", "attack 2"], enemy_hand=["sniper -1"], **there)
    do(s, "G: play attack 1", "G: target DOC")
    settle(s)
    assert told(s, R, events.MoveDeclared) == []
    assert told(s, R, events.AttackDeclared) == [
        events.AttackDeclared(G, "DOC", ("G14P",), "G14P")
    ]  # fmt: skip
    s = table(G, hand=["attack 1", "attack 2"], **there)
    assert control(s, "GRA") == "R"
    do(s, "G: play attack 1", "G: target GRA")
    assert where(s, "G14P") == "GRA.C"


def test_reserve_forces_come_from_any_perimeter_if_there_is_room() -> None:
    there = {"G384": "GUM.C 3", "G14P": "PAV.P 0", "G16P": "TRA.C 4", "G100": "DOC.P 1"}
    s = table(G, russian={"R15G": "GUM.C 9"}, german=there, hand=["reserve_forces 2"])
    do(s, "G: attack GUM")
    take(s, "G: play reserve_forces 2")
    assert texts(s) == ["target G100", "target G14P"]
    full = {"G376": "GUM.C 1", "G113": "GUM.C 1"}
    s = table(G, russian={"R15G": "GUM.C 9"}, german={**there, **full}, hand=["reserve_forces 2"])
    do(s, "G: attack GUM", "G: participants G384")
    assert plays(s) == []


def test_reserve_forces_of_the_attacker_are_free_and_count_as_attacking() -> None:
    s = table(
        G, russian={"R15G": "GUM.C 9"}, german={"G384": "GUM.C 3", "G14P": "PAV.P 0"},
        hand=["reserve_forces 2"], enemy_hand=["sniper -1"],
    )  # fmt: skip
    do(s, "G: attack GUM", "G: play reserve_forces 2")
    until(s, "R absorb")
    battle = s.view(R).battle
    assert battle.participants == ("G14P", "G384")
    assert battle.base == (3, 3 + 5 + 2)
    assert rations(s, "G14P") == (0,)
    assert told(s, R, events.MoveDeclared) == [], "no Move: Sniper has nothing to cancel"
