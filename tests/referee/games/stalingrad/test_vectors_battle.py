"""Test vectors TV-24 to TV-39 (§10): battles, absorbing, card attacks, decks."""

from __future__ import annotations

from referee.games.stalingrad.events import Flipped, HitsAbsorbed
from referee.games.stalingrad.state import Stalingrad
from tests.referee.games.stalingrad.table import (
    G,
    R,
    bottom,
    cards,
    control,
    do,
    hands,
    hold_fire,
    kind,
    medals,
    rations,
    refresh,
    rubble,
    settle,
    stack,
    table,
    take,
    texts,
    to_main,
    told,
    until,
    where,
)


def totals(s: Stalingrad) -> tuple[int, int]:
    """Running totals, (G, R)."""
    battle = s.view(R).battle
    return battle.base[G] + battle.fire[G], battle.base[R] + battle.fire[R]


def test_tv_24_the_rulebooks_firefight() -> None:
    s = table(G, german={"G16P": "GRA.C 9"}, russian={"R308": "GRA.C 9"})
    stack(s, G, hand=["tanks 2", "rubble -2", "tanks 3", "desperation -3"], deck=["attack 1"])
    russian = ["scouts -1", "fog_of_war -3", "scouts 1", "rubble -1", "victory 3"]
    stack(s, R, hand=russian, deck=["tanks 2"])
    refresh(s)
    do(s, "attack GRA")
    until(s, "G firefight")
    assert totals(s) == (5, 3)
    running = []
    for text in (
        "G: fire tanks 2", "R: fire scouts -1", "G: fire rubble -2", "R: fire fog_of_war -3",
        "G: pass", "R: fire scouts 1", "G: pass", "R: fire rubble -1", "G: fire tanks 3",
        "R: pass",
    ):  # fmt: skip
        take(s, text)
        running.append(totals(s))
    assert running == [
        (7, 3), (6, 3), (6, 1), (3, 1), (3, 1), (3, 2), (3, 2), (2, 2), (5, 2), (5, 2),
    ]  # fmt: skip
    take(s, "G: pass")
    flips = [event.fire for event in told(s, R, Flipped)]
    assert [(5 + german, 3 + russian) for russian, german in flips] == [(6, 2), (6, 4)]
    assert s.view(R).battle.hits == (4, 6)


def test_tv_25_hits_may_be_spread_as_the_player_likes() -> None:
    s = table(
        G,
        german={"G24P": "GRA.C 9"},
        russian={"R84T": "GRA.C 2", "R112": "GRA.C 1"},
    )
    hold_fire(s)
    do(s, "attack GRA")
    assert kind(s) == "R absorb"
    assert s.view(R).absorb.hits == 7
    s.stack[-1].hits = 6
    refresh(s)
    do(s, "R: ration R84T 2", "R: ration R112 1", "R: retreat R84T", "R: destroy R84T")
    assert where(s, "R112") == "GRA.C"
    assert where(s, "R84T") == ""
    assert kind(s) == "G absorb"


def test_tv_26_an_attacker_retreats_two_of_three() -> None:
    s = table(
        G,
        german={"G376": "GRA.C 3", "G113": "GRA.C 3", "G305": "GRA.C 3"},
        russian={"R13G": "GRA.C 9"},
    )
    hold_fire(s)
    do(s, "attack GRA", "participants G113 G305 G376")
    do(s, "R: ration R13G 7")
    assert kind(s) == "G absorb"
    assert s.view(G).absorb.hits == 4
    do(s, "G: retreat G376", "G: retreat G113")
    settle(s)
    assert kind(s) == "G main"
    assert rations(s, "G376", "G113", "G305") == (2, 2, 2)
    assert where(s, "G305") == "GRA.C"


def test_tv_27_dive_bombers() -> None:
    s = table(
        G, german={"G384": "GUM.P 3"}, russian={"R308": "GRA.C 9", "R169": "GRA.C 9"},
        hand=["dive_bombers 1", "tanks 2"], enemy_hand=["victory 3"],
    )  # fmt: skip
    decks = [len(deck) for deck in s.deck]
    do(s, "play dive_bombers 1", "target R308")
    until(s, "R absorb")
    assert rubble(s, "GRA") == 2
    assert s.view(G).absorb[2:4] == (4, ("R308",))
    take(s, "R: ration R308 4")
    assert kind(s) == "G main", "nothing comes back"
    assert [len(deck) for deck in s.deck] == decks, "no flip"
    assert rations(s, "R308", "R169", "G384") == (5, 9, 3)
    assert hands(s) == (1, 1)


def test_tv_28_heroic_service_of_a_defender_who_stays() -> None:
    s = table(
        G,
        german={"G376": "GRA.C 1", "G113": "GRA.C 1"},
        russian={"R13G": "GRA.C 2", "R37G": "GRA.C 0"},
    )
    hold_fire(s)
    do(s, "attack GRA", "participants G113 G376")
    do(s, "R: retreat R37G", "R: ration R13G 2")
    assert s.view(G).absorb.hits == 7
    do(s, "G: retreat G113", "G: retreat G376", "G: destroy G113")
    settle(s)
    assert where(s, "G113") == where(s, "G376") == ""
    assert control(s, "GRA") == "R"
    assert (medals(s, "R13G"), medals(s, "R37G")) == (1, 0)


def test_tv_29_a_counter_adds_combat_and_a_hit_stopped_by_retreating() -> None:
    s = table(G, german={"G16P": "GRA.C 9"}, russian={"R308": "GRA.C 0 1"})
    assert s.eff(s.book.force_no["R308"], attacking=False, doubled=False) == 3 + 1
    hold_fire(s)
    do(s, "attack GRA")
    # A retreat, and then Hits on a Force without means, leave nothing to choose.
    hits = told(s, R, HitsAbsorbed)
    assert [(event.how, event.absorbed, event.hits) for event in hits[:2]] == [
        ("retreat", 3, 2),
        ("destroy", 1, 1),
    ]


