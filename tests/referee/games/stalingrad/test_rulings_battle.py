"""Rulings (§11) on attacks, Firefight, absorbing Hits and Heroic Service; and contradiction C11."""

from __future__ import annotations

import json
from pathlib import Path

from referee.games.stalingrad import events
from referee.games.stalingrad.check import FILES
from referee.games.stalingrad.load import SHIPPED
from tests.referee.games.stalingrad.table import (
    G,
    R,
    cards,
    control,
    destroyed,
    do,
    hold_fire,
    kind,
    medals,
    rations,
    refresh,
    rubble,
    settle,
    table,
    take,
    texts,
    told,
    until,
    where,
)


def test_ruling_17_a_location_is_attacked_again_and_again() -> None:
    s = hold_fire(table(G, german={"G09F": "PAV.C 20"}, russian={"R13G": "PAV.C 20"}))
    for n in (1, 2, 3):
        do(s, "attack PAV", "R: ration R13G 1", "G: ration G09F 4")
        assert kind(s) == "G main"
        assert rubble(s, "PAV") == n


def test_ruling_18_every_defender_takes_part() -> None:
    s = table(
        G, german={"G16P": "PAV.C 3"}, russian={"R169": "PAV.C 1", "R308": "PAV.C 0",
        "R45R": "PAV.P 1"},
    )  # fmt: skip
    do(s, "attack PAV")
    assert s.view(G).battle.defenders == ("R169", "R308")
    assert rations(s, "R169", "R308") == (1, 0), "they pay nothing"


def test_ruling_20_rations_are_paid_before_the_rubble() -> None:
    s = table(G, german={"G16P": "PAV.C 3"}, russian={"R169": "PAV.C 1"})
    do(s, "attack PAV")
    names = [type(event).__name__ for event in s.events(R)]
    assert names[:3] == ["AttackDeclared", "RationsChanged", "RubbleChanged"]


def test_ruling_21_the_battle_goes_on_in_a_location_it_destroys() -> None:
    s = hold_fire(
        table(G, german={"G16P": "PAV.C 3"}, russian={"R308": "PAV.C 9"}, rubble={"PAV": 4})
    )
    do(s, "attack PAV")
    assert destroyed(s, "PAV")
    assert s.view(R).absorb.hits == 5


def test_ruling_22_battle_cards_wait_for_no_firefight() -> None:
    s = table(
        G, german={"G16P": "PAV.C 3"}, russian={"R308": "PAV.C 9"},
        hand=["tanks 3", "big_push 1", "heavy_weapons 1"],
    )  # fmt: skip
    do(s, "attack PAV")
    assert "play tanks 3" in texts(s)
    take(s, "pass")
    assert kind(s) == "G firefight"
    assert texts(s) == ["pass", "fire big_push 1", "fire heavy_weapons 1", "fire tanks 3"]


def test_ruling_23_the_attacker_is_asked_first_in_battle() -> None:
    for acting, first in ((G, "G battle"), (R, "R battle")):
        s = table(
            acting, german={"G16P": "PAV.C 3"}, russian={"R308": "PAV.C 9"},
            hand=["big_push 1", "victory 3"], enemy_hand=["big_push 1", "victory 3"],
        )  # fmt: skip
        do(s, "attack PAV")
        assert kind(s) == first


def test_ruling_25_one_card_each_turn_of_the_firefight() -> None:
    s = table(
        G, german={"G16P": "PAV.C 3"}, russian={"R308": "PAV.C 9"},
        hand=["tanks 3", "tanks 2"], enemy_hand=["victory 3", "scouts 1"],
    )  # fmt: skip
    do(s, "attack PAV")
    until(s, "G firefight")
    take(s, "fire tanks 3")
    assert kind(s) == "R firefight"
    take(s, "fire victory 3")
    assert kind(s) == "G firefight"


