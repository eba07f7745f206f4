"""
A running match: who is asked, what is answered, what time it cost, how it ends.

A session never waits. It is called when something happens (an answer, a lost stream, a safe
journal, an alarm) and calls its channels and its journal. What a choice leads to is shown only
after the journal has it. See README.md for the life of a decision.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from referee.match import shown
from referee.match.clock import Phase
from referee.match.journal import (
    Begun,
    Ending,
    Entry,
    Faulted,
    How,
    Left,
    Opened,
    Order,
    Setup,
)
from referee.match.record import pack_record
from referee.match.restore import apply_entry
from referee.match.seats import Channel, Question, Refusal
from referee.match.watch import Watch

MOST_BAD_ANSWERS = 2
"""In one decision; one more ends the match as illegal."""


class Session(Watch):
    """One match at one referee."""

    # Opening

    def open(self, epoch: int, referee: str) -> None:
        """Begin: a new match with its set-up, a restored one where it stood."""
        self.opened = True
        if self.written == 0:
            self._append(Setup(pack_record(self.record)))
        self._append(Opened(epoch, referee))
        self._startup_due = self.time.now() + self.record.clocks.startup_ms / 1000
        self._arm(min(self._startup_due, self._longest_due))
        self._guarded()

    def restore(self, entries: Iterable[Entry]) -> Iterator[None]:
        """
        Go through the journal of an earlier owner; yields often, so that the caller can pause.

        The journal handed to this session must hold these entries as safe ones. What was charged
        stays charged; the decision that was open begins anew with a full cap.

        Raises:
            BadJournal: The entries do not fit the match.
        """
        for entry in entries:
            apply_entry(self, entry)
            self.written += 1
            self.safe += 1
            yield

    def adopt(self, epoch: int, referee: str) -> None:
        """The same referee was given the match again: go on under the new epoch."""
        if not self.over:
            self._append(Opened(epoch, referee))

    # What bots do

    def attach(self, number: int, channel: Channel, last_event: int = 0) -> None:
        """
        Give a seat its line; a line it had before is forgotten.

        Args:
            last_event: The bot remembers the match up to this event.
        """
        seat = self.seats[number]
        back = self.begun and seat.channel is None
        seat.channel = channel
        seat.met = True
        seat.seen = min(last_event, len(self.state.events(number, 0)))
        channel.started(resumed=self.begun)
        if self.over or not self.begun:
            return
        if back and self.opened:
            self._append(Left(number, back=True))
        pending = seat.pending
        if pending is not None:
            pending.on_line = False
            if pending.phase is not Phase.PAUSED:
                pending.enter(Phase.WAITING, self.time.now(), self.time.delay())
            pending.excused = False
            channel.ask()
        elif seat.fault is None:
            self._update(seat)

    def detach(self, number: int, channel: Channel, ours: bool = False) -> None:
        """
        The line is gone. Another line that has taken its place meanwhile stays.

        Args:
            ours: By our own mistake: until the bot is back its bank does not run, only the grace.
        """
        seat = self.seats[number]
        if seat.channel is not channel:
            return
        seat.channel = None
        seat.met = not ours
        if not self.begun:
            seat.ready = False
        if self.over or not self.begun:
            return
        self._append(Left(number, back=False))
        pending = seat.pending
        if pending is not None:
            pending.on_line = False
            pending.excused = ours
            if pending.phase is not Phase.PAUSED:
                pending.enter(Phase.AWAY, self.time.now(), self.time.delay(), channel.ping())
                self._arm_for(seat)

    def ready(self, number: int) -> Refusal | None:
        if self.over:
            return Refusal("STALE", "this match is over")
        self.seats[number].ready = True
        if not self.begun and all(seat.ready for seat in self.seats):
            self.note_begun(self.written)
            self._append(Begun())
            self._guarded()
        return None

    def choose(
        self, number: int, decision: int, option: int, note: str, now: float
    ) -> Refusal | None:
        """
        Take an answer, or say why not.

        Args:
            now: When it was read.
        """
        if self.over:
            return Refusal("STALE", "this match is over")
        seat = self.seats[number]
        pending = seat.pending
        if pending is None or decision != pending.decision:
            if 0 < decision <= seat.decision:
                return Refusal("STALE", f"decision {decision} is settled already")
            return Refusal("NOT_ASKED", f"decision {decision} was not put to you")
        if not pending.sent:
            return Refusal("NOT_ASKED", f"decision {decision} was not put to you yet")
        ping = seat.channel.ping() if seat.channel else 0.0
        clocks, delay = self.record.clocks, self.time.delay()
        late = pending.late(clocks, seat.purse_ms, now, delay, ping)
        if late is not None and self._is_certain(seat, now):
            self._too_late(seat, late, now)
            return Refusal("STALE", f"the answer to decision {decision} came too late")
        if not 0 <= option < pending.count:
            return self.bad_answer(
                number,
                "NOT_OFFERED",
                f"option {option} of decision {decision}: there are {pending.count}, from 0",
            )
        pending.enter(Phase.PAUSED, now, delay, ping)
        if seat.credit_ms:
            seat.use_credit(pending)
        self.last_charged_ms = charged = pending.charged_ms()
        seat.bank_ms = max(0, seat.bank_ms - charged) + clocks.increment_ms
        self.decisions += 1
        self.answer_at = now
        self._settle(seat, pending, option, How.ANSWERED, pending.ledger(seat.bank_ms), note)
        return None

    def bad_answer(self, number: int, code: str, text: str) -> Refusal:
        """Count a bad answer in the open decision; the clock runs on, the third is illegal."""
        seat = self.seats[number]
        pending = seat.pending
        if pending is None or self.over:
            return Refusal(code, text)
        seat.bad_answers += 1
        self._append(Faulted(number, code, pending.decision))
        if seat.channel is not None:
            seat.channel.fault(code, text)
        if seat.bad_answers > MOST_BAD_ANSWERS:
            self.forfeit(
                number,
                Ending.ILLEGAL,
                f"illegal: {seat.bad_answers} bad answers in decision {pending.decision}",
            )
        return Refusal(code, text, told=True)

    def order(self, number: int, window: str, on: bool) -> Refusal | None:
        """Lodge or take back a standing order; it holds from the next question on."""
        if self.over:
            return Refusal("STALE", "this match is over")
        kind = self.kinds.get(window)
        if kind is None or not kind.standing_order:
            known = ", ".join(name for name, each in self.kinds.items() if each.standing_order)
            return Refusal(
                "UNKNOWN_KIND",
                f"{window[:64]!r} takes no standing order; these do: {known or 'none'}",
            )
        if (window in self.seats[number].standing) != on:
            self._append(Order(number, window, on))
            self.note_order(number, window, on)
        return None

    def resign(self, number: int) -> Refusal | None:
        if self.over:
            return Refusal("STALE", "this match is over")
        self.forfeit(number, Ending.RESIGNED, "resigned")
        return None

    def note_fault(self, number: int, code: str) -> None:
        """A fault that names this match and ends nothing: for the record."""
        if not self.over:
            self._append(Faulted(number, code, 0))

    # What the server does

    def journalled(self, count: int) -> None:
        """So many entries are safe."""
        self.safe = count
        self._guarded()

    def fenced(self) -> None:
        """Another referee has the match: say nothing more of it."""
        if self.gone or self.shown_end:
            return
        self.gone = True
        self._disarm()
        for seat in self.seats:
            if seat.channel is not None:
                seat.channel.dropped()
                seat.channel = None
        self.on_end(self)

    def stop(self, now: float) -> None:
        """
        The store is away: no clock runs.

        That is noticed late, by a renewal or an entry that fails: what clocks have run since the
        store was last heard of is given back, of open questions and of answers on their way.
        """
        if self.stopped_at is not None or self.over:
            return
        self.stopped_at = since = min(now, self.known_until())
        for made in self._made:
            if made.number >= self.safe and made.read_at > since:
                unheard_ms = int(1000 * (made.read_at - since))
                self.seats[made.seat].credit_ms += min(made.charged_ms, unheard_ms)
        for seat in self.seats:
            if seat.pending is not None:
                ping = seat.channel.ping() if seat.channel else 0.0
                seat.pending.enter(Phase.PAUSED, max(since, seat.pending.since), ping=ping)

    def go_on(self, now: float) -> None:
        """The store is back."""
        if self.stopped_at is None:
            return
        gone, self.stopped_at = max(0.0, now - self.stopped_at), None
        self._startup_due += gone
        self._longest_due += gone
        if self.over:
            return
        if self._update_at is not None:
            self._arm(self._update_at)
        if not self.begun:
            self._arm(self._startup_due)
        if gone * 1000 > self.record.clocks.stall_ms:
            self._finish(Ending.STALLED, f"the store was away for {gone:.0f} s")
            return
        for seat in self.seats:
            pending = seat.pending
            if pending is None:
                continue
            if seat.channel is None:
                pending.enter(Phase.AWAY, now)
            else:
                pending.enter(Phase.RUNNING if pending.on_line else Phase.WAITING, now)
            self._arm_for(seat)

    def forgive(self, seconds: float, now: float) -> None:
        """The referee itself stood still for so long: no clock has run."""
        self._startup_due += seconds
        self._longest_due += seconds
        for seat in self.seats:
            if seat.pending is not None:
                seat.pending.forgive(seconds, now)

    def cancel(self, text: str) -> None:
        """An operator's word, or too long a match."""
        if not self.over:
            self._finish(Ending.CANCELLED, text)

    def void(self, text: str) -> None:
        """Something is wrong on our side."""
        if not self.over:
            self._finish(Ending.REFEREE_FAULT, text)

    def take_question(self, number: int) -> Question | None:
        """The open question as it is to be sent now; None if it is settled meanwhile."""
        seat = self.seats[number]
        pending = seat.pending
        if pending is None or self.over or seat.channel is None:
            return None
        detail = seat.channel.detail
        try:
            state = self.state
            view = shown.view_bytes(self.wire, state.view(number)) if detail & shown.VIEW else None
            labels = bool(detail & shown.LABELS)
            options = [
                shown.option_bytes(self.wire, option, labels) for option in state.options(number)
            ]
            events = self._news(seat)
        except Exception as fault:  # whatever the rules do wrong is ours, never a bot's
            self._rules_broke(fault)
            return None
        pending.sent = shown.shown_hash(view, options)
        pending.detail = detail
        taken, seat.default_taken = seat.default_taken, None
        clocks = self.record.clocks
        return Question(  # in the order of its fields: named ones take twice as long
            pending.decision,
            pending.kind,
            events,
            view,
            options,
            max(0, seat.purse_ms - pending.charged_ms()),
            max(0, int(clocks.cap_ms - pending.capped * 1000)),
            seat.defaults,
            seat.bad_answers,
            seat.seen,
            taken,
        )

    def question_written(self, number: int, decision: int, now: float) -> None:
        """The question is on the stream: the bot's time runs."""
        seat = self.seats[number]
        pending = seat.pending
        if pending is None or pending.decision != decision or seat.channel is None:
            return
        pending.on_line = True
        if pending.phase is Phase.WAITING:
            pending.enter(Phase.RUNNING, now)
            self._arm_for(seat)
