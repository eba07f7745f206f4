"""The bars that need a browser hold when they are run small."""

from __future__ import annotations

import pytest

from tests.bars.__main__ import names, needs_browser, run
from tests.helpers.tools import require

pytestmark = [pytest.mark.web, pytest.mark.timeout(300)]


@pytest.mark.parametrize("name", [name for name in names() if needs_browser(name)])
def test_bar(name: str) -> None:
    pytest.importorskip("playwright.sync_api", reason="missing tool: playwright")
    require("chromium")
    line = run(name, small=True)
    print(line)
    assert line["ok"], line
