"""
The inner flow of a running match: apply what is safe, ask who is asked, end when it is over.

`Session` is what others call; this is the part that nobody calls from outside.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from referee.engine import Game, Sealed
from referee.match import adjudicate, shown
from referee.match.adjudicate import SeatFault
from referee.match.clock import Alarm, Pending, Phase, Time, release_at
from referee.match.journal import (
    DIGEST_EVERY,
    OURS,
    Choice,
    End,
    Ending,
    Entry,
    How,
    Ledger,
    Out,
    pack_entry,
)
from referee.match.record import MatchRecord, SeatRecord
from referee.match.seats import Finished, Seat, Told

UPDATE_AFTER_SECONDS = 0.25
"""News waits so long for a question to travel with; one message a decision is the common case."""
NO_TIME = Ledger()
"""Of a choice that nobody was asked for."""
LONGEST_NOTE = 512
"""In bytes of UTF-8."""


class Journal(Protocol):
    """Where a session writes; `Session.journalled` is called as entries become safe."""

    def append(self, entry: bytes, ending: str = "") -> None: ...


def shortened(note: str) -> str:
    """As much of a note as is kept; a character that does not fit whole is left out."""
    if len(note) * 4 <= LONGEST_NOTE:
        return note
    return note.encode()[:LONGEST_NOTE].decode(errors="ignore")


class Made(NamedTuple):
    """A choice in the journal that is not applied yet."""

    number: int
    seat: int
    option: int
    release: float
    """Not to be shown before."""
    read_at: float
    """When it was made."""
    charged_ms: int


class Flow(ABC):
    """State and inner steps of a session; what is due at a time is in `watch`."""

    def __init__(
        self,
        game: Game[Any, Any],
        record: MatchRecord,
        journal: Journal,
        time: Time,
        *,
        on_end: Callable[[Flow], None] = lambda session: None,
        age_ms: int = 0,
    ) -> None:
        """
        Set the match up; raises what `Game.start` raises.

        Args:
            on_end: Called once, when the end is safe or another referee has the match.
            age_ms: How long ago the match was opened for the first time.
        """
        self.game = game
        self.record = record
        self.journal = journal
        self.time = time
        self.on_end = on_end
        self.elsewhere: Callable[[SeatRecord], bool] = lambda seat: False
        """Whether a seat's bot attends another referee now."""
        self.known_until: Callable[[], float] = time.now
        """Until when the store is known to have been there; now, where there is none."""
        self.ask_store: Callable[[], None] = lambda: None
        """Find out whether the store is there."""
        self.on_late: Callable[[float], None] = lambda delay: None
        """Told of each answer that was not there in time, and how late the loop was then."""
        self.wire = game.wire
        self.kinds = game.facts.kinds
        self.state = game.start(
            seats=len(record.seats),
            seed=record.seed,
            setting=record.setting,
            options=record.options,
            events=True,
        )
        self.sides = self.state.sides
        self.seats = [
            Seat(number, seat, record.clocks.bank_ms) for number, seat in enumerate(record.seats)
        ]
        self.faults: list[SeatFault] = []
        self.end: End | None = None
        self.shown_end = False
        self.opened = False
        """False while an earlier owner's journal is gone through."""
        self.gone = False
        """Another referee has the match."""
        self.written = 0
        """Entries given to the journal."""
        self.safe = 0
        """Of those, how many it has for certain."""
        self.choices = 0
        """Choices given to the journal."""
        self.applied = 0
        self.decisions = 0
        """Questions answered by bots."""
        self.last_charged_ms = 0
        """What the last answer cost its seat."""
        self.answer_at = 0.0
        """When the last answer was read; 0 once a question has been written since."""
        self.stopped_at: float | None = None
        """When the store went away; no clock runs since."""
        self._begun: int | None = None
        """Number of the Begun entry."""
        self._end_number = 0
        self._made: deque[Made] = deque()
        self._is_paced = bool(record.pace.floor_ms or record.pace.quantum_ms)
        self._pumping = False
        self._alarm: Alarm | None = None
        self._alarm_at = 0.0
        self._update_at: float | None = None
        self._unsure_until = 0.0
        """Limits wait for the store's word; to be looked at then."""
        self._startup_due = 0.0
        self._longest_due = time.now() + (record.clocks.longest_ms - age_ms) / 1000

    @property
    def match(self) -> str:
        return self.record.match

    @property
    def begun(self) -> bool:
        return self._begun is not None

    @property
    def over(self) -> bool:
        """Nothing more is taken."""
        return self.end is not None or self.gone

    # Facts, noted as they happen or as a journal tells them

    def note_begun(self, number: int) -> None:
        """All were ready: the journal says so in this entry."""
        self._begun = number

    def note_order(self, number: int, window: str, on: bool) -> None:
        standing = self.seats[number].standing
        if on:
            standing.add(window)
        else:
            standing.discard(window)

    # The flow

    def _guarded(self) -> None:
        """Go on as far as the journal allows. A mistake of the rules voids the match."""
        if self._pumping or self.gone or not self.opened:
            return
        self._pumping = True
        try:
            self._pump()
        except Exception as fault:  # whatever the rules do wrong is ours, never a bot's
            self._rules_broke(fault)
        finally:
            self._pumping = False
        if self.end is not None and self.safe > self._end_number and not self.shown_end:
            self._show_end()

    def _rules_broke(self, fault: Exception) -> None:
        """The match is void, and its journal is kept as a case."""
        if self.over:
            raise fault
        self._finish(Ending.REFEREE_FAULT, f"{type(fault).__name__}: {fault}")

    def _pump(self) -> None:
        if self.end is not None or self._begun is None or self.safe <= self._begun:
            return
        while True:
            applied = self._apply_made()
            if self._made and applied == 0:
                return
            if applied:
                self._update_at = self._update_at or self.time.now() + UPDATE_AFTER_SECONDS
                self._arm(self._update_at)
            if not self.state.asked():
                if not self._made:
                    self._finish(Ending.NORMAL)
                return
            self._ask()
            if self.over or not self._made:
                return

    def _apply_made(self) -> int:
        """Take the choices that are safe and due, in the journal's order."""
        count = 0
        while self._made:
            made = self._made[0]
            if made.number >= self.safe:
                break
            if made.release > 0.0 and made.release > self.time.now():
                self._arm(made.release)
                break
            self._made.popleft()
            self.state.choose(made.seat, made.option)
            self.seats[made.seat].answered = False
            self.applied += 1
            count += 1
        return count

    def _ask(self) -> None:
        """Put every question that is not put yet."""
        state = self.state
        for number in state.asked():
            seat = self.seats[number]
            if seat.answered or seat.pending is not None:
                continue
            kind = state.kind(number)
            assert kind is not None, number
            now = self.time.now()
            if seat.fault is not None or kind in seat.standing:
                how = How.STANDING if seat.fault is None else How.PLAYED_ON
                self._make(seat, self.kinds[kind].paced, state.default(number), how, now)
                continue
            seat.decision += 1
            seat.pending = pending = Pending(
                decision=seat.decision,
                kind=kind,
                count=len(state.options(number)),
                sealed=isinstance(state.stack[-1], Sealed),
                paced=self.kinds[kind].paced,
                now=now,
            )
            pending.excused = not seat.met
            if self.stopped_at is not None:
                pending.enter(Phase.PAUSED, now)
            elif seat.channel is None:
                pending.enter(Phase.AWAY, now)
                self._arm_for(seat)
            if seat.channel is not None:
                seat.channel.ask()

    def _settle(
        self, seat: Seat, pending: Pending, option: int, how: How, ledger: Ledger, note: str
    ) -> None:
        """The open question has its answer."""
        seat.pending = None
        seat.bad_answers = 0
        if seat.channel is not None:
            seat.channel.settled()
        self._make(
            seat, pending.paced, option, how, pending.asked_at, ledger, pending.detail,
            pending.sent, shortened(note),
        )  # fmt: skip

    def _make(
        self,
        seat: Seat,
        paced: bool,
        option: int,
        how: How,
        asked_at: float,
        ledger: Ledger = NO_TIME,
        detail: int = 0,
        sent: bytes = b"",
        note: str = "",
    ) -> None:
        """Put a choice into the journal; it is applied when it is safe and due."""
        self.choices += 1
        digest, digest_at = b"", 0
        if self.choices % DIGEST_EVERY == 0:
            digest, digest_at = self.state.digest(), self.applied
        release, now = 0.0, self.time.now()
        if paced and self._is_paced:
            pace = self.record.pace
            release = release_at(asked_at, now, pace.floor_ms, pace.quantum_ms)
        seat.answered = True
        self._made.append(Made(self.written, seat.number, option, release, now, ledger.charged_ms))
        self._append(
            Choice(seat.number, option, int(how), ledger, detail, sent, digest, digest_at, note)
        )

    def _drop_question(self, seat: Seat) -> None:
        if seat.pending is not None:
            seat.pending = None
            if seat.channel is not None:
                seat.channel.settled()

    def forfeit(self, number: int, ending: Ending, text: str) -> None:
        """A seat's fault: it ends a match of two sides; with more, the seat is played on."""
        seat = self.seats[number]
        if self.over or seat.fault is not None:
            return
        if not self.begun:
            ending = Ending.NO_SHOW  # nothing was played: not rated, whatever the bot did
        self.out(number, ending, text)
        self._drop_question(seat)
        pumping, self._pumping = self._pumping, True  # the seat is not to be played on before
        self._append(Out(number, str(ending), text))
        self._pumping = pumping
        if ending is Ending.NO_SHOW or adjudicate.is_over(self.sides, self.faults):
            self._finish(ending)
        else:
            self._guarded()

    def out(self, number: int, ending: Ending, text: str) -> None:
        """Note a seat's fault, without drawing the consequence."""
        seat = self.seats[number]
        seat.fault, seat.text = ending, text
        self.faults.append(SeatFault(number, ending))

    # The end

    def _finish(self, ending: Ending, text: str = "") -> None:
        """Write the end; it is shown when the journal has it."""
        if self.over:
            return
        for seat in self.seats:
            self._drop_question(seat)
        ranks: tuple[int, ...] = ()
        scores: tuple[int, ...] = ()
        reason = ""
        digest = b""
        if ending not in OURS and self.begun:
            for made in self._made:  # made before, so they count, though nobody saw them yet
                self.state.choose(made.seat, made.option)
            digest = self.state.digest()
        self._made.clear()
        if ending is Ending.NORMAL:
            outcome = self.state.outcome()
            assert outcome is not None
            ranks = adjudicate.ranks(self.sides, self.faults, outcome)
            scores, reason = outcome.scores, outcome.reason
        elif ending not in OURS and ending is not Ending.NO_SHOW:
            ranks = adjudicate.ranks(self.sides, self.faults, None)
        self.end = End(
            ending=str(ending),
            ranks=ranks,
            scores=scores,
            reason=reason,
            faults=adjudicate.texts(len(self.seats), self.faults),
            digest=digest,
            text=text,
        )
        self._disarm()
        self._end_number = self.written
        self._append(self.end, ending=str(ending))
        if self.safe > self._end_number and not self.shown_end and not self._pumping:
            self._show_end()

    def _show_end(self) -> None:
        end = self.end
        assert end is not None
        self.shown_end = True
        for seat in self.seats:
            if seat.default_taken is not None:
                self._update(seat)
            if seat.channel is not None:
                seat.channel.ended(self.finished(seat.number))
                seat.channel = None
        self.on_end(self)

    def finished(self, number: int, last_event: int | None = None) -> Finished:
        """The end as this seat is told it, with the events after those it has been told of."""
        end = self.end
        assert end is not None
        seat = self.seats[number]
        if last_event is not None:
            seat.seen = last_event
        told = self.record.reveal
        return Finished(
            ending=Ending(end.ending),
            ranks=end.ranks,
            scores=end.scores,
            reason=end.reason,
            faults=end.faults,
            seed=self.record.seed if told else "",
            salt=self.record.salt if told else b"",
            events=self._news(seat),
            last_event=seat.seen,
            text=seat.text or end.text,
        )

    # News, alarms, journal

    def _news(self, seat: Seat) -> list[bytes]:
        """Bytes of the events that the seat has not been told of; now it has."""
        events = self.state.events(seat.number, seat.seen)
        seat.seen += len(events)
        wire = self.wire
        return [shown.event_bytes(wire, event) for event in events]

    def _update(self, seat: Seat) -> None:
        """Tell a seat that is not asked what it has not heard of."""
        if seat.channel is None:
            return
        events = self._news(seat)
        taken, seat.default_taken = seat.default_taken, None
        if events or taken is not None:
            seat.channel.update(Told(events, seat.seen, taken))

    def _append(self, entry: Entry, ending: str = "") -> None:
        self.written += 1
        self.journal.append(pack_entry(entry), ending)

    def _arm_for(self, seat: Seat) -> None:
        pending = seat.pending
        if pending is None:
            return
        ping = seat.channel.ping() if seat.channel else 0.0
        due = pending.due(self.record.clocks, seat.purse_ms, ping)
        if due is not None:
            self._arm(due)

    def _arm(self, when: float) -> None:
        """Be called at this time or before; an earlier alarm does."""
        if self._alarm is not None:
            if self._alarm_at <= when:
                return
            self._alarm.cancel()
        self._alarm_at = when
        self._alarm = self.time.call_at(when, self._on_alarm)

    @abstractmethod
    def _on_alarm(self) -> None:
        """Something is due."""

    def _disarm(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
