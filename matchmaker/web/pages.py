"""The pages: templates filled with what the API gives as JSON too. None needs JavaScript."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from typing import Any
from urllib.parse import quote, urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from matchmaker import output
from matchmaker.browse import Wanted
from matchmaker.fold import PRESEASON
from matchmaker.viewing.titles import role, title
from matchmaker.web import answers, charts, shapes
from matchmaker.web.answers import HTML, SVG, Answers, respond
from matchmaker.web.contests import BRACKETS, cross_table, rounds
from matchmaker.web.manual import coded, linked, manual
from matchmaker.web.problems import BadRequest, NotHere
from matchmaker.web.reading import reachable
from matchmaker.web.views import ENDINGS, LEDGER_AT_ONCE, LONGEST, STANDINGS, Ledger, Views
from matchmaker.web.words import FAULT_WORDS, FORMAT_WORDS, STATE_WORDS, SUMMARY_WORDS, WHY_WORDS
from referee.logs import harmless

FRONT_ROWS = 30
"""Rows of each ladder on the front page; its own page has all."""
FRONT_MATCHES = 8
STATIC = files("matchmaker.web") / "static"


class Pages:
    """Every page, by route."""

    def __init__(self, views: Views, kept: Answers) -> None:
        self.views = views
        self.kept = kept
        self.templates = environment()

    def routes(self) -> list[tuple[str, str, Callable[[Request], Any]]]:
        """Path, name and handler of each."""
        return [
            ("/", "front", self.front),
            ("/games/{game}", "leaderboard", self.leaderboard),
            ("/bots", "bots", self.bots),
            ("/bots/{bot}", "bot", self.bot),
            ("/bots/{bot}/{game}/chart.svg", "chart", self.chart),
            ("/matches", "matches", self.matches),
            ("/matches/{match}", "match", self.match),
            ("/matches/{match}/ledger", "ledger", self.ledger),
            ("/matches/{match}/replay", "replay", self.replay),
            ("/tournaments", "tournaments", self.tournaments),
            ("/tournaments/{tournament}", "tournament", self.tournament),
            ("/health", "health", self.health),
            ("/protocol", "protocol", self.protocol),
        ]

    # Handlers

    async def front(self, request: Request) -> Response:
        def make() -> dict[str, Any]:
            views = self.views
            tables = [views.leaderboard(game) for game in views.reading.games()]
            recent = views.matches(Wanted(), count=FRONT_MATCHES)
            return {"tables": tables, "most": FRONT_ROWS, "recent": recent}

        def stamp() -> object:
            with reachable():
                reading = self.views.reading
                tables = tuple((game, reading.at(game)) for game in reading.games())
                return reading.log.position(), tables

        return await self.page(request, "front.html", ("front",), make, stamp)

    async def leaderboard(self, request: Request) -> Response:
        game, season = request.path_params["game"], text(request, "season")

        def make() -> dict[str, Any]:
            return {"table": self.views.leaderboard(game, season)}

        def stamp() -> object:
            with reachable():
                return self.views.reading.at(game, season)

        key = ("leaderboard", game, season)
        return await self.page(request, "leaderboard.html", key, make, stamp)

    async def bots(self, request: Request) -> Response:
        return await self.page(request, "bots.html", ("bots",), lambda: {"bots": self.views.bots()})

    async def bot(self, request: Request) -> Response:
        name = request.path_params["bot"]

        def make() -> dict[str, Any]:
            recent = self.views.matches(Wanted(bot=name), count=20)
            return {"page": self.views.bot(name), "recent": recent}

        return await self.page(request, "bot.html", ("bot", name), make)

    async def chart(self, request: Request) -> Response:
        bot, game = request.path_params["bot"], request.path_params["game"]
        narrow = bool(number(request, "narrow"))

        def make() -> answers.Answer:
            with reachable():
                points = self.views.reading.course(game, bot)
            if not points:
                raise NotHere(f"nothing is known of {bot} in {game}")
            return answers.answer(charts.course(points, narrow), SVG)

        given = await self.kept.get(
            ("chart", game, bot, narrow), make, lambda: self._course(game, bot)
        )
        # An image runs nothing; its own style is all it may have.
        policy = "default-src 'none'; style-src 'unsafe-inline'"
        return respond(given, request, Content_Security_Policy=policy)

    def _course(self, game: str, bot: str) -> object:
        with reachable():
            return tuple(self.views.reading.course(game, bot))

    async def matches(self, request: Request) -> Response:
        filters = ("bot", "game", "ending", "tournament", "standing")
        asked = {name: text(request, name) for name in filters}
        cursor = text(request, "cursor")

        def make() -> dict[str, Any]:
            found = self.views.matches(Wanted(**asked), cursor)
            further = {name: value for name, value in asked.items() if value}
            return {
                "asked": asked,
                "found": found,
                "underway": [] if cursor or any(asked.values()) else self.views.underway(),
                "games": self.views.reading.games(),
                "endings": ENDINGS,
                "standings": STANDINGS,
                "is_later": bool(cursor),
                "begin": f"/matches?{urlencode(further)}" if further else "/matches",
                "next": f"/matches?{urlencode({**further, 'cursor': found.next})}"
                if found.next
                else "",
            }

        key = ("matches", cursor, *asked.values())
        return await self.page(request, "matches.html", key, make)

    async def match(self, request: Request) -> Response:
        name, position = request.path_params["match"], number(request, "at")

        def make() -> dict[str, Any]:
            match = self.views.match(name, position)
            return {
                "match": match,
                "headline": headline(match.result) if match.result else "",
                "is_live": match.underway is not None,
            }

        return await self.page(request, "match.html", ("match", name, position), make)

    async def ledger(self, request: Request) -> Response:
        name, position = request.path_params["match"], number(request, "at")
        after = -1 if number(request, "end") else number(request, "after")
        seat = number(request, "seat") if request.query_params.get("seat") else None

        def make() -> dict[str, Any]:
            found = self.views.ledger(name, position, seat, after)
            asked = {"at": position, "seat": "" if seat is None else seat}
            query = urlencode({key: value for key, value in asked.items() if value != ""})
            base = f"/matches/{quote(name)}/ledger?{query}"
            before = found.after - LEDGER_AT_ONCE
            result = found.match.result
            assert result is not None, "closed: it has a ledger"
            return {
                "match": found.match,
                "rows": together(found),
                "seats": [each.role or f"seat {each.seat}" for each in result.seats],
                "seat": seat,
                "after": found.after,
                "earlier": f"{base}&after={max(0, before)}" if found.after else "",
                "next": f"{base}&after={found.more}" if found.more else "",
            }

        key = ("ledger", name, position, seat, after)
        return await self.page(request, "ledger.html", key, make)

    async def replay(self, request: Request) -> Response:
        name, position = request.path_params["match"], number(request, "at")

        def find() -> str:
            with reachable():
                return self.views.replay(name, position)

        digest = await run_in_threadpool(find)
        return FileResponse(
            self.views.reading.archive.path(digest),
            media_type="application/zstd",
            filename=f"{digest}.zst",
            headers={"Cache-Control": "public, max-age=31536000, immutable"},
        )

    async def tournaments(self, request: Request) -> Response:
        def make() -> dict[str, Any]:
            return {"shown": self.views.tournaments()}

        return await self.page(request, "tournaments.html", ("tournaments",), make)

    async def tournament(self, request: Request) -> Response:
        name = request.path_params["tournament"]

        def make() -> dict[str, Any]:
            shown = self.views.tournament(name)
            document = shown.model_dump()
            return {
                "shown": shown,
                "rounds": rounds(document),
                "is_bracket": shown.format in BRACKETS,
                "breaks": list(shown.standings[0].breaks) if shown.standings else [],
                "has_notes": any(row.note for row in shown.standings),
                "crossed": cross_table(document),
            }

        return await self.page(request, "tournament.html", ("tournament", name), make)

    async def health(self, request: Request) -> Response:
        def make() -> dict[str, Any]:
            return {"health": self.views.health()}

        return await self.page(request, "health.html", ("health",), make)

    async def protocol(self, request: Request) -> Response:
        def make() -> dict[str, Any]:
            found = manual()
            names = {item["name"] for file in found["files"] for item in file["items"]}
            return {"manual": found, "names": names}

        return await self.page(request, "protocol.html", ("protocol",), make, lambda: "")

    # Rendering

    async def page(
        self,
        request: Request,
        template: str,
        key: tuple[Any, ...],
        make: Callable[[], dict[str, Any]],
        stamp: Callable[[], object] | None = None,
    ) -> Response:
        def render() -> answers.Answer:
            with reachable():
                found = make()
            page = self.templates.get_template(template).render(path=request.url.path, **found)
            keep = answers.NOT_KEPT if found.get("is_live") else answers.USUAL
            return answers.answer(page.encode(), HTML, keep=keep)

        as_it_is = answers.wants_as_it_is(request)
        return respond(await self.kept.get(("page", *key), render, stamp, as_it_is), request)

    def error(self, title: str, detail: str, status: int) -> bytes:
        """The page that says what went wrong."""
        template = self.templates.get_template("error.html")
        return template.render(path="", title=title, detail=detail, status=status).encode()

    def api(self, document: dict[str, Any]) -> bytes:
        """The page that lists the API's routes."""
        return self.templates.get_template("api.html").render(path="/api", api=document).encode()


