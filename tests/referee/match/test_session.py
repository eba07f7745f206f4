"""How a match runs: questions, answers, what is written before what is shown, and the end."""

import hashlib
from collections.abc import Callable

import pytest

from referee.match.journal import (
    Begun,
    Choice,
    End,
    Ending,
    Faulted,
    How,
    Left,
    Opened,
    Order,
    Setup,
)
from referee.match.record import Pace, pack_record, unpack_record
from referee.match.replay import verify
from referee.match.seats import Finished, Question, Told
from tests.helpers.matches import record
from tests.helpers.sessions import Alarm, Line, SlowJournal, Table


def test_a_match_is_played_to_its_end_and_its_replay_agrees() -> None:
    table = Table(record(options={"rounds": 2}))
    table.play()
    for line in table.lines:
        assert line.finished.ending is Ending.NORMAL
        assert line.finished.reason == "points"
    assert table.ends == [table.session]
    found = verify(table.record, table.entries, canary_every=1)
    assert found.problems == []
    assert found.leaks == []
    assert found.canaries == found.decisions == len(table.choices) == 8
    assert found.digest == table.session.state.digest()
    assert found.ranks == table.lines[0].finished.ranks


def test_the_journal_begins_with_the_set_up_and_ends_with_the_end() -> None:
    table = Table(record(options={"rounds": 1}))
    table.play()
    setup, opened, begun, *play, end = table.entries
    assert setup == Setup(pack_record(table.record))
    assert opened == Opened(1, "r1")
    assert begun == Begun()
    assert [type(entry) for entry in play] == [Choice] * 4
    assert isinstance(end, End)
    assert end.digest == table.session.state.digest()


def test_nothing_is_asked_before_all_are_ready() -> None:
    table = Table(record(), ready=False)
    for line in table.lines:
        table.session.attach(line.seat, line)
    table.session.ready(0)
    assert table.asked == []
    assert table.lines[0].told == ["started"]
    table.session.ready(1)
    assert table.asked == [0, 1]


def test_a_seats_decisions_and_events_are_counted_for_itself() -> None:
    table = Table(record(options={"rounds": 2}))
    table.play()
    for line in table.lines:
        questions = [each for each in line.told if isinstance(each, Question)]
        assert [each.decision for each in questions] == list(range(1, len(questions) + 1))
        events = sum(len(each.events) for each in line.told if hasattr(each, "events"))
        assert events == line.told[-1].last_event
        assert events == len(table.session.state.events(line.seat, 0))


def test_a_choice_is_safe_before_its_consequence_is_shown() -> None:
    journal = SlowJournal()
    table = Table(record(), journal)
    assert table.asked == []
    journal.catch_up()
    assert table.asked == [0, 1]
    table.answer(0)
    table.answer(1)
    told = [len(line.told) for line in table.lines]
    journal.catch_up(len(journal.entries) - 1)  # one of the two is not safe yet
    assert [len(line.told) for line in table.lines] == told
    journal.catch_up()
    assert len(table.asked) == 1
    assert len(table.lines[table.asked[0]].told) > told[table.asked[0]]


def test_the_end_is_shown_only_when_it_is_safe() -> None:
    journal = SlowJournal()
    table = Table(record(options={"rounds": 1}), journal)
    journal.catch_up()
    while not table.session.over:
        if table.asked:
            table.answer(table.asked[0])
        else:
            journal.catch_up()
    assert not any(isinstance(line.told[-1], Finished) for line in table.lines)
    assert table.ends == []
    journal.catch_up()
    assert all(isinstance(line.told[-1], Finished) for line in table.lines)
    assert table.ends == [table.session]


def test_a_fenced_session_says_nothing_more() -> None:
    journal = SlowJournal()
    table = Table(record(), journal)
    journal.catch_up()
    table.answer(0)
    table.session.fenced()
    told = [list(line.told) for line in table.lines]
    journal.catch_up()
    table.time.pass_seconds(100_000)
    assert table.session.choose(1, 1, 0, "", table.time.now()) is not None
    assert [line.told for line in table.lines] == told
    assert [line.gone for line in table.lines] == [True, True]
    assert table.ends == [table.session]


def test_others_hear_in_one_update_what_no_question_carried() -> None:
    table = Table(record())
    table.answer(0)
    table.answer(1)
    (asked,) = table.asked
    other = table.lines[1 - asked]
    assert not any(isinstance(each, Told) for each in other.told)
    table.time.pass_seconds(0.26)
    (update,) = [each for each in other.told if isinstance(each, Told)]
    assert update.last_event == len(table.session.state.events(other.seat, 0))


def test_a_sealed_answer_is_told_to_nobody() -> None:
    table = Table(record())
    table.answer(0)
    table.time.pass_seconds(1.0)
    assert len(table.lines[1].told) == 2  # the start and its own question