def test_ruling_26_a_value_of_zero_changes_nothing_and_is_no_pass(tmp_path: Path) -> None:
    for file in FILES:
        rows = json.loads((SHIPPED / f"{file}.json").read_text("utf-8"))
        for row in rows:
            if (row["id"], row.get("side")) == ("tanks", "G"):
                row["copies"] = [{"ff": 0, "n": 3}]
        (tmp_path / f"{file}.json").write_text(json.dumps(rows), "utf-8")
    s = table(
        G, german={"G16P": "PAV.C 3"}, russian={"R308": "PAV.C 9"},
        hand=["tanks 0", "attack 1"], enemy_hand=["victory 3"], cards=str(tmp_path),
    )  # fmt: skip
    do(s, "attack PAV", "G: fire tanks 0")
    assert s.view(R).battle.fire == (0, 0)
    do(s, "R: pass")
    assert kind(s) == "G firefight", "one pass in succession, not two"


def test_ruling_27_totals_are_floored_at_the_end_alone() -> None:
    s = hold_fire(
        table(
            G,
            german={"G09F": "PAV.C 3"},
            russian={"R308": "PAV.C 9"},
            hand=["tanks 3"],
            enemy_hand=["fog_of_war -3", "victory 3"],
        )
    )
    do(s, "attack PAV", "G: pass", "R: fire fog_of_war -3")
    assert s.view(R).battle.fire == (0, -3)
    do(s, "G: fire tanks 3", "R: pass")
    assert s.view(R).battle.hits[G] == 1


def test_ruling_28_a_destroyed_defender_has_inflicted_its_hits() -> None:
    s = hold_fire(table(G, german={"G16P": "PAV.C 9"}, russian={"R308": "PAV.C 0"}))
    do(s, "attack PAV")
    assert where(s, "R308") in ("PAV.P", "")
    until(s, "R absorb") if kind(s) == "R absorb" else None
    assert kind(s) == "G absorb"
    assert where(s, "R308") == ""
    assert s.view(G).absorb.hits == 3


def test_ruling_29_a_force_with_means_is_not_thrown_away() -> None:
    full = {"R112": "PAV.P 1", "R45R": "PAV.P 1", "R42N": "PAV.P 1"}
    s = hold_fire(
        table(
            G,
            german={"G16P": "PAV.C 9"},
            russian={"R169": "PAV.C 2", "R84T": "PAV.C 0", "R15G": "PAV.C 0", **full},
        )
    )
    do(s, "attack PAV")
    assert texts(s) == ["ignore R15G", "ration R169 1", "ration R169 2", "destroy R84T"]
    take(s, "destroy R84T")
    assert rations(s, "R169") == (2,), "the Hit went to the other although this one had Rations"
    take(s, "ignore R15G")
    assert "destroy R15G" in texts(s)


def test_ruling_30_retreat_comes_before_the_destruction_of_that_force() -> None:
    s = hold_fire(
        table(G, german={"G16P": "PAV.C 9"}, russian={"R169": "PAV.C 0", "R84T": "PAV.C 0"})
    )
    do(s, "attack PAV")
    assert texts(s) == ["retreat R169", "retreat R84T"]
    take(s, "retreat R169")
    assert texts(s) == ["retreat R84T", "destroy R169"]


def test_ruling_31_a_retreated_force_spends_rations() -> None:
    s = hold_fire(table(G, german={"G24P": "PAV.C 9"}, russian={"R308": "PAV.C 5"}))
    do(s, "attack PAV", "R: retreat R308")
    assert "ration R308 1" in texts(s)


def test_ruling_32_no_second_retreat() -> None:
    s = hold_fire(table(G, german={"G24P": "PAV.C 9"}, russian={"R308": "PAV.C 5"}))
    do(s, "attack PAV", "R: retreat R308")
    assert "retreat R308" not in texts(s)
    assert where(s, "R308") == "PAV.P"


def test_ruling_37_a_card_attack_is_absorbed_by_all_means() -> None:
    s = table(
        G, german={"G384": "GUM.P 3"}, russian={"R15G": "PAV.C 2"},
        hand=["dive_bombers 1", "tanks 2"], enemy_hand=["rubble -1", "victory 3"],
    )  # fmt: skip
    do(s, "play dive_bombers 1")
    until(s, "R absorb")
    assert texts(s) == [
        "ignore R15G", "ration R15G 1", "ration R15G 2", "retreat R15G", "play rubble -1",
    ]  # fmt: skip


