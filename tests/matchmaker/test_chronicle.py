"""How bots stood: points are what the published tables said, and a bounded number is kept."""

from itertools import pairwise
from pathlib import Path

import pytest
import redis

from matchmaker import chronicle, seasons
from matchmaker.chronicle import MOST, Chronicle, point_of
from matchmaker.fold import whole
from matchmaker.keys import Keys
from matchmaker.leader import Deposed, Term
from matchmaker.log import Log, Position, chain
from matchmaker.table import render
from tests.helpers.stage import Stage


def row(bot: str = "a", matches: int = 1, version: str = "1", **more: object) -> dict[str, object]:
    estimate = {"estimate": 25.0 + matches / 100, "low": 20.0, "high": 30.0}
    return {
        "bot": bot, "version": version, "rank": 1, "matches": matches, "mu": 25.0, "sigma": 8.0,
        **estimate, **more,
    }  # fmt: skip


def shown(position: int, *rows: dict[str, object], season: str = "preseason") -> dict[str, object]:
    return {"game": "skirmish", "season": season, "position": position, "table": list(rows)}


@pytest.fixture
def writer(connection: redis.Redis, keys: Keys, term: Term) -> Chronicle:
    return Chronicle(connection, keys, term)


def points(writer: Chronicle, bot: str = "a") -> list[chronicle.Point]:
    return chronicle.read(writer.redis, writer.keys, "skirmish", bot)


def test_each_point_is_what_the_log_gives_up_to_there(
    connection: redis.Redis, keys: Keys, tmp_path: Path
) -> None:
    stage = Stage(connection, keys, tmp_path, target=9)
    stage.go(16)
    stage.settle()
    entries = list(Log(connection, keys).whole_tail())
    for bot in "abc":
        found = chronicle.read(connection, keys, "skirmish", bot)
        assert found
        assert [each.position for each in found] == sorted({each.position for each in found})
        for point in found:
            some = entries[: point.position]
            at = chain(Position(), some)
            table = render(whole(each.entry for each in some), "skirmish", *at)
            [said] = [each for each in table["table"] if each["bot"] == bot]
            assert point == point_of(table, said)


def test_no_more_points_than_are_kept_and_they_span_the_whole_time(writer: Chronicle) -> None:
    for n in range(1, 3_000):
        writer.note([shown(n, row(matches=n))])
    found = points(writer)
    assert MOST / 3 < len(found) <= MOST
    assert found[0].position < 100
    assert found[-1].position > 2_900
    gaps = [b.position - a.position for a, b in pairwise(found)]
    assert max(gaps) < 200


def test_a_bot_that_did_not_play_gets_no_point(writer: Chronicle) -> None:
    assert writer.note([shown(1, row("a"), row("b"))]) == 2
    assert writer.note([shown(2, row("a"), row("b", matches=2))]) == 1
    assert [each.position for each in points(writer, "a")] == [1]
    assert [each.position for each in points(writer, "b")] == [1, 2]


def test_a_new_version_and_a_result_taken_out_are_news(writer: Chronicle) -> None:
    writer.note([shown(1, row(matches=9))])
    writer.note([shown(2, row(matches=9, version="2"))])
    writer.note([shown(3, row(matches=8, version="2"))])
    assert [(each.version, each.matches) for each in points(writer)] == [
        ("1", 9), ("2", 9), ("2", 8),
    ]  # fmt: skip


def test_a_season_begins_afresh(connection: redis.Redis, keys: Keys, tmp_path: Path) -> None:
    stage = Stage(connection, keys, tmp_path)
    stage.go(6)
    stage.settle()
    seasons.begin(connection, "skirmish", "autumn", why="test", namespace=keys.namespace)
    stage.go(8)
    stage.settle()
    found = chronicle.read(connection, keys, "skirmish", "a")
    assert {each.season for each in found} == {"autumn"}


def test_another_leader_goes_on_from_what_is_stored(writer: Chronicle) -> None:
    writer.note([shown(1, row(matches=500))])
    other = Chronicle(writer.redis, writer.keys, writer.term)
    assert other.note([shown(2, row(matches=501))]) == 0, "too near to the last"
    assert other.note([shown(3, row(matches=520))]) == 1


def test_who_does_not_lead_writes_nothing(writer: Chronicle) -> None:
    writer.redis.set(writer.keys.leader, "another")
    with pytest.raises(Deposed):
        writer.note([shown(1, row())])
    assert points(writer) == []
