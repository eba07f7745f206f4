"""Corners of battles beside vectors and rulings: who takes part, windows, cards on the table."""

from __future__ import annotations

from referee.games.stalingrad import events
from tests.referee.games.stalingrad.sample import top_of_deck
from tests.referee.games.stalingrad.table import (
    G,
    R,
    begin,
    cards,
    control,
    do,
    hold_fire,
    hold_the_rest,
    kind,
    medals,
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

NO_ROOM = dict.fromkeys(("R42N", "R27T", "R45R"), "GUM.P 1")
"""Nobody can retreat from GUM."""

# Who takes part


def test_only_forces_with_a_ration_may_be_sent_to_attack() -> None:
    s = table(
        G, russian={"R15G": "GUM.C 3"},
        german={"G384": "GUM.C 2", "G376": "GUM.C 0", "G113": "GUM.C 1"},
    )  # fmt: skip
    take(s, "G: attack GUM")
    assert kind(s) == "G participants"
    assert texts(s) == ["participants G113", "participants G384", "participants G113 G384"]
    take(s, "G: participants G113")
    declared = events.AttackDeclared(G, "GUM", ("G113",), "")
    assert told(s, R, events.AttackDeclared) == [declared]


def test_attack_names_its_targets_and_the_force_that_pays_nothing() -> None:
    s = table(
        G, russian={"R15G": "DOC.C 3", "R169": "GRA.C 1"},
        german={"G384": "GUM.P", "G376": "PAV.P"},
        hand=["attack 1", "attack 2"],
    )  # fmt: skip
    do(s, "G: play attack 1", "G: target G384", "G: target DOC")
    shown = events.CardPlayed(G, ("attack", 1), ("G384", "DOC"), "MAIN")
    assert told(s, R, events.CardPlayed) == [shown]
    declared = events.AttackDeclared(G, "DOC", ("G384",), "G384")
    assert told(s, R, events.AttackDeclared) == [declared]


def test_attack_needs_room_where_it_goes() -> None:
    full = {"G113": "DOC.C", "G20R": "DOC.C", "G376": "DOC.C"}
    s = table(
        G, russian={"R15G": "DOC.C 3", "R169": "GRA.C 1"}, german={"G384": "GUM.P", **full},
        hand=["attack 1", "attack 2"],
    )  # fmt: skip
    do(s, "G: play attack 1", "G: target G384")
    assert told(s, R, events.CardPlayed)[-1].targets == ("G384", "GRA"), "the Docks are full"


def test_nobody_joins_an_attack_whose_move_was_stopped() -> None:
    s = table(
        G, russian={"R15G": "DOC.C 3"}, german={"G384": "GUM.P 1", "G376": "DOC.C 3"},
        hand=["attack 1", "attack 2"], enemy_hand=["sniper -1"],
    )  # fmt: skip
    do(s, "G: play attack 1", "G: target G384", "R: play sniper -1")
    settle(s)
    assert kind(s) == "G main"
    assert (rations(s, "G376"), rubble(s, "DOC")) == ((3,), 0)


def test_reserve_forces_of_the_defender_defend_and_take_hits() -> None:
    s = table(
        G, russian={"R169": "GUM.C 1", "R06G": "PAV.P 2"}, german={"G24P": "GUM.C 9"},
        enemy_hand=["reserve_forces 2"],
    )  # fmt: skip
    do(s, "G: attack GUM", "R: play reserve_forces 2")
    until(s, "R absorb")
    battle = s.view(R).battle
    assert (battle.participants, battle.defenders) == (("G24P",), ("R06G", "R169"))
    assert battle.base == (1 + 1, 7), "no attack bonus for who defends"
    assert "ration R06G 2" in texts(s)


def test_heavy_weapons_choose_among_those_who_take_part() -> None:
    german = {"G384": "GUM.C 2", "G376": "GUM.C 1", "G113": "GUM.C 1"}
    s = table(G, russian={"R15G": "GUM.C 3"}, german=german, hand=["heavy_weapons 1"] * 2)
    do(s, "G: attack GUM", "G: participants G113 G384")
    take(s, "G: play heavy_weapons 1")
    assert kind(s) == "G target"
    assert texts(s) == ["target G113", "target G384"]
    do(s, "G: target G384", "G: play heavy_weapons 1")
    assert s.view(R).battle.doubled == ("G384", "G113"), "the other is the only one left"


# Windows of a battle


def test_sewer_warfare_leaves_neither_firefight_nor_flip() -> None:
    s = table(
        G, russian={"R15G": "GUM.C 9"}, german={"G384": "GUM.C 2"}, hand=["tanks 2", "tanks 3"],
        enemy_hand=["sewer_warfare 1", "victory 3"],
    )  # fmt: skip
    decks = [deck.copy() for deck in s.deck]
    do(s, "G: attack GUM", "R: play sewer_warfare 1")
    asked = set()
    while kind(s) != "R absorb":
        asked.add(s.kind(s.asked()[0]))
        take(s, "pass")
    assert "firefight" not in asked
    assert s.deck == decks
    assert s.view(R).battle.hits == (3, 3)


def test_who_can_hold_no_card_for_the_battle_passes_by_himself() -> None:
    """§7.4: every Russian card for BATTLE is in his discard pile."""
    s = table(G, russian={"R15G": "GUM.C 9"}, german={"G384": "GUM.C 2"}, hand=["tanks 2"])
    gone = [
        f"{card} {ff}" for card, ff in s.kind_ids(s.book.deck_list[R])
        if card in ("reserve_forces", "sewer_warfare", "tanks", "heavy_weapons", "big_push")
    ]  # fmt: skip
    stack(s, R, hand=["scouts 1", "victory 3"], discard=gone)
    begin(s, G)
    do(s, "G: attack GUM")
    assert kind(s) == "G battle"
    take(s, "G: pass")
    assert kind(s) == "G firefight"


def test_a_window_closes_when_its_card_is_cancelled_or_its_move_is() -> None:
    """§7.1: who holds a second Fog of War or Sniper is not asked again."""
    s = table(
        G, russian={"R169": "GUM.C 1"}, german={"G384": "GUM.P 3"},
        hand=["artillery_barrage 1", "tanks 2"],
        enemy_hand=["fog_of_war -2", "fog_of_war -3", "sniper -1", "sniper -2"],
    )  # fmt: skip
    take(s, "G: play artillery_barrage 1")
    take(s, "R: play fog_of_war -2")
    take(s, "G: pass")
    assert kind(s) == "G main"
    assert cards(s, s.discard[R]) == ["fog_of_war -2"]
    do(s, "G: move G384", "G: to GRA.C")
    take(s, "R: play sniper -1")
    take(s, "G: pass")
    assert kind(s) == "G main"
    assert (cards(s, s.in_play[R]), s.table[R]) == (["sniper -1"], [])


def test_scouts_answer_no_loss_and_leave_the_window_open() -> None:
    """§7.2: Scouts, then the Recover Wounded they fetched."""
    s = table(
        G, russian={"R169": "GUM.C", "R15G": "PAV.P 1", **NO_ROOM}, german={"G24P": "GUM.C 9"},
        enemy_hand=["scouts 1", "victory 3"],
    )  # fmt: skip
    do(s, "G: attack GUM", "R: play scouts 1", "R: search recover_wounded -2")
    until(s, "R on_destroyed")
    assert plays(s) == ["recover_wounded -2"]
    s = table(
        G, russian={"R169": "GUM.C", "R15G": "PAV.P 1", **NO_ROOM}, german={"G24P": "GUM.C 9"},
        enemy_hand=["scouts 1", "recover_wounded -2", "recover_wounded -1"],
    )  # fmt: skip
    do(s, "G: attack GUM")
    until(s, "R on_destroyed")
    do(s, "R: play scouts 1", "R: search recover_wounded -3", "R: play recover_wounded -1")
    settle(s)
    do(s, *["R: place_ration R15G"] * 3)
    assert kind(s) == "G absorb", "one Force destroyed, one card"


def test_recover_wounded_answers_a_loss_to_a_card() -> None:
    s = table(
        G, russian={"R169": "GUM.C", "R15G": "PAV.P 1", **NO_ROOM}, german={"G384": "PAV.P 1"},
        hand=["dive_bombers 1", "tanks 2"], enemy_hand=["recover_wounded -2", "victory 3"],
    )  # fmt: skip
    do(s, "G: play dive_bombers 1", "R: destroy R169", "R: play recover_wounded -2")
    assert where(s, "R169") == ""
    settle(s)
    assert kind(s) == "R place_ration"


def test_victory_follows_a_destruction_as_well_as_a_retreat() -> None:
    s = table(
        G, russian={"R169": "GUM.C", **NO_ROOM}, german={"G24P": "GUM.C 9"},
        hand=["victory 3", "tanks 2"],
    )  # fmt: skip
    hold_fire(s)
    do(s, "G: attack GUM")
    until(s, "G absorb")
    take(s, "G: ration G24P 1")
    assert kind(s) == "G after_battle"
    assert plays(s) == ["victory 3"]


# Cards of the Firefight


def test_firefight_cards_go_to_the_discard_piles_in_the_order_played() -> None:
    """§4.1 A9: the attacker's first; until then they lie on the table."""
    s = table(
        G, russian={"R15G": "GUM.C 9"}, german={"G384": "GUM.C 2"}, hand=["tanks 3", "tanks 2"],
        enemy_hand=["victory 3", "sniper -1"],
    )  # fmt: skip
    top_of_deck(s, G, ("scouts 1",))
    top_of_deck(s, R, ("scouts -1",))
    do(s, "G: attack GUM", "G: fire tanks 3", "R: fire victory 3", "G: fire tanks 2")
    assert s.view(G).table == ((("victory", 3),), (("tanks", 3), ("tanks", 2)))
    until(s, "R absorb")
    assert s.view(G).table == ((), ())
    assert cards(s, s.discard[G]) == ["tanks +3", "tanks +2", "scouts +1"]
    assert cards(s, s.discard[R]) == ["victory +3", "scouts -1"]
    seats = [event.seat for event in told(s, R, events.Discarded) if event.source == "table"]
    assert seats == [G, G, G, R, R]


def test_a_flip_of_the_last_card_makes_the_hand_known() -> None:
    s = table(G, russian={"R15G": "GUM.C 9"}, german={"G384": "GUM.C 9"})
    hold_the_rest(s, R, deck=["sniper -3"])
    begin(s, G)
    do(s, "G: attack GUM", "R: fire victory 3")
    assert s.view(G).known_hands[R] == ()
    until(s, "G absorb")
    assert len(s.view(G).known_hands[R]) == 53
    assert told(s, G, events.HandKnown)[-1].cards == s.view(R).hand


def test_what_was_flipped_or_fired_is_seen_until_the_deck_is_made_anew() -> None:
    """§7.4: no question about the fourth Sniper once it lies open, but again after a shuffle."""
    s = table(G, russian={"R15G": "GUM.C 30"}, german={"G384": "GUM.C 30"}, hand=["tanks 2"])
    snipers = ["sniper -1", "sniper -2", "sniper -3"]
    stack(s, R, hand=["victory 3"], deck=["sniper -2"], discard=snipers)
    begin(s, G)
    do(s, "G: move G384", "G: to GUM.P")
    assert kind(s) == "R on_move"
    do(s, "G: move G384", "G: to GUM.C", "G: attack GUM")
    until(s, "R absorb")
    do(s, f"R: ration R15G {s.view(R).absorb.hits}")
    while kind(s) != "G main":
        s.choose(s.asked()[0], 0)
    do(s, "G: move G384", "G: to GRA.C")
    assert kind(s) == "G main", "flipped: all four are seen"
    hold_the_rest(s, R, discard=[*snipers, "sniper -2"])
    s.make_deck(R)
    begin(s, G)
    do(s, "G: move G384", "G: to GRA.P")
    assert kind(s) == "R on_move"


# Absorbing


def test_a_force_that_can_ignore_a_hit_does_so_before_it_is_destroyed() -> None:
    s = table(
        G, russian={"R33G": "GUM.C", "R169": "GUM.C 1", **NO_ROOM}, german={"G24P": "GUM.C 9"},
    )  # fmt: skip
    hold_fire(s)
    do(s, "G: attack GUM")
    assert texts(s) == ["ignore R33G", "ration R169 1"]


def test_retreat_extra_is_added_to_what_a_retreat_stops() -> None:
    s = table(G, russian={"R10N": "GUM.C 9 1"}, german={"G24P": "GUM.C 9"})
    hold_fire(s)
    do(s, "G: attack GUM", "R: retreat R10N")
    assert s.view(R).absorb.hits == 7 - (2 + 2 + 1)


# Heroic Service


def test_a_defender_earns_no_medal_while_another_enemy_stands_in_c() -> None:
    """The German who stays did not take part; the Location is contested."""
    full = {"G376": "GUM.P", "G113": "GUM.P", "G20R": "GUM.P"}
    for more, medal in (({}, 1), ({"G384": "GUM.C 0"}, 0)):
        s = table(
            G, russian={"R13G": "GUM.C 9"}, german={"G100": "GUM.C 1", **full, **more},
        )  # fmt: skip
        hold_fire(s)
        do(s, "G: attack GUM")
        if kind(s) == "R absorb":
            take(s, "R: ration R13G 1")
        settle(s)
        assert where(s, "G100") == ""
        assert control(s, "GUM") == ("R" if medal else "-")
        assert medals(s, "R13G") == medal


def test_the_german_earns_a_medal_in_defence() -> None:
    s = table(R, russian={"R169": "GUM.C 1", **NO_ROOM}, german={"G24P": "GUM.C 9"})
    hold_fire(s)
    do(s, "R: attack GUM", "G: ration G24P 1")
    settle(s)
    assert where(s, "R169") == ""
    assert medals(s, "G24P") == 1