def text(request: Request, name: str) -> str:
    """
    Raises:
        BadRequest: The parameter is longer than any name.
    """
    given = request.query_params.get(name, "")
    if len(given) > LONGEST:
        raise BadRequest(f"{name}={given[:40]!r}…: at most {LONGEST} characters are expected")
    return given


def number(request: Request, name: str) -> int:
    """
    Raises:
        BadRequest: The parameter is no whole number.
    """
    given = text(request, name)
    if given and not (given.isascii() and given.isdecimal() and len(given) <= 15):
        raise BadRequest(f"{name}={given[:40]!r}: a whole number from 0 up is expected")
    return int(given or 0)


@cache
def environment() -> Environment:
    """
    The templates. Whatever text is put into one is escaped, and made printable first: a name can
    hold neither markup nor letters that turn a line around.
    """
    made = Environment(
        loader=PackageLoader("matchmaker.web"),
        autoescape=select_autoescape(default_for_string=True, default=True),
        undefined=StrictUndefined,
        finalize=lambda value: harmless(value) if type(value) is str else value,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters |= {
        "part": lambda text: quote(str(text), safe=""),
        "when": when,
        "iso": lambda ms: datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="seconds"),
        "points": lambda value: f"{value:.1f}",
        "score": lambda value: f"{value:g}",
        "signed": lambda value: f"{value:+.1f}".replace("-", "−"),
        "percent": lambda value: f"{100 * value:.0f} %",
        "ms": lambda value: grouped(f"{value:,.1f}"),
        "whole": lambda value: grouped(f"{value:,}"),
        "coded": coded,
        "linked": linked,
        "seconds": seconds,
        "told": told,
        "in_words": lambda name: name.removesuffix("_ms").replace("_", " "),
    }
    made.globals |= {
        "version": output.version(),
        "style": versioned("style.css"),
        "script": versioned("live.js"),
        "icon": versioned("icon.svg"),
        "fault_words": FAULT_WORDS,
        "why_words": WHY_WORDS,
        "state_words": STATE_WORDS,
        "preseason": PRESEASON,
        "span": span,
        "role": role,
        "title": title,
        "format_words": FORMAT_WORDS,
        "summary_words": SUMMARY_WORDS,
    }
    return made


