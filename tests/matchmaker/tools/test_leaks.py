"""Deliberate leaks: each is put into the rules of a game, and the twins must see it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from matchmaker.tools import fuzz
from matchmaker.tools.random_matches import plan
from referee.engine import PASS, Option
from referee.games.skirmish.events import Drew, Passed
from referee.games.skirmish.game import Skirmish
from referee.games.skirmish.rounds import NameCard, Round, Support
from referee.games.skirmish.view import View
from referee.games.stalingrad import events as stalingrad
from referee.games.stalingrad.state import Stalingrad

Patch = pytest.MonkeyPatch


def a_view_marks_who_holds_the_lowest_card(patch: Patch) -> None:
    honest = Skirmish.view

    def view(s: Skirmish, seat: int) -> View:
        marks = tuple(t + 100 * (1 in hand) for t, hand in zip(s.taken, s.hands, strict=True))
        return honest(s, seat)._replace(taken=marks)

    patch.setattr(Skirmish, "view", view)


def an_event_shows_a_drawn_card_to_all(patch: Patch) -> None:
    honest = Skirmish.tell_apart

    def tell_apart(
        s: Skirmish, knowing: Iterable[int], full: object, rest: object | None = None
    ) -> None:
        if isinstance(full, Drew):
            s.tell(full)
        else:
            honest(s, knowing, full, rest)

    patch.setattr(Skirmish, "tell_apart", tell_apart)


def an_event_tells_that_a_seat_has_answered_in_secret(patch: Patch) -> None:
    honest: Callable[..., Any] = NameCard.take

    def take(ask: NameCard, s: Skirmish, option: Option) -> None:
        honest(ask, s, option)
        s.tell(Passed(ask.seat))

    patch.setattr(NameCard, "take", take)


def the_order_of_options_depends_on_a_hidden_card(patch: Patch) -> None:
    honest: Callable[..., tuple[Option, ...]] = NameCard.options

    def options(ask: NameCard, s: Skirmish) -> tuple[Option, ...]:
        offered = honest(ask, s)
        return offered[::-1] if s.deck and s.deck[0] % 2 else offered

    patch.setattr(NameCard, "options", options)


def a_seat_is_asked_for_support_only_if_it_holds_a_high_card(patch: Patch) -> None:
    honest: Callable[..., Option | None] = Support.forced

    def forced(ask: Support, s: Skirmish) -> Option | None:
        weak = max(s.hands[ask.seat], default=0) < 4 * s.seats
        return PASS if weak else honest(ask, s)

    patch.setattr(Support, "forced", forced)


def the_number_of_events_depends_on_a_hand(patch: Patch) -> None:
    honest: Callable[..., Any] = Round.take_hill

    def take_hill(step: Round, s: Skirmish) -> None:
        honest(step, s)
        for seat in range(s.seats):
            if 1 in s.hands[seat]:
                s.tell(Passed(seat))

    patch.setattr(Round, "take_hill", take_hill)


LEAKS = (
    a_view_marks_who_holds_the_lowest_card,
    an_event_shows_a_drawn_card_to_all,
    an_event_tells_that_a_seat_has_answered_in_secret,
    the_order_of_options_depends_on_a_hidden_card,
    a_seat_is_asked_for_support_only_if_it_holds_a_high_card,
    the_number_of_events_depends_on_a_hand,
)


@pytest.mark.parametrize("leak", LEAKS, ids=lambda leak: leak.__name__)
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_twins_catch(leak: Callable[[Patch], None], seats: int, monkeypatch: Patch) -> None:
    leak(monkeypatch)
    tally = fuzz.play(plan("skirmish", 40, seats, {}, "leaks"))
    laws = {found.law for found in tally.found}
    assert laws & {"twin", "imagine", "events", "secret"}, laws


def test_twins_catch_a_hand_shown_in_the_large_game(monkeypatch: Patch) -> None:
    honest = Stalingrad.tell_apart

    def tell_apart(
        s: Stalingrad, knowing: Iterable[int], full: object, rest: object | None = None
    ) -> None:
        if isinstance(full, stalingrad.Drew):
            s.tell(full)
        else:
            honest(s, knowing, full, rest)

    monkeypatch.setattr(Stalingrad, "tell_apart", tell_apart)
    tally = fuzz.play(plan("stalingrad", 3, None, {}, "leaks"))
    assert {found.law for found in tally.found} == {"events"}


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_honest_rules_pass(seats: int) -> None:
    assert fuzz.play(plan("skirmish", 40, seats, {}, "leaks")).found == []
