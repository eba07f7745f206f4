"""The replay viewer in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from matchmaker.closing import Closer
from matchmaker.viewing.plain import changed
from referee.match.record import Pace
from tests.helpers.matches import plan, record
from tests.helpers.random_play import random_journal
from tests.web.conftest import Served, Tab

pytestmark = pytest.mark.web

Open = Callable[..., Tab]


@pytest.fixture(params=["skirmish", "stalingrad"])
def served(request: pytest.FixtureRequest) -> Served:
    found: Served = request.getfixturevalue(request.param)
    return found


def test_a_whole_match_is_stepped_through(served: Served, tab: Open) -> None:
    shown = tab()
    shown.open(served.watch)
    first, last = shown.place
    assert first == 0
    assert last > 10
    phases = set()
    for _ in range(0, last, max(1, last // 25)):
        phases.add(shown.page.inner_text(".phase"))
        assert shown.page.inner_text(".board").strip()
        assert shown.page.locator(".question li.taken").count() >= 1
        shown.press("ArrowRight", max(1, last // 25))
    shown.press("ArrowRight", last)
    assert shown.place == (last, last)
    assert len(phases) > 5
    assert "over" in shown.page.inner_text(".phase")
    assert "The end: normal" in shown.page.inner_text(".question")
    shown.press("ArrowLeft")
    assert shown.place == (last - 1, last)
    shown.press("Home")
    assert shown.place == (0, last)


def test_turns_are_jumped_to(served: Served, tab: Open) -> None:
    shown = tab()
    shown.open(served.watch)
    shown.press("PageDown")
    step, _ = shown.place
    assert step > 0
    turn = shown.page.locator(".controls select").nth(2)
    assert turn.input_value() == "1"
    turn.select_option("0")
    assert shown.place[0] == 0
    shown.press("PageDown", 2)
    shown.press("PageUp")
    assert shown.place[0] == step


def test_a_match_plays_by_itself_until_it_is_paused(served: Served, tab: Open) -> None:
    shown = tab()
    shown.open(served.watch)
    shown.page.locator(".controls select").nth(1).select_option("4")
    shown.page.get_by_role("button", name="Play").click()
    shown.until(lambda: shown.place[0] > 0)
    shown.page.get_by_role("button", name="Pause").click()
    step = shown.place[0]
    shown.page.wait_for_timeout(800)  # three steps at this speed, were it not paused
    assert shown.place[0] == step > 0


def test_a_link_leads_to_the_position_and_the_viewer(served: Served, tab: Open) -> None:
    shown = tab()
    shown.open(f"{served.watch}#viewer=1&step=7")
    assert shown.place[0] == 7
    assert shown.page.locator(".controls select").first.input_value() == "1"
    link = shown.page.get_by_role("link", name="Link to this position").get_attribute("href")
    assert link == "#viewer=1&step=7"
    shown.page.evaluate("location.hash = '#viewer=public&step=3'")
    shown.until(lambda: (shown.viewer, shown.place[0]) == ("public", 3))


def test_each_viewer_sees_what_is_his(served: Served, tab: Open) -> None:
    """Hands of others are backs, and their cards are not in what was sent."""
    shown = tab()
    shown.open(f"{served.watch}#viewer=all&step=0")
    shown.press("ArrowRight", shown.place[1] // 2)
    assert shown.page.locator(".vcard.back").count() == 0, "all hands are open"
    seats = len(shown.courses[0].json()["seats"])
    whole = [step for part in shown.courses for step in part.json()["steps"]]
    public_events = whole[shown.place[0]]["public"]
    viewer = shown.page.locator(".controls select").first
    for name in [*map(str, range(seats)), "public"]:
        asked = len(shown.courses)
        viewer.select_option(name)
        shown.until(lambda name=name: shown.viewer == name)
        assert len(shown.courses) == asked + 1, "a viewer's course comes as a whole"
        told = shown.courses[-1].json()
        assert told["viewer"] == name
        assert step_of(shown)["public"] <= public_events
        view = position(told, shown.place[0])["public"]
        hidden = [size for seat, size in enumerate(view["hand_sizes"]) if str(seat) != name]
        assert shown.page.locator(".vcard.back").count() == sum(hidden) > 0
        assert set(position(told, shown.place[0])) == {"public"}
        if name == "public":
            assert view["hand"] == []
            assert not any(step["questions"] for step in told["steps"])
        else:
            own = {each["seat"] for step in told["steps"] for each in step["questions"]}
            assert own == {int(name)}


def step_of(shown: Tab) -> Any:
    return shown.courses[-1].json()["steps"][shown.place[0]]


def position(told: Any, step: int) -> Any:
    now = told["begin"]
    for each in told["steps"][: step + 1]:
        now = changed(now, each["change"])
    return now


@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (1600, "dark")])
def test_nothing_is_cut_off_and_axe_finds_no_serious_fault(
    served: Served, tab: Open, width: int, scheme: str
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="missing tool: axe")
    shown = tab(width, scheme)
    shown.open(served.watch)
    shown.press("ArrowRight", shown.place[1] // 2)
    page = shown.page
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert (
        page.evaluate("getComputedStyle(document.body).backgroundColor")
        in {
            "light": ("rgb(255, 255, 255)",),
            "dark": ("rgb(15, 20, 25)",),
        }[scheme]
    )
    found = [
        (each["id"], [node["html"][:120] for node in each["nodes"]][:3])
        for each in axe.Axe().run(page).response["violations"]
        if each["impact"] in ("serious", "critical")
    ]
    assert found == []


def test_a_game_without_a_drawing_is_told_in_text(skirmish: Served, tab: Open) -> None:
    shown = tab()

    def without(route: Any) -> None:
        answer = route.fetch()
        path = answer.text().split('data-drawing="')[1].split('"')[0]
        route.fulfill(response=answer, body=answer.text().replace(path, ""))

    shown.page.route("**/watch", without)
    shown.open(skirmish.watch)
    shown.press("ArrowRight", 3)
    assert "hand sizes" in shown.page.inner_text(".board").lower()
    assert shown.page.inner_text(".phase").startswith("Asked: seat")


def test_a_match_is_followed_from_before_it_runs_until_it_is_a_replay(
    skirmish: Served, tab: Open
) -> None:
    """Nobody touches a page: each becomes the next by itself, also one opened by a link."""
    planned = record("live", seats=3, pace=Pace(watch_delay_ms=0))
    store, keys = skirmish.redis, skirmish.keys
    address = f"{skirmish.address}/matches/live"
    plan(store, keys, planned)
    journal = random_journal(planned)
    shown, page = tab(), tab()
    course = f"{skirmish.address}/api/v1/matches/live/course?viewer=public"
    shown.expected |= {f"404 {course}", course}
    shown.page.goto(f"{address}/watch")
    shown.page.get_by_text("cannot be shown yet: match live waits for a referee").wait_for()
    page.visit(address)

    store.hset(keys.match("live"), mapping={"moved_ms": 1, "status": "playing"})
    store.rpush(keys.journal("live"), *journal[:8])
    shown.page.wait_for_selector("#viewer[data-ready][data-whole]")
    assert shown.page.locator(".controls select").first.locator("option").count() == 1
    before = shown.place[1]
    assert shown.page.locator(".vcard.back").count() > 0
    assert "ada" not in shown.page.content(), "who sits there is told at the end"
    assert shown.courses[0].json()["seats"] == [{"bot": ""}] * 3

    store.rpush(keys.journal("live"), *journal[8:])
    store.hset(keys.match("live"), mapping={"status": "ended", "ended_ms": 1})
    shown.until(lambda: shown.place[1] > before)
    shown.page.get_by_text("its replay comes when it is closed").wait_for()
    linked = tab()
    linked.open(f"{address}/watch#viewer=1&step=7")

    assert Closer(store, keys, skirmish.archive).close(["live"])
    for each in (shown, linked):
        each.page.get_by_text("The match is over. This is its replay.").wait_for()
        offered = each.page.locator(".controls select").first.locator("option")
        assert offered.count() == 5, "all, three seats, the public"
        assert "This match is under way" not in each.page.content()
        assert each.page.inner_text("h1") == each.page.title().split(" · ")[0][len("Watch ") :]
    assert shown.viewer == "public", "who followed stays where he is"
    linked.until(lambda: (linked.viewer, linked.place[0]) == ("1", 7))
    page.page.get_by_role("heading", name="Why it ended so").wait_for()
    assert page.page.get_by_role("button", name="Pause live updates").count() == 0
