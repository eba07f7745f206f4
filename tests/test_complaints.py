"""Every test that the list of complaints names is there."""

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
NAMED = re.compile(r"`([\w/]+\.py)::(\w+)`")
PLACES = ("", "referee/")
"""Where a file may be: the list leaves `referee/` out."""

named = sorted(set(NAMED.findall((TESTS / "README.md").read_text("utf-8"))))


def test_the_list_names_tests() -> None:
    assert len(named) > 50


@pytest.mark.parametrize(("file", "name"), named)
def test_a_named_test_exists(file: str, name: str) -> None:
    found = [TESTS / place / file for place in PLACES if (TESTS / place / file).is_file()]
    assert found, f"there is no file {file}"
    assert re.search(rf"def {name}\(", found[0].read_text("utf-8")), f"{file} has no {name}"
