"""Closed matches can be found: in their order, by bot and game, the last so many."""

from pathlib import Path

import pytest
import redis

from matchmaker import closed
from matchmaker.connection import Ladder
from matchmaker.entries import Void, encode
from matchmaker.errors import WrongUse
from matchmaker.keys import Keys
from matchmaker.scripts import NOTE
from referee.engine.errors import UnknownGame
from tests.helpers.stage import Stage


@pytest.fixture
def stage(connection: redis.Redis, keys: Keys, tmp_path: Path) -> Stage:
    stage = Stage(connection, keys, tmp_path, target=6)
    stage.go(20)
    return stage


@pytest.fixture
def ladder(stage: Stage, tmp_path: Path) -> Ladder:
    return Ladder(
        redis=stage.redis, namespace=stage.keys.namespace, archive=str(tmp_path / "archive")
    )


def numbers(rows: list[closed.Row]) -> list[int]:
    return [row.result.number for row in rows]


def test_they_come_in_order_of_number_with_their_files(stage: Stage, ladder: Ladder) -> None:
    rows = closed.matches(ladder, None, None, 100)
    assert numbers(rows) == sorted(record.number for record in stage.records.values())
    assert len(rows) >= 6
    for row in rows:
        assert Path(row.file).is_file()
        assert stage.archive.replay(row.result.archive).match == row.result.match
        line = row.line()
        assert line.endswith(row.file)
        assert all(word in line for word in (row.result.match, "skirmish", "normal", "rated"))


def test_the_last_so_many_of_a_bot_and_a_game(ladder: Ladder) -> None:
    all_ = closed.matches(ladder, None, None, 100)
    with_a = [row for row in all_ if "a" in row.fields()["bots"]]
    assert numbers(closed.matches(ladder, None, None, 3)) == numbers(all_)[-3:]
    assert numbers(closed.matches(ladder, "a", None, 100)) == numbers(with_a)
    assert numbers(closed.matches(ladder, "a", "skirmish", 2)) == numbers(with_a)[-2:]
    assert closed.matches(ladder, None, "stalingrad", 9) == []


def test_a_result_that_was_taken_out_is_void(stage: Stage, ladder: Ladder) -> None:
    match = closed.matches(ladder, None, None, 1)[0].result.match
    entry = encode(Void(match=match, by="operator", reason="test"))
    stage.redis.eval(NOTE, 0, stage.keys.prefix, entry)
    [row] = closed.matches(ladder, None, None, 1)
    assert (row.standing, row.fields()["standing"]) == ("void", "void")


def test_without_an_archive_the_files_are_not_known(stage: Stage, ladder: Ladder) -> None:
    bare = Ladder(redis=stage.redis, namespace=ladder.namespace, archive="")
    rows = closed.matches(bare, None, None, 100)
    assert len(rows) == len(stage.records)
    assert {row.file for row in rows} == {""}


def test_unknown_bots_and_games_are_wrong_use(ladder: Ladder) -> None:
    with pytest.raises(WrongUse, match="there is no bot 'nemo'"):
        closed.matches(ladder, "nemo", None, 9)
    with pytest.raises(UnknownGame):
        closed.matches(ladder, None, "chess", 9)