def test_tv_30_no_retreat_into_a_full_perimeter() -> None:
    full = {"R112": "GRA.P 1", "R45R": "GRA.P 1", "R42N": "GRA.P 1"}
    s = table(G, german={"G16P": "GRA.C 9"}, russian={"R308": "GRA.C 9", **full})
    do(s, "attack GRA")
    until(s, "R absorb")
    assert not any(text.startswith("retreat") for text in texts(s))


def test_tv_31_supply_raid_takes_what_is_there() -> None:
    for there in (0, 1):
        s = table(
            G, german={"G384": "GUM.P 3"}, russian={"R308": f"GRA.C {there}"},
            hand=["supply_raid 1", "tanks 2"],
        )  # fmt: skip
        do(s, "play supply_raid 1")
        assert rations(s, "R308", "G384") == (0, 3 + there)


def test_tv_32_one_uranus_card_is_paid_for() -> None:
    s = table(G, german={"G384": "GUM.P 3"}, hand=["tanks 2"] * 2 + ["tanks 3", "scouts 1"])
    stack(s, R, in_play=["uranus_i 3", "uranus_iii 1"])
    refresh(s)
    top = s.force_deck[G][0]
    price = s.force(top).cost
    assert s.buy_cost(top) == price + 1
    do(s, "pay_uranus uranus_i 3", *["discard tanks 2"] * 2, "discard tanks 3")
    assert cards(s, s.in_play[R]) == ["uranus_iii +1"]
    assert cards(s, s.discard[R])[-1] == "uranus_i +3"
    assert s.buy_cost(top) == price
    assert s.move_cost(s.book.force_no["G384"]) == 2


def test_tv_33_a_destroyed_force_comes_back_fresh() -> None:
    s = table(G, german={"G24P": "GRA.C 9"}, russian={"R169": "GRA.C 0 1"})
    hold_fire(s)
    do(s, "attack GRA")
    to_main(s)
    assert bottom(s, R, 1) == ["R169"]
    assert (rations(s, "R169"), medals(s, "R169")) == ((0,), 0)
    s = table(R, russian={"R308": "GRA.C 1"}, tops={R: ["R169"]}, hand=["victory 3", "scouts 1"])
    do(s, "buy", "discard victory 3", "to GUM.P")
    assert rations(s, "R169") == (2,)


def test_tv_34_a_draw_from_an_empty_deck_makes_it_anew() -> None:
    s = table(G, german={"G384": "GUM.P 3"})
    stack(s, G, hand=["desperation -2"], deck_size=0)
    s.discard[G] = s.discard[G][:11]
    refresh(s)
    do(s, "play desperation -2")
    assert kind(s) == "G main"
    assert len(s.discard[G]) == 0
    assert len(s.deck[G]) == 12 - 3
    assert hands(s)[G] == 3


def test_tv_35_nothing_left_to_draw_or_flip() -> None:
    s = table(G, german={"G384": "GRA.C 9"}, russian={"R308": "GRA.C 9"})
    hold_fire(s)
    do(s, "attack GRA")
    assert s.view(R).battle.fire == (0, 0)
    to_main(s)
    do(s, "end")
    assert s.acting == R
    assert hands(s) == (0, 0)


def test_tv_36_hits_are_never_below_zero() -> None:
    s = table(
        G, german={"G09F": "GRA.C 9"}, russian={"R169": "GRA.C 9"},
        hand=["attack 1"], enemy_hand=["fog_of_war -3"],
    )  # fmt: skip
    hold_fire(s)
    do(s, "attack GRA")
    until(s, "G firefight")
    do(s, "G: fire attack 1", "R: fire fog_of_war -3")
    assert s.view(R).battle.hits[G] == 0
    assert kind(s) == "G absorb", "no Hits, nothing to absorb"


def test_tv_37_effective_combat() -> None:
    s = table(G, german={"G14P": "GRA.C 9 1"}, russian={"R169": "GRA.C 9"}, hand=["big_push 1"])
    do(s, "play big_push 1")
    f = s.book.force_no["G14P"]
    assert s.eff(f, attacking=True, doubled=True) == (5 + 2 + 1 + 1) * 2 == 18
    assert s.eff(f, attacking=False, doubled=True) == (5 + 1 + 1) * 2 == 14


def test_tv_38_a_retreat_with_one_hit_left_wastes_the_rest() -> None:
    s = table(G, german={"G09F": "GRA.C 9"}, russian={"R169": "GRA.C 9"})
    hold_fire(s)
    do(s, "attack GRA")
    assert s.view(R).absorb.hits == 1
    do(s, "R: retreat R169")
    assert where(s, "R169") == "GRA.P"
    assert kind(s) == "G absorb"


def test_tv_39_ignore_is_good_once_in_each_attack() -> None:
    s = table(
        G, german={"G16P": "GRA.C 9"}, russian={"R15G": "GRA.C 20"}, hand=["dive_bombers 1"]
    )  # fmt: skip
    hold_fire(s)
    do(s, "attack GRA")
    until(s, "R absorb")
    take(s, "R: ignore R15G")
    assert "ignore R15G" not in texts(s)
    do(s, "R: ration R15G 4", "G: retreat G16P")
    do(s, "G: play dive_bombers 1")
    until(s, "R absorb")
    take(s, "R: ignore R15G")
    assert s.view(R).absorb.hits == 3
    assert "ignore R15G" not in texts(s)
