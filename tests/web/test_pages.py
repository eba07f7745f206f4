"""Every page of a demo in a real browser: whole, accessible, without a word of complaint."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.web.conftest import Served, Tab
from tests.web.ladder import Demo
from tests.web.pages import SCHEMES, SIZES, every

pytestmark = [pytest.mark.web, pytest.mark.timeout(600)]

Open = Callable[..., Tab]
FOLDER = os.environ.get("WARLADDER_SCREENSHOTS", "")
"""Where pictures go; none are taken if it is empty."""
LOOKS = [
    (size, scheme)
    for size in SIZES
    for scheme in SCHEMES
    # Each size and each scheme once; the rest is for whoever looks at them.
    if FOLDER or (size, scheme) in (("wide", "light"), ("narrow", "dark"))
]


@pytest.mark.parametrize(("size", "scheme"), LOOKS)
def test_every_page_is_whole_and_axe_finds_no_serious_fault(
    demo: Demo, tab: Open, size: str, scheme: str
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="missing tool: axe")
    shown = tab(SIZES[size], scheme)
    shown.expected.add(f"404 {demo.address}/bots/nobody")
    for name, path in every(demo).items():
        shown.visit(demo.address + path)
        assert shown.page.locator("h1").count() == 1, name
        width = shown.page.evaluate("document.documentElement.scrollWidth")
        assert width <= SIZES[size], f"{name} is {width} pixels wide: {widest(shown.page)}"
        assert serious(axe.Axe().run(shown.page)) == [], name
        picture(shown.page, f"{name}-{size}-{scheme}")


def serious(found: Any) -> list[Any]:
    """What axe calls serious or critical, with the first elements that are so."""
    return [
        (each["id"], [node["html"][:160] for node in each["nodes"]][:3])
        for each in found.response["violations"]
        if each["impact"] in ("serious", "critical")
    ]


def widest(page: Any) -> Any:
    """Elements that reach out of the page at its right, outside of what scrolls by itself."""
    return page.evaluate(
        "[...document.querySelectorAll('body *')].filter((each) => !each.parentElement.closest("
        "'.scroll') && each.getBoundingClientRect().right > innerWidth + 1)"
        ".map((each) => each.outerHTML.slice(0, 120)).slice(0, 4)"
    )


def picture(page: Any, name: str) -> None:
    if FOLDER:
        folder = Path(FOLDER)
        folder.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=str(folder / f"{name}.png"), full_page=True)


@pytest.mark.parametrize(("size", "scheme"), LOOKS if FOLDER else LOOKS[:1])
def test_the_table_of_another_game_is_whole(
    skirmish: Served, tab: Open, size: str, scheme: str
) -> None:
    shown = tab(SIZES[size], scheme)
    shown.open(f"{skirmish.watch}#viewer=1&step=6")
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= SIZES[size]
    picture(shown.page, f"watch-skirmish-{size}-{scheme}")
