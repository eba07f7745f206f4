"""A match without processes: time that a test moves, and lines that write down what they hear."""

from collections.abc import Callable, Sequence
from typing import Any

from referee import games
from referee.match.journal import Choice, Entry, unpack_entry, unpack_journal
from referee.match.memory import MemoryJournal
from referee.match.record import MatchRecord
from referee.match.seats import Finished, Question, Told
from referee.match.session import Session
from referee.match.shown import FULL


class Alarm:
    def __init__(self, when: float, callback: Callable[[], None]) -> None:
        self.when, self.callback, self.cancelled = when, callback, False

    def cancel(self) -> None:
        self.cancelled = True


class HandTime:
    """Time that stands still until a test moves it."""

    def __init__(self) -> None:
        self.clock = 1000.0
        self.lag = 0.0
        self.alarms: list[Alarm] = []

    def now(self) -> float:
        return self.clock

    def delay(self) -> float:
        return self.lag

    def call_at(self, when: float, callback: Callable[[], None]) -> Alarm:
        self.alarms.append(Alarm(when, callback))
        return self.alarms[-1]

    def pass_seconds(self, seconds: float) -> None:
        """Let time pass, each alarm at its own moment."""
        until = self.clock + seconds
        while True:
            due = [a for a in self.alarms if not a.cancelled and a.when <= until]
            if not due:
                break
            first = min(due, key=lambda alarm: alarm.when)
            self.alarms.remove(first)
            self.clock = max(self.clock, first.when)
            first.callback()
        self.clock = until


class Line:
    """A seat's channel: questions are taken and "written" at once, as by an idle stream."""

    def __init__(self, session: Session, seat: int, detail: int = FULL, patient: bool = False):
        self.session, self.seat, self.detail = session, seat, detail
        self.patient = patient
        """Questions wait until the test calls `deliver`."""
        self.waiting = False
        self.question: Question | None = None
        self.told: list[Any] = []
        self.faults: list[tuple[str, str]] = []
        self.median_ping = 0.0
        self.gone = False

    def ping(self) -> float:
        return self.median_ping

    def started(self, resumed: bool) -> None:
        self.told.append("resumed" if resumed else "started")

    def ask(self) -> None:
        self.waiting = True
        if not self.patient:
            self.deliver()

    def deliver(self) -> None:
        self.waiting = False
        self.question = self.session.take_question(self.seat)
        if self.question is not None:
            self.told.append(self.question)
            now = self.session.time.now()
            self.session.question_written(self.seat, self.question.decision, now)

    def settled(self) -> None:
        self.question = None
        self.waiting = False

    def update(self, told: Told) -> None:
        self.told.append(told)

    def fault(self, code: str, text: str) -> None:
        self.faults.append((code, text))

    def ended(self, finished: Finished) -> None:
        self.told.append(finished)

    def dropped(self) -> None:
        self.gone = True

    @property
    def finished(self) -> Finished:
        assert isinstance(self.told[-1], Finished), self.told[-1]
        return self.told[-1]


class Table:
    """A session of skirmish (or another game) with a line for each seat."""

    def __init__(
        self,
        record: MatchRecord,
        journal: Any = None,
        ready: bool = True,
        before: Sequence[bytes] = (),
    ) -> None:
        """`before`: the journal of an earlier owner."""
        self.record = record
        self.time = HandTime()
        self.journal = MemoryJournal() if journal is None else journal
        self.ends: list[Session] = []
        self.session = Session(
            games.get(record.game), record, self.journal, self.time, on_end=self.ends.append
        )
        self.journal.owner = self.session
        self.lines = [Line(self.session, seat) for seat in range(len(record.seats))]
        self.journal.entries += before
        for _ in self.session.restore(map(unpack_entry, before)):
            pass
        self.session.open(1 + bool(before), "r1")
        if ready:
            self.join()

    def join(self) -> None:
        for line in self.lines:
            self.session.attach(line.seat, line)
        for line in self.lines:
            assert self.session.ready(line.seat) is None

    @property
    def asked(self) -> list[int]:
        """Seats that have a question before them."""
        return [line.seat for line in self.lines if line.question is not None]

    def answer(self, seat: int, option: int = 0, note: str = "") -> Any:
        question = self.lines[seat].question
        assert question is not None, f"seat {seat} is not asked"
        now = self.time.now()
        return self.session.choose(seat, question.decision, option, note, now)

    def play(self, most: int = 10_000) -> None:
        """First option for everybody, until the end."""
        for _ in range(most):
            if not self.asked:
                return
            self.answer(self.asked[0])

    @property
    def entries(self) -> list[Entry]:
        return unpack_journal(self.journal.entries)

    @property
    def choices(self) -> list[Choice]:
        return [entry for entry in self.entries if isinstance(entry, Choice)]


class SlowJournal(MemoryJournal):
    """Entries become safe when the test says so, as in a store far away."""

    def append(self, entry: bytes, ending: str = "") -> None:
        self.entries.append(entry)

    def catch_up(self, count: int | None = None) -> None:
        assert self.owner is not None
        self.owner.journalled(len(self.entries) if count is None else count)
