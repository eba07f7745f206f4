"""The JSON API: everything that pages show, described by OpenAPI from the same shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from matchmaker.browse import Wanted
from matchmaker.web import answers, shapes
from matchmaker.web.answers import JSON, Answers, respond
from matchmaker.web.problems import NoToken
from matchmaker.web.reading import reachable
from matchmaker.web.views import LONGEST, MATCHES_AT_ONCE, Views, cursor_of, read_cursor

PREFIX = "/api/v1"
OWN = "An author's own"

Name = Annotated[str, Path(max_length=LONGEST)]
Text = Annotated[str, Query(max_length=LONGEST)]
Cursor = Annotated[str, Query(max_length=LONGEST, description="`next` of the part before.")]
At = Annotated[int, Query(ge=0, description="Position of its result in the log; saves looking.")]
Limit = Annotated[int, Query(ge=1, le=200)]

WRONG: dict[int | str, dict[str, Any]] = {
    status: {
        "description": what,
        "content": {
            "application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}
        },
    }
    for status, what in (
        (304, "It is as `If-None-Match` has it."),
        (400, "A parameter is wrong."),
        (404, "There is no such thing."),
        (503, "The store does not answer."),
    )
}
del WRONG[304]["content"]
OWN_WRONG: dict[int | str, dict[str, Any]] = {
    **{status: each for status, each in WRONG.items() if status != 304},
    401: {**WRONG[400], "description": "A bot's token is needed."},
    403: {**WRONG[400], "description": "It is another bot's."},
}


def router(views: Views, kept: Answers) -> APIRouter:
    """The routes of version 1."""
    made = APIRouter(prefix=PREFIX, responses=WRONG, tags=["Public"])

    async def give(
        request: Request,
        key: tuple[Any, ...],
        make: Callable[[], BaseModel],
        stamp: Callable[[], object] | None = None,
        at: Callable[[BaseModel], str] = lambda shown: "",
    ) -> Response:
        def ready() -> answers.Answer:
            with reachable():
                shown = make()
            is_passing = isinstance(shown, shapes.Match) and shown.underway is not None
            keep = answers.NOT_KEPT if is_passing else answers.USUAL
            return answers.answer(shown.model_dump_json().encode(), JSON, at(shown), keep)

        given = await kept.get(("api", *key), ready, stamp, answers.wants_as_it_is(request))
        return respond(given, request)

    @made.get("/games", response_model=shapes.Games)
    async def games(request: Request) -> Response:
        """Name the ladders, with where their tables hold."""
        return await give(request, ("games",), views.games)

    @made.get("/games/{game}/leaderboard", response_model=shapes.Leaderboard)
    async def leaderboard(request: Request, game: Name, season: Text = "") -> Response:
        """Give a ladder's table. The tag is made of `position` and `head`."""

        def stamp() -> object:
            with reachable():
                return views.reading.at(game, season)

        def at(shown: BaseModel) -> str:
            assert isinstance(shown, shapes.Leaderboard)
            return f"{shown.position}-{shown.head[:16]}"

        key = ("leaderboard", game, season)
        return await give(request, key, lambda: views.leaderboard(game, season), stamp, at)

    @made.get("/bots", response_model=shapes.Page[shapes.BotEntry])
    async def bots(request: Request, cursor: Cursor = "", limit: Limit = 200) -> Response:
        """List the registry's bots by name."""

        def make() -> BaseModel:
            after = read_cursor(cursor)
            found = views.bots()
            more = after + limit < len(found)
            return shapes.Page[shapes.BotEntry](
                items=found[after : after + limit], next=cursor_of(after + limit) if more else None
            )

        return await give(request, ("bots", cursor, limit), make)

    @made.get("/bots/{bot}", response_model=shapes.BotPage)
    async def bot_(request: Request, bot: Name) -> Response:
        """Tell of one bot: rows, course, meetings, endings, faults, pauses, matches under way."""
        return await give(request, ("bot", bot), lambda: views.bot(bot))

    @made.get("/matches", response_model=shapes.Page[shapes.MatchRow])
    async def matches(
        request: Request,
        bot: Text = "",
        game: Text = "",
        ending: Text = "",
        tournament: Text = "",
        standing: Text = "",
        cursor: Cursor = "",
        limit: Limit = MATCHES_AT_ONCE,
    ) -> Response:
        """
        List closed matches, newest first.

        One call looks at 4,000 entries of the log at most, so a part may hold few matches, or none,
        and still have a `next`. Of a bot the last 200 are found.
        """
        wanted = Wanted(bot=bot, game=game, ending=ending, tournament=tournament, standing=standing)
        key = ("matches", wanted, cursor, limit)
        return await give(request, key, lambda: views.matches(wanted, cursor, limit))

    @made.get("/matches/underway", response_model=shapes.Page[shapes.Underway])
    async def underway(request: Request) -> Response:
        """List the matches that are not closed, the longest first, 200 at most."""
        return await give(
            request,
            ("underway",),
            lambda: shapes.Page[shapes.Underway](items=views.underway()),
        )

    @made.get("/matches/{match}", response_model=shapes.Match)
    async def match_(request: Request, match: Name, at: At = 0) -> Response:
        """Tell of one match what anybody may know."""
        return await give(request, ("match", match, at), lambda: views.match(match, at))

    @made.get("/matches/{match}/ledger", response_model=shapes.Page[shapes.Spent])
    async def ledger(
        request: Request,
        match: Name,
        at: At = 0,
        seat: Annotated[int | None, Query(ge=0, le=31)] = None,
        cursor: Cursor = "",
    ) -> Response:
        """
        Tell where the time of each decision of a closed match went, and what it was about.

        What was asked and taken is empty while another match on its deal is still to be played.
        """

        def make() -> BaseModel:
            found = views.ledger(match, at, seat, read_cursor(cursor))
            more = cursor_of(found.more) if found.more else None
            return shapes.Page[shapes.Spent](items=found.spent, next=more)

        return await give(request, ("ledger", match, at, seat, cursor), make)

    @made.get("/tournaments", response_model=shapes.Tournaments)
    async def tournaments(request: Request) -> Response:
        """List what is announced, runs and is over."""
        return await give(request, ("tournaments",), views.tournaments)

    @made.get("/tournaments/{tournament}", response_model=shapes.Tournament)
    async def tournament_(request: Request, tournament: Name) -> Response:
        """Give one tournament's document."""
        return await give(request, ("tournament", tournament), lambda: views.tournament(tournament))

    @made.get("/health", response_model=shapes.Health)
    async def health(request: Request) -> Response:
        """Say how the ladder is."""
        return await give(request, ("health",), views.health)

    return made


