"""Deliberate leaks, in the rules, in the match and in the server: the hunt must find each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import structlog

from matchmaker import deals
from matchmaker.deals import Deal
from matchmaker.tools.leaks.hunt import Tally, hunt
from matchmaker.tools.random_matches import plan
from referee.engine import PASS, Option
from referee.games.skirmish.events import Passed
from referee.games.skirmish.game import Skirmish
from referee.games.skirmish.rounds import NameCard, Round, Support
from referee.match.record import MatchRecord
from referee.match.seats import Question, Refusal
from referee.match.session import Session
from referee.server import frames

Patch = pytest.MonkeyPatch
MATCHES = 12


def enemy_holds_low(s: Any, seat: int) -> bool:
    """A hidden fact: somebody else has a card of the lower half."""
    return any(min(hand, default=99) < 5 for other, hand in enumerate(s.hands) if other != seat)


def option_list(patch: Patch) -> None:
    honest: Callable[..., tuple[Option, ...]] = NameCard.options

    def options(ask: NameCard, s: Skirmish) -> tuple[Option, ...]:
        offered = honest(ask, s)
        fewer = len(offered) > 1 and enemy_holds_low(s, ask.seat)
        return offered[:-1] if fewer else offered

    patch.setattr(NameCard, "options", options)


def option_order(patch: Patch) -> None:
    honest: Callable[..., tuple[Option, ...]] = NameCard.options

    def options(ask: NameCard, s: Skirmish) -> tuple[Option, ...]:
        offered = honest(ask, s)
        return offered[::-1] if enemy_holds_low(s, ask.seat) else offered

    patch.setattr(NameCard, "options", options)


def event_number(patch: Patch) -> None:
    honest: Callable[..., Any] = Round.take_hill

    def take_hill(step: Round, s: Skirmish) -> None:
        honest(step, s)
        for seat in range(s.seats):
            if 1 in s.hands[seat]:
                s.tell(Passed(seat))

    patch.setattr(Round, "take_hill", take_hill)


def message_size(patch: Patch) -> None:
    honest = Session.take_question

    def take_question(session: Session, number: int) -> Question | None:
        question = honest(session, number)
        if question is None or not enemy_holds_low(session.state, number):
            return question
        return question._replace(kind=question.kind + " ")

    patch.setattr(Session, "take_question", take_question)


def error_text(patch: Patch) -> None:
    honest = Session.bad_answer

    def bad_answer(session: Session, number: int, code: str, text: str) -> Refusal:
        low = enemy_holds_low(session.state, number)
        return honest(session, number, code, f"{text} (low: {low})")

    patch.setattr(Session, "bad_answer", bad_answer)


def log_line(patch: Patch) -> None:
    honest = Session.choose
    log = structlog.get_logger("warladder.referee")

    def choose(session: Session, number: int, *answer: Any) -> Refusal | None:
        state: Any = session.state
        log.info("chosen", seat=number, hand=tuple(state.hands[number]))
        return honest(session, number, *answer)

    patch.setattr(Session, "choose", choose)


def early_reveal(patch: Patch) -> None:
    honest = frames.started

    def started(record: MatchRecord, *rest: Any) -> bytes:
        return honest(record, *rest) + frames._field(b"\xfa\x07", record.seed.encode())

    patch.setattr(frames, "started", started)


def window_opened_by_a_private_fact(patch: Patch) -> None:
    honest: Callable[..., Option | None] = Support.forced

    def forced(ask: Support, s: Skirmish) -> Option | None:
        weak = max(s.hands[ask.seat], default=0) < 4 * s.seats
        return PASS if weak else honest(ask, s)

    patch.setattr(Support, "forced", forced)


def reused_salt(patch: Patch) -> None:
    honest = deals.fresh

    def fresh() -> Deal:
        return honest()._replace(salt=b"always the same.")

    patch.setattr(deals, "fresh", fresh)


def timing(patch: Patch) -> None:
    honest = Session.choose

    def choose(
        session: Session, number: int, decision: int, option: int, note: str, now: float
    ) -> Refusal | None:
        if not enemy_holds_low(session.state, 1 - number):
            return honest(session, number, decision, option, note, now)

        def later() -> None:
            honest(session, number, decision, option, note, now)

        session.time.call_at(now + 0.004, later)
        return None

    patch.setattr(Session, "choose", choose)


LEAKS = {
    option_list: "twin",
    option_order: "twin",
    event_number: "events",
    message_size: "messages",
    error_text: "messages",
    log_line: "log",
    early_reveal: "reveal",
    window_opened_by_a_private_fact: "events",
    reused_salt: "salt",
    timing: "timing",
}
"""And the law each breaks."""


def hunted(matches: int) -> Tally:
    """The hunt in some matches, ended by the first that leaks."""
    tally = Tally()
    for start in plan("skirmish", matches, 2, {}, "leaks"):
        tally.add(hunt([start]))
        if tally.leaks:
            break
    return tally


@pytest.mark.parametrize("leak", LEAKS, ids=lambda leak: leak.__name__)
def test_each_leak_is_found(leak: Callable[[Patch], None], monkeypatch: Patch) -> None:
    leak(monkeypatch)
    found = hunted(MATCHES).leaks
    assert [each.law for each in found] == [LEAKS[leak]], found


@pytest.mark.parametrize("game", ["skirmish", "stalingrad"])
def test_honest_games_have_none(game: str) -> None:
    every = {"skirmish": 1, "stalingrad": 40}[game]
    tally = hunt(plan(game, 1, 2, {}, "honest"), every=every)
    assert tally.leaks == []
    assert tally.twins > 10
    assert tally.carried > 0


def test_every_way_to_sit_down_is_hunted_in() -> None:
    tally = hunt(plan("skirmish", 3, None, {}, "seats"), every=4)
    assert tally.leaks == []
    assert tally.carried > 10
    assert tally.choices > tally.carried
