"""
Watching a match, step by step: the viewer's page, and the documents that it draws from.

A closed match whose deal is told may be seen by any seat's eyes, by the public's, or by all at
once; a running one by the public's alone, later by the match's delay. What the browser gets is
made of that viewer's views and events and of nothing else.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from matchmaker.entries import Result
from matchmaker.underway import Underway
from matchmaker.viewing import closed
from matchmaker.viewing.closed import Withheld
from matchmaker.viewing.course import Json, viewers
from matchmaker.viewing.running import Running
from matchmaker.web import answers
from matchmaker.web.answers import JSON, Answers, respond
from matchmaker.web.api import PREFIX, WRONG, At, Name, Text
from matchmaker.web.pages import STATIC, Pages, headline, number, versioned
from matchmaker.web.problems import BadRequest, NotHere
from matchmaker.web.reading import Reading, reachable
from matchmaker.web.views import row_of
from matchmaker.web.words import STATE_WORDS
from referee.engine.errors import UnknownGame, WarladderError

T = TypeVar("T")
UNKNOWN = (
    "there is no match {!r} among those under way and the last ones;"
    " older ones are reached from the list of matches"
)
WITHHELD = "another match on the same deal is still to be played; it is shown when that has ended"
MOST_BYTES = 64 * 1024 * 1024
"""Of all courses kept; the longest matches have 1 MB each."""


class Closed(Exception):
    """A match that ran a moment ago is closed."""


class Step(BaseModel):
    """A position that the viewer could tell from the one before."""

    public: int = Field(description="Events that the public had heard.")
    events: list[int] = Field(description="What it brought: numbers of `events`, from 0.")
    asked: list[int] = Field(description="Seats that must answer, as far as the viewer may know.")
    change: Any = Field(
        description="From the position before: `[value]`, `[start, removed, inserted]` of an array,"
        " or an object of changes by field or index. Null: nothing."
    )
    questions: list[dict[str, Any]] = Field(
        description="The viewer's own: `seat, decision, kind, options` (numbers of `texts`),"
        " `default, bank_ms`, and if answered `taken` (an index), `how, charged_ms, left_ms`."
    )


class Watched(BaseModel):
    """A match as one viewer sees it."""

    match: str
    game: str
    cards: str = Field(description="Digest of the card data.")
    viewer: str
    steps: list[Step]
    texts: list[str] = Field(description="Canonical texts of options.")
    words: list[str] = Field(description="The same options in the game's words.")
    events: list[Any] = Field(description="An event's name, its fields, and a sentence.")
    end: dict[str, Any] | None
    begin: dict[str, Any] | None = Field(
        description="The first position: `public` is the viewer's view; for `all` it is the"
        " public's, and each seat has the fields that are its own. Null with `after`."
    )
    seats: list[dict[str, str]] = Field(description="Bots; unnamed while it runs.")
    over: bool = Field(description="These are the last steps, and no more will come.")
    delay_ms: int = Field(description="How late a running match is shown.")
    wait_ms: int = Field(description="Until more is shown, if there is more.")


class Watch:
    """Courses of matches, and the page that shows them."""

    def __init__(self, reading: Reading, pages: Pages, kept: Answers) -> None:
        self.reading = reading
        self.pages = pages
        self.kept = kept
        self.running = Running(reading.ladder)
        self.pool = ThreadPoolExecutor(1, "courses")
        """A course is up to a second's work: one at a time, while all other answers go on."""
        self.courses = Answers(most_bytes=MOST_BYTES, run=self._aside)

    async def _aside(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self.pool, work)

    def routes(self) -> list[tuple[str, str, Callable[[Request], Any]]]:
        """Path, name and handler of the page."""
        return [("/matches/{match}/watch", "watch", self.page)]

    def router(self) -> APIRouter:
        made = APIRouter(prefix=PREFIX, responses=WRONG, tags=["Public"])

        @made.get("/matches/{match}/course", response_model=Watched)
        async def course(
            request: Request,
            match: Name,
            at: At = 0,
            viewer: Text = "public",
            after: Annotated[int, Query(ge=0, description="Steps that are there.")] = 0,
            most: Annotated[int, Query(ge=0, description="Steps wanted; 0 for all.")] = 0,
        ) -> Response:
            """
            Give a match step by step, by the eyes of `public`, a seat's number, or `all`.

            Of a match that runs `public` alone is given, later by its `watch_delay_ms`.
            """
            return await self.course(request, match, at, viewer, after, most)

        @made.get("/games/{game}/components", response_model=dict[str, Any])
        async def components(request: Request, game: Name) -> Response:
            """Give the component data that a game ships with: names and numbers of cards."""
            try:
                body = closed.components(game)
            except UnknownGame as fault:
                raise NotHere(str(fault)) from None
            return respond(answers.answer(body, JSON), request)

        return made

    async def course(
        self, request: Request, match: str, position: int, viewer: str, after: int, most: int
    ) -> Response:
        def find() -> Result | None:
            with reachable():
                row = self.reading.closed(match, position)
            return row.result if row else None

        result = await run_in_threadpool(find)
        if result is None:
            try:
                return await self._running(request, match, viewer, after)
            except Closed:  # between the two looks
                return await self.course(request, match, position, viewer, after, most)
        if not result.archive:
            raise NotHere(f"match {match}: nothing was played")
        known = viewers(len(result.seats))
        if viewer not in known:
            raise BadRequest(f"viewer {viewer!r}: it is one of {', '.join(known)}")

        def make() -> answers.Answer:
            return answers.answer(compact(self._closed(result, known[viewer], after, most)), JSON)

        key = (result.archive, viewer, after, most)
        return respond(await self.courses.get(key, make, lambda: result.archive), request)

    def _closed(self, result: Result, viewer: int, after: int, most: int) -> Json:
        try:
            course = closed.course(self.reading.archive, result.archive, viewer, after, most)
        except Withheld:
            raise NotHere(f"match {result.match}: {WITHHELD}") from None
        except WarladderError as fault:
            raise NotHere(f"match {result.match} cannot be shown here: {fault}") from None
        seats = [{"bot": seat.bot} for seat in result.seats]
        return {**course, "seats": seats, "delay_ms": 0, "wait_ms": 0}

    async def _running(self, request: Request, match: str, viewer: str, after: int) -> Response:
        if viewer != "public":
            raise BadRequest(f"viewer {viewer!r}: a match that runs is shown to `public` alone")

        def make() -> answers.Answer:
            try:
                with reachable():
                    shown = self.running.part(match, after)
            except Withheld:
                raise NotHere(f"match {match}: {WITHHELD}") from None
            except WarladderError as fault:
                raise NotHere(f"match {match} cannot be shown here: {fault}") from None
            if shown is None:
                with reachable():
                    now = self.reading.match(match)
                if now is None:
                    raise NotHere(UNKNOWN.format(match))
                if isinstance(now, Underway):
                    raise NotHere(f"match {match} {STATE_WORDS[now.status]}")
                raise Closed
            return answers.answer(compact(shown), JSON, keep=answers.NEVER_STALE)

        return respond(await self.kept.get(("running", match, after), make), request)

    async def page(self, request: Request) -> Response:
        """The viewer's page; the match itself comes as JSON."""
        match, position = request.path_params["match"], number(request, "at")

        def make() -> dict[str, Any]:
            found = self.reading.match(match, position)
            if found is None:
                raise NotHere(UNKNOWN.format(match))
            is_live = isinstance(found, Underway)
            told = {"match": match, "position": position, "is_live": is_live}
            if isinstance(found, Underway):
                told |= {"game": found.game, "viewers": ["public"], "headline": "", "words": ""}
                return {**told, **modules(found.game)}
            shown, seats = row_of(found), range(len(found.result.seats))
            return {
                **told,
                "game": shown.game,
                "viewers": ["all", *map(str, seats), "public"],
                "headline": headline(shown),
                "words": shown.words,
                **modules(shown.game),
            }

        return await self.pages.page(request, "watch.html", ("watch", match, position), make)


def modules(game: str) -> dict[str, str]:
    """What the page loads for a game; a drawing of its own if there is one."""
    drawing = f"drawings/{game}.js"
    return {
        "viewer": versioned("viewer.js"),
        "viewer_style": versioned("viewer.css"),
        "drawing": versioned(drawing) if (STATIC / drawing).is_file() else "",
        "plain": versioned("drawings/_plain.js"),
        "cards": closed.cards(game),
    }


def compact(shown: Json) -> bytes:
    return json.dumps(shown, separators=(",", ":"), ensure_ascii=False).encode()
