"""The application: routes, errors, and what every answer carries."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio.to_thread
import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from matchmaker import output
from matchmaker.connection import Ladder
from matchmaker.metrics import WebMetrics
from matchmaker.web import answers, api, shapes
from matchmaker.web.answers import HTML, Answers, respond
from matchmaker.web.live import Live
from matchmaker.web.pages import STATIC, Pages
from matchmaker.web.problems import Problem, StoreAway, Unreadable
from matchmaker.web.reading import Reading, reachable
from matchmaker.web.views import Views
from matchmaker.web.watch import Watch

THREADS = 8
"""That read at once; more requests wait."""
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self';"
        " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
FOREVER = "public, max-age=31536000, immutable"

logger = structlog.get_logger()


class Web:
    """One web process's parts."""

    def __init__(self, ladder: Ladder, shown: WebMetrics) -> None:
        self.shown = shown
        self.reading = Reading(ladder)
        self.views = Views(self.reading)
        self.kept = Answers(on_made=shown.renders.inc)
        self.live = Live(self.reading, shown)
        self.pages = Pages(self.views, self.kept)
        self.watch = Watch(self.reading, self.pages, self.kept)
        self.app = self._app()

    @property
    def asgi(self) -> ASGIApp:
        """What a server serves."""
        return Outer(self.app, self.shown)

    def _app(self) -> FastAPI:
        app = FastAPI(
            title="Warladder",
            summary="All that the ladder's pages show, as JSON.",
            version=output.version(),
            openapi_url=f"{api.PREFIX}/openapi.json",
            docs_url=None,  # both bring scripts from other hosts; /api is ours
            redoc_url=None,
            lifespan=lifespan,
        )
        app.include_router(api.router(self.views, self.kept))
        app.include_router(self.watch.router())
        app.include_router(api.own(self.views))
        for path, name, handler in (*self.pages.routes(), *self.watch.routes()):
            app.router.add_route(path, handler, methods=["GET"], name=name)
        app.router.add_route("/events", self.events, methods=["GET"], name="events")
        app.router.add_route("/healthz", self.healthz, methods=["GET"], name="healthz")
        app.router.add_route("/api", self.api_page, methods=["GET"], name="api")
        app.router.add_route("/robots.txt", robots, methods=["GET"], name="robots")
        app.router.add_route("/favicon.ico", icon, methods=["GET"], name="icon")
        app.mount("/static", Static(directory=str(STATIC)), name="static")
        app.add_exception_handler(Problem, self._problem)
        app.add_exception_handler(HTTPException, self._http)
        app.add_exception_handler(RequestValidationError, self._invalid)
        app.add_exception_handler(Exception, self._fault)
        app.openapi = lambda: described(app)  # type: ignore[method-assign]  # as its docs say
        return app

    async def events(self, request: Request) -> Response:
        """Live news: see `live`."""
        game = request.query_params.get("game", "")

        def known() -> None:
            with reachable():
                if game:
                    self.reading.at(game)

        await run_in_threadpool(known)
        address = request.client.host if request.client else ""
        listener = self.live.admit(address, game)
        return Stream(
            self.live.stream(listener, address),
            lambda: self.live.leave(listener, address),
            media_type="text/event-stream",
            # The last is for proxies that gather answers before they pass them on.
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )

    async def healthz(self, request: Request) -> Response:
        """Whether this process can show anything: for whoever restarts it."""

        def ping() -> None:
            with reachable():
                self.reading.ladder.redis.ping()

        try:
            await run_in_threadpool(ping)
        except StoreAway as problem:
            return JSONResponse({"ok": False, "detail": problem.detail}, 503, problem.headers)
        return JSONResponse({"ok": True}, headers={"Cache-Control": "no-store"})

    async def api_page(self, request: Request) -> Response:
        body = await run_in_threadpool(self.pages.api, self.app.openapi())
        return respond(answers.answer(body, HTML), request)

    # Errors

    async def _problem(self, request: Request, fault: Exception) -> Response:
        assert isinstance(fault, Problem)
        if isinstance(fault, StoreAway):
            self.shown.away.inc()
        elif isinstance(fault, Unreadable):
            self.shown.failed.inc()
        return self._say(request, fault.title, fault.detail, fault.status, fault.headers)

    async def _http(self, request: Request, fault: Exception) -> Response:
        assert isinstance(fault, HTTPException)
        title = {404: "There is no such page", 405: "Only GET is answered here"}.get(
            fault.status_code, str(fault.detail)
        )
        headers = dict(fault.headers or {})
        return self._say(request, title, "The front page leads to all.", fault.status_code, headers)

    async def _invalid(self, request: Request, fault: Exception) -> Response:
        assert isinstance(fault, RequestValidationError)
        said = "; ".join(
            f"{'.'.join(map(str, each['loc'][1:]))}: {each['msg']}" for each in fault.errors()
        )
        return self._say(request, "A parameter is wrong", said, 400, {})

    async def _fault(self, request: Request, fault: Exception) -> Response:
        self.shown.failed.inc()
        logger.error("request_failed", route=route_of(request.scope), fault=repr(fault))
        text = "It is written in the server's log."
        return self._say(request, "Our fault", text, 500, {})

    def _say(
        self, request: Request, title: str, detail: str, status: int, headers: dict[str, str]
    ) -> Response:
        headers = {**headers, "Cache-Control": "no-store"}
        path = request.url.path
        if path.startswith((api.PREFIX, "/events")):
            problem = shapes.Problem(title=title, status=status, detail=detail)
            return Response(problem.model_dump_json(), status, headers, "application/problem+json")
        return Response(self.pages.error(title, detail, status), status, headers, HTML)


