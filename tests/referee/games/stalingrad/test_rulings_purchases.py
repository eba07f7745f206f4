"""Rulings on buying, decks, notes, Uranus payments and the end (§11: 59 to 70, 74 to 82)."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.games.stalingrad import events
from tests.referee.games.stalingrad.table import (
    G,
    R,
    begin,
    bottom,
    cards,
    do,
    hands,
    kind,
    rations,
    refresh,
    retouched,
    settle,
    stack,
    stack_forces,
    table,
    take,
    texts,
    to_main,
    told,
    where,
)

SNIPERS = ["sniper -1", "sniper -2", "sniper -2", "sniper -3"]


# Buy Forces


def test_a_force_is_paid_for_in_one_action_or_not_at_all() -> None:
    """§3.4: a cost of 2 and a single card; nothing can be put by for later."""
    there = {"russian": {"R169": "GUM.P 1"}, "tops": {R: ["R95R"]}}
    assert "buy" not in texts(table(R, hand=["sniper -1"], **there))
    s = table(R, hand=["sniper -1", "sniper -2", "sniper -3"], **there)
    take(s, "R: buy")
    for left in (2, 1):
        assert kind(s) == "R discard"
        assert s.view(G).left == left
        s.choose(R, 0)
    assert kind(s) == "R buy_place"


def test_buying_is_offered_as_soon_as_points_and_cards_reach_the_cost() -> None:
    s = table(R, russian={"R169": "GUM.P 1"}, tops={R: ["R37G"]}, hand=["reinforcements 1"] * 2)
    assert "buy" not in texts(s), "cost 3, two cards"
    take(s, "R: play reinforcements 1")
    assert "buy" in texts(s), "two points and one card"


def test_a_force_may_be_bought_straight_into_a_control_area_the_enemy_does_not_hold() -> None:
    s = table(
        R, russian={"R169": "GUM.C 1", "R248": "TRA.C 1"},
        german={"G16P": "DOC.C 1", "G384": "TRA.C 1"}, tops={R: ["R45R"]}, hand=SNIPERS,
    )  # fmt: skip
    do(s, "R: buy", "R: discard sniper -3")
    assert texts(s) == [
        "to GUM.C", "to GUM.P", "to GRA.C", "to GRA.P", "to TRA.C", "to TRA.P", "to DOC.P",
        "to PAV.C", "to PAV.P",
    ]  # fmt: skip
    take(s, "R: to TRA.C")
    assert (where(s, "R45R"), rations(s, "R45R")) == ("TRA.C", (3,))
    assert "move R45R" in texts(s), "it may act at once"


def test_a_force_destroyed_while_its_deck_is_empty_is_the_next_for_sale() -> None:
    s = table(R, russian={"R169": "GUM.C", "R248": "GRA.C 1"}, hand=SNIPERS)
    stack_forces(s, R, (), only=True)
    stack(s, R, hand=["uranus_i 3", *SNIPERS])
    begin(s, R)
    assert "buy" not in texts(s)
    assert s.view(G).force_deck_tops[R] == ""
    do(s, "R: play uranus_i 3", "R: destroy_own R169")
    settle(s)
    assert s.view(G).force_deck_tops[R] == "R169"
    assert s.view(G).force_deck_bottoms[R] == ("R169",)
    assert "buy" in texts(s)


def test_a_force_deck_is_never_shuffled_again() -> None:
    hand = ["uranus_i 3", "uranus_v -2", *SNIPERS]
    forces = {"R169": "GUM.P 1", "R248": "GUM.P 1", "R84T": "GUM.P 1"}
    s = table(R, russian=forces, hand=hand, tops={R: ["R45R"]})
    order = bottom(s, R, 21)
    do(s, "R: play uranus_i 3", "R: destroy_own R248", "R: play uranus_v -2", "R: destroy_own R169")
    settle(s)
    assert bottom(s, R, 23) == [*order, "R248", "R169"]
    do(s, "R: buy", "R: discard sniper -3", "R: to GUM.P")
    assert bottom(s, R, 23) == [*order[1:], "R248", "R169"]


# Draw, flip, search


def test_locations_count_for_the_draw_when_the_cards_are_drawn() -> None:
    """§3.5: Gumrak is Controlled only since this turn's move."""
    s = table(G, german={"G16P": "GUM.P 1"}, hand=["tanks 2"])
    do(s, "G: move G16P", "G: to GUM.C", "G: end")
    assert hands(s)[G] == 1 + 5 + 1
    s = table(G, german={"G16P": "GUM.C 1"}, hand=["tanks 2"])
    do(s, "G: move G16P", "G: to GUM.P", "G: end")
    assert hands(s)[G] == 1 + 5


def test_victory_is_checked_after_the_draw() -> None:
    forces = ("G16P", "G384", "G376", "G113", "G20R")
    held = {f: f"{loc}.C 1" for f, loc in zip(forces, ("GUM", "GRA", "TRA", "DOC", "PAV"))}
    s = table(G, german=held, hand=["tanks 2"])
    do(s, "G: end")
    ended = [type(event) for event in s.events(R)]
    assert ended.index(events.Drew) < ended.index(events.GameEnded)
    assert hands(s)[G] == 1 + 10