def test_an_old_answer_is_stale_and_an_early_one_not_asked() -> None:
    table = Table(record())
    now = table.time.now()
    table.answer(0)
    for decision, code in ((1, "STALE"), (2, "NOT_ASKED"), (0, "NOT_ASKED")):
        refusal = table.session.choose(0, decision, 0, "", now)
        assert refusal is not None
        assert refusal.code == code
    assert len(table.choices) == 1


def test_a_question_that_waits_in_the_referee_cannot_be_answered() -> None:
    table = Table(record(), ready=False)
    table.lines[1].patient = True
    table.join()
    refusal = table.session.choose(1, 1, 0, "", table.time.now())
    assert refusal is not None
    assert refusal.code == "NOT_ASKED"
    table.lines[1].deliver()
    assert table.answer(1) is None


def test_notes_are_kept_for_the_replay_and_cut() -> None:
    table = Table(record())
    table.answer(0, note="a bold move")
    table.answer(1, note="x" * 1000)
    assert table.choices[0].note == "a bold move"
    assert len(table.choices[1].note) == 512


def test_notes_are_cut_by_bytes_and_no_character_in_the_middle() -> None:
    table = Table(record())
    table.answer(0, note="ß" * 300)
    table.answer(1, note="a" + "ß" * 300)
    assert table.choices[0].note == "ß" * 256
    assert table.choices[1].note == "a" + "ß" * 255


def test_a_word_that_crosses_the_end_is_stale_and_no_fault() -> None:
    table = Table(record())
    table.session.resign(0)
    refusals = (
        table.session.choose(1, 1, 0, "", table.time.now()),
        table.session.ready(1),
        table.session.resign(1),
        table.session.order(1, "support", True),
    )
    assert [refusal.code for refusal in refusals if refusal] == ["STALE"] * 4
    assert table.journal.ending == Ending.RESIGNED


def test_every_32nd_choice_carries_a_digest() -> None:
    table = Table(record(seats=4))
    table.play()
    with_digest = [k for k, choice in enumerate(table.choices, 1) if choice.digest]
    assert with_digest == list(range(32, len(table.choices) + 1, 32))
    assert with_digest
    assert verify(table.record, table.entries).problems == []


def test_standing_orders_pass_windows_without_asking() -> None:
    table = Table(record(options={"rounds": 1}))
    assert table.session.order(0, "support", True) is None
    assert table.session.order(0, "support", True) is None  # said twice, noted once
    table.play()
    by_seat = [[c.how for c in table.choices if c.seat == seat] for seat in (0, 1)]
    assert by_seat == [[How.ANSWERED, How.STANDING], [How.ANSWERED, How.ANSWERED]]
    assert [e for e in table.entries if isinstance(e, Order)] == [Order(0, "support", True)]
    assert verify(table.record, table.entries).problems == []


def test_a_standing_order_can_be_taken_back() -> None:
    table = Table(record(options={"rounds": 1}))
    table.session.order(0, "support", True)
    table.session.order(0, "support", False)
    table.play()
    assert {choice.how for choice in table.choices} == {How.ANSWERED}


@pytest.mark.parametrize("window", ["name", "nonsense", ""])
def test_other_kinds_take_no_standing_order(window: str) -> None:
    table = Table(record())
    refusal = table.session.order(0, window, True)
    assert refusal is not None
    assert refusal.code == "UNKNOWN_KIND"
    assert "support" in refusal.text


def test_paced_outcomes_are_held_to_floor_and_quantum_and_charged_to_nobody() -> None:
    table = Table(record(pace=Pace(floor_ms=100, quantum_ms=50)))
    table.answer(0)
    table.answer(1)  # `name` is not paced
    (asked,) = table.asked
    other = table.lines[1 - asked]
    start = table.time.now()
    table.time.pass_seconds(0.012)
    table.answer(asked)
    assert table.asked == []
    table.time.pass_seconds(0.08)
    assert table.asked == []
    table.time.pass_seconds(0.06)
    assert table.asked == [other.seat]
    shown_at = table.session.seats[other.seat].pending.asked_at
    assert shown_at >= start + 0.1
    assert shown_at * 1000 % 50 == pytest.approx(0, abs=1e-6)
    assert table.choices[-1].ledger.charged_ms == pytest.approx(12, abs=1)


def test_a_standing_order_keeps_the_pace_of_an_answer() -> None:
    table = Table(record(pace=Pace(floor_ms=100)))
    for seat in (0, 1):
        table.session.order(seat, "support", True)
    table.answer(0)
    table.answer(1)
    table.time.pass_seconds(0.15)
    assert len(table.choices) == 4
    assert table.asked == []
    table.time.pass_seconds(0.06)
    assert table.asked == [0, 1]