class Stream(StreamingResponse):
    """A stream whose place is given back also if its reader leaves before the first word."""

    def __init__(
        self, content: AsyncIterator[bytes], on_end: Callable[[], None], **more: Any
    ) -> None:
        super().__init__(content, **more)
        self.on_end = on_end

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self.on_end()


class Static(StaticFiles):
    """Our own files; a name with its content's digest may be kept for ever."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        is_versioned = scope.get("query_string", b"").startswith(b"v=")
        response.headers["Cache-Control"] = FOREVER if is_versioned else "no-cache"
        return response


class Outer:
    """What stands around the application: headers of every answer, and figures of all."""

    def __init__(self, app: ASGIApp, shown: WebMetrics) -> None:
        self.app = app
        self.shown = shown
        self.headers = [(name.encode(), value.encode()) for name, value in HEADERS.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began, status = time.perf_counter(), 500

        async def wrapped(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                given = {name.lower() for name, _ in message["headers"]}
                message["headers"] = [
                    *message["headers"],
                    *(each for each in self.headers if each[0] not in given),
                ]
            await send(message)

        try:
            await self.app(scope, receive, wrapped)
        finally:
            route = route_of(scope)
            self.shown.requests.labels(route, f"{status // 100}xx").inc()
            if route != "events":
                self.shown.seconds.labels(route).observe(time.perf_counter() - began)


def route_of(scope: Scope) -> str:
    """Name of the route that answered: a closed list, whatever was asked."""
    endpoint = scope.get("endpoint")
    if isinstance(endpoint, Static):
        return "static"
    name = str(getattr(endpoint, "__name__", "none")).strip("_")
    is_api = str(scope.get("path", "")).startswith(api.PREFIX)
    return f"api_{name}" if is_api else name


def described(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document: made once, with what the routes themselves cannot say."""
    if app.openapi_schema is None:
        made = FastAPI.openapi(app)
        parts = made.setdefault("components", {})
        parts["securitySchemes"] = {
            "token": {"type": "http", "scheme": "bearer", "description": "A bot's token."}
        }
        parts["schemas"]["Problem"] = shapes.Problem.model_json_schema()
        for unused in ("HTTPValidationError", "ValidationError"):
            parts["schemas"].pop(unused, None)
        for path in made["paths"].values():
            for operation in path.values():
                operation["responses"].pop("422", None)  # ours is 400, as problem+json
    assert app.openapi_schema is not None
    return app.openapi_schema


async def robots(request: Request) -> Response:
    text = "User-agent: *\nDisallow: /events\nDisallow: /api/\n"
    return Response(text, media_type="text/plain")


async def icon(request: Request) -> Response:
    """What browsers ask for beside a document that names no icon, as JSON is none."""
    return FileResponse(str(STATIC / "icon.svg"), media_type=answers.SVG)


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
    yield
