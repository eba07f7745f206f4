"""
Journals in Redis: entries of many matches go in one round trip, and only the owner's are taken.

One writer serves a referee process. While a round trip is under way, what becomes ready gathers for
the next. If Redis is away the writer says so, tries again with longer and longer waits, and sends
again what Redis has lost.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import structlog
from redis import exceptions
from redis.asyncio import Redis

from referee.match.entries import Entries
from referee.store.keys import Keys
from referee.store.scripts import APPEND, packed

log = structlog.get_logger("warladder.referee")

MOST_ENTRIES = 500
"""Of one match in one call: Lua's stack has room for some thousands."""
SHORTEST_WAIT_SECONDS = 0.05
LONGEST_WAIT_SECONDS = 1.0

AWAY: tuple[type[Exception], ...] = (
    exceptions.ConnectionError,
    exceptions.TimeoutError,
    exceptions.BusyLoadingError,
    exceptions.ReadOnlyError,
    exceptions.OutOfMemoryError,
    OSError,
)
"""What says that Redis cannot do its work now, but may later."""


class Owner(Protocol):
    """Who appends: told when entries are safe, or that the match belongs to somebody else."""

    def journalled(self, count: int) -> None: ...

    def fenced(self) -> None: ...


class RedisJournal:
    """The journal of one match that this referee owns."""

    def __init__(self, writer: JournalWriter, match: str, epoch: int, token: str) -> None:
        self.writer = writer
        self.match = match
        self.epoch = epoch
        self.token = token
        self.owner: Owner | None = None
        self.entries = Entries()
        """All of them, so that what Redis loses can be sent again."""
        self.safe = 0
        """How many are in Redis for certain."""
        self.ending = ""
        self.queued = False

    def append(self, entry: bytes, ending: str = "") -> None:
        """Add an entry, the last one with the match's ending. The owner hears when it is safe."""
        self.entries.append(entry)
        if ending:
            self.ending = ending
        self.writer.queue(self)

    def adopt(self, epoch: int, token: str) -> None:
        """Go on under a new epoch."""
        self.epoch, self.token = epoch, token


class JournalWriter:
    """Sends the entries of all journals of a referee."""

    def __init__(
        self,
        redis: Redis,
        keys: Keys,
        referee: str,
        on_away: Callable[[str], None] = lambda why: None,
        on_back: Callable[[], None] = lambda: None,
        on_heard: Callable[[], None] = lambda: None,
    ) -> None:
        self.redis = redis
        self.keys = keys
        self.referee = referee
        self.on_away = on_away
        self.on_back = on_back
        self.on_heard = on_heard
        self.away = False
        self.closed = False
        """Set when the writer is to end: it does not try again."""
        self.reopening: set[str] = set()
        """Matches for which this referee is just now asking for a new epoch."""
        self.appended = 0
        self.round_trips = 0
        self._ready: list[RedisJournal] = []
        self._wake = asyncio.Event()
        self._sha = ""
        self._idle = asyncio.Event()
        self._idle.set()

    def queue(self, journal: RedisJournal) -> None:
        if not journal.queued:
            journal.queued = True
            self._ready.append(journal)
            self._idle.clear()
            self._wake.set()

    async def idle(self) -> None:
        """Wait until nothing is left to send."""
        await self._idle.wait()

    async def run(self) -> None:
        """Send for ever; ends by cancellation."""
        while not self.closed:
            await self._wake.wait()
            self._wake.clear()
            while self._ready:
                batch, self._ready = self._ready, []
                await self._send(batch)
            self._idle.set()

    async def _send(self, batch: list[RedisJournal]) -> None:
        parts = []
        for each in batch:
            each.queued = False
            entries = each.entries[each.safe : each.safe + MOST_ENTRIES]
            whole = each.safe + len(entries) == len(each.entries)
            ending = each.ending if whole else ""
            parts.append((each.match, each.epoch, each.token, each.safe, entries, ending))
        answers = await self._append(packed(parts))
        for each, part, answer in zip(batch, parts, answers, strict=True):
            await self._settle(each, part[1], len(part[4]), answer)

    async def _settle(self, each: RedisJournal, epoch: int, sent: int, answer: int) -> None:
        if answer >= 0:
            self.appended += sent
            self._safe(each, each.safe + sent)
        elif answer == -1:
            if each.epoch != epoch or each.match in self.reopening:
                self.queue(each)  # our own new epoch has refused our old one
            elif each.owner is not None:
                each.owner.fenced()
        else:
            length = -2 - answer
            if length < each.safe:
                each.safe = length  # Redis has lost some: send them again
                self.queue(each)
                return
            there = await self._patiently(self._range, each.match, each.safe, length - 1)
            if list(there) == each.entries[each.safe : length]:
                self._safe(each, length)  # an answer was lost, not the entries
            elif each.owner is not None:
                each.owner.fenced()

    def _safe(self, each: RedisJournal, count: int) -> None:
        each.safe = count
        if count < len(each.entries):
            self.queue(each)
        if each.owner is not None:
            try:
                each.owner.journalled(count)
            except Exception:  # one match's trouble must not hold up the others' journals
                log.exception("match_failed", match=each.match)

    async def _append(self, blob: bytes) -> Sequence[int]:
        answers: Sequence[int] = await self._patiently(self._call, blob)
        return answers

    async def _call(self, blob: bytes) -> Any:
        self.round_trips += 1
        arguments = (0, self.keys.prefix, self.referee, blob)
        if self._sha:
            try:
                return await self.redis.evalsha(self._sha, *arguments)
            except exceptions.NoScriptError:
                pass  # a Redis that was started anew knows no scripts
        self._sha = await self.redis.script_load(APPEND)
        return await self.redis.evalsha(self._sha, *arguments)

    async def _range(self, match: str, first: int, last: int) -> Any:
        return await self.redis.lrange(self.keys.journal(match), first, last)

    async def _patiently(self, call: Callable[..., Any], *arguments: Any) -> Any:
        wait = SHORTEST_WAIT_SECONDS
        while True:
            try:
                answer = await call(*arguments)
            except AWAY as fault:
                if self.closed:
                    raise asyncio.CancelledError from None
                if not self.away:
                    self.away = True
                    self.on_away(str(fault) or type(fault).__name__)
                await asyncio.sleep(wait)
                wait = min(2 * wait, LONGEST_WAIT_SECONDS)
            else:
                self.on_heard()
                if self.away:
                    self.away = False
                    self.on_back()
                return answer
