"""Clocks and blame: each limit, what is credited, and who comes where."""

import pytest

from referee.match.journal import Ending, How, Out
from referee.match.record import Clocks
from referee.match.replay import verify
from referee.match.seats import Told
from tests.helpers.matches import record
from tests.helpers.sessions import Line, Table

CLOCKS = Clocks(bank_ms=10_000, increment_ms=200, cap_ms=2_000, startup_ms=5_000, grace_ms=3_000)


def window(table: Table) -> int:
    """Play on to the first support window; returns the seat that is asked."""
    table.answer(0)
    table.answer(1)
    (asked,) = table.asked
    return asked


def test_thinking_is_charged_and_an_answer_adds_the_increment() -> None:
    table = Table(record(clocks=CLOCKS))
    table.time.pass_seconds(1.25)
    table.answer(0)
    ledger = table.choices[0].ledger
    assert (ledger.charged_ms, ledger.bank_ms) == (1250, 10_000 - 1250 + 200)
    assert ledger.elapsed_us == 1_250_000


def test_ping_and_the_referees_own_delay_are_credited() -> None:
    table = Table(record(clocks=CLOCKS))
    table.lines[0].median_ping = 0.03
    table.time.pass_seconds(1.0)
    table.time.lag = 0.25
    table.answer(0)
    ledger = table.choices[0].ledger
    assert ledger.charged_ms == 720
    assert (ledger.delay_us, ledger.ping_us) == (250_000, 30_000)


def test_no_more_than_100_ms_of_ping_is_credited() -> None:
    table = Table(record(clocks=CLOCKS))
    table.lines[0].median_ping = 5.0
    table.time.pass_seconds(1.0)
    table.answer(0)
    assert table.choices[0].ledger.charged_ms == 900


def test_a_quick_answer_on_a_slow_line_costs_nothing() -> None:
    table = Table(record(clocks=CLOCKS))
    table.lines[0].median_ping = 0.1
    table.time.pass_seconds(0.05)
    table.answer(0)
    assert table.choices[0].ledger.charged_ms == 0


def test_the_clock_of_a_waiting_question_has_not_started() -> None:
    table = Table(record(clocks=CLOCKS), ready=False)
    table.lines[0].patient = True
    table.join()
    table.time.pass_seconds(60)
    table.lines[0].deliver()
    table.time.pass_seconds(0.5)
    table.answer(0)
    ledger = next(choice.ledger for choice in table.choices if choice.seat == 0)
    assert (ledger.charged_ms, ledger.waited_us) == (500, 60_000_000)


def test_after_the_cap_the_default_is_taken_told_and_counted() -> None:
    table = Table(record(clocks=CLOCKS))
    asked = window(table)
    table.time.pass_seconds(2.01)
    late = table.choices[-1]
    assert (late.seat, late.how, late.option) == (asked, How.LATE, 0)
    assert late.ledger.charged_ms == 2000
    told = [e.default_taken for e in table.lines[asked].told if getattr(e, "default_taken", None)]
    assert [(t.decision, t.option, t.defaults) for t in told] == [(2, 0, 1)]
    refusal = table.session.choose(asked, 2, 0, "", table.time.now())
    assert refusal is not None
    assert refusal.code == "STALE"


def test_each_late_answer_is_told_of_with_the_loops_own_lateness() -> None:
    table = Table(record(clocks=CLOCKS))
    told: list[float] = []
    table.session.on_late = told.append
    window(table)
    table.time.pass_seconds(1.5)
    assert told == []
    table.time.lag = 0.06
    table.time.pass_seconds(0.7)
    assert told == [0.06]


def test_absence_over_the_grace_is_no_late_answer() -> None:
    table = Table(record(clocks=CLOCKS))
    told: list[float] = []
    table.session.on_late = told.append
    asked = window(table)
    table.session.detach(asked, table.lines[asked])
    table.time.pass_seconds(3.5)
    assert table.session.end.ending == Ending.DISCONNECTED
    assert told == []


def test_a_late_answer_that_comes_before_the_alarm_is_late_all_the_same() -> None:
    table = Table(record(clocks=CLOCKS))
    asked = window(table)
    table.time.clock += 2.5  # the alarm has not gone off yet
    assert table.answer(asked, 1).code == "STALE"
    assert (table.choices[-1].how, table.choices[-1].option) == (How.LATE, 0)


def test_a_referee_that_is_late_itself_makes_nobody_late() -> None:
    table = Table(record(clocks=CLOCKS))
    asked = window(table)
    table.time.lag = 1.0
    table.time.clock += 2.5
    assert table.answer(asked) is None
    assert table.choices[-1].ledger.charged_ms == 1500


def test_a_referee_that_stood_still_charges_nothing_for_it() -> None:
    table = Table(record(clocks=CLOCKS))
    asked = window(table)
    table.time.clock += 30.0
    table.session.forgive(29.0, table.time.now())
    assert table.answer(asked) is None
    assert table.choices[-1].ledger.charged_ms == 1000


