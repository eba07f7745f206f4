"""
A ladder's referee: the hall with a store behind it.

Opens matches, takes over others', says that it is there, and hands over when it leaves.
"""

from __future__ import annotations

import asyncio
import time as clock
from collections.abc import Coroutine, Iterable, Sequence
from contextlib import suppress
from typing import Any

import msgpack
import structlog
from redis.asyncio import Redis

from referee import games
from referee.engine.errors import WarladderError
from referee.match.entries import Entries
from referee.match.journal import Ending, Entry, end_without_play, unpack_entry
from referee.match.record import MatchRecord, unpack_record
from referee.match.replay import check_rules
from referee.match.session import Session
from referee.metrics import Metrics
from referee.server import frames
from referee.server.config import Config
from referee.server.door import Known, StoreAway
from referee.server.hall import Hall
from referee.server.limits import Limits
from referee.server.partings import Parting
from referee.server.stream import Stream
from referee.store import presence
from referee.store.bots import BANNED, bot_of_token, read_standing, token_digest
from referee.store.journal import AWAY, JournalWriter, RedisJournal
from referee.store.keys import Keys
from referee.store.lifecycle import (
    Opened,
    open_match,
    open_matches,
    read_cancels,
    read_epochs,
    read_owners,
    read_records,
)
from referee.store.records import Attending, Presence, Status
from warladder.v1 import internal_pb2 as pb

log = structlog.get_logger("warladder.referee")

SLICE_SECONDS = 0.004
"""A takeover gives the loop back after so long: nobody's clock may feel it."""
FLUSH_SECONDS = 1.0
"""On leaving: for what the store has not got yet."""