def test_ruling_38_a_card_attack_earns_no_heroic_service() -> None:
    full = {"R112": "PAV.P 1", "R45R": "PAV.P 1", "R42N": "PAV.P 1"}
    s = table(
        G, german={"G384": "GUM.C 3"}, russian={"R169": "PAV.C 0", **full},
        hand=["dive_bombers 1", "tanks 2"],
    )  # fmt: skip
    do(s, "play dive_bombers 1")
    settle(s)
    assert where(s, "R169") == ""
    assert kind(s) == "G main"
    assert told(s, G, events.MedalAwarded) == []


def test_ruling_47_reserve_forces_of_the_attacker_attack_for_nothing() -> None:
    s = hold_fire(
        table(
            G,
            german={"G16P": "PAV.C 3", "G336": "GUM.P 2"},
            russian={"R308": "PAV.C 9"},
            hand=["reserve_forces 2", "tanks 2"],
        )
    )
    do(s, "attack PAV", "play reserve_forces 2")
    until(s, "G firefight")
    assert rations(s, "G336") == (2,)
    assert s.view(R).battle.participants == ("G16P", "G336")
    assert s.view(R).battle.base[G] == 5 + 2 + 2, "with its attack bonus"


def test_ruling_48_a_force_is_doubled_once() -> None:
    s = table(
        G, german={"G16P": "PAV.C 3", "G384": "PAV.C 3"}, russian={"R308": "PAV.C 9"},
        hand=["heavy_weapons 1", "heavy_weapons 1", "heavy_weapons -1"],
    )  # fmt: skip
    do(s, "attack PAV", "participants G16P G384", "play heavy_weapons 1", "target G16P")
    do(s, "G: play heavy_weapons 1")
    assert s.view(R).battle.doubled == ("G16P", "G384"), "the only target left"
    assert kind(s) == "G battle"
    assert "play heavy_weapons -1" not in texts(s), "nobody is left to double"
    until(s, "G firefight")
    assert s.view(R).battle.base[G] == 2 * (5 + 3)


def test_ruling_49_big_pushes_add_up() -> None:
    s = table(
        G, german={"G16P": "PAV.C 3", "G384": "PAV.C 3"}, russian={"R308": "PAV.C 9"},
        hand=["big_push 1", "big_push 1", "big_push 2", "tanks 2"],
    )  # fmt: skip
    do(s, "play big_push 1", "attack PAV", "participants G384", "play big_push 2")
    until(s, "G firefight")
    assert s.view(R).battle.base[G] == 3 + 2


def test_ruling_50_tanks_bar_every_retreat() -> None:
    s = hold_fire(
        table(
            G,
            german={"G24P": "PAV.C 3"},
            russian={"R248": "PAV.C 9 2"},
            hand=["tanks 2", "tanks 3"],
        )
    )
    do(s, "attack PAV", "play tanks 2")
    until(s, "R absorb")
    assert "retreat R248" not in texts(s)


def test_ruling_51_sewer_warfare_leaves_effect_cards_alone() -> None:
    s = table(
        G, german={"G16P": "PAV.C 3"}, russian={"R308": "PAV.C 9"},
        hand=["big_push 1", "tanks 3"], enemy_hand=["sewer_warfare 1", "victory 3"],
    )  # fmt: skip
    do(s, "attack PAV", "G: pass", "R: play sewer_warfare 1", "G: play big_push 1")
    until(s, "R absorb")
    assert s.view(R).battle.base[G] == 6
    assert s.view(R).battle.fire == (0, 0)
    assert cards(s, s.hand[G]) == ["tanks +3"]


def test_ruling_52_several_rubble_cards_on_one_attack() -> None:
    s = hold_fire(
        table(
            G,
            german={"G24P": "GRA.C 3"},
            russian={"R308": "GRA.C 9"},
            rubble={"GRA": 1},
            enemy_hand=["rubble -1", "rubble -2", "rubble -3"],
        )
    )
    do(s, "attack GRA")
    until(s, "R absorb")
    for text, left in (("play rubble -1", 5), ("play rubble -2", 3), ("play rubble -3", 1)):
        take(s, text)
        assert s.view(R).absorb.hits == left


