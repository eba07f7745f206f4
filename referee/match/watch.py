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
                self._no_show()
            return
        for seat in self.seats:
            pending = seat.pending
            if pending is None or self.over:
                continue
            ping = seat.channel.ping() if seat.channel else 0.0
            late = pending.late(self.record.clocks, seat.bank_ms, now, self.time.delay(), ping)
            if late is not None:
                self._too_late(seat, late, now)

    def _no_show(self) -> None:
        """Whoever is not ready is to blame, all of them alike."""
        text = f"no_show: not ready in {self.record.clocks.startup_ms} ms"
        *others, last = [seat for seat in self.seats if not seat.ready]
        for seat in others:
            self.out(seat.number, Ending.NO_SHOW, text)
            self._append(Out(seat.number, str(Ending.NO_SHOW), text))
        self.forfeit(last.number, Ending.NO_SHOW, text)

    def _arm_next(self, now: float) -> None:
        """Whatever is due next, soonest first; never in a spin."""
        dues = [self._longest_due]
        if self.stopped_at is None:
            if not self.begun:
                dues.append(self._startup_due)
            for seat in self.seats:
                if seat.pending is not None:
                    ping = seat.channel.ping() if seat.channel else 0.0
                    due = seat.pending.due(self.record.clocks, seat.bank_ms, ping)
                    if due is not None:
                        dues.append(due)
            if self._update_at is not None:
                dues.append(self._update_at)
        if self._made and self._made[0].number < self.safe:
            dues.append(self._made[0].release)
        self._arm(max(min(dues), now + 0.001))

    def _too_late(self, seat: Seat, late: Late, now: float) -> None:
        """A limit was passed: the default is taken, or the seat is out."""
        pending = seat.pending
        assert pending is not None
        clocks = self.record.clocks
        ping = seat.channel.ping() if seat.channel else 0.0
        pending.enter(Phase.PAUSED, now, self.time.delay(), ping)
        spent = pending.charged_ms()
        where = f"decision {pending.decision} ({pending.kind})"
        if late is Late.GRACE:
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
