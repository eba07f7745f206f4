"""
What is due in a running match: limits that are passed, news that has waited, outcomes held back.

One alarm a match stands for all of it; it may ring too soon, but never too late.
"""

from __future__ import annotations

from referee.match.clock import Late, Phase
from referee.match.flow import Flow
from referee.match.journal import Ending, How, Out
from referee.match.seats import DefaultTaken, Seat

MOST_DEFAULTS = 10
"""Late answers that are borne; one more is a timeout."""
LOOK_AGAIN_SECONDS = 0.02
"""While the store has not said that it is there."""


class Watch(Flow):
    """A flow that looks at the clock."""

    def _on_alarm(self) -> None:
        self._alarm = None
        if self.over:
            return
        now = self.time.now()
        if self.stopped_at is None:
            try:
                self._check_limits(now)
            except Exception as fault:  # whatever the rules do wrong is ours, never a bot's
                self._rules_broke(fault)
        if self.over:
            return
        if self.stopped_at is None and self._update_at is not None and now >= self._update_at:
            self._update_at = None
            for seat in self.seats:
                if seat.pending is None or seat.pending.phase is not Phase.WAITING:
                    self._update(seat)
        self._guarded()
        if not self.over:
            self._arm_next(now)

    def _check_limits(self, now: float) -> None:
        if now >= self._longest_due:
            self._finish(Ending.CANCELLED, f"longer than {self.record.clocks.longest_ms} ms")
            return
        if not self.begun:
            if now - self.time.delay() >= self._startup_due:
                if self._was_there(self._startup_due, now):
                    self._no_show()
            return
        for seat in self.seats:
            pending = seat.pending
            if pending is None or self.over:
                continue
            ping = seat.channel.ping() if seat.channel else 0.0
            late = pending.late(self.record.clocks, seat.purse_ms, now, self.time.delay(), ping)
            if late is not None and self._is_certain(seat, now):
                self._too_late(seat, late, now)

    def _is_certain(self, seat: Seat, now: float) -> bool:
        """
        Whether the store was there until a limit was passed; else it is asked, and we look again.

        A store that has gone is noticed late: nobody may lose by a clock that should have stood.
        """
        assert seat.pending is not None
        ping = seat.channel.ping() if seat.channel else 0.0
        due = seat.pending.due(self.record.clocks, seat.purse_ms, ping)
        return due is None or self._was_there(due, now)

    def _was_there(self, when: float, now: float) -> bool:
        if self.known_until() >= when:
            return True
        self.ask_store()
        self._unsure_until = now + LOOK_AGAIN_SECONDS
        return False

    def _no_show(self) -> None:
        """Whoever is not ready is to blame, all of them alike."""
        text = f"no_show: not ready in {self.record.clocks.startup_ms} ms"
        *others, last = [seat for seat in self.seats if not seat.ready]
        if any(self._is_lost(seat) for seat in (*others, last)):
            self._part()
            return
        for seat in others:
            self.out(seat.number, Ending.NO_SHOW, text)
            self._append(Out(seat.number, str(Ending.NO_SHOW), text))
        self.forfeit(last.number, Ending.NO_SHOW, text)

    def _is_lost(self, seat: Seat) -> bool:
        """The bot has never been here and attends another referee: it cannot know of us."""
        return not seat.met and self.elsewhere(seat.record)

    def _part(self) -> None:
        self._finish(Ending.CANCELLED, "its bots attend different referees")

    def _arm_next(self, now: float) -> None:
        """Whatever is due next, soonest first; never in a spin."""
        dues = [self._longest_due]
        if self.stopped_at is None:
            if not self.begun:
                dues.append(self._startup_due)
            for seat in self.seats:
                if seat.pending is not None:
                    ping = seat.channel.ping() if seat.channel else 0.0
                    due = seat.pending.due(self.record.clocks, seat.purse_ms, ping)
                    if due is not None:
                        dues.append(due)
            if self._update_at is not None:
                dues.append(self._update_at)
        if self._made and self._made[0].number < self.safe:
            dues.append(self._made[0].release)
        self._arm(max(min(dues), now + 0.001, self._unsure_until))

    def _too_late(self, seat: Seat, late: Late, now: float) -> None:
        """A limit was passed: the default is taken, or the seat is out."""
        pending = seat.pending
        assert pending is not None
        clocks = self.record.clocks
        ping = seat.channel.ping() if seat.channel else 0.0
        delay = self.time.delay()
        pending.enter(Phase.PAUSED, now, delay, ping)
        seat.use_credit(pending)
        if late is not Late.GRACE:
            self.on_late(delay)
        spent = pending.charged_ms()
        where = f"decision {pending.decision} ({pending.kind})"
        if late is Late.GRACE and self._is_lost(seat):
            self._part()
        elif late is Late.GRACE:
            self.forfeit(
                seat.number,
                Ending.DISCONNECTED,
                f"disconnected: away for {int(pending.away * 1000)} ms of {clocks.grace_ms} ms"
                f" in {where}",
            )
        elif late is Late.BANK and not pending.sealed:
            self.forfeit(
                seat.number,
                Ending.TIMEOUT,
                f"timeout: {where} took {spent} ms, the bank had {seat.bank_ms} ms",
            )
        elif seat.defaults >= MOST_DEFAULTS:
            self.forfeit(
                seat.number,
                Ending.TIMEOUT,
                f"timeout: {where} took {spent} ms of {clocks.cap_ms} ms, late for the"
                f" {seat.defaults + 1}th time",
            )
        else:
            charged = min(spent, seat.bank_ms)
            seat.bank_ms -= charged
            seat.defaults += 1
            option = self.state.default(seat.number)
            seat.default_taken = DefaultTaken(pending.decision, option, seat.defaults, charged)
            self._settle(seat, pending, option, How.LATE, pending.ledger(seat.bank_ms), "")
            if not self.over and seat.pending is None:
                self._update(seat)
