"""Rulings (§11) on set-up, supply, moving, buying, drawing, victory; and contradiction C15."""

from __future__ import annotations

from random import Random

import pytest

from referee.games.stalingrad import events
from referee.games.stalingrad.game import GAME
from tests.referee.games.stalingrad.table import (
    LINE,
    G,
    R,
    bottom,
    cards,
    control,
    do,
    hands,
    kind,
    place,
    rations,
    refresh,
    rubble,
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


def set_up(seed: int):
    """A random set-up, as (decisions, state)."""
    s = GAME.start(seed=f"set-up {seed}")
    chance = Random(seed)
    asked = []
    while s.step == "SETUP":
        asked.append((kind(s), texts(s)))
        s.choose(s.asked()[0], chance.randrange(len(s.options(s.asked()[0]))))
    return asked, s


def test_ruling_01_set_up_totals_are_exact() -> None:
    for seed in range(10):
        _, s = set_up(seed)
        costs = [sum(s.force(f).cost for f in s.forces_of(seat)) for seat in (R, G)]
        assert costs == [11, 9]


def test_ruling_02_each_pick_is_placed_before_the_next() -> None:
    asked, _ = set_up(1)
    kinds = [name for name, _ in asked]
    russian = kinds.index("G setup_pick")
    for first, second in zip(kinds[:russian:2], kinds[1:russian:2], strict=False):
        assert (first, second) == ("R setup_pick", "R setup_place")


def test_ruling_03_the_german_chooses_knowing_the_russian_top_card() -> None:
    s = GAME.start(seed="top")
    while kind(s) != "G setup_pick":
        assert s.view(G).force_deck_tops == ("", "")
        s.choose(R, 0)
    top = s.view(G).force_deck_tops[R]
    assert top == s.force(s.force_deck[R][0]).id


def test_ruling_04_the_german_sets_up_in_perimeter_areas_alone() -> None:
    asked, _ = set_up(2)
    german = [text for name, offered in asked if name == "G setup_place" for text in offered]
    assert german
    assert all(text.endswith(".P") for text in german)
    russian = [text for name, offered in asked if name == "R setup_place" for text in offered]
    assert any(text.endswith(".C") for text in russian)


def test_ruling_06_locations_supply_before_the_perimeter() -> None:
    s = table(R, german={"G16P": "PAV.C 0", "G384": "PAV.P 0"}, russian={"R169": "GUM.P 1"})
    do(s, "end", "place_ration G16P", "place_ration G384")
    changes = [event[:2] for event in told(s, R, events.RationsChanged)]
    assert changes[-3:] == [("G16P", 1), ("G384", 1), ("G384", 1)]


def test_ruling_07_rations_need_a_force_to_take_them() -> None:
    hand = ["fresh_supplies -1", "air_supply -1", "tanks 2"]
    s = table(G, german={"G384": "PAV.C 1"}, hand=hand)
    assert "play fresh_supplies -1" not in texts(s), "none in a Perimeter Area"
    assert "play air_supply -1" in texts(s)
    s = table(G, hand=hand, tops={G: ["G20R"]})
    assert not any(text.startswith("play") for text in texts(s))
    assert "resupply" not in texts(s)


def test_ruling_08_a_destroyed_location_does_not_stop_perimeter_rations() -> None:
    s = table(R, german={"G384": "PAV.P 0"}, russian={"R169": "GUM.P 1"})
    s.add_rubble(s.place_of("PAV"), 5)
    do(s, "end")
    assert rations(s, "G384") == (1,)


def test_ruling_09_no_force_is_too_full_for_rations() -> None:
    s = table(G, german={"G384": "PAV.P 60"}, hand=["fresh_supplies -1", "tanks 2"])
    do(s, "play fresh_supplies -1")
    assert rations(s, "G384") == (62,)


def test_ruling_10_a_move_goes_somewhere_else() -> None:
    for area in ("PAV.P", "PAV.C"):
        s = table(G, german={"G384": f"{area} 1", "G376": "GUM.P 1"})
        do(s, "move G384")
        assert f"to {area}" not in texts(s)
        assert len(texts(s)) == 9


def test_ruling_11_from_the_perimeter_it_is_an_advance() -> None:
    s = table(G, german={"G384": "PAV.P 3", "G16P": "GUM.P 1"}, russian={"R169": "DOC.C 1"})
    for area in ("PAV.C", "DOC.P", "DOC.C", "GRA.C"):
        do(s, "move G384", f"to {area}") if rations(s, "G384") != (0,) else None
    ways = [event.way for event in told(s, R, events.MoveDeclared)]
    assert ways == ["advance", "perimeter", "advance"]
    do(s, "move G16P", "to GRA.C")
    assert told(s, R, events.MoveDeclared)[-1].way == "control"


def test_ruling_12_leaving_a_contested_area_is_free_of_restrictions() -> None:
    s = table(G, german={"G384": "PAV.C 1", "G376": "GUM.P 1"}, russian={"R169": "PAV.C 1"})
    do(s, "move G384", "to GUM.C")
    assert where(s, "G384") == "GUM.C"
    assert control(s, "PAV") == "R"


def test_ruling_13_back_into_the_own_perimeter() -> None:
    s = table(G, german={"G384": "PAV.C 1", "G376": "GUM.P 1"})
    do(s, "move G384", "to PAV.P")
    assert where(s, "G384") == "PAV.P"
    assert rations(s, "G384") == (0,)


def test_ruling_14_a_force_moves_and_attacks_again_while_it_pays() -> None:
    s = table(G, german={"G384": "PAV.P 9"}, russian={"R13G": "PAV.C 60"})
    do(s, "move G384", "to PAV.C", "attack PAV")
    to_main(s)
    left = rations(s, "G384")[0]
    if where(s, "G384") == "PAV.C":
        do(s, "attack PAV")
        assert rations(s, "G384") == (left - 1,)
        to_main(s)
    assert rubble(s, "PAV") == 2


def test_ruling_16_a_free_mover_pays_for_an_attack() -> None:
    s = table(G, german={"G16P": "PAV.C 0"}, russian={"R169": "PAV.C 1"})
    assert "move G16P" in texts(s)
    assert "attack PAV" not in texts(s)


def test_ruling_57_fresh_supplies_reach_every_perimeter_force() -> None:
    german = {"G384": "PAV.P 0", "G376": "GUM.P 1", "G113": "GUM.P 2", "G16P": "GUM.C 3"}
    s = table(G, german=german, hand=["fresh_supplies -1", "tanks 2"])
    do(s, "play fresh_supplies -1")
    assert rations(s, *german) == (2, 3, 4, 3)


def test_ruling_58_points_outlive_buying_and_reinforcements_alone() -> None:
    s = table(
        G, german={"G384": "PAV.P 1"}, tops={G: ["G20R", "G376"]},
        hand=["reinforcements 1", "reinforcements -1", "tanks 2", "tanks 3"],
    )  # fmt: skip
    do(s, "play reinforcements 1", "buy", "to PAV.P", "play reinforcements -1")
    assert s.buy_points == 3
    do(s, "resupply")
    assert s.buy_points == 0


def test_ruling_59_a_purchase_is_paid_in_one_action() -> None:
    s = table(G, german={"G384": "PAV.P 1"}, tops={G: ["G24P"]}, hand=["tanks 2", "tanks 3"])
    assert "buy" not in texts(s), "4 cards, whatever is put aside"
    s = table(G, german={"G384": "PAV.P 1"}, tops={G: ["G79I"]},
              hand=["tanks 2", "tanks 3"])  # fmt: skip
    do(s, "buy")
    paid = []
    while kind(s) == "G discard":
        paid.append(texts(s)[0])
        s.choose(G, 0)
    assert len(s.discard[G]) == 2
    assert kind(s) == "G buy_place", "nothing else comes between"


def test_ruling_60_too_few_cards_buy_nothing() -> None:
    for count, offered in ((1, False), (2, True)):
        s = table(G, german={"G384": "PAV.P 1"}, tops={G: ["G79I"]}, hand=["tanks 2"] * count)
        assert ("buy" in texts(s)) is offered


def test_ruling_61_bought_into_any_area_but_enemy_held_ones() -> None:
    """Also C16: both the Perimeter and the Control Area."""
    s = table(
        G, german={"G384": "PAV.C 1", "G376": "GUM.C 1"}, russian={"R169": "PAV.C 1",
        "R308": "DOC.C 1"}, tops={G: ["G20R"]}, hand=["tanks 2", "tanks 3"],
    )  # fmt: skip
    do(s, "buy", "discard tanks 2")
    offered = {text.removeprefix("to ") for text in texts(s)}
    assert {f"{each}.P" for each in LINE} < offered
    assert {"PAV.C", "GUM.C", "GRA.C", "TRA.C"} == {each for each in offered if each[-1] == "C"}


def test_ruling_62_an_empty_force_deck() -> None:
    s = table(G, german={"G384": "PAV.C 1", "G376": "GUM.P 1"}, russian={"R13G": "PAV.C 9"},
              hand=["tanks 2", "tanks 3"])  # fmt: skip
    stack_forces(s, G, (), only=True)
    s.deck[R], s.discard[R], s.deck[G], s.discard[G] = [], [], [], []
    refresh(s)
    assert "buy" not in texts(s)
    do(s, "attack PAV")
    to_main(s)
    assert where(s, "G384") in ("", "PAV.P")
    s.destroy(s.book.force_no["G376"])
    assert s.view(R).force_deck_tops[G] == s.force(s.force_deck[G][0]).id


def test_ruling_63_a_force_deck_is_never_shuffled_again() -> None:
    s = table(G, german={"G384": "PAV.C 1"}, russian={"R169": "GUM.P 1", "R308": "GUM.P 1"})
    before = s.force_deck[R].copy()
    for name in ("R308", "R169"):
        s.destroy(s.book.force_no[name])
    assert s.force_deck[R][:-2] == before
    assert bottom(s, R, 2) == ["R308", "R169"]


def test_ruling_64_the_bonus_counts_what_is_controlled_at_the_draw() -> None:
    s = table(G, german={"G384": "PAV.P 1", "G376": "GUM.C 1"}, hand=["tanks 2"])
    do(s, "move G384", "to PAV.C", "end")
    assert hands(s)[G] == 1 + 5 + 2


def test_ruling_65_victory_is_checked_after_the_draw() -> None:
    five = ("G16P", "G384", "G376", "G113", "G20R")
    s = table(G, german={f: f"{loc}.C 3" for f, loc in zip(five, LINE, strict=True)},
              hand=["tanks 2"])  # fmt: skip
    do(s, "end")
    assert s.outcome() is not None
    assert hands(s)[G] == 1 + 5 + 5
    names = [type(event).__name__ for event in s.events(R)]
    assert names.index("Drew") < names.index("GameEnded")


def test_ruling_74_cards_discarded_for_a_cost_are_shown() -> None:
    s = table(G, german={"G384": "PAV.P 1"}, hand=["tanks 2", "tanks 3"])
    do(s, "resupply", "discard tanks 3")
    assert told(s, R, events.Discarded)[-1] == events.Discarded(G, ("tanks", 3), "hand")
    assert s.view(R).discards[G] == (("tanks", 3),)


@pytest.mark.parametrize(
    ("russian", "german", "reason", "ranks"),
    [
        ({"R169": "GUM.C 1"}, {"G24P": "PAV.P 9"}, "ADJUDICATED_a", (1, 2)),
        ({"R169": "GUM.P 9"}, {"G24P": "PAV.P 0"}, "ADJUDICATED_b", (2, 1)),
        ({"R169": "GUM.P 9 4"}, {"G24P": "PAV.P 0"}, "ADJUDICATED_b", (1, 2)),
        ({"R169": "GUM.P 9"}, {"G20R": "PAV.P 0"}, "ADJUDICATED_c", (1, 2)),
        ({"R169": "GUM.P 5"}, {"G20R": "PAV.P 5"}, "DRAW", (1, 1)),
    ],
)
def test_ruling_77_the_limit_ends_the_game(russian, german, reason, ranks) -> None:
    s = table(R, russian=russian, german=german, round_=20)
    do(s, "end")
    assert s.outcome().reason == reason
    assert s.outcome().ranks == ranks
    assert s.outcome().scores == {(1, 2): (1, 0), (2, 1): (0, 1), (1, 1): (0, 0)}[ranks]


def test_ruling_79_no_window_before_buy_resupply_and_attack() -> None:
    s = table(
        G, german={"G384": "PAV.C 2"}, russian={"R169": "PAV.C 1"}, tops={G: ["G20R"]},
        hand=["tanks 2", "tanks 3", "tanks 2"],
        enemy_hand=["fog_of_war -2", "sniper -1", "scouts 1"],
    )  # fmt: skip
    do(s, "G: resupply")
    assert kind(s) == "G discard"
    do(s, "G: discard tanks 2")
    assert kind(s) == "G main", "one Force takes both Rations"
    take(s, "G: buy")
    assert kind(s) == "G discard"
    do(s, "G: discard tanks 2", "G: to GUM.P")
    take(s, "G: attack PAV")
    assert kind(s) == "G battle"


def test_ruling_81_a_deck_is_made_anew_when_the_next_card_is_needed() -> None:
    s = table(G, german={"G384": "PAV.P 1"})
    stack(s, G, hand=["tanks 2", "desperation -2"], deck=["tanks 3"], deck_size=1)
    s.discard[G] = []
    refresh(s)
    s.draw(G, 1)
    assert (s.deck[G], s.discard[G]) == ([], []), "not at once"
    refresh(s)
    do(s, "resupply", "discard tanks 2")
    assert cards(s, s.discard[G]) == ["tanks +2"]
    s.draw(G, 1)
    assert "tanks +2" in cards(s, s.hand[G]), "what was discarded in between is in it"


def test_ruling_82_notes_are_read_once_when_a_card_begins() -> None:
    line = ("CEN", "GUM", "GRA", "TRA", "PAV")
    s = table(G, line=line, german={"G384": "CEN.C 1"}, hand=["high_morale 1", "tanks 2"])
    do(s, "play high_morale 1")
    settle(s)
    assert s.view(G).left == 4 + 1
    do(s, "free_move G384", "to GUM.C")
    assert control(s, "CEN") == "-"
    assert s.view(G).left == 4, "four are still due of five"


def test_contradiction_15_resupply_gives_exactly_two() -> None:
    s = table(G, german={"G384": "PAV.P 0", "G376": "PAV.P 0"}, hand=["tanks 2"] * 2)
    do(s, "resupply", "discard tanks 2")
    assert s.view(G).left == 2
    assert not {"stop", "pass"} & set(texts(s))
    do(s, "place_ration G384", "place_ration G376")
    assert rations(s, "G384", "G376") == (1, 1)
    place(s, {"G113": "GUM.C 0"})
    refresh(s)
    do(s, "resupply")
    assert s.view(G).left == 3, "Gumrak's note adds one"
