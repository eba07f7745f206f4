"""Whatever a bot calls itself, a browser shows it as words: it runs nothing and builds nothing."""

from __future__ import annotations

import http.client
from collections.abc import Callable

import pytest
import redis

from matchmaker import registry
from matchmaker.errors import WrongUse
from tests.web.conftest import Tab
from tests.web.ladder import LONG, Demo
from tests.web.visitors import BENT, MARKUP, NOTE, WIDE

pytestmark = [pytest.mark.web, pytest.mark.timeout(600)]

Open = Callable[..., Tab]


def test_versions_of_any_content_are_shown_as_they_are(demo: Demo, tab: Open) -> None:
    match = demo.matches(bot="writer")[0]
    where = f"/matches/{match['match']}?at={match['position']}"
    pages = {
        "/": (MARKUP, BENT, WIDE),
        "/games/stalingrad": (MARKUP, BENT, WIDE),
        "/bots": (MARKUP, BENT, WIDE),
        "/bots/writer": (MARKUP,),
        "/bots/bent": (BENT,),
        f"/bots/{LONG}": (WIDE,),
        where: (MARKUP,),
        where.replace("?", "/ledger?"): (),
        where.replace("?", "/watch?"): (),
    }
    shown = tab()
    for path, words in pages.items():
        shown.visit(demo.address + path)
        page = shown.page
        said = page.evaluate("document.querySelector('main').textContent")
        for word in words:
            assert word in said, path
        assert page.locator("img[src=x], main b, main script:not([src])").count() == 0, path
        assert page.evaluate("document.querySelectorAll('[onerror]').length") == 0
        assert page.evaluate("document.scripts.length") <= 1
    bent = shown.page
    shown.visit(f"{demo.address}/bots")
    row = bent.locator("tbody tr", has=bent.get_by_role("link", name="bent", exact=True))
    assert row.locator("bdi", has_text="1.2").evaluate(
        "(each) => getComputedStyle(each).unicodeBidi === 'isolate'"
    ), "it turns round nothing beside it"


def test_a_note_is_its_authors_and_is_data(demo: Demo, tab: Open) -> None:
    """Notes are on no page; with the token they come as JSON, which no browser takes for a page."""
    match = demo.matches(bot="writer")[0]
    where = f"/matches/{match['match']}?at={match['position']}"
    shown = tab()
    for path in (where, where.replace("?", "/ledger?"), where.replace("?", "/watch?")):
        shown.visit(demo.address + path)
        assert "right to left" not in shown.page.content()
    connection = http.client.HTTPConnection(demo.address.removeprefix("http://"), timeout=30)
    path = f"/api/v1/me/matches/{match['match']}"
    connection.request("GET", path, headers={"Authorization": f"Bearer {demo.tokens['writer']}"})
    answer = connection.getresponse()
    text = answer.read().decode()
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "right to left" in text
    assert NOTE.split("<script>")[0] in text
    connection.close()


@pytest.mark.parametrize("name", ["<script>", "a b", "a\u202eb", '"', "a" * 33, "<img src=x>", ""])
def test_no_bot_and_no_author_is_called_so(demo: Demo, name: str) -> None:
    with redis.Redis.from_url(demo.redis_url) as client:
        for bot, author in ((name, "me"), ("fine", name)):
            with pytest.raises(WrongUse, match="a name has 1 to 32 letters"):
                registry.add(client, bot, author, namespace=demo.namespace)