class LadderReferee:
    """One referee process of a ladder."""

    def __init__(
        self, config: Config, redis: Redis, metrics: Metrics, limits: Limits | None = None
    ) -> None:
        self.config = config
        self.redis = redis
        self.keys = Keys(config.namespace)
        self.metrics = metrics
        self.address = config.advertise or config.listen
        self.internal_address = config.internal_listen
        self.hall = Hall(
            metrics=metrics,
            limits=limits,
            ladder_key=config.ladder_key,
            on_end=self._ended,
            on_practise=self._practise,
        )
        self.writer = JournalWriter(
            redis,
            self.keys,
            config.name,
            on_away=self._away,
            on_back=self._back,
            on_heard=self.hall.store_heard,
        )
        self._journals: dict[str, RedisJournal] = {}
        self._opening: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._renew = asyncio.Event()
        self._is_asking = False
        self.hall.ask_store = self._ask_store
        self.hall.on_leaving = lambda stream: self._renew.set()  # nothing more is planned for it
        self.hall.store_heard()
        self._counted = (0, 0)
        self._gone = False
        self.broken: asyncio.Future[None] = self.hall.loop.create_future()
        """Has the fault of a task without which this process is of no use."""

    # Life

    def start(self) -> None:
        self._spawn(self.writer.run())
        self._spawn(self._keep_presence())

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = self.hall.loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None and not self.broken.done():
            self.broken.set_exception(task.exception() or RuntimeError())

    async def leave(self, seconds: float) -> None:
        """Stop taking matches, let running ones end for a while, then hand over and go."""
        log.info("draining", matches=len(self.hall.sessions), seconds=seconds)
        self.hall.drain()
        self._renew.set()
        if seconds:
            await self.hall.until(lambda: not self.hall.sessions, seconds)
        try:
            async with asyncio.timeout(FLUSH_SECONDS):
                await self.writer.idle()
        except TimeoutError:
            log.warning("left_with_unwritten_entries", matches=len(self.hall.sessions))
        self.hall.part()
        await self.hall.until(lambda: not self.hall.streams, FLUSH_SECONDS)
        self._gone = self.writer.closed = True
        if self._tasks:
            for task in self._tasks:
                task.cancel()
            await asyncio.wait(self._tasks, timeout=FLUSH_SECONDS)
        with suppress(*AWAY, TimeoutError):  # it expires by itself
            async with asyncio.timeout(FLUSH_SECONDS):
                await presence.leave(self.redis, self.keys, self.config.name)
        self.hall.close()

    # Presence

    async def _keep_presence(self) -> None:
        wait = presence.RENEWED_EVERY_SECONDS
        renewed_at = self.hall.time.now()
        while not self._gone:  # the store's client can take a cancellation for a time-out
            try:
                names = await presence.renew(self.redis, self.keys, self.presence())
                self.hall.store_heard()
                now, before = self.hall.time.now(), renewed_at
                renewed_at = now
                if now - before > presence.EXPIRES_MS / 1000:
                    await self._drop_lost()
                there = await presence.of(self.redis, self.keys, names)
                self._tell_addresses(tuple(each.address for each in there))
                self.hall.elsewhere = frozenset(
                    (bot, stream.instance)
                    for each in there
                    if each.name != self.config.name
                    for bot, streams in each.attending.items()
                    for stream in streams
                )
                await self._look_up_bots()
                await self._let_leave({each.name for each in there} - {self.config.name})
                await self._cancel()
            except AWAY as fault:
                self._away(str(fault) or type(fault).__name__)
                wait = min(1.0, wait)
            else:
                if not self.writer.away:
                    self._back()
                wait = presence.RENEWED_EVERY_SECONDS
            self._count()
            self._renew.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await self._renew.wait()

    def presence(self) -> Presence:
        attending: dict[str, list[Attending]] = {}
        for stream in self.hall.streams.values():
            if stream.closing:
                continue  # a paused bot attends: the registry says when its pause is over
            attending.setdefault(stream.bot, []).append(
                Attending(
                    stream.instance,
                    stream.version,
                    stream.games,
                    stream.max_matches,
                    stream.leaving,
                )
            )
        return Presence(
            name=self.config.name,
            address=self.address,
            internal=self.internal_address,
            games={name: facts.rules for name, facts in self.hall.games.items()},
            cards={name: facts.cards for name, facts in self.hall.games.items()},
            room=self.room,
            playing=len(self.hall.sessions),
            draining=self.hall.draining,
            attending={bot: tuple(streams) for bot, streams in sorted(attending.items())},
            left=self.hall.left(),
        )

    def _tell_addresses(self, addresses: tuple[str, ...]) -> None:
        if addresses == self.hall.addresses:
            return
        self.hall.addresses = addresses
        message = frames.referees(addresses)
        for stream in self.hall.streams.values():
            stream.send(message)

    async def _look_up_bots(self) -> None:
        """Tell bots that are paused while they attend, and end streams whose token is void."""
        streams = list(self.hall.guests)  # not those that come while the store is asked
        pauses, owners = await read_standing(
            self.redis,
            self.keys,
            {stream.bot for stream in streams},
            {stream.token for stream in streams},
        )
        for stream in streams:
            paused = pauses[stream.bot]
            if paused is None:
                stream.revoke(f"{stream.bot} has been removed")
            elif not owners[stream.token] and paused.startswith(BANNED):
                stream.revoke(f"{stream.bot} is {paused}")
            elif owners[stream.token] != stream.bot:
                stream.revoke(f"{stream.bot} has a new token; dial with that one")
            else:
                stream.pause(paused)

    async def _let_leave(self, others: set[str]) -> None:
        """
        Find out what bots that have said Goodbye still wait for.

        Args:
            others: The other referees that are there.
        """
        leaving = [each for each in self.hall.streams.values() if each.leaving and each.awaited]
        if not leaving:
            return
        matches = sorted(set().union(*(each.awaited for each in leaving)))
        found = dict(zip(matches, await read_owners(self.redis, self.keys, matches)))
        for stream in leaving:
            stream.awaited -= {match for match in stream.awaited if found.get(match, "") is None}
            # A referee that was killed seems to be there for so long; then its matches come here.
            waited = self.hall.time.now() - stream.leaving_since > presence.EXPIRES_MS / 1000
            is_elsewhere = any(found.get(match) in others for match in stream.awaited)
            if waited and is_elsewhere and not stream.lines:
                stream.close(Parting.MOVED, "your match goes on at another referee")
            else:
                stream.part_if_done()

    async def _cancel(self) -> None:
        """End what an operator wants ended, of the matches that are played here."""
        for match, text in (await read_cancels(self.redis, self.keys)).items():
            session = self.hall.sessions.get(match)
            if session is not None:
                log.info("match_cancelled", match=match, text=text)
                session.cancel(text)

    async def _drop_lost(self) -> None:
        """We were away for longer than our presence holds: others have taken matches over."""
        owned = list(self._journals.items())
        epochs = await read_epochs(self.redis, self.keys, [match for match, _ in owned])
        for (match, journal), epoch in zip(owned, epochs, strict=True):
            lost = epoch > journal.epoch and match not in self.writer.reopening
            if lost and journal.owner is not None:
                journal.owner.fenced()

    def _count(self) -> None:
        entries, trips = self._counted
        self.metrics.entries.inc(self.writer.appended - entries)
        self.metrics.round_trips.inc(self.writer.round_trips - trips)
        self._counted = (self.writer.appended, self.writer.round_trips)

    def _away(self, why: str) -> None:
        self.hall.store_away(why)

    def _back(self) -> None:
        self.hall.store_back()

    def _ask_store(self) -> None:
        """A limit waits for the store's word; one question at a time."""
        if not self._is_asking:
            self._is_asking = True
            self._spawn(self._ping())

    async def _ping(self) -> None:
        try:
            await self.redis.ping()
        except AWAY as fault:
            self._away(str(fault) or type(fault).__name__)
            self._renew.set()  # who renews finds out when it is back
        else:
            self.hall.store_heard()
        finally:
            self._is_asking = False

    # Bots

    async def authenticate(self, token: str) -> Known | None:
        """
        Raises:
            StoreAway: Nobody can be told apart now.
        """
        if not token:
            return None
        try:
            bot = await bot_of_token(self.redis, self.keys, token)
        except AWAY:
            raise StoreAway from None
        self._renew_soon()
        return None if bot is None else Known(bot.name, bot.paused, token_digest(token))

    def _renew_soon(self) -> None:
        """A bot is about to attend: the matchmaker shall hear of it before the next turn."""
        self.hall.loop.call_later(0.1, self._renew.set)

    def _practise(self, stream: Stream, game: str, opponent: str, seat: int | None) -> None:
        self._spawn(self._wish(stream, game, opponent, seat))

    async def _wish(self, stream: Stream, game: str, opponent: str, seat: int | None) -> None:
        wish = {"bot": stream.bot, "game": game, "opponent": opponent, "seat": seat}
        try:
            if opponent and not await self.redis.exists(self.keys.bot(opponent)):
                stream.no_partner(f"there is no bot {opponent[:64]!r}")
                return
            await self.redis.rpush(self.keys.practise, msgpack.packb(wish))
        except AWAY:
            stream.no_partner("the ladder's store is away; ask again later")

    # Matches

    @property
    def room(self) -> int:
        if self.hall.draining or self.hall.away_since is not None:
            return 0
        return max(0, self.config.room - len(self.hall.sessions) - len(self._opening))

    def status(self) -> pb.StatusResponse:
        return pb.StatusResponse(
            referee=self.config.name,
            playing=len(self.hall.sessions),
            room=self.room,
            streams=len(self.hall.streams),
            draining=self.hall.draining,
        )

    async def open_matches(self, matches: Sequence[str]) -> list[int]:
        """Take what can be played here; one answer for each match, in their order."""
        # What another call is just now at is as good as opened.
        mine = [match for match in dict.fromkeys(matches) if match not in self._opening]
        answers: dict[str, int] = {}
        others = len(self._opening)
        self._opening.update(mine)
        try:
            new = [match for match in mine if match not in self.hall.sessions]
            await self._open(new, self.config.room - len(self.hall.sessions) - others, answers)
            for match in mine:
                if match not in answers:
                    answers[match] = await self._adopt(match)
        except AWAY as fault:
            self._away(str(fault) or type(fault).__name__)
            answers = {**dict.fromkeys(mine, pb.OPENING_AWAY), **answers}
        finally:
            self._opening.difference_update(mine)
        return [answers.get(match, pb.OPENING_OPENED) for match in matches]

    async def _open(self, matches: Sequence[str], room: int, answers: dict[str, int]) -> None:
        """Open matches that do not run here, as far as there is room, in two round trips."""
        if self.hall.draining:
            answers.update(dict.fromkeys(matches, pb.OPENING_AWAY))
            return
        room = max(0, room)
        answers.update(dict.fromkeys(matches[room:], pb.OPENING_FULL))
        read = await read_records(self.redis, self.keys, matches[:room]) if matches[:room] else []
        records = {}
        for match, (status, data) in zip(matches, read):
            record = self._playable(match, status, data)
            if isinstance(record, MatchRecord):
                records[match] = record
            else:
                answers[match] = record
        if not records:
            return
        found = await open_matches(self.redis, self.keys, list(records), self.config.name)
        for (match, record), (opened, entries) in zip(records.items(), found, strict=True):
            if isinstance(opened, Opened):
                await self._begin(record, opened, entries)
                answers[match] = pb.OPENING_OPENED
                await asyncio.sleep(0)  # others' turn: to set a match up takes its time
            else:
                answers[match] = pb.OPENING_NOT_PLANNED

    def _playable(self, match: str, status: str, data: bytes) -> MatchRecord | int:
        """The record of a match that can be opened here, or why not."""
        if status not in (Status.PLANNED, Status.PLAYING):
            return pb.OPENING_NOT_PLANNED
        try:
            record = unpack_record(data)
            check_rules(record)
        except WarladderError as fault:
            log.warning("match_not_playable_here", match=match, text=str(fault))
            return pb.OPENING_WRONG_RULES
        if status == Status.PLANNED and self.hall.absent(record):
            return pb.OPENING_BOT_ABSENT
        return record

    async def _adopt(self, match: str) -> int:
        """It runs here already: go on under a new epoch."""
        self.writer.reopening.add(match)
        try:
            opened = await open_match(self.redis, self.keys, match, self.config.name)
        finally:
            self.writer.reopening.discard(match)
        session, journal = self.hall.sessions.get(match), self._journals.get(match)
        if not isinstance(opened, Opened) or session is None or journal is None:
            return pb.OPENING_NOT_PLANNED  # it has ended meanwhile
        journal.adopt(opened.epoch, opened.token)
        session.adopt(opened.epoch, self.config.name)
        log.info("match_adopted", match=match, epoch=opened.epoch)
        return pb.OPENING_OPENED

    async def _begin(self, record: MatchRecord, opened: Opened, data: list[bytes]) -> None:
        """Play a match from its start or from where an earlier owner left it."""
        match = record.match
        journal = RedisJournal(self.writer, match, opened.epoch, opened.token)
        journal.entries, journal.safe = Entries(data), len(data)
        try:
            session = Session(
                games.get(record.game),
                record,
                journal,
                self.hall.time,
                on_end=self.hall.ended,
                age_ms=opened.age_ms,
            )
            await self._restore(session, map(unpack_entry, data))
        except WarladderError as fault:
            self._give_up(journal, opened.record, str(fault))
            return
        journal.owner = session
        self._journals[match] = journal
        if data:
            self.metrics.takeovers.inc()
        self.hall.play(session, opened.epoch, self.config.name)
        log.info(
            "match_opened",
            match=match,
            game=record.game,
            epoch=opened.epoch,
            bots=[seat.bot for seat in record.seats],
            choices=session.choices,
            before=opened.before,
        )

    def _give_up(self, journal: RedisJournal, record: bytes, text: str) -> None:
        """The match cannot be set up or gone on with: void, its journal kept as a case."""
        log.error("match_given_up", match=journal.match, text=text)
        *before, end = end_without_play(record, journal.entries, Ending.REFEREE_FAULT, (), text)
        for entry in before:
            journal.append(entry)
        journal.append(end, ending=str(Ending.REFEREE_FAULT))

    async def _restore(self, session: Session, entries: Iterable[Entry]) -> None:
        began = clock.perf_counter()
        for _ in session.restore(entries):
            if clock.perf_counter() - began > SLICE_SECONDS:
                await asyncio.sleep(0)
                began = clock.perf_counter()

    def _ended(self, session: Session) -> None:
        journal = self._journals.pop(session.match, None)
        if journal is not None:
            journal.owner = None  # the two would hold each other until garbage is collected
