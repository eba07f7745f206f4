"""
Live news as server-sent events: one look at the store a second for all who listen.

An event says that something is new and where the log stands; whoever missed some is told at the
next connection where it stands now, so nothing has to be kept for anybody.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import structlog
from starlette.concurrency import run_in_threadpool

from matchmaker.browse import Wanted
from matchmaker.metrics import WebMetrics
from matchmaker.web.problems import Crowded, Problem
from matchmaker.web.reading import Reading, reachable
from matchmaker.web.views import row_of

LOOK_SECONDS = 1.0
HEARTBEAT_SECONDS = 15.0
"""A comment goes out so often, so that nobody between takes the line for dead."""
MOST_STREAMS = 256
MOST_OF_ONE = 8
"""Streams of one address."""
WAITING_EVENTS = 32
"""Events that wait for a slow reader; one more ends its stream, and it connects anew."""
MATCHES_IN_EVENT = 20
RETRY_MS = 3_000

logger = structlog.get_logger()


@dataclass(eq=False)
class Listener:
    game: str
    """Empty for all."""
    events: asyncio.Queue[bytes | None] = field(
        default_factory=lambda: asyncio.Queue(WAITING_EVENTS)
    )


class Live:
    """Who listens, and what they are told."""

    def __init__(
        self,
        reading: Reading,
        shown: WebMetrics,
        *,
        most: int = MOST_STREAMS,
        of_one: int = MOST_OF_ONE,
    ) -> None:
        self.reading = reading
        self.shown = shown
        self.most = most
        self.of_one = of_one
        self.heartbeat_seconds = HEARTBEAT_SECONDS
        self.look_seconds = LOOK_SECONDS
        self._listeners: set[Listener] = set()
        self._addresses: Counter[str] = Counter()
        self._task: asyncio.Task[None] | None = None
        self._at: dict[str, tuple[int, str]] = {}
        """What was told last of each table."""
        self._position = 0
        """Of the log, up to where matches were told."""
        self._closed = False

    def admit(self, address: str, game: str) -> Listener:
        """
        Let one more listen.

        Raises:
            Crowded: There are too many.
        """
        full = len(self._listeners) >= self.most
        if self._closed or full or self._addresses[address] >= self.of_one:
            self.shown.refused.inc()
            raise Crowded("too many live streams are open; pages work without them")
        listener = Listener(game)
        self._listeners.add(listener)
        self._addresses[address] += 1
        self.shown.streams.set(len(self._listeners))
        if self._task is None:
            self._task = asyncio.create_task(self._run())
        return listener

    async def stream(self, listener: Listener, address: str) -> AsyncIterator[bytes]:
        """What one listener gets."""
        try:
            yield f"retry: {RETRY_MS}\n\n".encode()
            try:
                for event in await run_in_threadpool(self._now, listener.game):
                    yield event
            except Problem:
                pass  # said by the next look, when the store is back
            while True:
                try:
                    event_ = await asyncio.wait_for(listener.events.get(), self.heartbeat_seconds)
                except TimeoutError:
                    yield b": still here\n\n"
                    continue
                if event_ is None:
                    return
                yield event_
        finally:
            self.leave(listener, address)

    def leave(self, listener: Listener, address: str) -> None:
        if listener in self._listeners:
            self._listeners.discard(listener)
            self._addresses[address] -= 1
            if self._addresses[address] <= 0:
                del self._addresses[address]
            self.shown.streams.set(len(self._listeners))

    def close(self) -> None:
        """End all streams: the process is about to leave."""
        self._closed = True
        for listener in list(self._listeners):
            self._end(listener)

    async def _run(self) -> None:
        """Look while anybody listens."""
        try:
            while self._listeners and not self._closed:
                try:
                    news = await run_in_threadpool(self._news)
                except Problem:
                    news = []  # the store is away; pages say so
                except Exception as fault:
                    logger.error("live_look_failed", fault=repr(fault))
                    news = []
                for game, event in news:
                    self._tell(game, event)
                await asyncio.sleep(self.look_seconds)
        finally:
            self._task = None
            self._at.clear()
            self._position = 0

    def _tell(self, game: str, event: bytes) -> None:
        for listener in list(self._listeners):
            if listener.game in ("", game):
                try:
                    listener.events.put_nowait(event)
                except asyncio.QueueFull:
                    self._end(listener)

    @staticmethod
    def _end(listener: Listener) -> None:
        while listener.events.full():
            listener.events.get_nowait()
        listener.events.put_nowait(None)

    def _now(self, wanted: str) -> list[bytes]:
        with reachable():
            games = [wanted] if wanted else self.reading.games()
            return [self._table(game, *self.reading.at(game)) for game in games]

    def _news(self) -> list[tuple[str, bytes]]:
        """What has happened since the last look: tables and matches."""
        with reachable():
            found = []
            for game in self.reading.games():
                at = self.reading.at(game)
                if self._at.get(game) not in (None, at):
                    found.append((game, self._table(game, *at)))
                self._at[game] = at
            return found + self._matches()

    def _matches(self) -> list[tuple[str, bytes]]:
        position = self.reading.log.position()
        if not self._position or position < self._position:
            self._position = position
        if position == self._position:
            return []
        rows = self.reading.matches(Wanted(), MATCHES_IN_EVENT).rows
        by_game: dict[str, list[dict[str, Any]]] = {}
        for row in rows:
            if row.position > self._position:
                shown = row_of(row).model_dump(mode="json")
                by_game.setdefault(row.result.game, []).append(shown)
        self._position = position
        return [
            (game, event("matches", position, {"game": game, "matches": some}))
            for game, some in by_game.items()
        ]

    @staticmethod
    def _table(game: str, position: int, head: str) -> bytes:
        return event("table", position, {"game": game, "position": position, "head": head})


def event(name: str, position: int, data: dict[str, Any]) -> bytes:
    """One event as it goes out. JSON has no line breaks of its own, whatever a text in it holds."""
    text = json.dumps(data, separators=(",", ":"))
    return f"event: {name}\nid: {position}\ndata: {text}\n\n".encode()
