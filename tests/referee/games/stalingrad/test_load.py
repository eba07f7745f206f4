"""Component files (§8): what ships is right; a fault is named with file, record and reason."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from referee.engine.errors import BadData, BadOption, BadView
from referee.games.stalingrad import load
from referee.games.stalingrad.__main__ import main
from referee.games.stalingrad.check import FILES, card_id
from referee.games.stalingrad.deductions import DEDUCTIONS
from referee.games.stalingrad.effects import OPS
from referee.games.stalingrad.game import GAME
from referee.games.stalingrad.targets import CONDITIONS
from referee.games.stalingrad.vocabulary import CONDITIONS as CONDITION_WORDS
from referee.games.stalingrad.vocabulary import EFFECTS

Raw = dict[str, list[dict[str, Any]]]
BOX = load.shipped()


@pytest.fixture
def raw() -> Raw:
    """The shipped files, to be spoilt."""
    return {file: json.loads((load.SHIPPED / f"{file}.json").read_text("utf-8")) for file in FILES}


def write(folder: Path, raw: Raw) -> Path:
    for file, rows in raw.items():
        (folder / f"{file}.json").write_text(json.dumps(rows), "utf-8")
    return folder


def record(rows: list[dict[str, Any]], name: str, side: str = "") -> dict[str, Any]:
    return next(row for row in rows if row["id"] == name and side in ("", row.get("side")))


def test_the_shipped_set_keeps_every_deduction_from_the_sample_game() -> None:
    assert BOX.warnings == ()
    assert len(DEDUCTIONS) == 12


def test_sums_of_the_shipped_set_are_those_of_the_specification() -> None:
    """§8.4 to §8.6: Forces and Action cards."""
    by_seat = [[f for f in BOX.forces if f.seat == seat] for seat in (0, 1)]
    assert [len(each) for each in by_seat] == [24, 24]
    assert [
        (sum(f.cost for f in each), sum(f.combat for f in each), sum(f.rations for f in each))
        for each in by_seat
    ] == [(50, 53, 52), (51, 73, 74)]
    decks: list[dict[int, int]] = [{}, {}]
    for card in BOX.cards:
        for ff, n in card.copies:
            decks[card.seat][ff] = decks[card.seat].get(ff, 0) + n
    assert [sum(deck.values()) for deck in decks] == [55, 55]
    order = (-3, -2, -1, 1, 2, 3)
    assert [tuple(deck[ff] for ff in order) for deck in decks] == [
        (5, 10, 12, 15, 8, 5),
        (6, 9, 13, 14, 8, 5),
    ]
    assert sum(bool(card.removal) for card in BOX.cards) == 6


def test_every_card_of_the_table_is_there_with_its_copies() -> None:
    """§8.6: copies and Firefight values per side."""
    copies = {
        (card.seat, card.id): sorted(ff for ff, n in card.copies for _ in range(n))
        for card in BOX.cards
    }
    assert copies[1, "dive_bombers"] == [-1, -1, 1, 1]
    assert copies[0, "artillery_barrage"] == [1, 1, 2]
    assert copies[0, "reserve_forces"] == [1, 2, 2, 3]
    assert copies[0, "sniper"] == [-3, -2, -2, -1]
    assert copies[1, "rubble"] == [-3, -2, -2, -1]
    assert (0, "tanks") in copies
    assert (0, "attack") not in copies
    assert (1, "sewer_warfare") not in copies


def test_one_function_stands_behind_every_word() -> None:
    assert set(OPS) == set(EFFECTS)
    assert set(CONDITIONS) == set(CONDITION_WORDS)


UNUSED = {
    "card_param", "destroy_own", "discard", "discard_random", "medal", "move_force", "peek",
    "recover_discard", "remove_rations", "retreat_force",
}  # fmt: skip
"""Ops that no shipped card uses: each has a test card of its own (test_reserved.py)."""


def test_shipped_cards_use_all_other_ops() -> None:
    used = {step.op for card in BOX.cards for step in card.effect}
    assert set(OPS) - used == UNUSED


def test_contradiction_14_units_go_by_the_names_of_rb1() -> None:
    names = {force.id: force.name for force in BOX.forces}
    assert [names[each] for each in ("R126", "G384", "G100", "R84T", "R90T")] == [
        "126th Rifle",
        "384th Infantry",
        "100th Jager",
        "84th Tank",
        "90th Tank",
    ]


def test_ids_are_made_from_names() -> None:
    assert card_id("Attack!") == "attack"
    assert card_id("Uranus IV") == "uranus_iv"


def test_a_digest_stands_for_the_content(tmp_path: Path, raw: Raw) -> None:
    assert GAME.facts.cards == BOX.digest
    assert load.load(write(tmp_path, raw)).digest == BOX.digest
    raw["forces"][0]["cost"] += 1
    changed = load.load(write(tmp_path, raw))
    assert changed.digest != BOX.digest
    assert load.known(changed.digest) == changed
    assert load.read_text(changed.text) == changed
    assert any(warning.startswith("K1 ") for warning in changed.warnings)


Spoil = Callable[[Raw], object]


def card(id_: str, side: str = "", **values: Any) -> Spoil:
    return lambda raw: record(raw["cards"], id_, side).update(values)


def force(name: str, **values: Any) -> Spoil:
    return lambda raw: record(raw["forces"], name).update(values)


def location(name: str, **values: Any) -> Spoil:
    return lambda raw: record(raw["locations"], name).update(values)


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (force("R169", cost=-1), r"forces.json: record R169: cost is -1"),
        (force("R169", cost="1"), r"forces.json: record R169: cost is '1', of the wrong type"),
        (force("R169", side="X"), r"forces.json: record R169: side is 'X', known are R, G"),
        (force("R169", id="R 1"), r"forces.json: record R 1: id may hold"),
        (force("R169", id="R248"), r"forces.json: record R248: stands twice"),
        (force("R169", specials=[{"key": "fly", "n": 1}]), r"R169: special is 'fly'"),
        (force("R169", specials=[{"key": "ignore"}]), r"R169: special .* expected key and n"),
        (force("R169", specials=[{"key": "ignore", "n": 0}]), r"special ignore is 0"),
        (force("R169", colour="red"), r"R169: unknown field 'colour'"),
        (lambda raw: raw["forces"][0].pop("combat"), r"R169: combat is missing"),
        (lambda raw: [row.update(cost=40) for row in raw["forces"] if row["side"] == "G"],
         r"forces.json: no starting Forces of side G cost 9 in sum"),
        (location("MAM", destroyed_at=9), r"locations.json: record MAM: destroyed_at is 9, exp"),
        (location("MAM", chart=[]), r"MAM: chart is empty"),
        (location("MAM", chart=[[4, 3], [2, 1]]), r"MAM: chart rows do not ascend"),
        (location("MAM", chart=[[4, -3]]), r"MAM: chart .* expected rows"),
        (location("GUM", note={"key": "luck", "add": 1}), r"GUM: note key is 'luck'"),
        (location("GUM", note={"key": "resupply_rations"}), r"GUM: note add is None"),
        (location("TRA", note={"key": "card", "card": "nope", "param": "points", "add": 1}),
         r"TRA: note names the unknown card 'nope'"),
        (location("TRA", note={"key": "card", "card": "rubble", "param": "points", "add": 1}),
         r"TRA: note param is 'points', known are absorb"),
        (lambda raw: raw["locations"].pop(), r"locations.json: 9 Locations, expected 10"),
        (card("sniper", "R", copies=[{"ff": -4, "n": 1}]), r"R sniper: ff is -4, expected -3 to 3"),
        (card("sniper", "R", copies=[]), r"R sniper: copies is empty"),
        (card("sniper", "R", copies=[{"ff": 1, "n": 1}, {"ff": 1, "n": 2}]), r"stands twice in"),
        (card("sniper", "R", copies=[{"ff": 1}]), r"R sniper: copies .* expected ff and n"),
        (card("sniper", "R", windows=["LATER"]), r"R sniper: window is 'LATER'"),
        (card("sniper", "R", windows=["BATTLE"]), r"sniper: cancel_move cannot be used in BATTLE"),
        (card("sniper", "R", name="Marksman"), r"R sniper: id should be 'marksman'"),
        (card("sniper", "R", stay="for_ever"), r"R sniper: stay is 'for_ever'"),
        (card("sniper", "R", effect=[]), r"R sniper: effect is empty"),
        (card("sniper", "R", effect=[{"op": "fly"}]), r"R sniper: effect op is 'fly', known are"),
        (card("victory", "R", effect=[{"op": "look_at_hand"}]), r"op 'look_at_hand' is reserved"),
        (card("desperation", effect=[{"op": "draw", "who": "me", "n": 3}]), r"draw: who is 'me'"),
        (card("desperation", effect=[{"op": "draw", "n": 3}]), r"draw: has \['n'\], expected"),
        (card("desperation", effect=[{"op": "draw", "who": "self", "n": -1}]), r"draw: n is -1"),
        (card("attack", targets=[{"var": "T", "kind": "card"}]), r"attack: target kind is 'card'"),
        (card("attack", effect=[{"op": "assault", "force": "Z", "loc": "L"}]), r"force is 'Z'"),
        (card("heavy_weapons", "G", windows=["MAIN"]), r"combat_double cannot be used in MAIN"),
        (card("uranus_i", stay="none"), r"a modifier needs a card that stays in play"),
        (card("uranus_i", stay={"until_paid": []}), r"uranus_i: stay is .* with a cost"),
        (card("uranus_i", stay={"until_paid": [{"op": "beg", "n": 1}]}), r"cost op is 'beg'"),
        (card("tanks", "G", stay={"until_paid": [{"op": "discard", "n": 1}]}), r"only Russian"),
        (lambda raw: raw["cards"].remove(record(raw["cards"], "uranus_vi")), r"5 Russian cards"),
        (card("fresh_supplies", "R", effect=[
            {"op": "give_each", "filter": {"owner": "all"}, "n": 1}]), r"filter is 'all'"),
        (card("rubble", "R", cost=[{"op": "discard", "n": 1}]), r"card for ABSORB has no cost"),
        (card("scouts", "R", effect=[{"op": "search", "n": 1}, {"op": "no_firefight"}]),
         r"R scouts: search must be a card's only effect"),
    ],
)  # fmt: skip
def test_a_fault_is_named_with_file_record_and_reason(
    tmp_path: Path, raw: Raw, spoil: Spoil, says: str
) -> None:
    spoil(raw)
    with pytest.raises(BadData) as refusal:
        GAME.start(seed="x", options={"cards": str(write(tmp_path, raw))})
    text = str(refusal.value)
    assert re.search(says, text), text
    assert "\n" not in text
    assert re.match(r"(locations|forces|cards)\.json: ", text)


def test_all_faults_are_named_at_once(tmp_path: Path, raw: Raw) -> None:
    force("R169", cost=-1)(raw)
    location("MAM", destroyed_at=9)(raw)
    card("sniper", "R", windows=["LATER"])(raw)
    with pytest.raises(BadData) as refusal:
        load.load(write(tmp_path, raw))
    for name in ("R169", "MAM", "R sniper"):
        assert f"record {name}" in str(refusal.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[", "cards.json: cannot be read"),
        ("{}", "cards.json: expected a list of records"),
        ('[{"side": "R"}, 3]', "cards.json: record number 2: expected an object"),
    ],
)
def test_a_file_that_is_no_list_of_records_is_refused(
    tmp_path: Path, raw: Raw, text: str, says: str
) -> None:
    write(tmp_path, raw)
    (tmp_path / "cards.json").write_text(text, "utf-8")
    with pytest.raises(BadData, match=says):
        load.load(tmp_path)


def test_a_missing_file_or_folder_is_named(tmp_path: Path, raw: Raw) -> None:
    write(tmp_path, raw)
    (tmp_path / "forces.json").unlink()
    with pytest.raises(BadData, match=r"forces\.json: not in"):
        load.load(tmp_path)
    with pytest.raises(BadData, match="no such folder"):
        load.load(tmp_path / "nowhere")


def test_replaced_components_are_played_and_imagined(tmp_path: Path, raw: Raw) -> None:
    record(raw["forces"], "R169")["combat"] = 9
    s = GAME.start(seed="own", options={"cards": str(write(tmp_path, raw))})
    assert s.force(s.book.force_no["R169"]).combat == 9
    assert s.view(0).cards != BOX.digest
    assert GAME.imagine(s.view(0), "k").view(0) == s.view(0)
    assert GAME.load(s.save()) == s
    with pytest.raises(BadView, match="have not been read here"):
        GAME.imagine(s.view(0)._replace(cards="0" * 64), "k")


def test_a_set_up_total_out_of_reach_is_refused(tmp_path: Path, raw: Raw) -> None:
    for row in raw["forces"]:
        if row["side"] == "R":
            row["cost"] = {1: 11}.get(row["cost"], 4)
    folder = str(write(tmp_path, raw))
    GAME.start(seed="x", options={"cards": folder})
    with pytest.raises(BadData, match="no starting Forces of side R cost 10"):
        GAME.start(seed="x", options={"cards": folder, "setup_total_russian": 10})


def test_a_set_up_that_the_areas_cannot_hold_is_refused() -> None:
    with pytest.raises(BadOption, match="the areas hold 10"):
        GAME.start(seed="x", options={"area_capacity": 2, "setup_total_german": 11})


def test_an_owner_checks_his_files_by_a_command(
    tmp_path: Path, raw: Raw, capsys: pytest.CaptureFixture[str]
) -> None:
    record(raw["forces"], "R126")["cost"] = 3
    assert main([str(write(tmp_path, raw))]) == 0
    out, err = capsys.readouterr()
    assert out.strip() == load.load(tmp_path).digest
    assert err.startswith("warning: K6 does not hold: 126th costs 2")
    record(raw["forces"], "R126")["cost"] = -3
    assert main([str(write(tmp_path, raw))]) == 1
    assert capsys.readouterr().err == (
        "forces.json: record R126: cost is -3, expected a whole number from 0\n"
    )
    assert main([]) == 2
    assert "FOLDER" in capsys.readouterr().err
