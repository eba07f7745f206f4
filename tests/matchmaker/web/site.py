"""Asks a web application as a browser would, without a network; each answer is checked."""

from __future__ import annotations

import html.parser
from collections.abc import Mapping
from typing import Any

import httpx
from prometheus_client import CollectorRegistry

from matchmaker.web.app import HEADERS, Web

VOID = frozenset({"br", "img", "input", "link", "meta", "rect", "circle", "source"})


class Site:
    def __init__(self, web: Web, registry: CollectorRegistry) -> None:
        self.web = web
        self.registry = registry

    async def get(
        self, path: str, status: int = 200, headers: Mapping[str, str] | None = None
    ) -> httpx.Response:
        """Ask, and see that the answer is what any answer must be."""
        transport = httpx.ASGITransport(self.web.asgi, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://ladder") as client:
            answer = await client.get(path, headers=dict(headers or {}))
        assert answer.status_code == status, f"{path}: {answer.status_code} {answer.text[:300]}"
        for name, value in HEADERS.items():
            if name != "content-security-policy" or "chart.svg" not in path:
                assert answer.headers[name] == value, path
        if answer.headers.get("content-type", "").startswith("text/html"):
            markup(answer.text, path)
        return answer

    async def json(self, path: str, **more: Any) -> Any:
        return (await self.get(path, **more)).json()


class Markup(html.parser.HTMLParser):
    """Sees that a page is well nested and has nothing that a strict policy would stop."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = path
        self.open: list[str] = []
        self.tags: dict[str, int] = {}
        self.links: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "title" or "svg" not in self.open:  # a drawing may have one of its own
            self.tags[tag] = self.tags.get(tag, 0) + 1
        given = dict(attrs)
        for name, value in attrs:
            assert not name.startswith("on"), f"{self.path}: {tag} {name}"
            assert name != "style", f"{self.path}: {tag} has a style of its own"
            assert "javascript:" not in (value or ""), self.path
        for name in ("href", "src", "action"):
            target = given.get(name)
            if target is not None:
                assert target.startswith(("/", "#")), f"{self.path}: {target}"
                assert not target.startswith("//"), f"{self.path}: {target}"
                self.links.append(target)
        if tag == "script":
            scripts = ("/static/live.js?v=", "/static/viewer.js?v=")
            assert (given.get("src") or "").startswith(scripts), self.path
        if tag == "img":
            assert given.get("alt"), f"{self.path}: an image without a text"
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        assert self.open, f"{self.path}: </{tag}> closes nothing"
        assert self.open.pop() == tag, f"{self.path}: </{tag}> out of place"

    def handle_data(self, data: str) -> None:
        assert "script" not in self.open, f"{self.path}: a script within the page"
        self.words.append(data)


def markup(text: str, path: str = "") -> Markup:
    """Read a page; fails where it is not as every page must be."""
    page = Markup(path)
    page.feed(text)
    page.close()
    assert not page.open, f"{path}: left open: {page.open}"
    for tag in ("header", "main", "footer", "h1", "title"):
        assert page.tags.get(tag) == 1, f"{path}: one <{tag}>, not {page.tags.get(tag)}"
    assert page.tags.get("table", 0) == page.tags.get("caption", 0), f"{path}: a table unnamed"
    return page
