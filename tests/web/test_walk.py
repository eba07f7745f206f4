"""From the front page through every page by its links, and a whole match in the viewer."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.web.conftest import WHOLE, Tab
from tests.web.ladder import GAME, LINE_UP, SCHEDULED, VISITORS, Demo

pytestmark = [pytest.mark.web, pytest.mark.timeout(600)]

Open = Callable[..., Tab]


def test_from_the_front_page_to_a_replay(demo: Demo, tab: Open) -> None:
    page = (shown := tab()).page
    shown.visit(demo.address)
    shown.follow(page.get_by_role("link", name="Battle for Stalingrad", exact=True).first)
    rows = page.locator("table.board tbody tr")
    assert rows.count() == len(LINE_UP) + len(VISITORS)
    assert "Chain head" in page.inner_text("main")
    shown.follow(page.locator("table.board").get_by_role("link", name="greedy", exact=True))
    assert page.inner_text("h1") == "greedy"
    assert page.locator("img.chart").evaluate("(image) => image.naturalWidth") > 0
    assert page.locator("table.matches tbody tr").count() > 3
    shown.follow(page.locator("table.matches").get_by_role("link", name="Details").first)
    assert " beat " in page.inner_text("h1") or " drew" in page.inner_text("h1")
    shown.follow(page.get_by_role("link", name="Every decision and its time"))
    assert page.locator("table.ledger td.option code").count() > 10
    assert "setup pick" in page.inner_text("table.ledger")
    shown.follow(page.locator("table.ledger").get_by_role("link").nth(4))
    page.wait_for_selector(WHOLE)
    assert shown.place[0] == 4


def test_a_whole_match_is_stepped_through_played_and_linked_to(demo: Demo, tab: Open) -> None:
    match = demo.by_length()[0]
    shown = tab()
    page = shown.page
    shown.visit(f"{demo.address}/matches/{match['match']}?at={match['position']}")
    shown.follow(page.get_by_role("link", name="Watch it step by step"))
    page.wait_for_selector(WHOLE)
    _, last = shown.place
    assert last >= match["decisions"], "each choice is a step, those by standing order too"
    for step in range(1, 6):
        page.get_by_role("button", name="Step on").click()
        assert shown.place[0] == step
    shown.press("ArrowRight", last)
    assert shown.place == (last, last)
    assert match["words"] in page.inner_text(".question")
    shown.press("Home")
    page.locator(".controls select").nth(1).select_option("16")
    page.get_by_role("button", name="Play").click()
    shown.until(lambda: shown.place[0] > 2)
    page.get_by_role("button", name="Pause").click()
    turns = page.locator(".controls select").nth(2)
    turns.select_option(str(turns.locator("option").count() - 1))
    here, phase = shown.place[0], page.inner_text(".phase")
    assert here > 5
    link = page.get_by_role("link", name="Link to this position").evaluate("(link) => link.href")
    other = tab()
    other.open(link)
    assert other.place == (here, last)
    assert other.page.inner_text(".phase") == phase
    assert other.page.inner_text(".board") == page.inner_text(".board")


def test_matches_are_filtered(demo: Demo, tab: Open) -> None:
    page = (shown := tab()).page
    shown.visit(f"{demo.address}/matches")
    page.get_by_label("Bot").fill("liar")
    page.get_by_label("Ending").select_option("illegal")
    shown.follow(page.get_by_role("button", name="Show"))
    rows = page.locator("table.matches tbody tr")
    assert rows.count() == len(demo.matches(bot="liar", ending="illegal")) > 0
    assert all("liar" in text and "illegal" in text for text in rows.all_inner_texts())
    assert page.get_by_label("Ending").input_value() == "illegal", "the form keeps what was asked"
    shown.follow(page.get_by_role("link", name="All matches"))
    assert rows.count() > 20
    page.get_by_label("Tournament").fill("league")
    shown.follow(page.get_by_role("button", name="Show"))
    assert rows.count() == 6, "four bots, each against each"
    page.get_by_label("Ending").select_option("protocol")
    shown.follow(page.get_by_role("button", name="Show"))
    assert "No closed match fits." in page.inner_text("main")


def test_tournaments_have_a_calendar_tables_and_brackets(demo: Demo, tab: Open) -> None:
    page = (shown := tab()).page
    shown.visit(demo.address)
    shown.follow(page.get_by_role("link", name="Tournaments"))
    calendar = page.get_by_role("region", name="Calendar").inner_text()
    for name in SCHEDULED:
        assert name in calendar
    assert "02:00 CE" in calendar, "in its own zone, summer or winter"
    shown.follow(page.get_by_role("link", name="league", exact=True))
    cross = page.locator("table.cross")
    assert cross.locator("tbody tr").count() == 4
    assert cross.locator("td.self").count() == 4
    assert cross.locator("td.full").count() == cross.locator("td.none").count() > 0
    heads = page.get_by_role("region", name="Standings").locator("th[scope=col]").all_inner_texts()
    assert len({head.lower() for head in heads}) == len(heads), "no column twice"
    page.go_back()
    shown.follow(page.get_by_role("link", name="knock-out", exact=True))
    bracket = page.locator(".bracket")
    assert bracket.locator("section").count() == 2
    assert bracket.locator("li").count() == 4, "two semi-finals, the final, the third place"
    assert bracket.locator(".winner").count() == 4
    shown.follow(page.locator(".bracket").get_by_role("link").first)
    page.go_back()
    page.locator("a.hash").first.click()
    assert page.locator("#why li").count() == 2
    shown.visit(f"{demo.address}/tournaments/open-swiss")
    assert "ties are broken by Buchholz" in page.inner_text("main")
    assert "bye" in page.inner_text("main"), "five bots: one sits out in each round"


def test_health_and_the_api_are_told(demo: Demo, tab: Open) -> None:
    page = (shown := tab()).page
    shown.visit(demo.address)
    shown.follow(page.get_by_role("link", name="Health"))
    assert "All is well." in page.inner_text("main")
    assert page.get_by_role("region", name="Referees").locator("tbody tr").count() == 1
    shown.follow(page.get_by_role("link", name="API", exact=True))
    assert f"/api/v1/games/{'{game}'}/leaderboard" in page.inner_text("main")
    assert "`" not in page.inner_text("main")
    shown.follow(page.get_by_role("link", name="The OpenAPI document"))
    assert '"openapi"' in page.inner_text("body")
    assert demo.json("/games")["games"][0]["game"] == GAME
