"""Test vectors TV-40 to TV-55 (§10): victory, the predicate Q, caps, decks made anew."""

from __future__ import annotations

import json
from pathlib import Path

from referee.games.stalingrad.check import FILES
from referee.games.stalingrad.events import Moved, Passed, Searched
from referee.games.stalingrad.game import GAME
from referee.games.stalingrad.load import SHIPPED
from tests.referee.games.stalingrad.table import (
    LINE,
    G,
    R,
    begin,
    cards,
    do,
    hands,
    kind,
    kinds,
    no_move,
    place,
    rations,
    refresh,
    rubble,
    settle,
    stack,
    table,
    take,
    texts,
    until,
    where,
)

FIVE = ("G16P", "G384", "G376", "G113", "G20R")


def test_tv_40_all_five_count_at_the_own_end_alone() -> None:
    held = {force: f"{loc}.C 3" for force, loc in zip(FIVE, LINE, strict=True)}
    s = table(G, german=held, russian={"R169": "PAV.P 1"}, hand=["tanks 2"])
    assert s.controlled(G) == 5
    assert kind(s) == "G main", "in ACTIONS it is nothing"
    do(s, "move G20R", "to PAV.P", "end")
    assert s.outcome() is None
    place(s, {"G20R": "PAV.C 3"})
    assert s.acting == R
    do(s, "end")
    assert s.outcome() is None, "at the enemy's END it is nothing"
    while kind(s) != "G main":
        s.choose(s.asked()[0], 0)
    do(s, "end")
    settle(s)
    assert s.outcome() == ((2, 1), (0, 1), "FIVE_LOCATIONS")
    assert s.asked() == ()


def test_tv_41_a_responder_without_a_playable_card_is_asked() -> None:
    s = table(G, german={"G384": "PAV.P 2"}, hand=["tanks 2"], enemy_hand=["victory 3"])
    do(s, "move G384", "to PAV.C")
    assert kind(s) == "R on_move"
    assert texts(s) == ["pass"]
    told = len(s.events(G))
    take(s, "pass")
    news = s.events(G, told)
    assert news == (Passed(R, "ON_MOVE"), news[1], Moved("G384", "PAV.C"))
    assert GAME.facts.kinds["on_move"].paced


def test_tv_42_no_question_when_every_sniper_is_seen() -> None:
    forces = {"G384": "PAV.P 2"}
    snipers = ["sniper -1", "sniper -2", "sniper -2", "sniper -3"]
    for gone, asked in ((snipers, "G main"), (snipers[1:], "R on_move")):
        s = table(G, german=forces, hand=["tanks 2"])
        stack(s, R, hand=["scouts 1", "victory 3", "tanks 2", "big_push 1", "scouts 1"],
              discard=gone)  # fmt: skip
        refresh(s)
        do(s, "move G384", "to PAV.C")
        assert kind(s) == asked


def test_tv_43_set_up_picks_reach_the_total_exactly(tmp_path: Path) -> None:
    raw = {file: json.loads((SHIPPED / f"{file}.json").read_text("utf-8")) for file in FILES}
    german = [row for row in raw["forces"] if row["side"] == "G"]
    toy = [row for row in raw["forces"] if row["side"] == "R"][:5]
    for row, cost in zip(toy, (5, 5, 3, 3, 2), strict=True):
        row["cost"] = cost
    names = [row["id"] for row in toy]
    for file in FILES:
        rows = toy + german if file == "forces" else raw[file]
        (tmp_path / f"{file}.json").write_text(json.dumps(rows), "utf-8")
    s = GAME.start(seed="toy", options={"cards": str(tmp_path)})
    five, other_five, three, other_three, _two = names

    def offered() -> set[str]:
        return {text.removeprefix("pick ") for text in texts(s)}

    assert offered() == {five, other_five, three, other_three}
    do(s, f"pick {five}", f"to {s.area_id(0)}")
    assert offered() == {three, other_three}
    do(s, f"pick {three}", f"to {s.area_id(0)}")
    assert kind(s) == "R setup_place", "the last 3 is the only pick, so it is made"
    take(s, f"to {s.area_id(0)}")
    assert kind(s) == "G setup_pick"
    assert sorted(s.force(f).cost for f in s.forces_of(R)) == [3, 3, 5]


