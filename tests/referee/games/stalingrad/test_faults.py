"""
Deliberate faults, each put into the rules: rule tests must notice.

Playthroughs, digests and the sample game are left out: any change breaks those, so they prove
nothing about single rules.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from referee.engine import Frame
from referee.games.stalingrad.absorb import Absorb
from referee.games.stalingrad.attack import Attack, AwardMedal
from referee.games.stalingrad.battle import Battle, with_added
from referee.games.stalingrad.buy import Buy
from referee.games.stalingrad.effects import OPS
from referee.games.stalingrad.firefight import Firefight
from referee.games.stalingrad.main import Main
from referee.games.stalingrad.moves import Move
from referee.games.stalingrad.play import CardPlay, CardWindow
from referee.games.stalingrad.records import Location
from referee.games.stalingrad.state import Stalingrad
from referee.games.stalingrad.supply import Supply
from referee.games.stalingrad.turn import Turn
from tests.referee.games.stalingrad import (
    test_corners,
    test_corners_battle,
    test_corners_turn,
    test_options,
    test_rulings_battle,
    test_rulings_cards,
    test_rulings_turn,
    test_vectors_battle,
    test_vectors_board,
    test_vectors_rulings,
    test_windows,
)

Patch = pytest.MonkeyPatch

RULE_TESTS = (
    test_vectors_board, test_vectors_battle, test_vectors_rulings,
    test_rulings_battle, test_rulings_cards, test_rulings_turn, test_corners,
    test_corners_battle, test_corners_turn, test_options, test_windows,
)  # fmt: skip


# Battle


def a_medal_without_destruction(patch: Patch) -> None:
    """For Control alone, though an enemy participant lives (§4.5)."""

    def award_medal(battle: Attack, s: Stalingrad, seat: int) -> Frame | None:
        if s.controller(battle.place) != seat:
            return None
        own = [f for f in battle.forces(seat) if f in s.in_area(seat, 2 * battle.place)]
        return AwardMedal(seat=seat, forces=tuple(own)) if own else None

    patch.setattr(Attack, "award_medal", award_medal)


def a_medal_for_who_did_not_take_part(patch: Patch) -> None:
    honest = Attack.award_medal

    def award_medal(battle: Attack, s: Stalingrad, seat: int) -> Frame | None:
        award = honest(battle, s, seat)
        there = s.in_area(seat, 2 * battle.place)
        return AwardMedal(seat=seat, forces=there) if award else None

    patch.setattr(Attack, "award_medal", award_medal)


def the_attack_adds_no_rubble(patch: Patch) -> None:
    patch.setattr(Attack, "add_rubble", lambda battle, s: None)


def a_negative_value_is_taken_from_the_own_total(patch: Patch) -> None:
    def add_fire(battle: Battle, seat: int, ff: int) -> None:
        battle.fire = with_added(battle.fire, seat, ff)

    patch.setattr(Battle, "add_fire", add_fire)


def a_pass_in_the_firefight_is_final(patch: Patch) -> None:
    honest = Firefight.take

    def take(fight: Firefight, s: Stalingrad, option: Any) -> None:
        passes = fight.passes
        honest(fight, s, option)
        fight.passes = max(fight.passes, passes)

    patch.setattr(Firefight, "take", take)


def hits_of_destroyed_defenders_do_not_count(patch: Patch) -> None:
    honest = Attack.attacker_absorbs

    def attacker_absorbs(battle: Attack, s: Stalingrad) -> Frame:
        dead = [f for f in battle.lost if s.book.seat_of[f] != battle.seat]
        fewer = sum(s.eff(f, attacking=False, doubled=f in battle.doubled) for f in dead)
        battle.hits = with_added(battle.hits, 1 - battle.seat, -fewer)
        return honest(battle, s)

    patch.setattr(Attack, "attacker_absorbs", attacker_absorbs)


def tanks_do_not_bar_retreat(patch: Patch) -> None:
    patch.setitem(OPS, "no_retreat", lambda s, play, params, n: None)


def a_sniper_stops_retreats_too(patch: Patch) -> None:
    honest = Absorb.can_retreat

    def can_retreat(absorb: Absorb, s: Stalingrad, f: int) -> bool:
        return honest(absorb, s, f) and not s.no_move[f]

    patch.setattr(Absorb, "can_retreat", can_retreat)


def a_medal_stops_no_hit_of_a_retreat(patch: Patch) -> None:
    honest = Absorb.take

    def take(absorb: Absorb, s: Stalingrad, option: Any) -> Frame | None:
        medals, s.medals = s.medals, [0] * len(s.medals)
        called = honest(absorb, s, option)
        s.medals = [n if s.area_of[f] >= 0 else 0 for f, n in enumerate(medals)]
        return called

    patch.setattr(Absorb, "take", take)


def a_force_with_means_may_be_thrown_away(patch: Patch) -> None:
    honest = Absorb.options

    def options(absorb: Absorb, s: Stalingrad) -> list[Any]:
        offered = list(honest(absorb, s))
        every = [s.book.force_options["destroy"][f] for f in absorb.forces]
        return offered + [option for option in every if option not in offered]

    patch.setattr(Absorb, "options", options)


def a_destroyed_force_keeps_its_medals(patch: Patch) -> None:
    honest = Stalingrad.destroy

    def destroy(s: Stalingrad, f: int) -> None:
        medals = s.medals[f]
        honest(s, f)
        s.medals[f] = medals

    patch.setattr(Stalingrad, "destroy", destroy)


# Supply, moving, buying, drawing


def a_yield_is_one_row_off(patch: Patch) -> None:
    def rations(location: Location, rubble: int) -> int:
        return next((n for most, n in location.chart if rubble < most), 0)

    patch.setattr(Location, "rations", rations)


def the_perimeter_of_an_enemy_location_is_not_supplied(patch: Patch) -> None:
    honest = Supply.perimeter

    def perimeter(supply: Supply, s: Stalingrad) -> None:
        before = s.rations.copy()
        honest(supply, s)
        for f in s.forces_of(supply.seat):
            if s.controller(s.area_of[f] // 2) == 1 - supply.seat:
                s.rations[f] = before[f]

    patch.setattr(Supply, "perimeter", perimeter)


def free_moves_are_not_counted(patch: Patch) -> None:
    patch.setattr(Stalingrad, "use_free_move", lambda s, f: None)


def a_cancelled_move_is_paid_for(patch: Patch) -> None:
    honest = Move.go

    def go(move: Move, s: Stalingrad) -> None:
        if move.cancelled and s.move_cost(move.force):
            s.change_rations(move.force, -1)
        honest(move, s)

    patch.setattr(Move, "go", go)


def buy_points_outlive_any_action(patch: Patch) -> None:
    def acted(main: Main, s: Stalingrad, *, keep_points: bool = False) -> None:
        s.actions += 1

    patch.setattr(Main, "acted", acted)


def a_note_on_bought_forces_is_read_after_the_placement(patch: Patch) -> None:
    honest = Buy.turn_next

    def turn_next(buy: Buy, s: Stalingrad) -> None:
        seat = buy.seat
        later = s.note(seat, "bought_rations") - buy.extra_rations
        for f in s.forces_of(seat):
            if later > 0 and s.area_id(s.area_of[f]) == "DOC.C":
                s.change_rations(f, later)
        honest(buy, s)

    patch.setattr(Buy, "turn_next", turn_next)


def the_draw_bonus_is_read_at_supply(patch: Patch) -> None:
    honest = Turn.supply

    def supply(turn: Turn, s: Stalingrad) -> Frame:
        turn.__dict__["controlled"] = s.controlled(s.acting)
        return honest(turn, s)

    def draw(turn: Turn, s: Stalingrad) -> None:
        bonus = turn.__dict__.get("controlled", s.controlled(s.acting))
        n = s.book.config.base_draw + s.modifier("draw_count", s.acting)
        s.draw(s.acting, n if turn.no_draw_bonus else n + bonus)

    patch.setattr(Turn, "supply", supply)
    patch.setattr(Turn, "draw", draw)


def victory_is_checked_in_the_enemys_turn_too(patch: Patch) -> None:
    honest = Turn.end

    def end(turn: Turn, s: Stalingrad) -> None:
        if s.controlled(1 - s.acting) == 5:
            s.finish(1 - s.acting, "FIVE_LOCATIONS")
        else:
            honest(turn, s)

    patch.setattr(Turn, "end", end)


# Cards


def a_card_cancelled_by_fog_comes_back_to_the_hand(patch: Patch) -> None:
    honest = CardPlay.pay_cost

    def pay_cost(play: CardPlay, s: Stalingrad) -> Frame | None:
        called = honest(play, s)
        if play.cancelled:
            s.discard[play.seat].remove(play.played)
            s.hand[play.seat] = sorted([*s.hand[play.seat], play.played])
        return called

    patch.setattr(CardPlay, "pay_cost", pay_cost)


def a_cancelled_card_is_paid_for(patch: Patch) -> None:
    honest = CardPlay.pay_cost

    def pay_cost(play: CardPlay, s: Stalingrad) -> Frame | None:
        if play.cancelled:
            for cost in s.card(play.played).cost:
                if cost.op == "destroy_own":
                    s.destroy(s.forces_of(play.seat)[0])
        return honest(play, s)

    patch.setattr(CardPlay, "pay_cost", pay_cost)


def scouts_alone_open_a_window(patch: Patch) -> None:
    honest = CardWindow.is_open

    def is_open(window: CardWindow, s: Stalingrad) -> bool:
        scouts = [c for c, card in enumerate(s.book.cards) if card.has("search")]
        unseen = any(s.unseen[c] for c in scouts if s.book.cards[c].seat == window.seat)
        may = unseen and bool(s.hand[window.seat]) and not (window.passes or window.closed)
        return honest(window, s) or (window.window != "BATTLE" and may)

    patch.setattr(CardWindow, "is_open", is_open)


def a_hand_once_known_stays_known(patch: Patch) -> None:
    honest = Stalingrad.leave_hand

    def leave_hand(s: Stalingrad, seat: int, kind: int) -> None:
        known = s.known_hand[seat].copy()
        honest(s, seat, kind)
        s.known_hand[seat] = known

    patch.setattr(Stalingrad, "leave_hand", leave_hand)


def plays_are_not_counted(patch: Patch) -> None:
    honest = CardPlay.on_card

    def on_card(play: CardPlay, s: Stalingrad) -> Frame:
        s.plays = [0] * len(s.plays)
        return honest(play, s)

    patch.setattr(CardPlay, "on_card", on_card)


def a_doubled_force_is_not_doubled_with_its_bonus(patch: Patch) -> None:
    honest = Stalingrad.eff

    def eff(s: Stalingrad, f: int, *, attacking: bool, doubled: bool) -> int:
        once = honest(s, f, attacking=attacking, doubled=False)
        return once + s.force(f).combat if doubled else once

    patch.setattr(Stalingrad, "eff", eff)


FAULTS = [
    fault for name, fault in list(globals().items())
    if inspect.isfunction(fault) and list(inspect.signature(fault).parameters) == ["patch"]
]  # fmt: skip


def rule_tests() -> Iterator[Callable[[], None]]:
    """Tests of single rules that need nothing to be called."""
    for module in RULE_TESTS:
        for name, test in vars(module).items():
            if name.startswith("test_") and not inspect.signature(test).parameters:
                yield test


def noticed() -> str:
    """Name of the first rule test that fails; empty if none does."""
    for test in rule_tests():
        try:
            test()
        except Exception:  # whatever it raises, the test has failed
            return test.__name__
    return ""


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_rule_tests_notice(fault: Callable[[Patch], None], monkeypatch: Patch) -> None:
    fault(monkeypatch)
    assert noticed()
