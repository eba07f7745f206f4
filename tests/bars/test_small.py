"""Each bar holds when it is run small, by the same code as `make prove`."""

import pytest

from tests.bars.__main__ import names, run


@pytest.mark.bars
@pytest.mark.processes
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", names())
def test_bar(name: str) -> None:
    line = run(name, small=True)
    assert line["ok"], line
