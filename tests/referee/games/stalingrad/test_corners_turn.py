"""Corners of a turn beside vectors and rulings: set-up, moves, Actions, purchases, decks."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from random import Random

from referee.games.stalingrad import events
from referee.games.stalingrad.game import GAME
from referee.games.stalingrad.load import shipped
from referee.games.stalingrad.state import Stalingrad
from tests.referee.games.stalingrad.table import (
    LINE,
    G,
    R,
    begin,
    cards,
    do,
    hands,
    hold_the_rest,
    kind,
    plays,
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

FORCES = shipped().forces

# Set-up (§2)


def test_after_the_set_up_the_german_begins_with_what_the_rulebook_gives() -> None:
    s = GAME.start(seed="first turn")
    assert sorted((*s.board, *s.unused)) == list(range(10))
    chance = Random(1)
    for seat in (R, G):
        s.choose(seat, 0)
        areas = "CP" if seat == R else "P"
        line = [s.location(place).id for place in range(5)]
        assert texts(s) == [f"to {loc}.{area}" for loc in line for area in areas]
        s.choose(seat, 0)
        while s.step == "SETUP" and s.asked() == (seat,):
            s.choose(seat, chance.randrange(len(s.options(seat))))
    formed = {event.seat: event for event in told(s, R, events.ForceDeckFormed)}
    for seat in (R, G):
        chosen = s.forces_of(seat)
        starting = [s.force(f).rations for f in chosen]
        assert formed[seat].rations == tuple(starting)
        assert sorted([*chosen, *s.force_deck[seat]]) == list(s.book.forces_of[seat])
    assert (s.round, s.acting) == (1, G)
    assert hands(s) == (10, 5)
    assert [len(deck) for deck in s.deck] == [45, 50]


def test_a_full_area_is_not_offered_in_the_set_up() -> None:
    s = GAME.start(seed="crowded")
    first = s.area_id(0)
    for n in range(4):
        costs = [s.force(s.force_no(option)).cost for option in s.options(R)]
        s.choose(R, costs.index(min(costs)))
        assert (f"to {first}" in texts(s)) is (n < 3)
        s.choose(R, 0)


def test_a_pick_is_not_counted_twice_to_reach_the_total(tmp_path: Path) -> None:
    """§2.1: costs 6, 5, 3 for 11; two of the 3 there are not."""
    toy = {"R169": 6, "R248": 5, "R84T": 3}
    others = {each.id: {"cost": toy.get(each.id, 12)} for each in FORCES if each.seat == R}
    s = GAME.start(seed="toy", options={"cards": retouched(tmp_path, "forces", **others)})
    assert texts(s) == ["pick R169", "pick R248"]


def test_decks_lie_as_their_streams_say_whatever_was_chosen() -> None:
    """§7.6: a shuffle sorts ids by the hash of seed, stream and id; chosen Forces are struck."""
    orders = set()
    for choices in (1, 2):
        s = GAME.start(seed="streams")
        ids = [f"{card}{ff:+d}#{n}" for card, ff, n in copies(s)]
        wanted = by_hash(f"{s.seed}|G.actions.0", ids)
        deck = [f"{card}{ff:+d}" for card, ff in s.kind_ids(s.deck[G])]
        assert deck == [id_.split("#")[0] for id_ in wanted]
        orders.add(tuple(deck))
        chance = Random(choices)
        while kind(s) != "G setup_pick":
            s.choose(R, chance.randrange(len(s.options(R))))
        forces = by_hash(f"{s.seed}|R.forces", [s.force(f).id for f in s.book.forces_of[R]])
        assert [s.force(f).id for f in s.force_deck[R]] == [f for f in forces if not where(s, f)]
    assert len(orders) == 1


def by_hash(stream: str, ids: list[str]) -> list[str]:
    return sorted(ids, key=lambda id_: sha256(f"{stream}|{id_}".encode()).digest())


def copies(s: Stalingrad) -> list[tuple[str, int, int]]:
    """Every card of the German deck list with a number among its equals."""
    found = []
    for card, ff in s.kind_ids(s.book.deck_list[G]):
        same = sum((each[0], each[1]) == (card, ff) for each in found)
        found.append((card, ff, same + 1))
    return found


def test_each_further_shuffle_is_a_stream_of_its_own() -> None:
    s = table(R, russian={"R169": "GUM.P 1"}, hand=["scouts 1", "scouts 1"])
    before = s.shuffles[R]
    do(s, "R: play scouts 1", "R: search victory 3")
    assert s.shuffles[R] == before + 1
    assert s.clone().shuffled(R, s.deck[R]) != s.deck[R]


# A turn (§3)


def test_steps_and_rounds_come_in_order() -> None:
    s = table(R, russian={"R169": "GUM.P 1"}, german={"G384": "GRA.P 1"}, hand=["tanks 2"])
    do(s, "R: end")
    to_main(s)
    assert (s.acting, s.round, s.view(R).step) == (G, 2, "ACTIONS")
    heard = [e for e in s.events(R) if isinstance(e, events.StepBegan | events.TurnBegan)]
    assert heard == [
        events.StepBegan("DRAW"), events.StepBegan("END"), events.TurnBegan(2, G),
        events.StepBegan("SUPPLY"), events.StepBegan("ACTIONS"),
    ]  # fmt: skip


def test_a_turn_begins_with_no_action_done_and_may_draw_nothing() -> None:
    s = table(G, german={"G384": "GUM.P 9"}, hand=["tanks 2"], base_draw=0)
    stack(s, R, in_play=["uranus_v -2"])
    begin(s, G)
    do(s, "G: move G384", "G: to GRA.P")
    assert s.view(R).actions == 1
    do(s, "G: end")
    to_main(s)
    assert (s.view(R).actions, hands(s)) == (0, (0, 1))


def test_what_lasts_until_the_end_of_the_turn_ends_with_it() -> None:
    """§3.6."""
    s = table(
        G, german={"G16P": "GUM.P 1", "G384": "GRA.P 1"}, hand=["big_push 1", "desperation -2"],
        enemy_hand=["sniper -1", "propaganda_war 1", "victory 3"],
    )  # fmt: skip
    do(s, "G: play big_push 1", "G: move G16P", "G: to GUM.C", "G: move G384", "G: to GRA.C")
    take(s, "R: play sniper -1")
    settle(s)
    assert (s.combat_add, cards(s, s.in_play[R])) == ([0, 1], ["sniper -1"])
    assert s.view(R).free_moves_used == (1, 0)
    assert s.view(R).no_move == (False, True)
    assert len(s.view(R).plays) == 2
    do(s, "G: end", "R: play propaganda_war 1")
    settle(s)
    view = s.view(G)
    assert (view.combat_add, view.in_play, view.plays) == ((0, 0), ((), ()), ())
    assert view.free_moves_used == (0, 0)
    assert view.no_move == (False, False)
    assert not view.no_draw_bonus
    assert cards(s, s.discard[R])[:2] == ["propaganda_war +1", "sniper -1"]


def test_an_empty_hand_ends_the_turn_only_if_nothing_else_can_be_done() -> None:
    """§7.4: with a card in hand he is asked, even if all he may do is to end."""
    s = table(G, german={"G384": "GUM.P 1"}, enemy_hand=["victory 3"])
    assert texts(s) == ["end", "move G384"]
    do(s, "G: move G384", "G: to GUM.C")
    settle(s)
    assert s.acting == R
    s = table(G, hand=["victory 3"])
    assert (kind(s), texts(s)) == ("G main", ["end"])


def test_each_action_counts_towards_the_cap() -> None:
    s = table(
        G, russian={"R15G": "PAV.C 9"}, german={"G384": "PAV.C 9", "G376": "GUM.P 9"},
        hand=["reinforcements 1", "fresh_supplies -1", *["tanks 2"] * 2, *["sniper -3"] * 2],
        tops={G: ["G113", "G20R"]},
    )  # fmt: skip
    stack(s, R, in_play=["uranus_v -2"])
    begin(s, G)
    for n, text in enumerate(
        ("play reinforcements 1", "buy", "play fresh_supplies -1", "move G376", "resupply",
         "pay_uranus uranus_v -2", "attack PAV")
    ):  # fmt: skip
        assert (s.actions, s.view(R).actions) == (n, n)
        take(s, f"G: {text}")
        while kind(s) != "G main":
            s.choose(s.asked()[0], 0)
        assert s.actions == n + 1
        assert (s.buy_points > 0) is (n < 2), "points last through buy and Reinforcements"


def test_points_do_not_last_into_the_next_turn() -> None:
    s = table(G, german={"G384": "PAV.C 1"}, hand=["reinforcements 1", "tanks 2"])
    do(s, "G: play reinforcements 1", "G: end")
    assert s.buy_points == 0
    assert told(s, R, events.BuyPoints)[-1] == events.BuyPoints(0)


def test_the_parts_of_a_declaration_are_questions_of_their_own_kind() -> None:
    s = table(
        G, russian={"R15G": "PAV.C 9"}, german={"G384": "PAV.C 9", "G376": "PAV.C 9"},
        hand=["artillery_barrage 1", "supply_raid 1", "tanks 2"],
    )  # fmt: skip
    for text, name in (
        ("move G376", "move_dest"),
        ("attack PAV", "participants"),
        ("play supply_raid 1", "target"),
    ):
        begun = s.clone()
        take(begun, text)
        assert begun.kind(G) == name
        assert begun.view(R).kind == "main"
        assert begun.view(R) == s.view(R), "nothing public has changed"


# Moves (§3.3)


def test_a_full_control_area_takes_no_more() -> None:
    full = {"G113": "GRA.C 1", "G20R": "GRA.C 1", "G376": "GRA.C 1"}
    s = table(
        G, russian={"R169": "GRA.C 1"}, german={"G384": "GRA.P 2", **full}, tops={G: ["G09F"]},
        hand=["tanks 2", "tanks 3"],
    )  # fmt: skip
    bought = s.clone()
    take(s, "G: move G384")
    others = [f"to {loc}.{area}" for loc in ("TRA", "DOC", "PAV") for area in "CP"]
    assert texts(s) == ["to GUM.C", "to GUM.P", *others]
    do(bought, "G: buy", "G: discard tanks 2")
    assert texts(bought) == ["to GUM.C", "to GUM.P", "to GRA.P", *others]
    do(bought, "G: to GRA.P")
    assert where(bought, "G09F") == "GRA.P"


def test_destinations_stand_in_board_order_and_an_advance_among_them() -> None:
    russian = {"R169": "GRA.C 1", "R45R": "DOC.C 1"}
    s = table(G, russian=russian, german={"G384": "GRA.P 2", "G376": "GUM.C 2"})
    take(s, "G: move G384")
    assert texts(s) == [
        "to GUM.C", "to GUM.P", "to GRA.C", "to TRA.C", "to TRA.P", "to DOC.P", "to PAV.C",
        "to PAV.P",
    ]  # fmt: skip
    s = table(G, russian=russian, german={"G384": "GRA.P 2", "G376": "GUM.C 2"})
    take(s, "G: move G376")
    assert texts(s) == [
        "to GUM.P", "to GRA.P", "to TRA.C", "to TRA.P", "to DOC.P", "to PAV.C", "to PAV.P",
    ]  # fmt: skip


def test_a_force_with_nowhere_to_go_is_not_offered_a_move() -> None:
    """Every Perimeter is full, and the enemy holds every other Control Area."""
    forces = iter(each.id for each in FORCES if each.seat == G)
    german = {next(forces): f"{loc}.P 3" for loc in LINE for _ in range(3)}
    stuck = next(forces)
    russian = dict(zip(("R169", "R248", "R84T", "R90T"), (f"{loc}.C 1" for loc in LINE[1:])))
    s = table(
        G, russian=russian, german={**german, stuck: "GUM.C 3"}, hand=["high_morale 3", "tanks 2"]
    )
    movable = [text.removeprefix("move ") for text in texts(s) if text.startswith("move ")]
    assert sorted(movable) == sorted(german)
    take(s, "G: play high_morale 3")
    assert texts(s) == ["stop", *(f"free_move {force}" for force in sorted(german))]


def test_with_no_other_way_a_force_advances_if_there_is_room() -> None:
    """Every Perimeter is full, the enemy holds four Control Areas, and the fifth is full too."""
    forces = iter(each.id for each in FORCES if each.seat == G)
    perimeter = {next(forces): f"{loc}.P 3" for loc in LINE for _ in range(3)}
    control = {next(forces): "GUM.C 3" for _ in range(3)}
    russian = dict(zip(("R169", "R248", "R84T", "R90T"), (f"{loc}.C 1" for loc in LINE[1:])))
    s = table(G, russian=russian, german={**perimeter, **control}, hand=["tanks 2"])
    able = sorted(force for force, at in perimeter.items() if not at.startswith("GUM"))
    assert [text for text in texts(s) if text.startswith("move ")] == [f"move {f}" for f in able]
    for force in able:
        moved = s.clone()
        take(moved, f"G: move {force}")
        assert where(moved, force) == perimeter[force][:3] + ".C", "the only way is no choice"


def test_moves_granted_by_a_card_cost_nothing_and_are_not_counted() -> None:
    s = table(
        R, russian={"R06G": "GUM.P 0", "R137": "GRA.P 1", "R169": "GRA.P 1"},
        hand=["high_morale 3", "tanks 2"],
    )  # fmt: skip
    take(s, "R: play high_morale 3")
    assert texts(s) == ["stop", "free_move R06G", "free_move R137", "free_move R169"]
    for force, area in (("R06G", "GUM.C"), ("R137", "GRA.C"), ("R169", "GRA.C")):
        take(s, f"R: free_move {force}")
        assert s.kind(R) == "move_dest"
        take(s, f"R: to {area}")
        assert where(s, force) == area
        assert s.kind(R) == "free_move"
    assert s.view(G).left == 1
    assert rations(s, "R06G", "R137", "R169") == (0, 1, 1)
    assert s.free_moves_used[s.book.force_no["R137"]] == 0
    do(s, "R: stop", "R: move R137", "R: to GUM.P")
    assert s.free_moves_used[s.book.force_no["R137"]] == 1
    do(s, "R: move R169", "R: to GUM.P")
    assert s.free_moves_used[s.book.force_no["R169"]] == 0
    assert rations(s, "R169") == (0,)


# Purchases and payments (§3.4, §8.7)


def test_buying_back_a_destroyed_force_leaves_the_rest_of_the_known_run() -> None:
    s = table(R, russian={"R169": "GUM.P 1"}, hand=["sniper -1", "sniper -2", "sniper -3"])
    stack_forces(s, R, ("R45R", "R42N"), only=True)
    s.known_bottom[R] = 2
    refresh(s)
    assert s.view(G).force_deck_bottoms[R] == ("R45R", "R42N")
    do(s, "R: buy", "R: discard sniper -1", "R: to GUM.C")
    assert s.view(G).force_deck_bottoms[R] == ("R42N",)
    assert where(s, "R45R") == "GUM.C"
    assert told(s, G, events.TopTurned) == [events.TopTurned(R, "R42N")]


def test_a_force_without_starting_rations_is_bought_without() -> None:
    s = table(R, russian={"R169": "GUM.P 1"}, hand=["sniper -1", "sniper -2"], tops={R: ["R42N"]})
    do(s, "R: buy", "R: discard sniper -1", "R: to GUM.P")
    assert (where(s, "R42N"), rations(s, "R42N")) == ("GUM.P", (0,))


def test_only_what_can_be_paid_is_offered_to_the_german() -> None:
    s = table(G, german={"G384": "GUM.P 4"}, hand=["tanks 2", "tanks 3"])
    stack(s, R, in_play=["uranus_i 3", "uranus_ii 2", "uranus_iv -1", "sniper -1"])
    begin(s, G)
    payable = [text for text in texts(s) if text.startswith("pay_uranus")]
    assert payable == ["pay_uranus uranus_ii 2"], "no three cards, and four Rations of five"


def test_costs_are_paid_one_after_the_other(tmp_path: Path) -> None:
    cost = [{"op": "destroy_own", "n": 1}, {"op": "discard", "n": 1}]
    folder = retouched(tmp_path, "cards", uranus_i={"cost": cost})
    s = table(
        R, russian={"R169": "GUM.P 1", "R248": "GUM.P 1"}, cards=folder,
        hand=["uranus_i 3", "recover_wounded -1", "recover_wounded -2", "sniper -1"],
    )  # fmt: skip
    do(s, "R: play uranus_i 3", "R: destroy_own R248")
    assert kind(s) == "R discard"
    take(s, "R: discard sniper -1")
    assert kind(s) == "R on_destroyed", "one Force, one card"
    take(s, "R: play recover_wounded -1")
    assert kind(s) == "R main"
    assert rations(s, "R169") == (4,)


def test_rations_are_lost_by_forces_that_have_some() -> None:
    s = table(
        R, russian={"R169": "GUM.P 2", "R248": "GUM.P 0", "R84T": "GUM.P 2"},
        hand=["uranus_iii 1", "sniper -1"],
    )  # fmt: skip
    take(s, "R: play uranus_iii 1")
    assert texts(s) == ["lose_ration R169", "lose_ration R84T"]
    do(s, "R: lose_ration R169", "R: lose_ration R169")
    assert rations(s, "R169", "R84T") == (0, 1), "the last is no choice"
    assert s.table[R] == []


def test_a_note_helps_its_own_action_and_card_alone() -> None:
    german = {"G384": "GUM.C 1", "G376": "TRA.C 1"}
    s = table(G, german=german, hand=["tanks 2"] * 2, tops={G: ["G113"]})
    do(s, "G: buy", "G: discard tanks 2", "G: to PAV.P")
    assert rations(s, "G113") == (2,), "Gumrak adds to Resupply alone"
    numbers = ("points", "moves", "hits", "absorb", "extra_hits")
    added = {(c.id, n): s.card_param(G, c.id, n) for c in s.book.cards for n in numbers}
    assert {key for key, n in added.items() if n} == {("reinforcements", "points")}


# Decks (§3.5, §6)


def test_a_draw_that_needs_a_new_deck_is_told_in_two_parts() -> None:
    s = table(R, russian={"R169": "GUM.P 1"}, hand=["tanks 2"])
    stack(s, R, hand=["tanks 2"], deck=["sniper -1", "sniper -3"], deck_size=2)
    begin(s, R)
    do(s, "R: end")
    drawn = [event for event in told(s, G, events.Drew) if event.seat == R]
    assert drawn == [events.Drew(R, 2, ()), events.Drew(R, 3, ())]
    own = [event for event in told(s, R, events.Drew) if event.seat == R]
    assert own[0].cards == (("sniper", -3), ("sniper", -1))
    assert [event.drawn for event in own] == [2, 3]


def test_fetching_the_last_card_of_the_deck_makes_the_hand_known() -> None:
    s = table(R, russian={"R169": "GUM.P 1"}, hand=["scouts 1"])
    hold_the_rest(s, R, deck=["sniper -3"])
    begin(s, R)
    do(s, "R: play scouts 1")
    settle(s)
    assert s.deck[R] == []
    assert s.view(G).known_hands[R] == s.view(R).hand
    assert len(s.view(R).hand) == 54
    assert "scouts 1" in plays(s)