def test_the_deal_is_committed_at_the_start_and_told_at_the_end() -> None:
    table = Table(record(options={"rounds": 1}))
    table.play()
    told = table.lines[0].finished
    proof = hashlib.sha256(told.seed.encode() + b"\0" + told.salt).digest()
    assert proof == table.record.commitment


def test_the_seed_stays_secret_while_the_deal_is_still_to_be_played() -> None:
    table = Table(record(options={"rounds": 1}, reveal=False))
    table.play()
    assert (table.lines[0].finished.seed, table.lines[0].finished.salt) == ("", b"")


def test_a_record_survives_its_bytes() -> None:
    planned = record(options={"rounds": 3}, setting="public", pace=Pace(floor_ms=100))
    assert unpack_record(pack_record(planned)) == planned


def test_a_bot_that_comes_back_hears_what_it_missed_and_its_question() -> None:
    table = Table(record())
    table.answer(0)
    table.answer(1)
    (asked,) = table.asked
    line = table.lines[asked]
    question = line.question
    table.session.detach(asked, line)
    again = Line(table.session, asked)
    table.session.attach(asked, again, last_event=1)
    assert again.told[0] == "resumed"
    assert again.question.decision == question.decision
    assert again.question.last_event == question.last_event
    assert len(again.question.events) == question.last_event - 1
    assert [e for e in table.entries if isinstance(e, Left)] == [
        Left(asked, back=False),
        Left(asked, back=True),
    ]


def test_one_that_remembers_nothing_is_told_everything() -> None:
    table = Table(record())
    table.answer(0)
    again = Line(table.session, 0)
    table.session.detach(0, table.lines[0])
    table.session.attach(0, again)
    (told,) = [each for each in again.told if isinstance(each, Told)]
    assert len(told.events) == told.last_event == 1


def test_a_line_that_was_replaced_takes_nothing_with_it_when_it_ends() -> None:
    table = Table(record())
    old, new = table.lines[0], Line(table.session, 0)
    table.session.attach(0, new)
    table.session.detach(0, old)
    assert table.session.seats[0].channel is new


def test_a_broken_rule_voids_the_match_and_blames_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table(record())

    def broken(seat: int, option: int) -> None:
        raise ZeroDivisionError("in the rules")

    monkeypatch.setattr(table.session.state, "choose", broken)
    table.answer(0)
    finished = table.lines[1].finished
    assert finished.ending is Ending.REFEREE_FAULT
    assert finished.ranks == ()
    assert "in the rules" in finished.text
    assert finished.faults == ("", "")
    assert [type(entry) for entry in table.entries[-2:]] == [Choice, End]


def test_bad_answers_are_private_and_the_third_is_illegal() -> None:
    table = Table(record())
    before = list(table.lines[1].told)
    for _ in range(2):
        refusal = table.answer(0, 99)
        assert refusal.code == "NOT_OFFERED"
        assert "5" in refusal.text
    assert table.lines[1].told == before
    table.answer(0, 99)
    assert table.lines[0].finished.ending is Ending.ILLEGAL
    assert table.lines[0].finished.faults == ("illegal", "")
    assert table.lines[0].finished.ranks == (2, 1)
    assert table.lines[0].finished.text.startswith("illegal: 3 bad answers in decision 1")
    assert table.lines[1].finished.text == ""
    assert [e.code for e in table.entries if isinstance(e, Faulted)] == ["NOT_OFFERED"] * 3


def test_bad_answers_are_counted_for_each_decision() -> None:
    table = Table(record())
    for _ in range(2):
        table.answer(0, 99)
    table.answer(0)
    table.answer(1)
    while table.asked != [0]:
        table.answer(table.asked[0])
    for _ in range(2):
        table.answer(0, 99)
    assert not table.session.over


def test_while_the_store_is_away_nothing_is_told_and_no_alarm_spins() -> None:
    journal = SlowJournal()
    table = Table(record(pace=Pace(floor_ms=100)), journal)
    journal.catch_up()
    table.answer(0)
    table.answer(1)
    journal.catch_up()
    (asked,) = table.asked
    table.answer(asked)
    told = [len(line.told) for line in table.lines]
    table.session.stop(table.time.now())
    alarms = 0
    call_at = table.time.call_at

    def counted(when: float, callback: Callable[[], None]) -> Alarm:
        nonlocal alarms
        alarms += 1
        return call_at(when, callback)

    table.time.call_at = counted  # type: ignore[method-assign]
    table.time.pass_seconds(100)
    assert [len(line.told) for line in table.lines] == told
    assert alarms < 10
    table.session.go_on(table.time.now())
    journal.catch_up()
    table.time.pass_seconds(0.3)
    assert table.asked == [1 - asked]