def test_ruling_55_no_victory_if_nobody_ran_or_died() -> None:
    hand = ["victory 3", "tanks 2"]
    s = hold_fire(table(G, german={"G16P": "GRA.C 9"}, russian={"R308": "GRA.C 9"}, hand=hand))
    do(s, "attack GRA", "R: ration R308 5", "G: ration G16P 3")
    assert kind(s) == "G main"
    s = hold_fire(table(G, german={"G16P": "GRA.C 9"}, russian={"R308": "GRA.C 9"}, hand=hand))
    do(s, "attack GRA", "R: retreat R308", "R: ration R308 3", "G: ration G16P 3")
    assert kind(s) == "G after_battle"


def test_ruling_71_the_counter_goes_to_a_participant_still_there() -> None:
    """Also C10."""
    full = {"R112": "GRA.P 1", "R45R": "GRA.P 1", "R42N": "GRA.P 1"}
    s = hold_fire(
        table(
            G,
            german={"G24P": "GRA.C 9", "G16P": "GRA.C 9", "G384": "GRA.C 9"},
            russian={"R308": "GRA.C 0", **full},
        )
    )
    do(s, "attack GRA", "participants G16P G24P", "G: retreat G24P", "G: ration G16P 1")
    assert kind(s) == "G main", "one is eligible: G384 did not take part, G24P has left"
    assert [medals(s, each) for each in ("G16P", "G24P", "G384")] == [1, 0, 0]


def test_ruling_72_one_counter_for_each_side_and_battle() -> None:
    full = {"R112": "GRA.P 1", "R45R": "GRA.P 1", "R42N": "GRA.P 1"}
    s = hold_fire(
        table(
            G,
            german={"G24P": "GRA.C 9", "G16P": "GRA.C 9"},
            russian={"R308": "GRA.C 0", "R84T": "GRA.C 0", **full},
        )
    )
    do(s, "attack GRA", "participants G16P G24P", "R: destroy R308", "G: ration G16P 5")
    assert kind(s) == "G medal"
    assert texts(s) == ["medal G16P", "medal G24P"]
    take(s, "medal G24P")
    assert len(told(s, R, events.MedalAwarded)) == 1


def test_ruling_73_without_a_participant_in_control_there_is_no_counter() -> None:
    full = {"R112": "GRA.P 1", "R45R": "GRA.P 1", "R42N": "GRA.P 1"}
    for other, held in (({}, "-"), ({"G384": "GRA.C 1"}, "G")):
        s = hold_fire(
            table(
                G,
                german={"G16P": "GRA.C 9", "G113": "GUM.P 1", **other},
                russian={"R308": "GRA.C 0", **full},
            )
        )
        do(s, "attack GRA", *(["participants G16P"] if other else []))
        do(s, "G: retreat G16P")
        assert kind(s) == "G main"
        assert where(s, "R308") == ""
        assert control(s, "GRA") == held
        assert medals(s, "G16P") == 0
        assert not other or medals(s, "G384") == 0


def test_ruling_75_a_flip_from_an_empty_deck_makes_it_anew() -> None:
    s = table(G, german={"G16P": "GRA.C 9"}, russian={"R308": "GRA.C 9"})
    s.discard[G], s.deck[G] = s.deck[G], []
    for kind_ in s.discard[G]:
        s.unseen[s.book.card_of[kind_]] -= 1
    refresh(s)
    do(s, "attack GRA")
    settle(s)
    assert told(s, R, events.DeckMade) == [events.DeckMade(G, 55)]
    assert len(s.deck[G]) == 54


def test_ruling_78_forces_that_moved_may_attack() -> None:
    s = table(G, german={"G384": "GRA.P 9"}, russian={"R308": "GRA.C 9"})
    do(s, "move G384", "to GRA.C", "attack GRA")
    assert rations(s, "G384") == (7,)
    assert s.view(R).battle.participants == ("G384",)


def test_contradiction_11_forces_outside_the_battle_do_not_count() -> None:
    full = {"R112": "GRA.P 1", "R45R": "GRA.P 1", "R42N": "GRA.P 1"}
    s = hold_fire(table(G, german={"G24P": "GRA.C 9"}, russian={"R308": "GRA.C 0", **full}))
    do(s, "attack GRA", "G: ration G24P 3")
    assert where(s, "R112") == "GRA.P", "one of theirs is left in the Location"
    assert medals(s, "G24P") == 1
