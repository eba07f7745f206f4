"""Rulings on cards of battles, and on cards that give Rations (§11: 7, 48 to 57, 83, 85)."""

from __future__ import annotations

import pytest

from referee.games.stalingrad import events
from referee.games.stalingrad.state import Stalingrad
from tests.referee.games.stalingrad.table import (
    G,
    R,
    begin,
    cards,
    do,
    hold_fire,
    hold_the_rest,
    kind,
    plays,
    rations,
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

# Cards of the battle


def test_heavy_weapons_double_a_force_once() -> None:
    s = table(
        G, russian={"R15G": "GUM.C 9"}, german={"G384": "GUM.C 3", "G376": "GUM.C 3"},
        hand=["heavy_weapons 1", "heavy_weapons 1", "heavy_weapons -1"],
    )  # fmt: skip
    do(s, "G: attack GUM", "G: participants G384")
    do(s, "G: play heavy_weapons 1")
    assert s.view(R).battle.doubled == ("G384",), "the only participant"
    assert plays(s) == []
    until(s, "R absorb")
    assert s.view(R).battle.base[G] == 6


def test_big_pushes_add_up_in_main_and_in_battle_and_nowhere_else() -> None:
    s = table(
        G, russian={"R15G": "GUM.C 9"}, german={"G384": "GUM.C 3"},
        hand=["big_push 1", "big_push 1", "big_push 2"],
    )  # fmt: skip
    do(s, "G: play big_push 1", "G: attack GUM", "G: play big_push 1")
    until(s, "G firefight")
    assert texts(s) == ["pass", "fire big_push 2"]
    assert s.view(R).battle.base == (3, 3 + 2)
    assert s.combat_add == [0, 2]


def test_tanks_bar_every_retreat_whatever_the_specials_and_medals() -> None:
    s = table(
        G, russian={"R10N": "GUM.C 9 2"}, german={"G384": "GUM.C 3", "G376": "GUM.C 3"},
        hand=["tanks 2"],
    )  # fmt: skip
    hold_fire(s)
    do(s, "G: attack GUM", "G: participants G384", "G: play tanks 2")
    until(s, "R absorb")
    assert "retreat R10N" not in texts(s)
    do(s, f"R: ration R10N {s.view(R).absorb.hits}")
    assert kind(s) == "G absorb"
    assert "retreat G384" in texts(s), "the player of Tanks may retreat"


def test_sewer_warfare_bars_firefight_and_flip_but_no_card_played_for_effect() -> None:
    s = table(
        G, russian={"R15G": "GUM.C 9"}, german={"G384": "GUM.C 3"},
        hand=["tanks 2", "big_push 1"], enemy_hand=["sewer_warfare 1", "heavy_weapons 1"],
    )  # fmt: skip
    decks = [len(deck) for deck in s.deck]
    do(s, "G: attack GUM", "R: play sewer_warfare 1", "G: play big_push 1")
    do(s, "R: play heavy_weapons 1", "G: play tanks 2")
    until(s, "R absorb")
    assert s.view(R).battle.hits == (6, 4)
    assert [len(deck) for deck in s.deck] == decks
    assert "retreat R15G" not in texts(s)


def test_several_rubble_cards_may_stop_hits_of_one_attack() -> None:
    s = table(
        G, russian={"R15G": "GUM.C 9"}, german={"G24P": "GUM.C 3"}, rubble={"GUM": 1},
        enemy_hand=["rubble -1", "rubble -2", "rubble -2"],
    )  # fmt: skip
    hold_fire(s)
    do(s, "G: attack GUM", "R: play rubble -1", "R: play rubble -2", "R: play rubble -2")
    settle(s)
    assert s.view(R).absorb.hits == 7 - 6
    assert rubble(s, "GUM") == 2, "the counters stay"


# Recover Wounded, Victory, Propaganda War, Fresh Supplies


def lose(n: int, hand: list[str]) -> Stalingrad:
    """The Russian loses so many Forces in one batch, and is asked whether he recovers."""
    victims = dict.fromkeys(("R169", "R42N", "R27T")[:n], "GUM.C")
    bystanders = {"R15G": "PAV.C 1", "R248": "PAV.P 1", "R45R": "GUM.P", "R112": "GUM.P"}
    s = table(
        G, russian={**victims, **bystanders, "R308": "GUM.P"}, german={"G24P": "GUM.C 9"},
        enemy_hand=hand,
    )  # fmt: skip
    hold_fire(s)
    do(s, "G: attack GUM")
    until(s, "R on_destroyed" if n == 1 else "R absorb")  # a single Force has no choice
    while kind(s) == "R absorb":
        s.choose(R, 0)
    return s


def test_recover_wounded_answers_each_force_destroyed_with_any_split() -> None:
    three = ["recover_wounded -1", "recover_wounded -2", "recover_wounded -3", "sniper -1"]
    s = lose(1, three)
    assert kind(s) == "R on_destroyed"
    take(s, "R: play recover_wounded -1")
    settle(s)
    for force in ("R15G", "R15G", "R248"):
        assert kind(s) == "R place_ration"
        take(s, f"R: place_ration {force}")
    assert rations(s, "R15G", "R248") == (3, 2)
    assert kind(s) == "G absorb", "one Force destroyed, one card"


def test_two_forces_lost_are_answered_by_two_cards_of_which_a_cancelled_one_counts() -> None:
    s = lose(2, ["recover_wounded -1", "recover_wounded -2", "recover_wounded -3", "sniper -1"])
    stack(s, G, hand=["fog_of_war -2"])
    assert kind(s) == "R on_destroyed"
    do(s, "R: play recover_wounded -1", "G: play fog_of_war -2", "R: play recover_wounded -2")
    settle(s)
    do(s, *["R: place_ration R15G"] * 3)
    assert rations(s, "R15G") == (4,)
    assert kind(s) == "G absorb"


def test_recover_wounded_comes_after_the_last_hit_is_dealt_with() -> None:
    """Its Rations stop no Hit of the absorb that it answers."""
    s = lose(1, ["recover_wounded -1", "sniper -1"])
    assert kind(s) == "R on_destroyed"
    assert s.view(R).absorb is None
    assert told(s, R, events.AbsorbEnded) == [events.AbsorbEnded(R)]


def test_recover_wounded_answers_ones_own_cost_too() -> None:
    s = table(
        R, russian={"R169": "GUM.P 1", "R248": "GUM.P 1"},
        hand=["uranus_i 3", "recover_wounded -1", "sniper -1"],
    )  # fmt: skip
    do(s, "R: play uranus_i 3", "R: destroy_own R169")
    assert kind(s) == "R on_destroyed"
    assert cards(s, s.in_play[R]) == [], "before the card resolves"
    take(s, "R: play recover_wounded -1")
    settle(s)
    assert rations(s, "R248") == (4,), "one Force is no choice"
    assert cards(s, s.in_play[R]) == ["uranus_i +3"]


def test_rations_without_a_force_to_take_them_are_not_given() -> None:
    s = table(G, hand=["air_supply -1", "fresh_supplies -1"])
    assert texts(s) == ["end"]
    s = table(G, german={"G16P": "GUM.C 1"}, hand=["air_supply -1", "fresh_supplies -1"])
    assert plays(s) == ["air_supply -1"], "nobody in a Perimeter Area"
    s = table(
        G, russian={"R169": "GUM.C"}, german={"G16P": "GUM.C 9"}, enemy_hand=["recover_wounded -1"]
    )
    hold_fire(s)
    do(s, "G: attack GUM")
    settle(s)
    assert where(s, "R169") == ""
    assert not any(event.window == "ON_DESTROYED" for event in told(s, G, events.Passed))


@pytest.mark.parametrize("with_retreat", [False, True])
def test_victory_needs_an_enemy_participant_retreated_or_destroyed(with_retreat: bool) -> None:
    s = table(
        G, russian={"R15G": "GUM.C 9"}, german={"G384": "GUM.C 9"}, hand=["victory 3", "tanks 2"],
        enemy_hand=["victory 3"],
    )  # fmt: skip
    hold_fire(s)
    do(s, "G: attack GUM")
    until(s, "R absorb")
    take(s, "R: retreat R15G" if with_retreat else "R: ration R15G 3")
    if kind(s) == "R absorb":
        take(s, "R: ration R15G 1")
    take(s, "G: ration G384 3")
    assert kind(s) == ("G after_battle" if with_retreat else "G main")


def test_propaganda_war_takes_the_bonus_alone() -> None:
    s = table(
        G, german={"G384": "GUM.C 1", "G376": "GRA.C 1"}, hand=["tanks 2"],
        enemy_hand=["propaganda_war 1", "propaganda_war -1"],
    )  # fmt: skip
    do(s, "G: end", "R: play propaganda_war 1")
    settle(s)
    assert [event.drawn for event in told(s, R, events.Drew) if event.seat == G] == [5]
    assert not [e for e in told(s, R, events.Passed) if e.window == "ON_DRAW"], "it closed"


def test_fresh_supplies_go_to_every_force_in_a_perimeter() -> None:
    s = table(
        G, german={"G384": "GUM.P 1", "G376": "GUM.P 2", "G113": "PAV.P 3", "G16P": "GUM.C 4"},
        hand=["fresh_supplies -1"],
    )  # fmt: skip
    take(s, "G: play fresh_supplies -1")
    assert rations(s, "G384", "G376", "G113", "G16P") == (3, 4, 5, 4)


def test_a_card_drawn_back_is_not_played_oftener_than_the_deck_has_copies() -> None:
    """§5.3: two Desperations in the list, so no third in this turn; cancelled ones count."""
    s = table(
        G, german={"G384": "GUM.P 1"}, hand=["tanks 2"], enemy_hand=["fog_of_war -2", "sniper -1"],
    )  # fmt: skip
    hold_the_rest(s, G)
    begin(s, G)
    do(s, "G: play desperation -3", "R: play fog_of_war -2", "G: play desperation -2")
    settle(s)
    assert cards(s, s.hand[G]).count("desperation -3") == 1, "drawn back"
    assert not [card for card in plays(s) if card.startswith("desperation")]
    s = table(G, german={"G384": "GUM.P 1"}, hand=["tanks 2"], card_repeat_cap=False)
    hold_the_rest(s, G)
    begin(s, G)
    for _ in range(3):
        take(s, "G: play desperation -3")
    assert "desperation -3" in plays(s)
