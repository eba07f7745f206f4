"""
One bot's stream: what it says goes to its matches, what they say goes out in order.

One task reads, one writes; a match calls and is called, it never waits for a bot. The questions of
all matches share the stream under the rule that only so many may be open at once.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from statistics import median
from typing import TYPE_CHECKING, Protocol

import structlog
from google.protobuf.message import DecodeError

from referee.logs import harmless
from referee.match.journal import Ending
from referee.match.seats import Finished, Refusal, Told
from referee.match.session import Session
from referee.match.shown import FULL, LABELS, VIEW
from referee.server import frames
from referee.server.hello import BadHello, check, not_played
from referee.server.partings import Parting
from warladder.v1 import referee_pb2 as pb

if TYPE_CHECKING:
    from referee.server.hall import Hall

log = structlog.get_logger("warladder.referee")

DETAIL = {
    pb.DETAIL_UNSPECIFIED: FULL,
    pb.DETAIL_FULL: FULL,
    pb.DETAIL_NO_LABELS: VIEW,
    pb.DETAIL_EVENTS: 0,
}
assert FULL == VIEW | LABELS
PINGS_KEPT = 9
LATER_SECONDS = 0.01
"""Between two looks at a silence that is just within its limit."""
MOST_UNKNOWN_TOLD = 8
"""Of the games in a Hello that are not played here: a list can be as long as a message."""


class Wire(Protocol):
    """The transport's side of a stream."""

    def write(self, data: bytes) -> Awaitable[None]: ...


class Line:
    """A seat's channel over a stream."""

    __slots__ = (
        "decision",
        "detail",
        "match",
        "open",
        "queued",
        "read_at",
        "seat",
        "session",
        "stream",
    )

    def __init__(self, stream: Stream, session: Session, seat: int) -> None:
        self.stream = stream
        self.session = session
        self.seat = seat
        self.detail = stream.detail
        self.match = session.match.encode()
        self.open = False
        """Its question is among the stream's unanswered ones."""
        self.queued = False
        """Its question waits for the stream to be free."""
        self.decision = 0

    def ping(self) -> float:
        return self.stream.median_ping

    def started(self, resumed: bool) -> None:
        session = self.session
        self.stream.send(frames.started(session.record, self.seat, session.sides, resumed))

    def ask(self) -> None:
        if not self.open and not self.queued:
            self.stream.question(self)

    def settled(self) -> None:
        self.queued = False
        if self.open:
            self.open = False
            self.stream.answered()

    def update(self, told: Told) -> None:
        receipt = self.stream.hall.receipt(self.match, self.seat, told.last_event)
        self.stream.send(frames.update(self.match, told, receipt))

    def fault(self, code: str, text: str) -> None:
        self.stream.fault(code, text, self.session.match)

    def ended(self, finished: Finished) -> None:
        data = frames.ended(self.session.record, finished)
        self.stream.send(data)
        self.stream.hall.keep_end(self.session, self.seat, data)
        self._let_go()

    def dropped(self) -> None:
        """The match goes on at another referee."""
        self.stream.awaited.add(self.session.match)
        self._let_go()

    def _let_go(self) -> None:
        self.settled()
        self.stream.forget(self)


