"""
Words of the vocabulary that no shipped card uses, each with a test card of its own (§8.8).

An owner of the boxed game may need them to transcribe a printed card.
"""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from matchmaker.tools import fuzz
from matchmaker.tools.random_matches import plan
from referee.games import PUBLIC
from referee.games.stalingrad import events, load
from referee.games.stalingrad.check import FILES
from referee.games.stalingrad.effects import OPS
from referee.games.stalingrad.game import GAME
from tests.referee.games.stalingrad.fold import Fold, differences
from tests.referee.games.stalingrad.table import (
    G,
    R,
    cards,
    destroyed,
    do,
    hands,
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
    told,
    where,
)


def made(name: str, *effect: dict[str, Any], side: str = "G", **more: Any) -> dict[str, Any]:
    return {
        "id": name, "name": name.capitalize(), "side": side, "copies": [{"ff": 0, "n": 2}],
        "windows": ["MAIN"], "condition": [], "cost": [], "targets": [], "effect": list(effect),
        "stay": "none", "provenance": {}, **more,
    }  # fmt: skip


OWN_FORCE = {"var": "T", "kind": "force", "owner": "own"}
ENEMY_FORCE = {"var": "T", "kind": "force", "owner": "enemy"}
CARDS = [
    made(
        "clearance",
        {"op": "rubble", "loc": "L", "n": -2},
        targets=[{"var": "L", "kind": "location"}],
    ),
    made("citation", {"op": "medal", "force": "T", "n": 2}, targets=[OWN_FORCE]),
    made(
        "hunger",
        {"op": "remove_rations", "who": "enemy", "n": 2, "filter": {"owner": "own", "area": "P"}},
    ),
    made("waste", {"op": "discard", "n": 2}),
    made("confusion", {"op": "discard_random", "who": "enemy", "n": 2}),
    made("salvage", {"op": "recover_discard", "n": 2}),
    made("maps", {"op": "peek", "n": 3}),
    made("sacrifice", {"op": "destroy_own", "n": 1}),
    made(
        "redeployment",
        {"op": "move_force", "force": "T", "area": "A", "ignore_control": False},
        targets=[OWN_FORCE, {"var": "A", "kind": "area", "owner": "own", "room": True}],
    ),
    made(
        "infiltration",
        {"op": "move_force", "force": "T", "area": "A", "ignore_control": True},
        targets=[OWN_FORCE, {"var": "A", "kind": "area", "owner": "own", "type": "C"}],
    ),
    made("panic", {"op": "retreat_force", "force": "T"}, targets=[ENEMY_FORCE]),
    made(
        "doctrine",
        {"op": "card_param", "card": "desperation", "param": "cards", "add": 2},
        {"op": "modifier", "key": "combat", "who": "self", "add": 1},
        {"op": "modifier", "key": "resupply_rations", "who": "self", "add": 1},
        {"op": "modifier", "key": "bought_rations", "who": "enemy", "add": -1},
        stay="end_of_turn",
    ),
    made("parade", {"op": "draw", "who": "self", "n": 1}, condition=[{"op": "controls", "n": 2}]),
    made(
        "airlift",
        {"op": "draw", "who": "self", "n": 1},
        condition=[{"op": "controls", "loc": "GUM"}, {"op": "hand_at_least", "n": 3}],
    ),
    made("salvage", {"op": "recover_discard", "n": 1}, side="R"),
    made("maps", {"op": "peek", "n": 3}, side="R"),
    made("waste", {"op": "discard_random", "who": "self", "n": 1}, side="R"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The shipped files with the test cards added."""
    path = tmp_path_factory.mktemp("reserved")
    for file in FILES:
        rows = json.loads((load.SHIPPED / f"{file}.json").read_text("utf-8"))
        rows += CARDS if file == "cards" else []
        (path / f"{file}.json").write_text(json.dumps(rows), "utf-8")
    return str(path)


FORCES = {"G384": "PAV.P 3", "G376": "DOC.C 1"}
ENEMIES = {"R169": "GUM.P 2", "R308": "GRA.C 3"}


def german(folder: str, *hand: str, **more: Any):
    forces = {"german": FORCES, "russian": ENEMIES, **more}
    return table(G, hand=[*hand, "tanks 2"], cards=folder, **forces)


def test_every_unused_op_has_a_card() -> None:
    used = {step["op"] for card in CARDS for step in card["effect"]}
    shipped = {step.op for card in load.shipped().cards for step in card.effect}
    assert set(OPS) == used | shipped


def test_negative_rubble_is_taken_away(folder: str) -> None:
    for there, left in ((3, 1), (1, 0)):
        s = german(folder, "clearance 0", rubble={"GRA": there})
        do(s, "play clearance 0", "target GRA")
        assert rubble(s, "GRA") == left
    s = german(folder, "clearance 0")
    s.add_rubble(s.place_of("PAV"), 5)
    do(s, "play clearance 0", "target PAV")
    assert destroyed(s, "PAV")


def test_medals_from_a_card(folder: str) -> None:
    s = german(folder, "citation 0")
    do(s, "play citation 0", "target G384")
    assert medals(s, "G384") == 2


def test_the_enemy_removes_rations_of_his_choice(folder: str) -> None:
    s = german(folder, "hunger 0", russian={**ENEMIES, "R84T": "GUM.P 2"})
    do(s, "play hunger 0")
    assert (kind(s), texts(s)) == ("R lose_ration", ["lose_ration R169", "lose_ration R84T"])
    do(s, "R: lose_ration R84T", "R: lose_ration R169")
    assert rations(s, "R169", "R84T", "R308") == (1, 1, 3)


def test_discarding_as_an_effect(folder: str) -> None:
    s = german(folder, "waste 0", "tanks 3", "attack 1")
    do(s, "play waste 0", "discard attack 1", "discard tanks 3")
    assert cards(s, s.hand[G]) == ["tanks +2"]


def test_cards_discarded_at_random_are_public_and_of_a_stream(folder: str) -> None:
    s = german(folder, "confusion 0", enemy_hand=["victory 3", "scouts 1", "rubble -1"])
    do(s, "play confusion 0")
    settle(s)
    gone = told(s, PUBLIC, events.Discarded)
    assert [event.seat for event in gone if event.source == "hand"] == [R, R]
    assert len(s.hand[R]) == 1
    assert s.draws == {"R.random": 2}


def test_a_recovered_card_is_known_to_all(folder: str) -> None:
    s = german(folder, "salvage 0")
    stack(s, G, hand=["salvage 0", "tanks 2"], discard=["attack 1", "victory 3", "scouts 1"])
    refresh(s)
    before = s.unseen.copy()
    do(s, "play salvage 0", "search victory 3", "search attack 1")
    assert cards(s, s.known_hand[G]) == ["attack +1", "victory +3"]
    assert s.view(R).known_hands[G] == (("attack", 1), ("victory", 3))
    assert sum(s.unseen) == sum(before) + 2 - 1
    assert GAME.imagine(s.view(R), "k").view(R) == s.view(R)


def test_a_peek_is_seen_by_its_own_seat_alone(folder: str) -> None:
    s = german(folder, "maps 0")
    stack(s, G, hand=["maps 0", "desperation -2"], deck=["attack 1", "tanks 3", "scouts 1"])
    refresh(s)
    do(s, "play maps 0")
    top = (("attack", 1), ("tanks", 3), ("scouts", 1))
    assert s.view(G).peeked == top
    assert (s.view(R).peeked, s.view(R).peeked_sizes) == ((), (0, 3))
    assert told(s, R, events.Peeked) == [events.Peeked(G, 3, ())]
    twin = GAME.imagine(s.view(G), "k")
    assert twin.deck[G][:3] == s.deck[G][:3]
    assert twin.deck[G] != s.deck[G]
    s.draw(G, 2)
    assert s.view(G).peeked == top[2:]
    s.fetch(G, s.deck[G][-1])
    assert s.view(G).peeked == (), "shuffled"


def test_a_force_destroyed_by_an_effect_is_mourned(folder: str) -> None:
    s = german(folder, "sacrifice 0", "recover_wounded -2")
    do(s, "play sacrifice 0", "destroy_own G376")
    assert kind(s) == "G on_destroyed"
    do(s, "play recover_wounded -2")
    assert rations(s, "G384") == (6,)


def test_a_force_is_put_elsewhere(folder: str) -> None:
    s = german(folder, "redeployment 0", "infiltration 0")
    do(s, "play redeployment 0", "target G384")
    assert "target GRA.C" not in texts(s), "enemy-Controlled"
    assert "target PAV.P" not in texts(s), "it is there"
    take(s, "target PAV.C")
    assert where(s, "G384") == "PAV.C"
    do(s, "play infiltration 0", "target G384")
    assert {text[-1] for text in texts(s)} == {"C"}
    do(s, "target GRA.C")
    assert where(s, "G384") == "GRA.C"
    assert rations(s, "G384") == (3,)
    assert told(s, R, events.MoveDeclared) == [], "no Move Action"


def test_an_enemy_force_is_sent_back(folder: str) -> None:
    s = german(folder, "panic 0")
    do(s, "play panic 0")
    settle(s)
    assert where(s, "R308") == "GRA.P", "the only one in a Control Area"
    assert "play panic 0" not in texts(s)


def test_lasting_modifiers_of_every_key(folder: str) -> None:
    s = german(folder, "doctrine 0", "desperation -2", "attack 1", tops={G: ["G20R"]})
    f = s.book.force_no["G384"]
    assert s.eff(f, attacking=False, doubled=False) == 3
    do(s, "play doctrine 0")
    assert s.eff(f, attacking=False, doubled=True) == 8
    before = hands(s)[G]
    do(s, "play desperation -2")
    assert hands(s)[G] == before - 1 + 3 + 2
    do(s, "resupply", "discard attack 1")
    assert s.view(G).left == 3
    assert s.modifier("bought_rations", R) == -1


def test_conditions_on_control_and_hand(folder: str) -> None:
    for held, hand, offered in (
        ({"G384": "PAV.C 1", "G376": "DOC.C 1"}, 1, {"parade"}),
        ({"G384": "PAV.C 1", "G376": "GUM.C 1"}, 1, {"parade", "airlift"}),
        ({"G384": "PAV.P 1", "G376": "GUM.C 1"}, 1, {"airlift"}),
        ({"G384": "PAV.P 1", "G376": "GUM.C 1"}, 0, set()),
    ):
        s = table(
            G, german=held, russian={"R308": "GRA.C 1"}, cards=folder,
            hand=["parade 0", "airlift 0", *["fog_of_war -2"] * hand],
        )  # fmt: skip
        assert {text.split()[1] for text in texts(s) if text.startswith("play")} == offered


@pytest.mark.properties
def test_random_play_with_the_test_cards_keeps_all_laws(folder: str) -> None:
    tally = fuzz.play(plan("stalingrad", 4, 2, {"cards": folder}, "reserved"))
    assert [found.text for found in tally.found] == []
    assert tally.twins > 0


@pytest.mark.properties
def test_events_of_the_test_cards_fold_too(folder: str) -> None:
    components = load.load(folder)
    seen: set[type] = set()
    for seed in range(4):
        chance = Random(seed)
        s = GAME.start(seed=f"reserved {seed}", options={"cards": folder})
        folds = {viewer: Fold(viewer, components) for viewer in (PUBLIC, R, G)}
        heard = dict.fromkeys(folds, 0)
        while s.asked():
            (seat,) = s.asked()
            s.choose(seat, chance.randrange(len(s.options(seat))))
            for viewer, fold in folds.items():
                news = s.events(viewer, heard[viewer])
                heard[viewer] += len(news)
                fold.tell(news)
                if chance.random() < 0.1:
                    assert differences(fold, s.view(viewer)) == []
        seen |= {type(event) for event in s.events(PUBLIC)}
    assert {events.Peeked, events.Recovered} <= seen