def test_the_eleventh_default_is_a_timeout() -> None:
    table = Table(record(clocks=Clocks(bank_ms=100_000, cap_ms=100)))
    while not table.session.over:
        if 1 in table.asked:  # discards now and then, so that seat 0 is asked once more
            table.answer(1, 1 if len(table.lines[1].question.options) > 4 else 0)
        else:
            assert table.session.seats[0].defaults <= 10
            table.time.pass_seconds(0.11)
    assert sum(choice.how == How.LATE for choice in table.choices) == 10
    assert table.session.end.ending == "timeout"
    assert "for the 11th time" in table.session.seats[0].text


def test_an_empty_bank_is_a_timeout_and_the_other_side_is_first() -> None:
    table = Table(record(clocks=Clocks(bank_ms=1_000, cap_ms=5_000)))
    asked = window(table)
    table.time.pass_seconds(1.5)
    finished = table.lines[asked].finished
    assert finished.ending is Ending.TIMEOUT
    assert finished.ranks[asked] == 2
    assert finished.ranks[1 - asked] == 1
    assert finished.scores == ()
    assert "the bank had 12" in finished.text  # the limit and what was used
    assert verify(table.record, table.entries).problems == []


def test_an_empty_bank_in_a_sealed_window_is_a_default() -> None:
    table = Table(record(clocks=Clocks(bank_ms=1_000, cap_ms=5_000)))
    table.time.pass_seconds(0.9)
    table.answer(1)
    table.time.pass_seconds(0.2)
    late = table.choices[1]
    assert (late.seat, late.how, late.ledger.charged_ms) == (0, How.LATE, 1000)
    assert table.session.seats[0].bank_ms == 0


def test_who_is_not_ready_in_time_has_not_shown_up() -> None:
    table = Table(record(clocks=CLOCKS), ready=False)
    for line in table.lines:
        table.session.attach(line.seat, line)
    table.session.ready(0)
    table.time.pass_seconds(5.1)
    finished = table.lines[0].finished
    assert finished.ending is Ending.NO_SHOW
    assert finished.faults == ("", "no_show")
    assert finished.ranks == ()
    assert verify(table.record, table.entries).problems == []


def test_all_who_are_not_ready_are_to_blame() -> None:
    table = Table(record(clocks=CLOCKS), ready=False)
    table.time.pass_seconds(5.1)
    assert table.session.end.faults == ("no_show", "no_show")
    assert [e.seat for e in table.entries if isinstance(e, Out)] == [0, 1]


def test_absence_stops_the_cap_runs_the_bank_and_has_a_grace() -> None:
    table = Table(record(clocks=CLOCKS))
    asked = window(table)
    line = table.lines[asked]
    bank = table.session.seats[asked].bank_ms
    table.time.pass_seconds(0.5)
    table.session.detach(asked, line)
    table.time.pass_seconds(2.9)
    again = Line(table.session, asked)
    table.session.attach(asked, again)
    assert again.question.cap_ms == 1500
    assert again.question.bank_ms == pytest.approx(bank - 3400, abs=1)
    table.lines[asked] = again
    table.time.pass_seconds(1.0)
    table.answer(asked)
    ledger = table.choices[-1].ledger
    assert ledger.charged_ms == pytest.approx(4400, abs=1)
    assert ledger.away_us == pytest.approx(2_900_000, abs=1000)


def test_absence_through_a_mistake_of_ours_is_not_charged() -> None:
    """Neither in the open question nor in the one that comes while the bot is away."""
    for asked in (True, False):
        table = Table(record(clocks=CLOCKS))
        seat = window(table)
        if not asked:
            seat = 1 - seat
        line = table.lines[seat]
        bank = table.session.seats[seat].bank_ms
        table.session.detach(seat, line, ours=True)
        if not asked:
            table.answer(1 - seat)
        table.time.pass_seconds(2.5)
        again = table.lines[seat] = Line(table.session, seat)
        table.session.attach(seat, again)
        assert again.question.bank_ms == bank
        table.session.detach(seat, again)  # but an absence of its own is
        table.time.pass_seconds(1.0)
        again = table.lines[seat] = Line(table.session, seat)
        table.session.attach(seat, again)
        assert again.question.bank_ms == pytest.approx(bank - 1000, abs=1)


def test_each_absence_has_a_grace_of_its_own() -> None:
    table = Table(record(clocks=CLOCKS))
    asked = window(table)
    for _ in range(3):
        table.session.detach(asked, table.lines[asked])
        table.time.pass_seconds(2.5)
        table.lines[asked] = Line(table.session, asked)
        table.session.attach(asked, table.lines[asked])
    assert not table.session.over


def test_absence_over_the_grace_is_disconnected() -> None:
    table = Table(record(clocks=CLOCKS))
    asked = window(table)
    table.session.detach(asked, table.lines[asked])
    table.time.pass_seconds(3.1)
    finished = table.lines[1 - asked].finished
    assert finished.ending is Ending.DISCONNECTED
    assert finished.ranks[asked] == 2
    assert table.session.seats[asked].text.startswith("disconnected: away for 3000 ms of 3000 ms")


