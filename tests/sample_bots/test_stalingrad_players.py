"""The sample bots' players at Battle for Stalingrad."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.sample_bots.table import bot, play


def makers() -> dict[str, Callable[..., Any]]:
    return {
        "greedy": bot("greedy").player,
        "cautious": lambda started: cautious(started.seat),
        "quick": bot("quick").Quick,
    }


cautious = bot("cautious").rules.Cautious


@pytest.mark.parametrize("name", ["greedy", "cautious"])
def test_a_player_beats_random_from_both_sides(name: str) -> None:
    anything = bot("random").Anything
    for side in (0, 1):
        seats: list[Callable[..., Any]] = [lambda started: anything()] * 2
        seats[side] = makers()[name]
        wins = sum(play("stalingrad", seats, f"{n}").ranks[side] == 1 for n in range(10))
        assert wins >= 9


def test_greedy_beats_cautious() -> None:
    seats = [makers()["greedy"], makers()["cautious"]]
    wins = 0
    for n in range(5):
        wins += play("stalingrad", seats, f"{n}").ranks[0] == 1
        wins += play("stalingrad", seats[::-1], f"{n}").ranks[1] == 1
    assert wins >= 7
