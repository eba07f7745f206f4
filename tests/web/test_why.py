"""A newcomer finds why a bot lost a given match, from the front page, in three clicks at most."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.web.conftest import Tab
from tests.web.ladder import FAULTS, GAME, Demo

pytestmark = [pytest.mark.web, pytest.mark.timeout(600)]

Open = Callable[..., Tab]
MOST_CLICKS = 3
SAID = {
    "timeout": "It ran out of time: ",
    "illegal": "It gave answers that were not offered: 3 bad answers in decision 3",
    "disconnected": "It was away for too long: away for ",
    "resigned": "It resigned.",
}


class Newcomer:
    """Reads pages and clicks, and counts the clicks."""

    def __init__(self, shown: Tab, demo: Demo) -> None:
        self.shown, self.page, self.clicks = shown, shown.page, 0
        shown.visit(demo.address)

    def click(self, link: Any) -> None:
        self.clicks += 1
        link.click()
        self.page.wait_for_load_state("load")

    def find_match(self, bot: str, match: str) -> Any:
        """From the front page by the bot's name to the match's row among its last ones."""
        self.click(self.page.locator("table.board").get_by_role("link", name=bot, exact=True))
        return self.page.locator("table.matches tr").filter(has_text=match)

    def read_why(self, row: Any, bot: str) -> str:
        """What the match's page says of the bot; it is what the link leads to."""
        self.click(row.get_by_role("link", name="Details"))
        assert self.page.url.endswith("#why")
        verdict = self.page.locator("#why li").filter(
            has=self.page.get_by_role("link", name=bot, exact=True)
        )
        assert verdict.locator("h3").inner_text().startswith(f"{bot} lost")
        assert verdict.is_visible()
        return str(verdict.inner_text())

    def see_where(self, bot: str, link: str) -> tuple[int, int]:
        verdict = self.page.locator("#why li").filter(
            has=self.page.get_by_role("link", name=bot, exact=True)
        )
        self.click(verdict.get_by_role("link", name=link))
        self.page.wait_for_selector("#viewer[data-ready][data-whole]")
        return self.shown.place


def test_a_loss_by_the_rules(demo: Demo, tab: Open) -> None:
    lost = demo.normal()
    bot = next(seat["bot"] for seat in lost["seats"] if seat["rank"] == 2)
    newcomer = Newcomer(tab(), demo)
    row = newcomer.find_match(bot, lost["match"])
    assert row.locator("td").first.inner_text().startswith("lost")
    assert lost["words"] in row.inner_text(), "the list says it already"
    said = newcomer.read_why(row, bot)
    assert lost["words"] in said
    assert "the winner controlled" in said.lower()
    assert "none late" in said
    step, last = newcomer.see_where(bot, "The position where it ended")
    assert step == last >= lost["decisions"], "choices by standing order are steps too"
    assert lost["words"] in newcomer.page.inner_text(".question")
    assert newcomer.clicks <= MOST_CLICKS


@pytest.mark.parametrize("bot", FAULTS)
def test_a_loss_by_a_fault(demo: Demo, tab: Open, bot: str) -> None:
    ending = FAULTS[bot]
    lost = demo.lost_by(ending)
    newcomer = Newcomer(tab(), demo)
    row = newcomer.find_match(bot, lost["match"]).first
    assert f"lost {ending}" in row.inner_text()
    said = newcomer.read_why(row, bot)
    assert SAID[ending] in said
    if ending != "resigned":
        assert "decision 3" in said or "decision 4" in said, "which question it was"
    step, last = newcomer.see_where(bot, "The position at its fault")
    assert step == last >= lost["decisions"], "a default that was taken is a step too"
    assert newcomer.clicks <= MOST_CLICKS


def test_the_ledger_marks_the_fault(demo: Demo, tab: Open) -> None:
    lost = demo.lost_by("illegal")
    newcomer = Newcomer(tab(), demo)
    newcomer.read_why(newcomer.find_match("liar", lost["match"]).first, "liar")
    verdict = newcomer.page.locator("#why li.lost")
    newcomer.click(verdict.get_by_role("link", name="Its last decisions and their time"))
    out = newcomer.page.locator("tr.out")
    assert "out: illegal: 3 bad answers in decision 3" in out.inner_text()
    before = newcomer.page.locator("tr.said", has_text="NOT_OFFERED")
    assert before.count() == 3
    assert newcomer.clicks == MOST_CLICKS


def test_the_last_matches_are_one_click_away(demo: Demo, tab: Open) -> None:
    newest = demo.json("/matches?limit=1")["items"][0]
    newcomer = Newcomer(tab(), demo)
    row = newcomer.page.locator("table.matches tr").filter(has_text=newest["match"])
    assert newest["words"] in row.inner_text()
    newcomer.click(row.get_by_role("link", name="Details"))
    assert newest["words"] in newcomer.page.inner_text("#why")
    assert newest["game"] == GAME
