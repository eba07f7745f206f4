"""Each bar holds when it is run small, by the same code as `make prove`."""

from importlib import import_module

import pytest

from tests.bars.__main__ import names, needs_browser, run
from tests.helpers.tools import require


@pytest.mark.bars
@pytest.mark.processes
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", [name for name in names() if not needs_browser(name)])
def test_bar(name: str) -> None:
    for tool in getattr(import_module(f"tests.bars.{name}"), "NEEDS", ()):
        require(tool)
    line = run(name, small=True)
    assert line["ok"], line
