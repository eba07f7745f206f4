"""The README says which test holds which vector, ruling and contradiction; nothing is left out."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from random import Random

import pytest

from referee.games.stalingrad import load
from referee.games.stalingrad.game import GAME, KINDS

HERE = Path(__file__).parent
README = (load.SHIPPED.parent / "README.md").read_text("utf-8")
STEPS = 43


def functions() -> dict[str, str]:
    """Every test function of this folder with its file."""
    return {
        node.name: path.name
        for path in HERE.glob("test_*.py")
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


def rows(heading: str) -> list[list[str]]:
    """Cells of the table under a heading, less its head."""
    section = README.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


TABLES = {
    "Rulings": [str(n) for n in range(1, 87)],
    "Contradictions in the sample game": [f"C{n}" for n in range(1, 17)],
    "Test vectors": [f"TV-{n:02d}" for n in range(1, 56)],
}


@pytest.mark.parametrize("heading", TABLES)
def test_every_number_stands_there_once(heading: str) -> None:
    assert [row[0] for row in rows(heading)] == TABLES[heading]


@pytest.mark.parametrize("heading", TABLES)
def test_every_test_named_is_there(heading: str) -> None:
    there = functions()
    for row in rows(heading):
        cell = row[1] if heading == "Test vectors" else row[-1]
        named = re.fullmatch(r"`(test_\w+)(?:\[(\d+)\])?`", cell)
        assert named, cell
        assert named[1] in there, cell
        if named[2]:
            assert named[1] == "test_sample_game_step"
            assert int(named[2]) < STEPS
        if heading == "Test vectors":
            assert row[2] == f"`{there[named[1]]}`"
            assert named[1].startswith(f"test_tv_{row[0][3:]}_"), "a vector's test bears its number"


def test_tests_that_bear_a_number_stand_in_the_readme() -> None:
    for name in functions():
        numbered = re.match(r"test_(tv|ruling)_(\d\d)_", name)
        if numbered and name != "test_ruling_45_attack_may_start_in_place":
            assert f"`{name}`" in README, name


def test_every_file_of_the_rules_stands_in_the_table_of_sections() -> None:
    for path in load.SHIPPED.parent.glob("*.py"):
        assert path.stem == "__init__" or f"`{path.name}`" in README, path.name


def test_options_are_those_that_the_table_of_kinds_shows() -> None:
    shown: dict[str, set[str]] = {}
    for kinds, options in rows("What a bot is asked"):
        verbs = {text.split()[0] for text in re.findall(r"`([^`]+)`", options)}
        shown |= dict.fromkeys(re.findall(r"`(\w+)`", kinds), verbs)
    assert set(shown) == set(KINDS)
    seen: dict[str, set[str]] = {}
    for seed in range(6):
        chance = Random(seed)
        s = GAME.start(seed=f"readme {seed}", events=False)
        while s.asked():
            (seat,) = s.asked()
            offered = s.options(seat)
            verbs = seen.setdefault(str(s.kind(seat)), set())
            verbs.update(option.verb for option in offered)
            s.choose(seat, chance.randrange(len(offered)))
    assert seen == shown