class Stream:
    """One bot, one instance, one conversation."""

    def __init__(self, hall: Hall, bot: str, paused: str, wire: Wire, token: str = "") -> None:
        """
        Args:
            token: Digest of the one that the stream came with.
        """
        self.hall = hall
        self.bot = bot
        self.paused = paused
        self.token = token
        self.wire = wire
        self.instance = ""
        self.version = ""
        self.games: tuple[str, ...] = ()
        self.max_matches = 1
        self.at_once = 1
        self.detail = FULL
        self.resume: dict[str, pb.Resume] = {}
        self.lines: dict[str, Line] = {}
        """By match id."""
        self.greeted = False
        self.leaving = False
        """The bot takes no new matches."""
        self.leaving_since = 0.0
        self.awaited: set[str] = set()
        """Matches of the bot's that are not played here, and may be elsewhere or come yet."""
        self.closing = False
        self.ours = False
        """It ends by a mistake of ours."""
        self.status = "OK"
        self.details = ""
        self.median_ping = 0.0
        self.heard_at = hall.time.now()
        self.unanswered = 0
        self._waiting: deque[Line] = deque()
        self._out: deque[tuple[bytes, Line | None]] = deque()
        self._out_bytes = 0
        self._wake: asyncio.Future[None] | None = None
        self._write_since: float | None = None
        self._messages, self._bytes, self._wishes = hall.guests.enter(self)
        self._fault_times: deque[float] = deque()
        self._pings: deque[float] = deque(maxlen=PINGS_KEPT)
        self._ping_number = 0
        self._ping_at = 0.0
        self._next_ping = 0.0
        self._timer: asyncio.TimerHandle | None = hall.time.call_at(
            self.heard_at + hall.limits.hello_seconds, self._no_hello
        )
        self.on_stuck: Callable[[], object] = lambda: None
        """Called when the writer cannot even say goodbye."""

    # Out

    def send(self, data: bytes, line: Line | None = None) -> None:
        """Queue a message; a bot that lets too many pile up loses the stream."""
        if self.closing:
            return
        self._out.append((data, line))
        self._out_bytes += len(data)
        limits = self.hall.limits
        if len(self._out) > limits.messages_unread or self._out_bytes > limits.bytes_unread:
            self._slow(f"{len(self._out)} messages of {self._out_bytes} bytes wait to be read")
            return
        wake = self._wake
        if wake is not None:
            self._wake = None
            if not wake.done():
                wake.set_result(None)

    async def run_writer(self) -> None:
        """The only task that writes. Ends when the stream is closing and all is said."""
        out, hall = self._out, self.hall
        now, write = hall.time.now, self.wire.write
        while True:
            if not out:
                if self.closing:
                    return
                self._wake = hall.loop.create_future()
                await self._wake
                continue
            data, line = out.popleft()
            self._out_bytes -= len(data)
            self._write_since = now()
            await write(data)
            self._write_since = None
            if line is not None:
                written_at = now()
                line.session.question_written(line.seat, line.decision, written_at)
                hall.question_on_wire(line, written_at)

    def question(self, line: Line) -> None:
        """A match has a question: send it if fewer are open than the bot takes at once."""
        if self.unanswered < self.at_once:
            self._put(line)
        else:
            line.queued = True
            self._waiting.append(line)

    def answered(self) -> None:
        """One question fewer is open: the next may go out."""
        self.unanswered -= 1
        while self._waiting and self.unanswered < self.at_once:
            line = self._waiting.popleft()
            if line.queued:
                line.queued = False
                self._put(line)

    def _put(self, line: Line) -> None:
        question = line.session.take_question(line.seat)
        if question is None:
            return
        line.open = True
        line.decision = question.decision
        self.unanswered += 1
        receipt = self.hall.receipt(line.match, line.seat, question.last_event)
        self.send(frames.decide(line.match, question, receipt), line)

    def forget(self, line: Line) -> None:
        if self.lines.get(line.session.match) is line:
            del self.lines[line.session.match]
        self.part_if_done()

    def part_if_done(self) -> None:
        if self.lines or self.closing:
            return
        if self.hall.draining:
            self.close(Parting.DRAINED, "this referee is going away")
        elif self.leaving and not self.awaited:
            self.close(Parting.DONE)

    def close(self, parting: Parting, details: str = "") -> None:
        """Say goodbye and end the stream once that is written."""
        if self.closing:
            return
        after = self.hall.reconnect_after_ms() if parting.waits else 0
        self.send(frames.goodbye(parting.value.goodbye, after))
        self.closing = True
        self.status, self.details = parting.value.status, details
        self._stop_timer()
        wake, self._wake = self._wake, None
        if wake is not None and not wake.done():
            wake.set_result(None)
        self._timer = self.hall.time.call_at(
            self.hall.time.now() + self.hall.limits.farewell_seconds, self._stuck
        )

    def fault(self, code: str, text: str, match: str = "", fatal: bool = False) -> None:
        """Tell this bot, and nobody else, what was wrong."""
        self.hall.metrics.faults.labels(code).inc()
        self.send(frames.fault(code, harmless(text), match, fatal))

    def fail(self, parting: Parting, text: str, code: str = "") -> None:
        """
        A fault that costs the stream.

        Args:
            code: Of the fault; empty: that of the parting.
        """
        if self.closing:
            return
        code = code or parting.value.fault
        log.info("stream_failed", bot=self.bot, instance=self.instance, code=code, text=text)
        self.fault(code, text, fatal=True)
        self.close(parting, f"{code}: {text}")

    def ended(self) -> None:
        """The transport has let go of the stream."""
        self.closing = True
        self._stop_timer()

    def _slow(self, text: str) -> None:
        self._out.clear()  # nobody reads it; the last words get their chance
        self._out_bytes = 0
        self.fail(Parting.SLOW, text)

    def _stuck(self) -> None:
        self._timer = None
        self.on_stuck()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # Liveness

    def _no_hello(self) -> None:
        self._timer = None
        seconds = self.hall.limits.hello_seconds
        self.fail(Parting.NO_HELLO, f"no Hello within {seconds:.0f} s")

    def _tick(self) -> None:
        """When a ping is due, or silence would be too long: is the bot there, does it read?"""
        self._timer = None
        limits, now = self.hall.limits, self.hall.time.now()
        delay = self.hall.time.delay()
        if limits.silence_seconds and now - delay - self.heard_at >= limits.silence_seconds:
            text = f"nothing heard for {limits.silence_seconds:.0f} s"
            log.info("stream_silent", bot=self.bot, instance=self.instance)
            self.close(Parting.SILENT, text)
            return
        since = self._write_since
        if since is not None and now - delay - since >= limits.blocked_seconds:
            self._slow(f"a message has waited {now - since:.0f} s to be read")
            return
        if now >= self._next_ping:
            self._ping(now)
        else:
            self._watch(now)

    def _ping(self, now: float) -> None:
        self._ping_number += 1
        self._ping_at = now
        self._next_ping = now + self.hall.limits.ping_seconds
        self.send(frames.ping(self._ping_number))
        if not self.closing:
            self._watch(now)

    def _watch(self, now: float) -> None:
        due, silence = self._next_ping, self.hall.limits.silence_seconds
        if silence:
            due = min(due, max(now + LATER_SECONDS, self.heard_at + silence))
        self._timer = self.hall.time.call_at(due, self._tick)

    # In

    def receive(self, data: bytes) -> None:
        """Take one message from the bot."""
        if self.closing:
            return
        hall = self.hall
        now = self.heard_at = hall.time.now()
        size = len(data)
        affordable = self._bytes.take(now, size)
        if size > hall.limits.message_bytes:
            limit = hall.limits.message_bytes
            self._counted("TOO_BIG", f"{size} bytes; at most {limit} are read", now)
            return
        if not affordable:
            limit = hall.limits.bytes_per_second
            self._counted("TOO_FAST", f"more than {limit} bytes a second", now)
            return
        try:
            message = pb.BotMessage.FromString(data)
        except DecodeError:
            self._unreadable("the bytes are no BotMessage", now)
            return
        kind = message.WhichOneof("message")
        if kind == "choose" and self.greeted:
            self._choose(message.choose, now)
            return
        if not self._messages.take(now):
            limit = hall.limits.messages_per_second
            self._counted("TOO_FAST", f"more than {limit} messages a second", now)
        elif not self.greeted:
            if kind == "hello":
                self._hello(message.hello, now)
            else:
                self.fail(Parting.BAD_HELLO, "the first message must be a Hello")
        elif kind is None:
            self._unreadable("a message of a kind that is not known here", now)
        else:
            self._others[kind](self, getattr(message, kind), now)

    def _choose(self, choose: pb.Choose, now: float) -> None:
        line = self.lines.get(choose.match)
        if line is None:
            self._no_match(choose.match, now)
            return
        session, seat = line.session, line.seat
        refusal = session.choose(seat, choose.decision, choose.option, choose.note, now)
        if refusal is None:
            self.hall.decided(line)
        else:
            self._refused(refusal, choose.match, now)

    def _refused(self, refusal: Refusal | None, match: str, now: float) -> None:
        """Tell a refusal; those that cost nothing are only slowed down."""
        if refusal is None or refusal.told:
            return
        if refusal.code == "STALE":
            if self._messages.take(now):
                self.fault(refusal.code, refusal.text, match)
            else:
                self._counted("TOO_FAST", "too many answers that answer nothing", now)
        else:
            self._counted(refusal.code, refusal.text, now, match)

    def _no_match(self, match: str, now: float) -> None:
        """A word on a match that was the bot's has crossed what it was told of it: no fault."""
        if match in self.resume or self.hall.was_in(match, self.bot, self.instance):
            self._refused(Refusal("STALE", "this match is over, or goes on elsewhere"), match, now)
            return
        self._counted("NO_SUCH_MATCH", f"you have no seat in match {match[:64]!r} here", now)

    def _unreadable(self, text: str, now: float) -> None:
        """A bad answer if exactly one question is open, else a fault of the stream."""
        if not self.greeted:
            self.fail(Parting.BAD_HELLO, f"the first message must be a Hello: {text}")
            return
        asked = [line for line in self.lines.values() if line.open]
        if len(asked) == 1 and self._messages.take(now):
            (line,) = asked
            line.session.bad_answer(line.seat, "UNKNOWN_KIND", text)
        else:
            self._counted("UNKNOWN_KIND", text, now)

    def _counted(self, code: str, text: str, now: float, match: str = "") -> None:
        """A fault of which only so many a minute are borne."""
        times = self._fault_times
        times.append(now)
        while times[0] <= now - 60:
            times.popleft()
        line = self.lines.get(match)
        if line is not None:
            line.session.note_fault(line.seat, code)
        if len(times) <= self.hall.limits.faults_per_minute:
            self.fault(code, text, match)
            return
        count = len(times)
        times.clear()  # they have had their consequence
        why = f"protocol: {count} faults in a minute, the last {code}: {text}"
        for each in list(self.lines.values()):
            each.session.forfeit(each.seat, Ending.PROTOCOL, why)
        self.fail(Parting.MANY_FAULTS, f"{text} ({count} faults in a minute)", code)

    def _hello(self, hello: pb.Hello, now: float) -> None:
        limits, games = self.hall.limits, self.hall.games
        try:
            known, unknown = check(hello, limits.text_bytes, games)
        except BadHello as bad:
            self.fail(bad.parting, str(bad))
            return
        self.version, self.instance = hello.version, hello.instance
        self.games = known
        self.max_matches = min(max(1, hello.max_matches), limits.matches)
        self.at_once = min(max(1, hello.questions_at_once), limits.questions_at_once)
        self.detail = DETAIL.get(hello.detail, FULL)
        self.resume = {each.match: each for each in hello.resume[:1000]}
        self.greeted = True
        self._fault_times = self.hall.guests.fault_times(self.bot, self.instance)
        self._stop_timer()
        self.hall.join(self)
        for name in unknown[:MOST_UNKNOWN_TOLD]:
            self.fault("NO_SUCH_GAME", not_played(name, games))
        self._tell_pause()
        self._ping(now)

    def revoke(self, why: str) -> None:
        """End the stream: its token opens nothing any more. Its matches go on within the grace."""
        if self.closing:
            return
        log.info("stream_revoked", bot=self.bot, instance=self.instance, text=why)
        self.close(Parting.REVOKED, why)

    def pause(self, reason: str) -> None:
        """Note why the bot gets no matches now, empty if it does, and tell it of a new reason."""
        if reason == self.paused:
            return
        self.paused = reason
        if self.greeted:
            self._tell_pause()

    def _tell_pause(self) -> None:
        if self.paused:
            self.fault("PAUSED", f"no matches for this bot: {self.paused}")

    def _hello_again(self, hello: pb.Hello, now: float) -> None:
        self._counted("BAD_HELLO", "a stream has one Hello", now)

    def _ready(self, ready: pb.Ready, now: float) -> None:
        line = self.lines.get(ready.match)
        if line is None:
            self._no_match(ready.match, now)
        else:
            self._refused(line.session.ready(line.seat), ready.match, now)

    def _standing_order(self, order: pb.StandingOrder, now: float) -> None:
        line = self.lines.get(order.match)
        if line is None:
            self._no_match(order.match, now)
        else:
            refusal = line.session.order(line.seat, order.window, order.on)
            self._refused(refusal, order.match, now)

    def _resign(self, resign: pb.Resign, now: float) -> None:
        line = self.lines.get(resign.match)
        if line is None:
            self._no_match(resign.match, now)
        else:
            self._refused(line.session.resign(line.seat), resign.match, now)

    def _practise(self, practise: pb.Practise, now: float) -> None:
        if practise.game not in self.games:
            text = f"{practise.game[:64]!r} is not among the games of your Hello"
            self._counted("NO_SUCH_GAME", text, now)
            return
        if not self._wishes.take(now):
            most = self.hall.limits.wishes_burst
            self.no_partner(f"more than {most} wishes at once; ask again in a second")
            return
        seat = practise.seat if practise.HasField("seat") else None
        self.hall.practise(self, practise.game, practise.opponent, seat)

    def no_partner(self, text: str) -> None:
        self._counted("NO_PARTNER", text, self.hall.time.now())

    def _pong(self, pong: pb.Pong, now: float) -> None:
        if pong.number == self._ping_number and self._ping_at:
            self._pings.append(max(0.0, now - self._ping_at - self.hall.time.delay()))
            self._ping_at = 0.0
            self.median_ping = median(self._pings)

    def _goodbye(self, goodbye: pb.Goodbye, now: float) -> None:
        if not self.leaving:
            self.leaving, self.leaving_since = True, now
        self.hall.on_leaving(self)
        self.part_if_done()

    _others: dict[str, Callable[..., None]] = {
        "hello": _hello_again,
        "ready": _ready,
        "standing_order": _standing_order,
        "resign": _resign,
        "practise": _practise,
        "pong": _pong,
        "goodbye": _goodbye,
    }
