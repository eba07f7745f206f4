"""Every test that the list of complaints, or a referee's threat table, names is there."""

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
NAMED = re.compile(r"`([\w/]+\.py)::(\w+)`")
PLACES = ("", "referee/")
"""Where a file may be: the list leaves `referee/` out."""

THREATS = (TESTS.parent / "referee" / "server" / "README.md").read_text("utf-8")
complaints = NAMED.findall((TESTS / "README.md").read_text("utf-8"))
threats = NAMED.findall(THREATS)
named = sorted({*complaints, *threats})


def test_the_lists_name_tests() -> None:
    assert len(set(complaints)) > 50
    assert len(set(threats)) > 20


def test_each_threat_has_a_test() -> None:
    rows = [line for line in THREATS.split("## Threats")[1].splitlines() if line.startswith("| ")]
    assert len(rows) > 20
    for row in rows[1:]:
        assert NAMED.search(row.split(" | ")[-1]), row


@pytest.mark.parametrize(("file", "name"), named)
def test_a_named_test_exists(file: str, name: str) -> None:
    found = [TESTS / place / file for place in PLACES if (TESTS / place / file).is_file()]
    assert found, f"there is no file {file}"
    assert re.search(rf"def {name}\(", found[0].read_text("utf-8")), f"{file} has no {name}"