def taken_over(table: Table, present: int) -> Table:
    """Another referee goes on with the match; only one bot has found its way there."""
    other = Table(table.record, ready=False, before=table.journal.entries)
    other.session.attach(present, other.lines[present])
    return other


@pytest.mark.parametrize("begun", [True, False])
def test_a_bot_that_attends_another_referee_is_not_to_blame_for_not_coming_here(
    begun: bool,
) -> None:
    table = Table(record(clocks=CLOCKS), ready=begun)
    other = taken_over(table, present=0)
    other.session.elsewhere = lambda seat: seat is other.record.seats[1]
    other.time.pass_seconds(5.1)
    finished = other.lines[0].finished
    assert finished.ending is Ending.CANCELLED
    assert (finished.ranks, any(finished.faults)) == ((), False)
    assert finished.text == "its bots attend different referees"


def test_one_that_attends_none_is() -> None:
    other = taken_over(Table(record(clocks=CLOCKS)), present=0)
    other.time.pass_seconds(3.1)
    assert other.lines[0].finished.faults == ("", "disconnected")


def test_one_that_was_here_and_went_elsewhere_is() -> None:
    """Nobody escapes a loss by going to another referee."""
    table = Table(record(clocks=CLOCKS))
    table.session.elsewhere = lambda seat: True
    table.session.detach(1, table.lines[1])
    table.time.pass_seconds(3.1)
    assert table.lines[0].finished.faults == ("", "disconnected")


def test_absence_of_one_who_is_not_asked_costs_nothing() -> None:
    table = Table(record(clocks=CLOCKS))
    asked = window(table)
    other = 1 - asked
    table.session.detach(other, table.lines[other])
    table.time.pass_seconds(1.9)
    table.answer(asked)
    assert table.session.seats[other].pending is not None
    table.time.pass_seconds(2.9)
    assert not table.session.over
    table.time.pass_seconds(0.2)
    assert table.session.over


def test_while_the_store_is_away_no_clock_runs() -> None:
    table = Table(record(clocks=CLOCKS))
    asked = window(table)
    table.time.pass_seconds(0.5)
    table.session.stop(table.time.now())
    table.time.pass_seconds(100)
    table.session.go_on(table.time.now())
    table.time.pass_seconds(0.5)
    table.answer(asked)
    assert table.choices[-1].ledger.charged_ms == 1000


def test_a_store_that_is_away_too_long_stalls_the_match() -> None:
    table = Table(record(clocks=CLOCKS))
    table.session.stop(table.time.now())
    table.time.pass_seconds(121)
    table.session.go_on(table.time.now())
    assert table.lines[0].finished.ending is Ending.STALLED
    assert table.lines[0].finished.ranks == ()


def test_the_longest_match_is_cancelled() -> None:
    clocks = Clocks(bank_ms=10**9, cap_ms=10**8, longest_ms=60_000)
    table = Table(record(clocks=clocks))
    table.time.pass_seconds(61)
    assert table.lines[0].finished.ending is Ending.CANCELLED


def test_resigning_ends_a_duel_at_once() -> None:
    table = Table(record())
    table.session.resign(1)
    assert table.lines[0].finished.ending is Ending.RESIGNED
    assert table.lines[0].finished.ranks == (1, 2)
    assert verify(table.record, table.entries).problems == []


def test_with_more_sides_the_seat_is_played_on_and_comes_last() -> None:
    table = Table(record(seats=3))
    table.session.forfeit(2, Ending.PROTOCOL, "protocol: too many faults")
    assert not table.session.over
    table.play()
    finished = table.lines[0].finished
    assert finished.ending is Ending.NORMAL
    assert finished.ranks[2] == 3
    assert finished.faults == ("", "", "protocol")
    assert {c.how for c in table.choices if c.seat == 2} == {How.PLAYED_ON}
    assert verify(table.record, table.entries).problems == []


def test_the_last_side_without_a_fault_has_won_and_the_earlier_fault_is_lower() -> None:
    table = Table(record(seats=3))
    table.session.forfeit(1, Ending.PROTOCOL, "protocol")
    table.session.resign(0)
    finished = table.lines[2].finished
    assert finished.ending is Ending.RESIGNED
    assert finished.ranks == (2, 3, 1)
    assert verify(table.record, table.entries).problems == []


def test_a_seats_fault_is_its_whole_sides() -> None:
    table = Table(record(seats=4, options={"teams": True}))
    table.session.resign(3)
    assert table.lines[0].finished.ranks == (1, 2, 1, 2)
    assert table.lines[0].finished.faults == ("", "", "", "resigned")


def test_a_fault_before_the_start_is_a_no_show() -> None:
    table = Table(record(), ready=False)
    table.session.resign(0)
    assert table.session.end.ending == "no_show"


@pytest.mark.parametrize("lag", [0.0, 0.4])
def test_news_of_a_default_comes_at_once_in_a_sealed_window(lag: float) -> None:
    table = Table(record(clocks=CLOCKS))
    table.answer(1)
    table.time.lag = lag
    table.time.pass_seconds(2.01 + lag)
    told = [e for e in table.lines[0].told if getattr(e, "default_taken", None)]
    assert len(told) == 1
    assert isinstance(told[0], Told)