def test_a_depleted_deck_is_made_anew_when_the_next_card_is_needed() -> None:
    """§3.5: what is discarded in between is in it."""
    s = table(R, russian={"R169": "GUM.P 3"}, hand=SNIPERS)
    deck = ["tanks 2", "rubble -2", "rubble -2", "victory 3", "victory 3"]
    stack(s, R, hand=SNIPERS, deck=deck, deck_size=5)
    begin(s, R)
    pile = len(s.discard[R])
    do(s, "R: end")
    to_main(s)
    assert (kind(s), len(s.deck[R]), hands(s)[R]) == ("R main", 0, 9)
    do(s, "R: resupply", "R: discard sniper -3")
    assert told(s, G, events.DeckMade) == []
    do(s, "R: end")
    assert told(s, G, events.DeckMade) == [events.DeckMade(R, pile + 1)]


def test_a_flip_makes_a_depleted_deck_anew() -> None:
    s = table(G, russian={"R15G": "GUM.C 3"}, german={"G16P": "GUM.C 9"})
    stack(s, G, deck_size=0)
    refresh(s)
    do(s, "G: attack GUM")
    settle(s)
    assert [event.seat for event in told(s, R, events.Flipped)] == [G, R]
    assert told(s, R, events.DeckMade) == [events.DeckMade(G, 55)]
    assert len(s.deck[G]) == 54


def test_cards_are_discarded_face_up() -> None:
    """§3.7: both see what pays for Resupply and for a Force."""
    s = table(R, russian={"R169": "GUM.P 1"}, tops={R: ["R45R"]}, hand=SNIPERS)
    do(s, "R: resupply", "R: discard sniper -3", "R: buy", "R: discard sniper -1", "R: to GUM.P")
    for viewer in (R, G):
        shown = [(event.card, event.source) for event in told(s, viewer, events.Discarded)]
        assert shown == [(("sniper", -3), "hand"), (("sniper", -1), "hand")]
        assert s.view(viewer).discards[R] == (("sniper", -3), ("sniper", -1))


# Notes


def test_notes_add_up_whatever_the_order_of_the_line(tmp_path: Path) -> None:
    note = {"note": {"key": "resupply_rations", "add": 2}}
    folder = retouched(tmp_path, "locations", GRA=note)
    for line in (("GUM", "GRA", "TRA", "DOC", "PAV"), ("GRA", "TRA", "DOC", "PAV", "GUM")):
        s = table(
            R, russian={"R169": "GUM.C", "R248": "GRA.C"}, line=line, hand=SNIPERS, cards=folder
        )
        do(s, "R: resupply", "R: discard sniper -1")
        assert s.view(R).left == 2 + 1 + 2
        s = table(R, russian={"R169": "GUM.C"}, line=line, hand=SNIPERS, cards=folder)
        do(s, "R: resupply", "R: discard sniper -1")
        assert rations(s, "R169") == (2 + 1,)


def test_a_note_is_read_once_when_the_action_begins() -> None:
    """Barrikady gives +1 Hit; the Barrage is paid at the Location it has destroyed by then."""
    s = table(
        G, russian={"R169": "GUM.C 9"}, german={"G16P": "BAR.C 1"},
        line=("GUM", "GRA", "TRA", "DOC", "BAR"), rubble={"BAR": 5}, hand=["artillery_barrage 1"],
    )  # fmt: skip
    assert s.card_param(G, "artillery_barrage", "hits") == 1
    take(s, "G: play artillery_barrage 1")
    assert s.view(R).absorb.hits == 4
    s = table(G, german={"G16P": "DOC.C 1"}, hand=["tanks 2", "tanks 3"], tops={G: ["G113"]})
    do(s, "G: buy", "G: discard tanks 2")
    s.put(s.book.force_no["G16P"], s.area_no("DOC.P"))
    do(s, "G: to GUM.P")
    assert rations(s, "G113") == (3,), "the Docks were held when the purchase began"


# Operation Uranus


def test_effects_of_uranus_cards_add_up(tmp_path: Path) -> None:
    twice = {"effect": [{"op": "modifier", "key": "buy_cost", "who": "enemy", "add": 1}]}
    folder = retouched(tmp_path, "cards", uranus_vi=twice)
    s = table(G, tops={G: ["G113"]}, hand=["tanks 2"] * 2, cards=folder)
    stack(s, R, in_play=["uranus_i 3", "uranus_vi -3"])
    refresh(s)
    assert s.buy_cost(s.book.force_no["G113"]) == 1 + 2
    assert "buy" not in texts(s)


