"""
The sample game of the rulebook, steps 0–42, state by state (§9.3).

One match, one test a step: each asserts what the table shows after its step. The match is played
once and a copy is kept after each step.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from referee.games.stalingrad.state import Stalingrad
from tests.referee.games.stalingrad import sample
from tests.referee.games.stalingrad.sample import RUSSIAN_DECK_AFTER_SCOUTS, top_of_deck
from tests.referee.games.stalingrad.table import (
    G,
    R,
    bottom,
    cards,
    control,
    do,
    hands,
    kind,
    medals,
    no_move,
    rations,
    rubble,
    settle,
    take,
    texts,
    until,
    where,
)

Step = Callable[[Stalingrad], None]
STEPS: dict[int, Step] = {}


def step(n: int) -> Callable[[Step], Step]:
    def enter(function: Step) -> Step:
        STEPS[n] = function
        return function

    return enter


def battle(s: Stalingrad):
    return s.view(R).battle


def totals(s: Stalingrad) -> tuple[int, int]:
    """Running totals (R, G), base and fire."""
    record = battle(s)
    return record.base[R] + record.fire[R], record.base[G] + record.fire[G]


@step(0)
def set_up(s: Stalingrad) -> None:
    sample.set_up(s)
    assert rations(s, "R169", "R248", "R06G", "R15G", "R84T", "R90T") == (2, 1, 0, 3, 2, 2)
    assert s.view(R).force_deck_tops[R] == "R126"
    assert hands(s) == (10, 5)
    assert [control(s, each) for each in ("GUM", "GRA", "TRA", "PAV", "DOC")] == [*"RRRR-"]


@step(1)
def german_supply(s: Stalingrad) -> None:
    """Starting Rations are 4, 4, 4, 1; no Location, 1 each for the Perimeter."""
    assert (s.round, s.acting, s.step, kind(s)) == (1, G, "ACTIONS", "G main")
    assert rations(s, "G16P", "G384", "G14P", "G100") == (5, 5, 5, 2)


@step(2)
def move_16th(s: Stalingrad) -> None:
    do(s, "G: move G16P", "G: to GUM.C")
    settle(s)
    assert control(s, "GUM") == "-"
    assert rations(s, "G16P") == (5,)


@step(3)
def supply_raid(s: Stalingrad) -> None:
    do(s, "G: play supply_raid 1", "G: target R169", "G: target G16P")
    settle(s)
    assert rations(s, "R169", "G16P") == (0, 7)
    assert hands(s)[G] == 4


@step(4)
def attack_gumrak(s: Stalingrad) -> None:
    """With one Force able to attack there are no participants to choose."""
    do(s, "G: attack GUM")
    assert rations(s, "G16P") == (6,)
    assert rubble(s, "GUM") == 1


@step(5)
def reserve_forces(s: Stalingrad) -> None:
    take(s, "G: pass")
    assert kind(s) == "R battle"
    do(s, "R: play reserve_forces 2")
    assert where(s, "R06G") == "GRA.P", "nothing is shown while Fog of War may answer"
    until(s, "G firefight")
    assert where(s, "R06G") == "GUM.C"
    assert totals(s) == (2, 5)
    assert hands(s) == (9, 4)


@step(6)
def firefight(s: Stalingrad) -> None:
    running = []
    for text in (
        "G: pass", "R: fire reserve_forces 3", "G: fire rubble -2", "R: fire rubble -2",
        "G: fire tanks 3", "R: fire rubble -1", "G: pass", "R: fire scouts -1", "G: pass",
    ):  # fmt: skip
        take(s, text)
        running.append(totals(s)[::-1])
    assert running == [(5, 2), (5, 5), (5, 3), (3, 3), (6, 3), (5, 3), (5, 3), (4, 3), (4, 3)]
    assert hands(s) == (5, 2)


@step(7)
def flips(s: Stalingrad) -> None:
    take(s, "R: pass")
    assert cards(s, s.discard[G])[-1] == "artillery_barrage +2"
    assert cards(s, s.discard[R])[-1] == "reinforcements -1"
    assert battle(s).hits == (3, 5)


@step(8)
def russian_absorbs(s: Stalingrad) -> None:
    for text in ("R: retreat R06G", "R: retreat R169", "R: destroy R169"):
        do(s, text)
    assert where(s, "R06G") == "GUM.P"
    assert rations(s, "R06G") == (0,)
    assert bottom(s, R, 1) == ["R169"]


@step(9)
def german_absorbs(s: Stalingrad) -> None:
    """The last Hit leaves one option, so the Ration is spent without asking."""
    do(s, "G: retreat G16P")
    assert where(s, "G16P") == "GUM.P"
    assert rations(s, "G16P") == (5,)
    assert medals(s, "G16P") == 0, "6th Guards survived"


@step(10)
def victory(s: Stalingrad) -> None:
    do(s, "R: play victory 3")
    settle(s)
    assert hands(s) == (7, 2)
    assert kind(s) == "G main"


@step(11)
def return_16th(s: Stalingrad) -> None:
    do(s, "G: move G16P", "G: to GUM.C")
    settle(s)
    assert control(s, "GUM") == "G"
    assert rations(s, "G16P") == (5,)


@step(12)
def dive_bombers(s: Stalingrad) -> None:
    do(s, "G: play dive_bombers 1", "G: target R248")
    until(s, "R absorb")
    assert rubble(s, "GRA") == 2
    assert s.view(G).absorb.hits == 4
    do(s, "R: retreat R248")
    assert s.view(G).absorb.hits == 1, "retreat stops 2, and 1 more by its Special"
    do(s, "R: ration R248 1")
    settle(s)
    assert where(s, "R248") == "GRA.P"
    assert rations(s, "R248") == (0,)
    assert control(s, "GRA") == "-"
    assert hands(s)[G] == 1


@step(13)
def sniper(s: Stalingrad) -> None:
    do(s, "G: move G384", "G: to GRA.C", "R: play sniper -1")
    settle(s)
    assert where(s, "G384") == "GRA.P"
    assert rations(s, "G384") == (5,)
    assert no_move(s, "G384")
    assert cards(s, s.in_play[R]) == ["sniper -1"]
    assert hands(s)[R] == 6


@step(14)
def move_14th(s: Stalingrad) -> None:
    do(s, "G: move G14P", "G: to GRA.C")
    settle(s)
    assert rations(s, "G14P") == (4,)
    assert control(s, "GRA") == "G"


@step(15)
def fresh_supplies(s: Stalingrad) -> None:
    do(s, "G: play fresh_supplies -1")
    settle(s)
    assert rations(s, "G384", "G100") == (7, 4)
    assert hands(s)[G] == 0


@step(16)
def move_100th(s: Stalingrad) -> None:
    do(s, "G: move G100", "G: to DOC.C")
    settle(s)
    assert control(s, "DOC") == "G"
    assert rations(s, "G100") == (4,)


@step(17)
def propaganda_war(s: Stalingrad) -> None:
    do(s, "G: end", "R: play propaganda_war 1")
    assert s.controlled(G) == 3
    assert hands(s) == (5, 5), "5 drawn, not 8"
    assert cards(s, s.in_play[R]) == []
    assert "sniper -1" in cards(s, s.discard[R])
    assert not no_move(s, "G384")
    assert s.outcome() is None


@step(18)
def russian_supply(s: Stalingrad) -> None:
    assert (s.acting, s.step) == (R, "SUPPLY")
    assert texts(s) == ["place_ration R84T", "place_ration R90T"]
    take(s, "R: place_ration R84T")
    take(s, "R: place_ration R90T")
    assert kind(s) == "R main", "Pavlov's House has one candidate"
    assert rations(s, "R15G", "R84T", "R90T", "R06G", "R248") == (5, 3, 3, 1, 1)


@step(19)
def reinforcements(s: Stalingrad) -> None:
    do(s, "R: play reinforcements 2")
    settle(s)
    assert s.buy_points == 3, "the Russian Controls the Tractor Factory"
    assert hands(s)[R] == 4


@step(20)
def buy_126th(s: Stalingrad) -> None:
    do(s, "R: buy", "R: to DOC.P")
    assert s.buy_points == 1
    assert rations(s, "R126") == (4,), "the Docks' note belongs to the German now"
    assert s.force(s.force_deck[R][0]).cost == 3


@step(21)
def scouts(s: Stalingrad) -> None:
    do(s, "R: play scouts 1", "R: search high_morale 3")
    top_of_deck(s, R, RUSSIAN_DECK_AFTER_SCOUTS)
    assert s.buy_points == 0
    assert hands(s)[R] == 4
    do(s, "R: play high_morale 3")
    until(s, "R free_move")
    assert hands(s)[R] == 3


@step(22)
def high_morale(s: Stalingrad) -> None:
    for force in ("R126", "R248", "R06G"):
        do(s, f"R: free_move {force}", "R: to DOC.C")
    do(s, "R: stop")
    assert control(s, "DOC") == "-"
    assert rations(s, "R126", "R248", "R06G") == (4, 1, 1)


@step(23)
def attack_docks(s: Stalingrad) -> None:
    do(s, "R: attack DOC", "R: participants R06G R126 R248")
    assert rations(s, "R126", "R248", "R06G") == (3, 0, 0)
    assert rubble(s, "DOC") == 1


@step(24)
def sewer_warfare_and_tanks(s: Stalingrad) -> None:
    do(s, "R: play sewer_warfare 1", "G: play tanks 2")
    decks = [len(deck) for deck in s.deck]
    until(s, "G absorb")
    assert [len(deck) for deck in s.deck] == decks, "no flip"
    assert battle(s).base == (8, 1)
    assert battle(s).hits == (8, 1)
    assert hands(s) == (2, 4)


@step(25)
def german_loses_100th(s: Stalingrad) -> None:
    """The 7th Hit destroys it without asking, the 8th is lost."""
    do(s, "G: retreat G100", "G: ration G100 4")
    assert bottom(s, G, 1) == ["G100"]


@step(26)
def medal_for_126th(s: Stalingrad) -> None:
    until(s, "R absorb")
    assert not any(text.startswith("retreat") for text in texts(s))
    do(s, "R: ration R126 1", "R: medal R126")
    settle(s)
    assert rations(s, "R126") == (2,)
    assert medals(s, "R126") == 1


@step(27)
def uranus(s: Stalingrad) -> None:
    do(s, "R: play uranus_i 3", "R: destroy_own R06G", "R: play recover_wounded -2")
    do(s, *(f"R: place_ration {force}" for force in ("R248", "R15G", "R126")))
    settle(s)
    assert rations(s, "R248", "R15G", "R126") == (1, 6, 3)
    top = s.force_deck[G][0]
    assert s.buy_cost(top) == s.force(top).cost + 1
    assert hands(s)[R] == 0
    assert bottom(s, R, 2) == ["R169", "R06G"]


@step(28)
def russian_draw(s: Stalingrad) -> None:
    do(s, "R: end")
    while s.acting == R:
        take(s, "pass")
    assert hands(s)[R] == 8, "5, and 3 for the Tractor Factory, Pavlov's House and the Docks"


@step(29)
def second_german_supply(s: Stalingrad) -> None:
    assert (s.round, kind(s)) == (2, "G place_ration")
    do(s, "G: place_ration G14P", "G: place_ration G14P")
    assert rations(s, "G16P", "G14P", "G384") == (6, 6, 8)


@step(30)
def desperation_air_supply_big_push(s: Stalingrad) -> None:
    sizes = []
    do(s, "G: play desperation -2")
    settle(s)
    sizes.append(hands(s)[G])
    do(s, "G: play air_supply -1", *["G: place_ration G14P"] * 4, "G: place_ration G16P")
    sizes.append(hands(s)[G])
    do(s, "G: play big_push 1")
    settle(s)
    sizes.append(hands(s)[G])
    assert sizes == [6, 5, 4]
    assert rations(s, "G14P", "G16P") == (10, 7)


@step(31)
def attack_card(s: Stalingrad) -> None:
    do(s, "G: play attack 1", "G: target G14P", "G: target DOC")
    until(s, "G battle")
    assert where(s, "G14P") == "DOC.C"
    assert rations(s, "G14P") == (10,)
    assert rubble(s, "DOC") == 2
    assert hands(s)[G] == 3


@step(32)
def heavy_weapons(s: Stalingrad) -> None:
    """Doubled after Big Push; the defence counts the medal of the 126th."""
    do(s, "G: play heavy_weapons 1")
    until(s, "G firefight")
    assert totals(s) == (5, 16)
    assert hands(s)[G] == 2


@step(33)
def second_firefight(s: Stalingrad) -> None:
    for text in ("G: pass", "R: fire victory 3", "G: pass", "R: fire artillery_barrage 2"):
        take(s, text)
    assert totals(s) == (10, 16)
    take(s, "G: pass")
    take(s, "R: pass")
    assert battle(s).hits == (10, 15)
    assert hands(s)[R] == 6


@step(34)
def russian_loses_both(s: Stalingrad) -> None:
    """What they hold stops 1 + 3 (Rations) and 3 + 3 (retreats with Special and medal)."""
    do(
        s, "R: retreat R248", "R: ration R248 1", "R: destroy R248",
        "R: retreat R126", "R: ration R126 3", "R: destroy R126",
    )  # fmt: skip
    assert bottom(s, R, 4) == ["R169", "R06G", "R248", "R126"]
    for viewer in (R, G):
        assert s.view(viewer).force_deck_bottoms[R][-2:] == ("R248", "R126"), "order is public"


@step(35)
def rubble_cards(s: Stalingrad) -> None:
    do(s, "G: play rubble -3", "G: play rubble -1", "G: ration G14P 6")
    settle(s)
    assert where(s, "G14P") == "DOC.C"
    assert rations(s, "G14P") == (4,)
    assert hands(s)[G] == 0
    assert medals(s, "G14P") == 1


@step(36)
def two_free_moves(s: Stalingrad) -> None:
    do(s, "G: move G16P", "G: to TRA.P", "G: move G16P", "G: to TRA.C")
    settle(s)
    assert control(s, "TRA") == "-"
    assert rations(s, "G16P") == (7,)


@step(37)
def attack_tractor_factory(s: Stalingrad) -> None:
    do(s, "G: attack TRA")
    assert rations(s, "G16P") == (6,)
    assert rubble(s, "TRA") == 1
    until(s, "R firefight")
    assert totals(s) == (4, 6)


@step(38)
def third_firefight(s: Stalingrad) -> None:
    """The German has no cards, so his passes are automatic."""
    take(s, "R: fire big_push 2")
    assert kind(s) == "R firefight"
    take(s, "R: pass")
    assert battle(s).hits == (6, 6)
    assert hands(s)[R] == 5


@step(39)
def russian_holds(s: Stalingrad) -> None:
    do(s, "R: retreat R90T", "R: ration R90T 3", "R: ration R84T 1")
    assert where(s, "R90T") == "TRA.P"
    assert rations(s, "R90T", "R84T") == (0, 2)
    assert where(s, "R84T") == "TRA.C"


@step(40)
def german_falls_back(s: Stalingrad) -> None:
    """With 6 Rations for 6 Hits the 16th could have stayed: a preference, not a rule."""
    assert "ration G16P 6" in texts(s)
    do(s, "G: retreat G16P", "G: ration G16P 4")
    settle(s)
    assert where(s, "G16P") == "TRA.P"
    assert rations(s, "G16P") == (2,)


@step(41)
def last_moves(s: Stalingrad) -> None:
    do(s, "G: move G16P", "G: to GUM.C", "G: move G384", "G: to GRA.C")
    settle(s)
    assert rations(s, "G384") == (7,)
    assert [control(s, each) for each in ("GUM", "GRA", "DOC")] == [*"GGG"]


@step(42)
def last_draw(s: Stalingrad) -> None:
    """The end of German turn 2, and the final board."""
    do(s, "G: end")
    settle(s)
    assert s.acting == R
    assert hands(s) == (5, 8), "5 + 3 drawn"
    board = {s.force(f).id: s.area_id(s.area_of[f]) for seat in (R, G) for f in s.forces_of(seat)}
    assert board == {
        "R15G": "PAV.C", "R84T": "TRA.C", "R90T": "TRA.P",
        "G16P": "GUM.C", "G384": "GRA.C", "G14P": "DOC.C",
    }  # fmt: skip
    assert rations(s, "R84T", "G16P", "G384", "G14P") == (2, 2, 7, 4)
    assert medals(s, "G14P") == 1
    assert [rubble(s, each) for each in ("GUM", "GRA", "TRA", "DOC", "PAV")] == [1, 2, 1, 2, 0]
    assert bottom(s, R, 4) == ["R169", "R06G", "R248", "R126"]
    assert bottom(s, G, 1) == ["G100"]
    assert cards(s, s.in_play[R]) == ["uranus_i +3"]


@pytest.fixture(scope="module")
def played() -> dict[int, Stalingrad]:
    """The state before each step, as far as the script could be played."""
    before: dict[int, Stalingrad] = {}
    s = sample.begin()
    for n in sorted(STEPS):
        before[n] = s.clone(events=True)
        try:
            STEPS[n](s)
        except AssertionError:
            break
    return before


@pytest.mark.parametrize("n", range(43))
def test_sample_game_step(n: int, played: dict[int, Stalingrad]) -> None:
    assert n in played, "an earlier step went wrong"
    STEPS[n](played[n].clone(events=True))


def test_the_script_has_all_43_steps() -> None:
    assert sorted(STEPS) == list(range(43))
