"""
The hall of a referee: which bots attend, which matches run, and who gets which seat's line.

Knows no store and no transport, so that a local referee is the same hall with a journal in memory.
"""

from __future__ import annotations

import asyncio
import random
from collections import OrderedDict
from collections.abc import Callable, Mapping
from hashlib import blake2b
from time import monotonic

import structlog

from referee import games
from referee.engine import Facts
from referee.match.flow import Flow
from referee.match.record import MatchRecord
from referee.match.session import Session
from referee.metrics import Metrics
from referee.server import frames
from referee.server.guests import Diallers, Guests
from referee.server.limits import Limits
from referee.server.looptime import LoopTime
from referee.server.partings import Parting
from referee.server.stream import Line, Stream

log = structlog.get_logger("warladder.referee")

ENDINGS_KEPT = 1_024
"""Ends as seats were told them, kept for bots that were away or going, until they ask."""
OVER_KEPT = 1_024
"""Matches that have ended here or went elsewhere, kept for words that were on their way."""
LEFT_SECONDS = 60.0
"""So long a bot that has said Goodbye is known to have done so: what was planned for it meanwhile
was looked at by then."""
RECONNECT_MS = (500, 3_000)
"""Those who are sent away come back spread over this."""


class Hall:
    """Streams and sessions of one referee process. Lives on one event loop."""

    def __init__(
        self,
        *,
        metrics: Metrics,
        limits: Limits | None = None,
        ladder_key: bytes = b"",
        on_end: Callable[[Session], None] = lambda session: None,
        on_practise: Callable[[Stream, str, str, int | None], None] | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """
        Args:
            ladder_key: Signs receipts; all referees of a ladder share it.
            on_end: Called when a match has ended, or belongs to another referee.
            on_practise: Takes a bot's wish for a practise match.
            clock: The one that the running loop goes by.
        """
        self.loop = asyncio.get_running_loop()
        self.metrics = metrics
        self.limits = limits or Limits()
        self.time = LoopTime(self.loop, metrics.loop_lag.observe, self._stood_still, clock)
        self.games: Mapping[str, Facts] = {name: games.get(name).facts for name in games.names()}
        self.sessions: dict[str, Session] = {}
        self.streams: dict[tuple[str, str], Stream] = {}
        """By bot and instance; those that have said Hello."""
        self._key = ladder_key[:64]
        self.guests = Guests(self.limits)
        self.diallers = Diallers(self.limits, self.time.now, self._key)
        self.addresses: tuple[str, ...] = ()
        self.elsewhere: frozenset[tuple[str, str]] = frozenset()
        """Bots and instances that attend other referees, as those said last."""
        self.draining = False
        self.away_since: float | None = None
        """When the store was found to be away."""
        self.heard_at: float | None = None
        """When the store said something last; None in a hall without one."""
        self.ask_store: Callable[[], None] = lambda: None
        self.on_leaving: Callable[[Stream], None] = lambda stream: stream.awaited.clear()
        """Called when a bot wants no new matches. Without a store none of its is elsewhere."""
        self._left: OrderedDict[tuple[str, str], float] = OrderedDict()
        """Bots and instances that have said Goodbye and gone, and when, the latest last."""
        self._on_end = on_end
        self._on_practise = on_practise
        self._ended: OrderedDict[tuple[str, str, str], bytes] = OrderedDict()
        self._over: OrderedDict[str, tuple[tuple[str, str], ...]] = OrderedDict()
        """Per match, the latest last: its seats' bots and instances."""
        self._changed = asyncio.Event()
        metrics.playing.set_function(lambda: len(self.sessions))
        metrics.streams.set_function(lambda: len(self.streams))

    def close(self) -> None:
        self.time.close()

    # Bots

    def reconnect_after_ms(self) -> int:
        return random.randint(*RECONNECT_MS)

    def receipt(self, match: bytes, seat: int, event: int) -> bytes:
        """Proof that a seat has been shown its events up to this one."""
        text = b"%s|%d|%d" % (match, seat, event)
        return blake2b(text, key=self._key, digest_size=frames.RECEIPT_BYTES).digest()

    def join(self, stream: Stream) -> None:
        """A bot has said Hello: greet it and give it back the seats that are its."""
        key = (stream.bot, stream.instance)
        old = self.streams.get(key)
        self.streams[key] = stream
        self._left.pop(key, None)
        if old is not None:
            self._detach(old)
            old.fail(Parting.REPLACED, "a newer stream of this bot and instance has come")
        seats = [
            (session, seat.number)
            for session in self.sessions.values()
            for seat in session.seats
            if (seat.record.bot, seat.record.instance) == key
        ]
        resumed = [session.match for session, _ in seats]
        limits = self.limits.message()
        stream.send(frames.welcome(stream.bot, limits, self.addresses, resumed))
        for session, number in seats:
            spoilt = self._attach(stream, session, number)
            if spoilt:
                session.void(spoilt)
        for match in stream.resume:
            end = self._ended.pop((*key, match), None)
            if end is not None:
                stream.send(end)
            else:
                stream.awaited.add(match)
        log.info(
            "bot_attends",
            bot=stream.bot,
            instance=stream.instance,
            version=stream.version,
            games=stream.games,
            resumed=len(seats),
        )
        if self.draining:
            stream.part_if_done()
        self._notice()

    def leave(self, stream: Stream) -> None:
        """A stream has ended, for whatever reason."""
        stream.ended()
        self.guests.leave(stream)
        key = (stream.bot, stream.instance)
        if self.streams.get(key) is stream:
            del self.streams[key]
            if stream.leaving:
                self._left[key] = self.time.now()
            log.info("bot_left", bot=stream.bot, instance=stream.instance)
        self._detach(stream)
        self._notice()

    def _detach(self, stream: Stream) -> None:
        for line in list(stream.lines.values()):
            line.settled()
            line.session.detach(line.seat, line, stream.ours)
        stream.lines.clear()

    def _attach(self, stream: Stream, session: Session, number: int) -> str:
        """
        Give a seat its line.

        Returns:
            Why the match must be void; empty if it need not.
        """
        line = Line(stream, session, number)
        stream.lines[session.match] = line
        stream.awaited.discard(session.match)
        last_event = 0
        known = stream.resume.pop(session.match, None)
        if known is not None:
            proof = self.receipt(line.match, number, known.last_event)
            if proof == known.receipt:
                last_event = known.last_event
        ahead = last_event > len(session.state.events(number, 0))
        session.attach(number, line, last_event)
        if ahead:
            return f"seat {number} has seen event {last_event}, which the journal lacks"
        return ""

    def practise(self, stream: Stream, game: str, opponent: str, seat: int | None) -> None:
        if self._on_practise is None:
            stream.no_partner("this referee arranges no practise matches")
        else:
            self._on_practise(stream, game, opponent, seat)

    def card_data(self, digest: str) -> bytes | None:
        """The component data with this digest, if a game here ships with it."""
        for name, facts in self.games.items():
            if digest and facts.cards == digest:
                return games.get(name).card_data()
        return None

    # Matches

    def plays(self, bot: str) -> bool:
        """Whether a bot has a seat in a match that runs here."""
        return any(
            seat.record.bot == bot for session in self.sessions.values() for seat in session.seats
        )

    def was_in(self, match: str, bot: str, instance: str) -> bool:
        """Whether a match that has ended here, or went elsewhere, was this bot's."""
        return (bot, instance) in self._over.get(match, ())

    def absent(self, record: MatchRecord) -> list[str]:
        """Bots of a match that do not attend here."""
        return [
            seat.bot
            for seat in record.seats
            if (stream := self.streams.get((seat.bot, seat.instance))) is None
            or stream.leaving
            or record.game not in stream.games
        ]

    def left(self) -> tuple[tuple[str, str], ...]:
        """Bots and instances that have said Goodbye a short while ago, or play on after it."""
        while self._left and self.time.now() - next(iter(self._left.values())) > LEFT_SECONDS:
            self._left.popitem(last=False)
        leaving = {key for key, stream in self.streams.items() if stream.leaving}
        return tuple(sorted(leaving.union(self._left)))

    def play(self, session: Session, epoch: int, referee: str) -> None:
        """Take a session in and give its seats to the bots that attend."""
        self.sessions[session.match] = session
        session.known_until, session.ask_store = self.known_until, self.ask_store
        session.elsewhere = lambda seat: (seat.bot, seat.instance) in self.elsewhere
        session.on_late = self.metrics.late
        spoilt = ""
        for seat in session.seats:
            stream = self.streams.get((seat.record.bot, seat.record.instance))
            if stream is not None and not stream.closing:
                spoilt = self._attach(stream, session, seat.number) or spoilt
        if self.away_since is not None:
            session.stop(self.time.now())
        session.open(epoch, referee)
        if spoilt:  # only now: the journal's end stands behind its opening
            session.void(spoilt)

    def ended(self, flow: Flow) -> None:
        """A session's end is safe, or another referee has the match."""
        session = self.sessions.pop(flow.match, None)
        if session is None:
            return
        self._over[session.match] = tuple(
            (seat.record.bot, seat.record.instance) for seat in session.seats
        )
        if len(self._over) > OVER_KEPT:
            self._over.popitem(last=False)
        if session.gone:
            if not self.draining:
                log.warning("match_fenced", match=session.match)
                self.metrics.fenced.inc()
                self._send_on(session)
        else:
            end = session.end
            assert end is not None
            self.metrics.matches.labels(session.record.game, end.ending).inc()
            log.info(
                "match_ended",
                match=session.match,
                game=session.record.game,
                bots=[seat.record.bot for seat in session.seats],
                ending=end.ending,
                ranks=end.ranks,
                faults=end.faults if any(end.faults) else "",
                decisions=session.decisions,
                text=end.text,
            )
            self._keep_ends(session)
        self._on_end(session)
        self._notice()

    def _send_on(self, session: Session) -> None:
        """Let bots that attend here alone dial again: their match goes on at another referee."""
        for seat in session.seats:
            key = (seat.record.bot, seat.record.instance)
            stream = self.streams.get(key)
            if stream is not None and not stream.lines and key not in self.elsewhere:
                stream.close(Parting.MOVED, "your match goes on at another referee")

    def keep_end(self, session: Session, number: int, data: bytes) -> None:
        """An end that a seat was told; whether it has arrived nobody can say."""
        seat = session.seats[number].record
        self._ended[(seat.bot, seat.instance, session.match)] = data

    def _keep_ends(self, session: Session) -> None:
        for seat in session.seats:
            if (seat.record.bot, seat.record.instance, session.match) not in self._ended:
                data = frames.ended(session.record, session.finished(seat.number))
                self.keep_end(session, seat.number, data)
        while len(self._ended) > ENDINGS_KEPT:
            self._ended.popitem(last=False)

    # The store

    def store_heard(self) -> None:
        """The store is there: it has just answered."""
        self.heard_at = self.time.now()

    def known_until(self) -> float:
        """Until when the store is known to have been there."""
        return self.time.now() if self.heard_at is None else self.heard_at

    def store_away(self, why: str) -> None:
        """Nothing is shown and no clock runs until the store is back."""
        if self.away_since is not None:
            return
        now = self.away_since = self.time.now()
        log.warning("store_away", why=why, matches=len(self.sessions))
        for session in list(self.sessions.values()):
            session.stop(now)

    def store_back(self) -> None:
        if self.away_since is None:
            return
        now = self.time.now()
        seconds, self.away_since = now - self.away_since, None
        self.metrics.away.inc(seconds)
        log.info("store_back", seconds=round(seconds, 3))
        for session in list(self.sessions.values()):
            session.go_on(now)

    # Going away

    def drain(self) -> None:
        """Take nothing new; bots without a match go now, the others with their last one."""
        self.draining = True
        for stream in list(self.streams.values()):
            stream.part_if_done()
        self._notice()

    def part(self) -> None:
        """Send everybody away: what still runs goes on elsewhere."""
        self.draining = True
        for session in list(self.sessions.values()):
            session.fenced()
        for stream in list(self.streams.values()):
            stream.part_if_done()

    async def until(self, true: Callable[[], bool], seconds: float) -> bool:
        """Wait until something holds that streams or matches decide; False if it takes longer."""
        deadline = monotonic() + seconds
        while not true():
            self._changed.clear()
            left = deadline - monotonic()
            if left <= 0:
                return False
            try:
                async with asyncio.timeout(left):
                    await self._changed.wait()
            except TimeoutError:
                return true()
        return True

    def _notice(self) -> None:
        self._changed.set()

    # Figures

    def decided(self, line: Line) -> None:
        """An answer was taken."""
        session = line.session
        self.metrics.decided(
            session.record.game, session.last_charged_ms / 1000, line.stream.median_ping
        )

    def question_on_wire(self, line: Line, now: float) -> None:
        """A question was written."""
        session = line.session
        if session.answer_at:
            self.metrics.in_referee.observe(now - session.answer_at)
            session.answer_at = 0.0

    def _stood_still(self, seconds: float) -> None:
        now = self.time.now()
        if self.streams:
            log.warning("referee_stood_still", seconds=round(seconds, 3))
        for session in list(self.sessions.values()):
            session.forgive(seconds, now)
