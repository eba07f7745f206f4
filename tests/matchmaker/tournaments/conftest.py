"""An organiser at a stage where matches are played at once."""

from pathlib import Path
from typing import Any

import pytest
import redis

from matchmaker.connection import Ladder
from matchmaker.entries import (
    Entry,
    Result,
    tournament_of,
)
from matchmaker.keys import Keys
from matchmaker.log import Log
from matchmaker.tournaments import desk
from matchmaker.tournaments.schedule import read_instant
from matchmaker.tournaments.store import Tournaments
from matchmaker.tournaments.wishes import Wish
from tests.helpers.stage import Stage


class Desk:
    """An organiser at a stage."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.ladder = Ladder(
            redis=stage.redis, namespace=stage.keys.namespace, archive=str(stage.archive.folder)
        )
        self.store = Tournaments(stage.redis, stage.keys)

    def create(self, name: str = "cup", format: str = "round_robin", **changes: Any) -> desk.Plan:
        wish = Wish(
            **{
                "format": format, "name": name, "game": "skirmish", "everybody": True,
                "settings": ("orders=one",), **changes,
            }
        )  # fmt: skip
        planned = desk.plan(self.ladder, wish)
        desk.announce(self.ladder, planned)
        return planned

    def ahead(self, text: str) -> None:
        """Let schedules see another time."""
        real = self.store.now_ms() - int(self.stage.redis.get(self.stage.keys.clock_ahead) or 0)
        self.stage.redis.set(self.stage.keys.clock_ahead, read_instant(text, "UTC") - real)
        self.stage.clock.now += 2

    def go(self, turns: int = 40) -> None:
        for _ in range(turns):
            self.stage.go(1)
            if not self.store.running() and not self.store.announced():
                return

    def entries(self) -> list[Entry]:
        return [each.entry for each in Log(self.stage.redis, self.stage.keys).whole_tail()]

    def of(self, kind: type) -> list[Any]:
        return [entry for entry in self.entries() if isinstance(entry, kind)]

    def results(self, name: str = "cup") -> list[Result]:
        found = [(tournament_of(each.cause) or ("",))[0] for each in self.of(Result)]
        return [each for each, of in zip(self.of(Result), found) if of == name]


@pytest.fixture
def stage(connection: redis.Redis, keys: Keys, tmp_path: Path) -> Stage:
    return Stage(connection, keys, tmp_path, bots="abcd")


@pytest.fixture
def organiser(stage: Stage) -> Desk:
    stage.matchmaker.round()
    return Desk(stage)