def test_tv_44_a_sniper_stops_the_move_of_attack() -> None:
    s = table(
        G, german={"G384": "PAV.P 2", "G16P": "GUM.P 1"}, russian={"R308": "DOC.C 2"},
        hand=["attack 1", "tanks 2"], enemy_hand=["sniper -1", "victory 3"],
    )  # fmt: skip
    do(s, "play attack 1", "target G384", "R: play sniper -1")
    settle(s)
    assert kind(s) == "G main"
    assert where(s, "G384") == "PAV.P"
    assert no_move(s, "G384")
    assert rubble(s, "DOC") == 0
    assert cards(s, s.discard[G]) == ["attack +1"]
    assert hands(s) == (1, 1)


def test_tv_45_fog_of_war_against_uranus() -> None:
    s = table(
        R, russian={"R169": "GUM.P 1", "R308": "GUM.C 1"}, german={"G384": "PAV.P 1"},
        hand=["uranus_i 3", "victory 3"], enemy_hand=["fog_of_war -2"],
    )  # fmt: skip
    do(s, "play uranus_i 3", "G: play fog_of_war -2")
    settle(s)
    assert kind(s) == "R main"
    assert where(s, "R169") == "GUM.P"
    assert where(s, "R308") == "GUM.C"
    assert s.in_play[R] == []
    assert cards(s, s.discard[R]) == ["uranus_i +3"]
    assert s.buy_cost(s.force_deck[G][0]) == s.force(s.force_deck[G][0]).cost


def test_tv_46_a_cancelled_sewer_warfare_bars_nothing() -> None:
    s = table(
        G, german={"G16P": "GRA.C 9"}, russian={"R308": "GRA.C 9"},
        hand=["fog_of_war -2", "tanks 2"], enemy_hand=["sewer_warfare 1", "victory 3"],
    )  # fmt: skip
    decks = [len(deck) for deck in s.deck]
    do(s, "attack GRA", "R: play sewer_warfare 1", "G: play fog_of_war -2")
    until(s, "G firefight")
    settle(s)
    assert [len(deck) for deck in s.deck] == [n - 1 for n in decks]


def test_tv_47_an_empty_hand_passes_by_itself() -> None:
    s = table(
        G, german={"G16P": "GRA.C 9"}, russian={"R308": "GRA.C 9"},
        enemy_hand=["sewer_warfare 1", "victory 3", "scouts 1", "tanks 2"],
    )  # fmt: skip
    do(s, "attack GRA")
    until(s, "R firefight")
    for text in ("fire victory 3", "fire scouts 1", "fire sewer_warfare 1"):
        assert kind(s) == "R firefight"
        take(s, text)
    take(s, "pass")
    assert s.view(R).battle.hits != (0, 0)
    assert kind(s) == "R absorb"


def test_tv_48_a_hand_that_can_be_worked_out() -> None:
    s = table(R, russian={"R169": "GUM.P 1"})
    hand = ["victory 3", "scouts 1", "scouts 1", "tanks 2"]
    stack(s, R, hand=hand, deck=["big_push 1", "big_push 2"], deck_size=2)
    refresh(s)
    assert (len(s.deck[R]), len(s.discard[R])) == (2, 49)
    do(s, "end")
    known = ["big_push +1", "big_push +2", "scouts +1", "scouts +1", "tanks +2", "victory +3"]
    assert cards(s, s.known_hand[R]) == known
    assert [f"{card} {ff:+d}" for card, ff in s.view(G).known_hands[R]] == known
    assert (len(s.hand[R]), len(s.deck[R])) == (9, 46)
    begin(s, R, round_=2)
    do(s, "resupply", "discard scouts 1")
    assert len(s.known_hand[R]) == 5
    assert cards(s, s.known_hand[R]).count("scouts +1") == 1


def test_tv_49_victory_is_not_drawn_back_for_ever() -> None:
    s = table(G, german={"G384": "GRA.C 2", "G16P": "GUM.P 1"}, russian={"R13G": "GRA.C 9"})
    everything = [f"{card} {ff}" for card, ff in s.kind_ids(s.book.deck_list[R])]
    stack(s, R, hand=everything, deck_size=0)
    refresh(s)
    before = s.hand[R].copy()
    assert len(before) == 55
    do(s, "attack GRA")
    until(s, "R absorb")
    to_absorb = [text for text in texts(s) if text.startswith("ration")]
    take(s, to_absorb[-1])
    until(s, "G absorb")
    s.choose(G, 0)
    while kind(s) != "R after_battle":
        s.choose(s.asked()[0], 0)
    assert "play victory 3" in texts(s)
    take(s, "play victory 3")
    assert s.hand[R] == before
    take(s, "R: play victory 3")
    assert s.hand[R] == before
    assert kind(s) == "G main", "the cap of 5.3 makes Q fail, the window closes"