def grouped(number: str) -> Markup:
    """A number with narrow blanks between thousands; markup, as text is made printable."""
    return Markup(number.replace(",", "&#8239;"))


def told(value: object) -> str:
    """A value of a document, for people."""
    if isinstance(value, dict):
        return ", ".join(f"{name.replace('_', ' ')} {told(each)}" for name, each in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(map(told, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def seconds(ms: int) -> str:
    return f"{ms / 1000:g} s" if ms < 3_600_000 else f"{ms / 3_600_000:g} h"


def headline(result: shapes.MatchRow) -> str:
    """A match in a few words: who beat whom."""
    best = [seat.bot for seat in result.seats if seat.rank == 1]
    others = [seat.bot for seat in result.seats if seat.rank not in (None, 1)]
    if not best:
        return f"{' against '.join(seat.bot for seat in result.seats)}: no outcome"
    if not others:
        return f"{' and '.join(best)} drew"
    return f"{' and '.join(best)} beat {' and '.join(others)}"


def together(ledger: Ledger) -> list[shapes.Spent | shapes.Said]:
    """A ledger's choices, and what happened besides, in the order in which it happened."""
    rows: list[tuple[int, int, shapes.Spent | shapes.Said]] = [
        (each.number, 0, each) for each in ledger.spent
    ]
    rows += [(each.after, 1, each) for each in ledger.said]
    return [row for _, _, row in sorted(rows, key=lambda row: row[:2])]


def when(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")


def versioned(name: str) -> str:
    """Path of a static file that changes with its content, so that it may be kept for ever."""
    digest = blake2b((STATIC / name).read_bytes(), digest_size=6).hexdigest()
    return f"/static/{name}?v={digest}"


def span(rows: list[shapes.TableRow]) -> tuple[float, float]:
    """From the lowest to the highest point of all intervals, for the drawings beside them."""
    lows = [row.low for row in rows if row.low is not None]
    highs = [row.high for row in rows if row.high is not None]
    return (min(lows), max(max(highs), min(lows) + 0.1)) if lows else (0.0, 1.0)
