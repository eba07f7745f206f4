"""
Answers that are kept ready: made once for what they show, then given out as bytes.

An answer is looked at anew when it is older than a moment, by one request for all that wait; a page
that is asked for all the time is made anew behind the readers' backs.
"""

from __future__ import annotations

import asyncio
import gzip
import math
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

FRESH_SECONDS = 0.5
STALE_SECONDS = 3.0
USUAL = FRESH_SECONDS, STALE_SECONDS
NEVER_STALE = FRESH_SECONDS, 0.0
"""For what many follow: they share one look, and nobody is given what was before it."""
NOT_KEPT = 0.0, 0.0
"""For what is about to be something else: who asks gets it as it is, however many ask."""
MOST_BYTES = 64 * 1024 * 1024
"""Of all answers kept; what was not asked for longest goes first."""
MOST_ANSWERS = 4_096
SMALLEST_PACKED = 1_000
"""Bytes from which packing is worth it."""

HTML = "text/html; charset=utf-8"
JSON = "application/json"
SVG = "image/svg+xml"


@dataclass(frozen=True)
class Answer:
    """A body as it goes out."""

    body: bytes
    packed: bytes
    """By gzip; empty if it is too small for that."""
    etag: str
    media: str
    fresh: float = FRESH_SECONDS
    """So long it is given without a look at what it shows."""
    stale: float = STALE_SECONDS
    """So long it is still given while somebody looks."""

    @property
    def size(self) -> int:
        return len(self.body) + len(self.packed)


def answer(body: bytes, media: str, at: str = "", keep: tuple[float, float] = USUAL) -> Answer:
    """
    Make an answer.

    Args:
        at: Of the log, where what is shown holds: for the tag.
        keep: Seconds that it is given without a look, and while somebody looks.
    """
    tag = blake2b(body, digest_size=8).hexdigest()
    packed = gzip.compress(body, 6, mtime=0) if len(body) >= SMALLEST_PACKED else b""
    return Answer(body, packed, f'W/"{at}-{tag}"' if at else f'W/"{tag}"', media, *keep)


def respond(
    given: Answer, request: Request, status: int = 200, cache: str = "no-cache", **more: str
) -> Response:
    """Give an answer, or 304 to who has it."""
    headers = {"ETag": given.etag, "Cache-Control": cache, "Vary": "Accept-Encoding"}
    headers |= {name.replace("_", "-"): value for name, value in more.items()}
    if status == 200 and matches(request.headers.get("if-none-match", ""), given.etag):
        return Response(status_code=304, headers=headers)
    body = given.body
    if given.packed and accepts_gzip(request.headers.get("accept-encoding", "")):
        body, headers["Content-Encoding"] = given.packed, "gzip"
    return Response(body, status, headers, given.media)


def wants_as_it_is(request: Request) -> bool:
    """Whether the asker wants nothing kept: he was told of news, or reloads with force."""
    asked = request.headers.get("cache-control", "").lower()
    return any(each.strip() == "no-cache" for each in asked.split(","))


def matches(wanted: str, etag: str) -> bool:
    """Whether `If-None-Match` names this tag, by the weak comparison (RFC 9110, 8.8.3.2)."""
    if not wanted:
        return False
    tags = [each.strip().removeprefix("W/") for each in wanted.split(",")]
    return "*" in tags or etag.removeprefix("W/") in tags


def accepts_gzip(accepted: str) -> bool:
    for each in accepted.split(","):
        name, _, weight = each.partition(";")
        if name.strip().lower() in ("gzip", "*"):
            return weight.replace(" ", "").lower() not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False


@dataclass
class _Kept:
    answer: Answer
    stamp: Hashable
    looked: float
    """When it was found to be as it should, monotonic."""


class Answers:
    """Answers kept ready, by what was asked."""

    def __init__(
        self,
        on_made: Callable[[], None] = lambda: None,
        clock: Callable[[], float] = time.monotonic,
        most_bytes: int = MOST_BYTES,
        most_answers: int = MOST_ANSWERS,
        run: Callable[..., Awaitable[Any]] = run_in_threadpool,
    ) -> None:
        """`run` does the work aside from the event loop."""
        self.run = run
        self.on_made = on_made
        self.clock = clock
        self.most_bytes = most_bytes
        self.most_answers = most_answers
        self.bytes = 0
        self._kept: OrderedDict[Hashable, _Kept] = OrderedDict()
        self._making: dict[Hashable, asyncio.Task[Answer]] = {}

    async def get(
        self,
        key: Hashable,
        make: Callable[[], Answer],
        stamp: Callable[[], Hashable] | None = None,
        as_it_is: bool = False,
    ) -> Answer:
        """
        Give the answer to a question.

        Args:
            make: Makes it, in a thread.
            stamp: Tells, in a thread, what the answer depends on: equal stamps, equal answers.
                Without one it is made anew each time somebody looks.
            as_it_is: Look, and wait for it: who asks knows of something that happened.
        """
        kept = self._kept.get(key)
        age = math.inf
        if kept is not None:
            self._kept.move_to_end(key)
            if not as_it_is:
                age = self.clock() - kept.looked
            if age < kept.answer.fresh:
                return kept.answer
        task, is_new = self._ask(key, make, stamp)
        if kept is not None and age < kept.answer.stale:
            return kept.answer
        given = await asyncio.shield(task)
        if not is_new and (as_it_is or given.fresh == 0.0):
            # That look may have begun before what this reader knows of.
            given = await asyncio.shield(self._ask(key, make, stamp)[0])
        return given

    def _ask(
        self, key: Hashable, make: Callable[[], Answer], stamp: Callable[[], Hashable] | None
    ) -> tuple[asyncio.Task[Answer], bool]:
        """The look that goes on, or a new one: and whether it is."""
        task = self._making.get(key)
        is_new = task is None or task.done()
        if task is None or task.done():
            task = asyncio.create_task(self._look(key, make, stamp))
            self._making[key] = task
            task.add_done_callback(lambda done: self._made(key, done))
        return task, is_new

    async def _look(
        self,
        key: Hashable,
        make: Callable[[], Answer],
        stamp: Callable[[], Hashable] | None,
    ) -> Answer:
        looked = self.clock()
        now = await self.run(stamp) if stamp else None
        kept = self._kept.get(key)
        if kept is not None and stamp is not None and kept.stamp == now:
            kept.looked = looked
            return kept.answer
        made: Answer = await self.run(make)
        self.on_made()
        self._keep(key, _Kept(made, now, looked))
        return made

    def _made(self, key: Hashable, task: asyncio.Task[Answer]) -> None:
        if self._making.get(key) is task:
            del self._making[key]
        if not task.cancelled():
            task.exception()  # who waits is told; nobody may wait

    def _keep(self, key: Hashable, kept: _Kept) -> None:
        before = self._kept.pop(key, None)
        self.bytes += kept.answer.size - (before.answer.size if before else 0)
        self._kept[key] = kept
        while len(self._kept) > 1 and (
            self.bytes > self.most_bytes or len(self._kept) > self.most_answers
        ):
            _, gone = self._kept.popitem(last=False)
            self.bytes -= gone.answer.size
