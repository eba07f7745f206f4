"""
A browser, and ladders of real matches behind a web process's application on loopback.

These tests run in a pytest of their own (`make web`): the browser's driver keeps an event loop in
the main thread, and asynchronous tests could not run beside it.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import redis
import uvicorn
from prometheus_client import CollectorRegistry

from matchmaker.archive import Archive
from matchmaker.connection import Ladder
from matchmaker.keys import Keys
from matchmaker.metrics import WebMetrics
from matchmaker.web.app import Web
from referee.match.journal import End, unpack_entry
from referee.match.record import MatchRecord
from tests.helpers import tools
from tests.helpers.matches import record
from tests.helpers.random_play import random_journal
from tests.helpers.redis_server import RedisServer, redis_server
from tests.helpers.results import append, result
from tests.web import ladder
from tests.web.chromium import FLAGS
from tests.web.ladder import Demo

WHOLE = "#viewer[data-ready][data-whole]"
DEADLINE_MS = 20_000


@pytest.fixture(scope="session")
def server() -> Iterator[RedisServer]:
    with redis_server() as running:
        yield running


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="missing tool: playwright")
    chromium = tools.require("chromium")
    with sync_api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield running
        running.close()


class Served:
    """One ladder: its store, its pages' address, and a closed match."""

    def __init__(
        self, connection: redis.Redis, keys: Keys, archive: Archive, address: str, match: str
    ) -> None:
        self.redis, self.keys, self.archive = connection, keys, archive
        self.address, self.match = address, match

    @property
    def watch(self) -> str:
        return f"{self.address}/matches/{self.match}/watch"


@contextmanager
def serving(
    server: RedisServer, folder: Path, planned: MatchRecord, journal: list[bytes]
) -> Iterator[Served]:
    """Close a match and serve its ladder's pages."""
    keys = Keys(f"web-{planned.game}-{planned.match}-{os.getpid()}")
    archive = Archive(folder)
    end = unpack_entry(journal[-1])
    assert isinstance(end, End)
    with redis.Redis.from_url(server.url) as client:
        append(
            client, keys,
            result(
                1, [seat.bot for seat in planned.seats], match=planned.match, game=planned.game,
                cards=planned.cards, ranks=end.ranks, scores=end.scores, digest=end.digest,
                archive=archive.put_replay(planned.match, journal),
            ),
        )  # fmt: skip
        ladder = Ladder(redis=client, namespace=keys.namespace, archive=str(folder))
        web = Web(ladder, WebMetrics(CollectorRegistry()))
        with listening(web) as address:
            yield Served(client, keys, archive, address, planned.match)


@contextmanager
def listening(web: Web) -> Iterator[str]:
    config = uvicorn.Config(web.asgi, host="127.0.0.1", port=0, log_config=None, ws="none")
    running = uvicorn.Server(config)
    thread = threading.Thread(target=running.run, name="web")
    thread.start()
    deadline = time.monotonic() + 20
    while not running.started:
        assert thread.is_alive(), "the server did not start"
        assert time.monotonic() < deadline, "the server did not start in 20 s"
        time.sleep(0.01)
    yield f"http://127.0.0.1:{running.servers[0].sockets[0].getsockname()[1]}"
    running.should_exit = True
    thread.join(timeout=20)
    assert not thread.is_alive()


Folders = pytest.TempPathFactory


@pytest.fixture(scope="session")
def skirmish(server: RedisServer, tmp_path_factory: Folders) -> Iterator[Served]:
    planned = record("skirmish", seats=3, bots=("ada", "bob", "cyd"))
    folder = tmp_path_factory.mktemp("skirmish")
    with serving(server, folder, planned, random_journal(planned)) as served:
        yield served


@pytest.fixture(scope="session")
def stalingrad(server: RedisServer, tmp_path_factory: Folders) -> Iterator[Served]:
    planned = record("stalingrad", game="stalingrad", options={"max_rounds": 6})
    folder = tmp_path_factory.mktemp("stalingrad")
    with serving(server, folder, planned, random_journal(planned)) as served:
        yield served


@pytest.fixture(scope="session")
def demo(browser: Any, tmp_path_factory: Folders) -> Iterator[Demo]:
    """A demo whose matches are played; only where there is a browser to look at it."""
    with ladder.demo(tmp_path_factory.mktemp("demo")) as running:
        yield running


class Tab:
    """A page that fails its test when the browser complains."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.complaints: list[str] = []
        self.expected: set[str] = set()
        """What the browser may complain of."""
        self.sent: list[tuple[str, Any]] = []
        """Address and answer of all that was asked for."""
        self.courses: list[Any] = []
        """Documents that the viewer has asked for."""
        page.set_default_timeout(DEADLINE_MS)
        page.on("console", self._said)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("response", self._came)
        page.on("dialog", self._asked)

    def _said(self, message: Any) -> None:
        expected = any(message.location["url"] in each for each in self.expected)
        if message.type in ("error", "warning") and not expected:
            self.complaints.append(message.text)

    def _asked(self, dialog: Any) -> None:
        self.complaints.append(f"a dialog: {dialog.message}")
        dialog.dismiss()

    def _came(self, response: Any) -> None:
        self.sent.append((response.url, response))
        if response.status >= 400:
            complaint = f"{response.status} {response.url}"
            self.complaints += [complaint] * (complaint not in self.expected)
        elif "/course?" in response.url:
            self.courses.append(response)

    def visit(self, address: str) -> None:
        """Open any page, and wait until all of it is there."""
        if "/watch" in address:
            self.open(address)
        else:
            self.page.goto(address, wait_until="load")

    def open(self, address: str) -> None:
        self.page.goto("about:blank")
        self.page.goto(address)
        self.page.wait_for_selector(WHOLE)

    def follow(self, link: Any) -> None:
        """Click what leads to another page, and wait until all of that is there."""
        link.click()
        self.page.wait_for_load_state("load")

    def press(self, key: str, times: int = 1) -> None:
        """Press a key as often, within the page: thousands of steps take a second or two."""
        self.page.evaluate(
            "([key, times]) => { for (let k = 0; k < times; k += 1) document.body.dispatchEvent("
            "new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })); }",
            [key, times],
        )

    def until(self, condition: Callable[[], bool], seconds: float = DEADLINE_MS / 1000) -> None:
        """Wait; the policy lets no condition be handed to the page as a text."""
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, "it did not happen"
            self.page.wait_for_timeout(20)

    @property
    def viewer(self) -> str:
        """Whose eyes the position shown is seen by."""
        return str(self.page.evaluate("new URLSearchParams(location.hash.slice(1)).get('viewer')"))

    @property
    def place(self) -> tuple[int, int]:
        """The step shown, and the last one."""
        now, last = self.page.inner_text(".place output").split(" / ")
        return int(now), int(last)


@pytest.fixture
def tab(browser: Any) -> Iterator[Callable[..., Tab]]:
    """`tab(width, scheme)` opens a tab; in the end the browser must have had nothing to say."""
    opened: list[tuple[Any, Tab]] = []

    def open_tab(width: int = 1200, scheme: str = "light") -> Tab:
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        opened.append((context, Tab(context.new_page())))
        return opened[-1][1]

    yield open_tab
    for context, each in opened:
        context.close()
        assert each.complaints == []
