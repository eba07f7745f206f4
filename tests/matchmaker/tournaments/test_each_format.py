"""Each format from announcement to archive, on a real store, with matches played at once."""

from pathlib import Path

import pytest
import redis

from matchmaker import formats
from matchmaker.keys import Keys
from matchmaker.ladder import LadderRules
from matchmaker.tournaments import desk
from tests.helpers.stage import Stage
from tests.matchmaker.tournaments.conftest import Desk

HELD = {
    "double_elimination": (2, "abcde", ()),
    "gauntlet": (2, "abcd", ()),
    "round_robin": (3, "abcd", ("orders=turns",)),
    "season": (2, "abc", ()),
    "single_elimination": (2, "abcdef", ()),
    "sprt": (2, "ab", ("pairings=6",)),
    "swiss": (2, "abcde", ("rounds=3",)),
}


def test_each_format_is_held_here() -> None:
    assert tuple(sorted(HELD)) == formats.names()


@pytest.mark.parametrize("name", sorted(HELD))
def test_it_is_held_to_its_end(
    connection: redis.Redis, keys: Keys, tmp_path: Path, name: str
) -> None:
    seats, bots, settings = HELD[name]
    rules = LadderRules(game="skirmish", seats=seats, patience_ms=0)
    stage = Stage(connection, keys, tmp_path, bots=bots, rules=rules, places=2)
    stage.matchmaker.round()
    organiser = Desk(stage)
    cap = 8 if name == "season" else 0
    organiser.create("cup", name, seats=seats, settings=settings, most_matches=cap, weight=100.0)
    organiser.go(150)
    shown = desk.show(organiser.ladder, "cup")
    assert shown["state"] == "done", shown
    assert {row["bot"] for row in shown["standings"]} == set(bots)
    assert shown["standings"][0]["place"] == 1
    assert shown["matches"] >= len(bots) - 1
    assert all(each["state"] in ("over", "bye", "forfeit") for each in shown["meetings"])
