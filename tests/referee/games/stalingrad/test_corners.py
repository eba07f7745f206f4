"""Corners of the rules beside vectors and rulings: chains of cards, empty decks, the limit."""

from __future__ import annotations

from referee.games.stalingrad import events
from referee.games.stalingrad.state import Stalingrad
from tests.referee.games.stalingrad.table import (
    G,
    R,
    begin,
    bottom,
    cards,
    control,
    do,
    hands,
    hold_fire,
    hold_the_rest,
    kind,
    plays,
    rations,
    rubble,
    settle,
    stack,
    stack_forces,
    table,
    take,
    texts,
    to_main,
    told,
    until,
    where,
)

SNIPERS = ["sniper -1", "sniper -2", "sniper -2", "sniper -3"]

# Cards


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


def test_two_forces_lost_are_answered_by_two_cards_of_which_a_cancelled_one_counts() -> None:
    s = lose(2, ["recover_wounded -1", "recover_wounded -2", "recover_wounded -3", "sniper -1"])
    stack(s, G, hand=["fog_of_war -2"])
    assert kind(s) == "R on_destroyed"
    do(s, "R: play recover_wounded -1", "G: play fog_of_war -2", "R: play recover_wounded -2")
    settle(s)
    do(s, *["R: place_ration R15G"] * 3)
    assert rations(s, "R15G") == (4,)
    assert kind(s) == "G absorb"


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


# Battles


def test_no_medal_while_an_enemy_participant_lives_wherever_he_went() -> None:
    """§4.5: Control of the Location is not enough."""
    s = table(G, russian={"R169": "GUM.C 9"}, german={"G24P": "GUM.C 9"})
    hold_fire(s)
    do(s, "G: attack GUM", "R: retreat R169", "R: ration R169 5", "G: ration G24P 1")
    settle(s)
    assert control(s, "GUM") == "G"
    assert told(s, R, events.MedalAwarded) == []


# Buying and decks


def test_buying_is_offered_as_soon_as_points_and_cards_reach_the_cost() -> None:
    s = table(R, russian={"R169": "GUM.P 1"}, tops={R: ["R37G"]}, hand=["reinforcements 1"] * 2)
    assert "buy" not in texts(s), "cost 3, two cards"
    take(s, "R: play reinforcements 1")
    assert "buy" in texts(s), "two points and one card"


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


# The end


def test_locations_taken_since_supply_count_for_the_draw() -> None:
    """§3.5: through a whole turn, in whose SUPPLY the German Controls two, and at its end one."""
    german = {"G16P": "GUM.C 1", "G376": "GRA.C 1"}
    s = table(R, russian={"R169": "PAV.P 1"}, german=german, hand=["tanks 2"])
    stack(s, G, hand=["sniper -3"])
    do(s, "R: end", "G: move G16P", "G: to GUM.P", "G: end")
    settle(s)
    assert [event.drawn for event in told(s, R, events.Drew) if event.seat == G] == [5 + 1]


def test_the_limit_is_the_end_of_the_russian_turn_of_its_round() -> None:
    """§5.2, §5.3."""
    forces = {"russian": {"R169": "GUM.C 1"}, "german": {"G24P": "GRA.C 9", "G16P": "TRA.C 1"}}
    for acting, round_, options, reason in (
        (G, 20, {}, None),
        (R, 19, {}, None),
        (R, 20, {}, "ADJUDICATED_a"),
        (R, 20, {"adjudication": "russian_holds"}, "ADJUDICATED_HOLD"),
        (R, 3, {"max_rounds": 3}, "ADJUDICATED_a"),
    ):
        s = table(acting, round_=round_, hand=["tanks 2"], **forces, **options)
        do(s, "end")
        outcome = s.outcome()
        assert (outcome.reason if outcome else None) == reason


def test_at_the_cap_on_actions_there_is_nothing_but_the_end() -> None:
    s = table(
        G, german={"G384": "GUM.P 9"}, hand=["tanks 2"], enemy_hand=["victory 3"],
        max_actions_per_turn=2,
    )  # fmt: skip
    do(s, "G: move G384", "G: to GUM.C", "G: move G384", "G: to GUM.P")
    settle(s)
    assert s.acting == R, "the German turn has ended by itself"
    assert rations(s, "G384") == (7,)


def test_the_draw_window_closes_when_propaganda_war_has_resolved() -> None:
    """§7.1: who holds a second one is not asked again; a cancelled one leaves the window open."""
    for fog, closed in (([], True), (["fog_of_war -2"], False)):
        s = table(
            G, german={"G384": "GUM.C 1"}, hand=["tanks 2", *fog],
            enemy_hand=["propaganda_war 1", "propaganda_war -1"],
        )  # fmt: skip
        do(s, "G: end", "R: play propaganda_war 1")
        take(s, "G: play fog_of_war -2" if fog else "G: pass")
        settle(s)
        asked = [event.seat for event in told(s, G, events.Passed) if event.window == "ON_DRAW"]
        assert asked == ([] if closed else [R])
        drawn = [event.drawn for event in told(s, R, events.Drew) if event.seat == G]
        assert drawn == [5 if closed else 6]