def test_the_german_pays_for_uranus_in_his_own_actions_as_often_as_he_can() -> None:
    s = table(G, german={"G16P": "GUM.P 5"}, hand=["tanks 2", "sniper -3"])
    stack(s, R, in_play=["uranus_ii 2", "uranus_v -2", "uranus_iv -1"])
    begin(s, G)
    payable = [text.split()[1] for text in texts(s) if text.startswith("pay_uranus")]
    assert payable == ["uranus_ii", "uranus_iv", "uranus_v"]
    take(s, "G: pay_uranus uranus_ii 2")
    assert rations(s, "G16P") == (1,)
    assert "pay_uranus uranus_iv -1" not in texts(s), "5 Rations are not there"
    take(s, "G: pay_uranus uranus_v -2")
    assert where(s, "G16P") == ""
    assert cards(s, s.in_play[R]) == ["uranus_iv -1"]
    s = table(R, russian={"R169": "GUM.P 1"}, german={"G16P": "GUM.P 9"}, hand=SNIPERS)
    stack(s, R, hand=SNIPERS, in_play=["uranus_ii 2"])
    begin(s, R)
    assert not [text for text in texts(s) if text.startswith("pay_uranus")]


@pytest.mark.parametrize(
    ("card", "enough", "too_little"),
    [
        ("uranus_i 3", {"R169": "GUM.P"}, {}),
        ("uranus_iii 1", {"R169": "GUM.P 2", "R248": "GRA.C 1"}, {"R169": "GUM.P 2"}),
        ("uranus_vi -3", {"R169": "GUM.P 4"}, {"R169": "GUM.P 3"}),
    ],
)
def test_uranus_is_not_playable_when_its_cost_cannot_be_paid(
    card: str, enough: dict[str, str], too_little: dict[str, str]
) -> None:
    assert f"play {card}" in texts(table(R, russian=enough, hand=[card, "sniper -1"]))
    assert f"play {card}" not in texts(table(R, russian=too_little, hand=[card, "sniper -1"]))


def test_uranus_is_not_paid_for_with_itself() -> None:
    """§8.7: discards come from the hand without the card."""
    there = {"R169": "GUM.P 1"}
    s = table(R, russian=there, hand=["uranus_ii 2", "sniper -1", "sniper -2"])
    assert "play uranus_ii 2" in texts(s)
    s = table(R, russian=there, hand=["uranus_ii 2", "sniper -1"])
    assert "play uranus_ii 2" not in texts(s)


# The end


def at_the_limit(acting: int = R, **forces: dict[str, str]) -> object:
    s = table(acting, round_=20, hand=["tanks 2"], **forces)
    do(s, "end")
    return s.outcome()


@pytest.mark.parametrize(
    ("russian", "german", "ranks", "reason"),
    [
        ({"R169": "GUM.C"}, {"G24P": "GUM.P 9"}, (1, 2), "ADJUDICATED_a"),
        ({"R169": "GUM.C 9"}, {"G376": "GRA.C 0 1"}, (2, 1), "ADJUDICATED_b"),
        ({"R169": "GUM.C 2"}, {"G376": "GRA.C 1"}, (1, 2), "ADJUDICATED_c"),
        ({"R169": "GUM.C 2"}, {"G376": "GRA.C 2"}, (1, 1), "DRAW"),
    ],
)
def test_at_the_limit_the_first_difference_decides(
    russian: dict[str, str], german: dict[str, str], ranks: tuple[int, int], reason: str
) -> None:
    """§5.2: Locations; cost and medals on the board; Rations on the board."""
    outcome = at_the_limit(russian=russian, german=german)
    assert (outcome.ranks, outcome.reason) == (ranks, reason)


def test_the_limit_is_the_end_of_the_russian_turn_of_its_round() -> None:
    forces = {"russian": {"R169": "GUM.C 1"}, "german": {"G24P": "GRA.C 9", "G16P": "TRA.C 1"}}
    assert at_the_limit(G, **forces) is None
    s = table(R, round_=19, hand=["tanks 2"], **forces)
    do(s, "R: end")
    assert s.outcome() is None
    s = table(R, round_=20, hand=["tanks 2"], adjudication="russian_holds", **forces)
    do(s, "R: end")
    assert s.outcome() == ((1, 2), (1, 0), "ADJUDICATED_HOLD")


# Windows that are not there


def test_no_window_opens_before_buy_resupply_or_an_attack() -> None:
    """§7.1: the enemy holds a card for every window."""
    s = table(
        G, russian={"R15G": "GUM.C 3"}, german={"G16P": "GUM.C 9"}, tops={G: ["G113"]},
        hand=["tanks 2", "tanks 3", "heavy_weapons 1"],
        enemy_hand=["fog_of_war -2", "sniper -1", "scouts 1", "sewer_warfare 1"],
    )  # fmt: skip
    do(s, "G: resupply")
    take(s, "G: discard tanks 2")
    assert kind(s) == "G main"
    take(s, "G: buy")
    take(s, "G: discard tanks 3")
    take(s, "G: to GUM.P")
    assert kind(s) == "G main"
    take(s, "G: attack GUM")
    assert kind(s) == "G battle", "the BATTLE window, the attacker first"
