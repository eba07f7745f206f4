"""Open a match in a browser, for each viewer anew: `_opening ADDRESS PID-OF-WEB VIEWER…`."""

import json
import sys
from contextlib import suppress
from typing import Any

import psutil
from playwright.sync_api import sync_playwright

from tests.helpers.tools import require
from tests.web.chromium import FLAGS

DEADLINE_MS = 60_000


def spent(processes: list[psutil.Process]) -> float:
    """CPU milliseconds of these and of their children, those too that have ended meanwhile."""
    sum_ = 0.0
    for process in processes:
        for each in (process, *process.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):  # it is in its parent's sum as soon as it is gone
                times = each.cpu_times()
                sum_ += times.user + times.system + times.children_user + times.children_system
    return sum_ * 1000


def opened(browser: Any, address: str, viewer: str, processes: list[psutil.Process]) -> Any:
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    page.set_default_timeout(DEADLINE_MS)
    page.goto("about:blank")
    # What comes behind what is shown is no part of the opening, and would be work meanwhile.
    page.route("**/course?*after=*", lambda route: None)
    before = spent(processes)
    page.goto(f"{address}#viewer={viewer}&step=0", wait_until="commit")
    page.wait_for_selector("#viewer[data-ready]")
    cpu_ms = spent(processes) - before
    wall_ms = int(page.get_attribute("#viewer", "data-ready"))
    page.unroute("**/course?*after=*")  # what was held goes on
    page.wait_for_selector("#viewer[data-whole]")
    steps = int(page.inner_text(".place output").split(" / ")[1])
    page.close()
    return {"viewer": viewer, "cpu_ms": cpu_ms, "wall_ms": wall_ms, "steps": steps}


def plain(browser: Any, address: str, processes: list[psutil.Process]) -> float:
    """CPU milliseconds of a page that draws nothing: the third time, when all is warm."""
    took = 0.0
    for _ in range(3):
        page = browser.new_page(viewport={"width": 1200, "height": 900})
        page.goto("about:blank")
        before = spent(processes)
        page.goto(address, wait_until="load")
        took = spent(processes) - before
        page.close()
    return took


def main() -> None:
    address, pid, *viewers = sys.argv[1:]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=require("chromium"), args=FLAGS)
        ours = [
            each
            for each in psutil.Process().children(recursive=True)
            if "chrom" in each.name() and "chrom" not in parent_name(each)
        ]
        processes = [psutil.Process(int(pid)), *ours]
        raw_ms = plain(browser, f"{address.partition('/matches/')[0]}/api", processes)
        found = [opened(browser, address, viewer, processes) for viewer in viewers]
        browser.close()
    print(json.dumps({"raw_ms": raw_ms, "opened": found}))


def parent_name(process: psutil.Process) -> str:
    parent = process.parent()
    return parent.name() if parent is not None else ""


if __name__ == "__main__":
    main()