def own(views: Views) -> APIRouter:
    """The routes that take a bot's token, in `Authorization` and nowhere else."""
    made = APIRouter(prefix=PREFIX, responses=OWN_WRONG, tags=[OWN])

    async def give(request: Request, make: Callable[[str], BaseModel]) -> Response:
        def ready() -> bytes:
            with reachable():
                bot = views.reading.bot_of_token(token_of(request))
                if bot is None:
                    raise NoToken("this token opens nothing; `warladder bot rotate` gives another")
                return make(bot).model_dump_json().encode()

        body = await run_in_threadpool(ready)
        headers = {"Cache-Control": "no-store", "Vary": "Authorization"}
        return Response(body, headers=headers, media_type=JSON)

    bearer: dict[str, Any] = {"security": [{"token": []}]}

    @made.get("/me", response_model=shapes.Me, openapi_extra=bearer)
    async def me(request: Request) -> Response:
        """Tell whose token this is, and which matches it plays or waits for."""
        return await give(request, views.me)

    @made.get("/me/log", response_model=shapes.OwnLog, openapi_extra=bearer)
    async def log(request: Request, matches: Annotated[int, Query(ge=1, le=100)] = 50) -> Response:
        """Tell how its last matches ended and through whom, its faults and its pauses."""
        return await give(request, lambda bot: views.own_log(bot, matches))

    @made.get("/me/matches/{match}", response_model=shapes.OwnLedger, openapi_extra=bearer)
    async def own_match(request: Request, match: Name, at: At = 0) -> Response:
        """Give its own decisions in a closed match: where the time went, and its notes."""
        return await give(request, lambda bot: views.own_ledger(bot, match, at))

    return made


def token_of(request: Request) -> str:
    """
    Raises:
        NoToken: There is none in `Authorization`.
    """
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    if kind.lower() != "bearer" or not token.strip():
        raise NoToken("send the bot's token as `Authorization: Bearer TOKEN`, never in an address")
    return token.strip()
