"""A hidden hand is nowhere in what a browser was sent, of a running match or for other eyes."""

from __future__ import annotations

import json
import re
import urllib.request
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import pytest

from tests.helpers.processes import eventually
from tests.web.conftest import Tab
from tests.web.ladder import GAME, Demo, Listener

pytestmark = [pytest.mark.web, pytest.mark.timeout(600)]

Open = Callable[..., Tab]


def course(demo: Demo, match: str, viewer: str) -> Any:
    return demo.json(f"/matches/{match}/course?viewer={viewer}")


@cache
def secrets(demo: Demo, match: str) -> list[tuple[int, str]]:
    """
    What a seat alone was told in a match that is over: seat and event, as JSON has it.

    An event that names a card is told to others without it, so its text is nobody else's.
    """
    public = {text_of(each) for each in course(demo, match, "public")["events"]}
    told = [
        (each[1]["seat"], text_of(each))
        for each in course(demo, match, "all")["events"]
        if text_of(each) not in public
    ]
    assert len(told) > 5, "hands were drawn"
    assert {seat for seat, _ in told} == {0, 1}
    return told


def text_of(event: Any) -> str:
    return json.dumps(event, separators=(",", ":"), ensure_ascii=False)


def hands(sent: Iterable[str]) -> list[str]:
    """Cards of a hand, in any document: whatever stands after the name but nothing at all."""
    return [found for text in sent for found in re.findall(r'"hand":(?!\[\][,}]).{0,60}', text)]


def everything(shown: Tab) -> list[str]:
    """
    Bodies of all that the tab was sent since it was last asked, scripts and styles left out.

    The browser forgets them when it goes to another page, so ask before. A stream of events has
    no body that is whole: `Listener` hears what they say.
    """
    new, shown.sent[:] = shown.sent[:], []
    return [
        response.text()
        for address, response in new
        if not any(part in address for part in ("/static/", "/components", "/events"))
    ]


@pytest.mark.parametrize("viewer", ["0", "1", "public"])
def test_a_closed_match_by_a_seats_eyes_has_nothing_of_the_other(
    demo: Demo, tab: Open, viewer: str
) -> None:
    row = demo.by_length()[-1]  # with the most draws
    hidden = secrets(demo, row["match"])
    shown = tab()
    shown.open(
        f"{demo.address}/matches/{row['match']}/watch?at={row['position']}#viewer={viewer}&step=0"
    )
    sent = everything(shown)
    for _ in range(0, shown.place[1], 60):
        sent.append(shown.page.content())
        shown.press("ArrowRight", 60)
    assert any('"viewer":"' in text for text in sent), "the document is among it"
    others = [event for seat, event in hidden if str(seat) != viewer]
    assert [event for event in others if any(event in text for text in sent)] == []
    own = [event for seat, event in hidden if str(seat) == viewer]
    assert all(any(event in text for text in sent) for event in own), "they would be found"
    if viewer == "public":
        assert hands(sent) == []
    else:
        assert hands(sent) != []


def test_switching_viewers_asks_for_nothing_but_theirs(demo: Demo, tab: Open) -> None:
    row = demo.by_length()[-1]  # with the most draws
    hidden = secrets(demo, row["match"])
    shown = tab()
    shown.open(f"{demo.address}/matches/{row['match']}/watch?at={row['position']}#viewer=0&step=9")
    select = shown.page.locator(".controls select").first
    for viewer in ("1", "public", "all", "0"):
        everything(shown)
        select.select_option(viewer)
        shown.until(lambda viewer=viewer: shown.viewer == viewer)
        sent = everything(shown)
        seen = {seat for seat, event in hidden if any(event in text for text in sent)}
        assert seen == {"0": {0}, "1": {1}, "public": set(), "all": {0, 1}}[viewer]


def test_a_match_is_followed_from_its_begin_to_its_replay_in_one_tab(demo: Demo, tab: Open) -> None:
    slow, listener = demo.slow, Listener(demo.address)
    demo.visitors.run(slow.practise("greedy")).result(20)
    match = slow.match.result(60)
    shown = tab()
    page = shown.page
    shown.visit(f"{demo.address}/matches/{match}")
    assert "in play" in page.inner_text("main")
    # It looks once more as soon as it listens; a body that came as we go would be forgotten.
    shown.until(lambda: [address for address, _ in shown.sent].count(page.url) >= 2)
    sent = everything(shown)
    page.get_by_role("link", name="Watch it").click()
    page.wait_for_selector("#viewer[data-ready]")
    assert page.locator(".controls select").first.locator("option").count() == 1
    begin = shown.place[1]
    demo.visitors.call(slow.free.set)
    shown.until(lambda: shown.place[1] > begin + 3, 60)
    shown.until(lambda: holds_cards(shown), 120)  # after the set-up, where it is held
    read = look(demo, match)
    demo.visitors.call(slow.going.set)
    assert '"status":"playing"' in read[2], "it was looked at while it ran"
    sent += [*everything(shown), page.content()]
    demo.visitors.call(slow.hasty.set)
    slow.ended.result(240)
    shown.until(lambda: "The match is over" in page.inner_text(".status"), 60)
    sent += [*everything(shown), page.content()]
    closed = eventually(lambda: over(demo, match))
    eventually(lambda: match.encode() in listener.heard)
    heard = listener.close().decode()
    assert page.locator(".controls select").first.input_value() == "public"
    before_end = heard.partition(match)[0]

    hidden = [event for _, event in secrets(demo, match)]
    told = [*read, *sent, before_end]
    assert [event for event in hidden if any(event in text for text in told)] == []
    assert hands(told) == []
    seed = closed["seed"]
    assert len(seed) > 20
    assert not any(seed in text for text in told)
    assert match in heard, "its close was told as it happened"
    assert not any("slow" in text or "greedy" in text for text in read), "nor who plays"

    viewers = page.locator(".controls select").first.locator("option")
    assert viewers.count() == 4, "the same page, with other eyes to choose"
    page.locator(".controls select").first.select_option("all")
    shown.until(lambda: shown.viewer == "all")
    assert shown.place[1] >= closed["result"]["decisions"] > 20


def over(demo: Demo, match: str) -> Any:
    """What is told of a match once it is; an answer from before is kept for a moment."""
    found = demo.json(f"/matches/{match}")
    return found if found["result"] else None


def holds_cards(shown: Tab) -> bool:
    """Whether hands were dealt, at the newest step; by itself the page gets there in its time."""
    shown.press("End")
    return bool(shown.page.locator(".vcard.back").count() > 0)


def look(demo: Demo, match: str) -> list[str]:
    """What pages and API tell anybody of a match that runs."""
    paths = (
        f"/matches/{match}", f"/matches/{match}/watch", f"/api/v1/matches/{match}",
        f"/api/v1/matches/{match}/course", "/api/v1/matches/underway",
    )  # fmt: skip
    found = []
    for path in paths:
        with urllib.request.urlopen(demo.address + path, timeout=30) as answer:
            found.append(answer.read().decode())
    assert GAME in found[0].lower()
    return found
