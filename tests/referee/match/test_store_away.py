"""What a store that goes away costs nobody, though it is noticed late."""

import pytest

from referee.match.journal import Choice, Ending, How
from referee.match.record import Clocks
from referee.match.replay import verify
from tests.helpers.matches import record
from tests.helpers.sessions import SlowJournal, Table

CLOCKS = Clocks(bank_ms=10_000, increment_ms=200, cap_ms=2_000, startup_ms=5_000, grace_ms=3_000)


class Store:
    """When a session's store was heard of last, and how often it was asked."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.heard_at = table.time.now()
        self.asked = 0
        table.session.known_until = lambda: self.heard_at
        table.session.ask_store = self.ask

    def ask(self) -> None:
        self.asked += 1

    def hear(self) -> None:
        self.heard_at = self.table.time.now()

    def is_away(self, seconds: float) -> None:
        """That it has gone is noticed now; it comes back after so long."""
        self.table.session.stop(self.table.time.now())
        self.table.time.pass_seconds(seconds)
        self.hear()
        self.table.session.go_on(self.table.time.now())


def begun(journal: SlowJournal | None = None) -> tuple[Table, Store]:
    table = Table(record(clocks=CLOCKS), journal, ready=False)
    store = Store(table)
    table.join()
    return table, store


def test_time_since_the_store_was_heard_of_last_is_not_charged() -> None:
    table, store = begun()
    table.time.pass_seconds(0.5)
    store.hear()
    table.time.pass_seconds(1.25)
    store.is_away(100)
    table.time.pass_seconds(0.5)
    table.answer(0)
    assert table.choices[0].ledger.charged_ms == 1000


def test_a_question_put_after_it_was_heard_of_last_has_cost_nothing() -> None:
    table, store = begun()
    table.answer(0)
    table.time.pass_seconds(0.5)
    table.answer(1)
    (asked,) = table.asked
    table.time.pass_seconds(1.0)
    store.is_away(20)
    table.time.pass_seconds(0.25)
    table.answer(asked)
    assert table.choices[-1].ledger.charged_ms == 250


def test_what_an_answer_on_its_way_was_charged_is_given_back_with_the_next() -> None:
    journal = SlowJournal()
    table, store = begun(journal)
    journal.catch_up()
    table.time.pass_seconds(0.25)
    store.hear()
    table.time.pass_seconds(0.75)
    for seat in (0, 1):
        table.answer(seat)
    store.is_away(50)
    assert [choice.ledger.charged_ms for choice in table.choices] == [1000, 1000]
    journal.catch_up()
    (asked,) = table.asked
    question = table.lines[asked].question
    assert question is not None
    assert question.bank_ms == 10_000 - 1000 + 200 + 750
    table.time.pass_seconds(1.0)
    table.answer(asked)
    ledger = table.choices[-1].ledger
    assert (ledger.charged_ms, ledger.bank_ms) == (250, 10_000 - 1000 + 200 - 250 + 200)
    journal.catch_up()
    while not table.session.over:
        table.answer(table.asked[0])
        journal.catch_up()
    assert verify(table.record, table.entries).problems == []


def test_nothing_is_given_back_of_an_answer_that_is_safe() -> None:
    table, store = begun()
    table.time.pass_seconds(1.0)
    table.answer(0)
    table.answer(1)
    store.is_away(10)
    (asked,) = table.asked
    table.time.pass_seconds(0.5)
    table.answer(asked)
    assert table.choices[-1].ledger.charged_ms == 500


def test_no_limit_is_passed_while_nobody_knows_whether_the_store_is_there() -> None:
    table, store = begun()
    table.time.pass_seconds(1.5)
    store.hear()
    table.time.pass_seconds(4.0)
    assert table.choices == []
    assert 0 < store.asked < 2 * 4.0 / 0.02 + 10, "asked again and again, but in no spin"
    store.is_away(30)
    table.time.pass_seconds(0.25)
    assert table.answer(0) is None, "it had 0.5 s left of its cap"
    assert table.choices[0].ledger.charged_ms == 1750


def test_a_limit_is_passed_as_soon_as_the_store_says_that_it_was_there() -> None:
    table, store = begun()
    table.time.pass_seconds(1.5)
    store.hear()
    table.time.pass_seconds(0.51)
    assert table.choices == []
    store.hear()
    table.time.pass_seconds(0.03)
    assert {choice.how for choice in table.choices} == {How.LATE}


def test_an_answer_after_a_limit_counts_while_nobody_knows_whether_the_store_is_there() -> None:
    table, store = begun()
    table.time.pass_seconds(1.5)
    store.hear()
    table.time.pass_seconds(1.0)
    assert table.answer(0) is None
    assert isinstance(table.entries[-1], Choice)
    assert table.choices[0].how == How.ANSWERED


@pytest.mark.parametrize("present", [0, 1])
def test_nobody_has_missed_the_start_while_nobody_knows(present: int) -> None:
    table = Table(record(clocks=CLOCKS), ready=False)
    store = Store(table)
    table.session.attach(present, table.lines[present])
    table.session.ready(present)
    table.time.pass_seconds(6.0)
    assert not table.session.over
    store.is_away(20)
    table.time.pass_seconds(4.9)
    store.hear()
    assert not table.session.over
    table.time.pass_seconds(0.2)
    store.hear()
    table.time.pass_seconds(0.1)
    assert table.session.end is not None
    assert table.session.end.ending == Ending.NO_SHOW