def test_tv_50_the_cap_on_free_moves() -> None:
    for there, offered in ((0, False), (1, True)):
        s = table(G, german={"G16P": f"GUM.P {there}", "G384": "PAV.P 1"})
        for area in ("GUM.C", "GUM.P", "GUM.C", "GUM.P"):
            do(s, "move G16P", f"to {area}")
        assert rations(s, "G16P") == (there,)
        assert ("move G16P" in texts(s)) is offered
        if offered:
            do(s, "move G16P", "to GUM.C")
            assert rations(s, "G16P") == (0,)


def test_tv_51_scouts_search_a_deck_made_anew() -> None:
    s = table(G, german={"G384": "PAV.P 1"})
    stack(s, G, hand=["scouts 1", "tanks 2"], deck_size=0)
    s.discard[G] = kinds(s, G, ["tanks 2", "tanks 3", "victory 3"])
    refresh(s)
    do(s, "play scouts 1")
    assert texts(s) == ["search tanks 2", "search tanks 3", "search victory 3"]
    take(s, "search victory 3")
    assert len(s.deck[G]) == 2
    assert cards(s, s.discard[G]) == ["scouts +1"]
    assert cards(s, s.hand[G]) == ["tanks +2", "victory +3"]
    told = [event for event in s.events(R) if isinstance(event, Searched)]
    assert told == [Searched(G, ())]


def test_tv_52_the_note_of_pavlovs_house_follows_control() -> None:
    s = table(
        G, german={"G24P": "PAV.C 9"}, russian={"R13G": "PAV.C 1"}, rubble={"PAV": 2},
        hand=["rubble -1", "tanks 2"], enemy_hand=["rubble -1", "victory 3"],
    )  # fmt: skip
    s.rubble[s.place_of("PAV")] = 1
    do(s, "attack PAV")
    until(s, "R absorb")
    assert rubble(s, "PAV") == 2
    hits = s.view(R).absorb.hits
    take(s, "R: play rubble -1")
    settle(s)
    assert s.view(R).absorb.hits == hits - 2, "contested: the note is off"
    do(s, "R: retreat R13G")
    until_absorb_of_g(s)
    hits = s.view(G).absorb.hits
    take(s, "G: play rubble -1")
    settle(s)
    left = s.view(G).absorb.hits if s.view(G).absorb else 0
    assert left == hits - 3, "the attacker alone is in C: the note is on"


def until_absorb_of_g(s) -> None:
    while kind(s) != "G absorb":
        s.choose(s.asked()[0], 0)


def test_tv_53_two_equal_cards_are_asked_one_is_not() -> None:
    s = table(G, german={"G384": "PAV.P 1", "G16P": "PAV.P 1"}, hand=["tanks 2", "tanks 2"])
    do(s, "resupply")
    assert kind(s) == "G discard"
    assert texts(s) == ["discard tanks 2"]
    take(s, "discard tanks 2")
    do(s, "place_ration G384", "place_ration G384")
    do(s, "resupply")
    assert kind(s) == "G place_ration"
    assert s.hand[G] == []


def test_tv_54_the_docks_note_is_read_before_the_placement() -> None:
    s = table(G, german={"G384": "PAV.P 1"}, tops={G: ["G376"]}, hand=["tanks 2", "tanks 3"])
    do(s, "buy", "discard tanks 2", "to DOC.C")
    assert rations(s, "G376") == (2,)


def test_tv_55_rations_are_spent_by_sixteen_at_most() -> None:
    s = table(G, german={"G16P": "GRA.C 9"}, russian={"R308": "GRA.C 20", "R84T": "GUM.P 1"})
    do(s, "attack GRA")
    s.stack[-1].hits = 20
    refresh(s)
    assert [t for t in texts(s) if "ration" in t] == [f"ration R308 {k}" for k in range(1, 17)]
    take(s, "ration R308 16")
    assert [t for t in texts(s) if "ration" in t] == [f"ration R308 {k}" for k in range(1, 5)]
