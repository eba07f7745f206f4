"""Playthroughs: whatever changes what anybody sees at any step changes a file that is reviewed."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee import games
from tests.helpers import playthrough


@pytest.mark.parametrize("game", games.names())
def test_every_game_has_a_playthrough(game: str) -> None:
    assert playthrough.files(game), f"add tests/referee/games/{game}/playthroughs/NAME.txt"


@pytest.mark.parametrize(
    "path", [p for g in games.names() for p in playthrough.files(g)], ids=lambda p: p.stem
)
def test_a_playthrough_is_as_written(path: Path) -> None:
    scenario = playthrough.Scenario.read(path)
    expected = path.read_text(encoding="utf-8").splitlines()
    actual = playthrough.render(scenario).splitlines()
    for number, (old, new) in enumerate(zip(expected, actual, strict=False), 1):
        assert new == old, (
            f"{path.name}:{number}; if meant, run python -m tests.helpers.playthrough"
        )
    assert len(actual) == len(expected)
