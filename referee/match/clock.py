"""
Clocks: how long a question has been open, what of it counts, and when it is too late.

Times are seconds of one monotonic clock; what is kept of them is whole milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Protocol

from referee.match.journal import Ledger
from referee.match.record import Clocks

MOST_PING_SECONDS = 0.1
"""More than this is not credited for a slow line: nobody can hide thinking time in his pings."""


class Alarm(Protocol):
    """A call that is due later."""

    def cancel(self) -> None: ...


class Time(Protocol):
    """What a session needs of time."""

    def now(self) -> float:
        """Monotonic seconds."""
        ...

    def call_at(self, when: float, callback: Callable[[], None]) -> Alarm: ...

    def delay(self) -> float:
        """How late things are being looked at just now, in seconds: the referee's own doing."""
        ...


class Phase(Enum):
    """What runs while a question is open."""

    WAITING = "waiting"
    """In the referee, not yet written to the stream: nothing runs."""
    RUNNING = "running"
    """With the bot: bank and cap run."""
    AWAY = "away"
    """The bot has no stream: the bank runs, the cap stands still, the grace runs."""
    PAUSED = "paused"
    """The store is away: nothing runs."""


class Late(Enum):
    """Which limit was passed."""

    BANK = "bank"
    CAP = "cap"
    GRACE = "grace"


class Pending:
    """One open question and its clock."""

    __slots__ = (
        "asked_at",
        "away",
        "away_total",
        "capped",
        "count",
        "credited_ms",
        "decision",
        "delay",
        "detail",
        "excused",
        "kind",
        "on_line",
        "paced",
        "phase",
        "ping",
        "sealed",
        "sent",
        "since",
        "waited",
    )

    def __init__(
        self, *, decision: int, kind: str, count: int, sealed: bool, paced: bool, now: float
    ) -> None:
        self.decision = decision
        self.kind = kind
        self.count = count
        """Options on offer."""
        self.sealed = sealed
        self.paced = paced
        self.asked_at = now
        self.phase = Phase.WAITING
        self.since = now
        self.waited = 0.0
        self.capped = 0.0
        """Time with the bot so far, credits taken off."""
        self.away = 0.0
        """Length of the present absence."""
        self.away_total = 0.0
        self.excused = False
        """The bot has had no chance to come back yet, so its bank does not run."""
        self.credited_ms = 0
        """Not charged, for time of an earlier answer that should not have been."""
        self.delay = 0.0
        self.ping = 0.0
        self.on_line = False
        """Written to the line that the seat has now."""
        self.sent = b""
        """Hash of what was sent last; empty if the bot has not seen the question yet."""
        self.detail = 0

    def enter(self, phase: Phase, now: float, delay: float = 0.0, ping: float = 0.0) -> None:
        """
        Close the present stretch and begin another.

        Args:
            delay: How late this is noticed, credited if the bot's time was running.
            ping: The stream's median, credited once for each stretch with the bot.
        """
        spent = now - self.since
        if self.phase is Phase.RUNNING:
            delay = min(delay, spent)
            ping = min(ping, MOST_PING_SECONDS, spent - delay)
            self.delay += delay
            self.ping += ping
            self.capped += spent - delay - ping
        elif self.phase is Phase.AWAY:
            self.away += max(0.0, spent - delay)
            if not self.excused:
                self.away_total += max(0.0, spent - delay)
        elif self.phase is Phase.WAITING:
            self.waited += spent
        if phase is Phase.AWAY and self.phase is not Phase.PAUSED:
            self.away = 0.0
        self.phase = phase
        self.since = now

    def forgive(self, seconds: float, now: float) -> None:
        """Leave out a stretch of time in which the referee itself stood still."""
        self.since = min(now, self.since + seconds)

    def charged_ms(self) -> int:
        """What the closed stretches cost the bank."""
        return int((self.capped + self.away_total) * 1000) - self.credited_ms

    def due(self, clocks: Clocks, bank_ms: int, ping: float) -> float | None:
        """When the open stretch will be too long; None if nothing runs."""
        bank = bank_ms / 1000 - self.capped - self.away_total
        if self.phase is Phase.RUNNING:
            cap = clocks.cap_ms / 1000 - self.capped
            return self.since + min(bank, cap) + min(ping, MOST_PING_SECONDS)
        if self.phase is Phase.AWAY:
            grace = clocks.grace_ms / 1000 - self.away
            return self.since + (grace if self.excused else min(bank, grace))
        return None

    def late(
        self, clocks: Clocks, bank_ms: int, now: float, delay: float, ping: float
    ) -> Late | None:
        """Which limit the open stretch has passed, delay and ping credited."""
        spent = now - self.since - delay
        bank = bank_ms / 1000 - self.capped - self.away_total
        if self.phase is Phase.RUNNING:
            spent -= min(ping, MOST_PING_SECONDS)
            if spent >= bank:
                return Late.BANK
            return Late.CAP if spent >= clocks.cap_ms / 1000 - self.capped else None
        if self.phase is Phase.AWAY:
            if spent >= clocks.grace_ms / 1000 - self.away:
                return Late.GRACE
            return Late.BANK if spent >= bank and not self.excused else None
        return None

    def ledger(self, bank_ms: int) -> Ledger:
        """Where the time went, the stretch closed; `bank_ms` is what is left afterwards."""
        return Ledger(
            int(self.waited * 1e6),
            int((self.capped + self.delay + self.ping) * 1e6),
            int(self.away_total * 1e6),
            int(self.delay * 1e6),
            int(self.ping * 1e6),
            self.charged_ms(),
            bank_ms,
        )


def release_at(asked_at: float, now: float, floor_ms: int, quantum_ms: int) -> float:
    """
    When the outcome of a paced decision may be shown.

    Not before the floor after the question; then at the next quantum of the clock, so that what is
    left to see is which quantum it was.
    """
    when = max(now, asked_at + floor_ms / 1000)
    if quantum_ms:
        quantum = quantum_ms / 1000
        steps = -(-when // quantum)
        when = steps * quantum
    return when
