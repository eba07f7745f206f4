"""What a bot's author is told: every ending, whose doing it was, and what led to it."""

from pathlib import Path

import pytest
import redis

from matchmaker import blame, registry
from matchmaker.connection import Ladder
from matchmaker.errors import WrongUse
from matchmaker.keys import Keys
from matchmaker.queues import CLOSE
from referee.match.journal import Ending
from referee.match.record import MatchRecord, unpack_record
from referee.store.lifecycle import end_match
from tests.helpers.sessions import Table
from tests.helpers.stage import Play, Stage, left, played, spoilt


def stage_of(connection: redis.Redis, keys: Keys, folder: Path, play: Play) -> Stage:
    stage = Stage(connection, keys, folder, ("a", "b"), target=1, play=play)
    stage.go(6)
    return stage


def ladder(stage: Stage, tmp_path: Path) -> Ladder:
    return Ladder(
        redis=stage.redis, namespace=stage.keys.namespace, archive=str(tmp_path / "archive")
    )


def matches(stage: Stage, tmp_path: Path, bot: str) -> list[blame.Happening]:
    found = blame.of(ladder(stage, tmp_path), bot, 50)
    return [each for each in found if each.what == "match"]


def late_once(record: MatchRecord) -> list[bytes]:
    """The first answer comes after the cap; the rest is played."""
    table = Table(record)
    seat = table.asked[0]
    table.lines[seat].question = None
    table.time.pass_seconds(record.clocks.cap_ms / 1000 + 0.5)
    table.play()
    return list(table.journal.entries)


def test_a_forfeit_names_the_bot_at_fault_and_its_opponent_is_not_blamed(
    connection: redis.Redis, keys: Keys, tmp_path: Path
) -> None:
    stage = stage_of(connection, keys, tmp_path, lambda record: left(record, 1))
    both = {bot: matches(stage, tmp_path, bot)[0] for bot in "ab"}
    by_blame = {each.blame: each for each in both.values()}
    assert set(by_blame) == {"you", "another"}
    assert all(each.ending == Ending.DISCONNECTED for each in both.values())
    told = " / ".join(by_blame["you"].details)
    assert "the stream was lost after decision" in told
    assert "out: disconnected: away for" in told
    assert "of 30000 ms" in told
    assert "away for" not in " / ".join(by_blame["another"].details)


def test_what_the_server_spoilt_says_so_and_why(
    connection: redis.Redis, keys: Keys, tmp_path: Path
) -> None:
    stage = stage_of(connection, keys, tmp_path, spoilt)
    first = matches(stage, tmp_path, "a")[0]
    assert first.blame == "server"
    assert "void: stalled" in first.text
    assert "the server: spoilt by the test" in first.details


def test_a_match_that_is_played_anew_says_so(
    connection: redis.Redis, keys: Keys, tmp_path: Path
) -> None:
    stage = stage_of(connection, keys, tmp_path, spoilt)
    texts = [each.text for each in matches(stage, tmp_path, "b")]
    assert "anew" not in texts[0]
    assert "played anew for the 1. time" in texts[1]
    assert "played anew for the 2. time" in texts[2]


def test_a_no_show_and_the_pause_it_led_to_are_told(
    connection: redis.Redis, keys: Keys, tmp_path: Path
) -> None:
    stage = Stage(connection, keys, tmp_path, ("a", "b"))
    stage.matchmaker.round()
    [match] = stage.open
    seats = [seat.bot for seat in stage_record(stage, match).seats]
    faults = tuple("no_show" if bot == "a" else "" for bot in seats)
    assert end_match(
        stage.redis, keys, match, Ending.NO_SHOW, epoch=0, faults=faults, text="not there"
    )
    stage.matchmaker.round()
    stage.work(CLOSE)
    told = blame.of(ladder(stage, tmp_path), "a", 5)
    [line] = [each for each in told if each.what == "match"]
    assert (line.blame, line.ending) == ("you", "no_show")
    assert "unrated: no_show" in line.text
    assert "the server: not there" in line.details
    assert any(each.text.startswith("paused: no_show for 60 s") for each in told), told
    [other] = matches(stage, tmp_path, "b")
    assert other.blame == "another"


def stage_record(stage: Stage, match: str) -> MatchRecord:
    return unpack_record(stage.redis.hget(stage.keys.match(match), "record"))


def test_a_late_answer_says_limit_use_and_count(
    connection: redis.Redis, keys: Keys, tmp_path: Path
) -> None:
    stage = stage_of(connection, keys, tmp_path, late_once)
    lines = [
        line for bot in "ab" for each in matches(stage, tmp_path, bot) for line in each.details
    ]
    assert any(
        "decision 1: late" in line and "cap 10000 ms" in line and "the 1. of 10" in line
        for line in lines
    ), lines


def test_pauses_and_other_changes_stand_among_the_matches_in_order(
    connection: redis.Redis, keys: Keys, tmp_path: Path
) -> None:
    stage = stage_of(connection, keys, tmp_path, played)
    registry.pause(connection, "a", "too slow", namespace=keys.namespace)
    found = blame.of(ladder(stage, tmp_path), "a", 50)
    assert found[0].text.startswith("added")
    assert found[-1].text == "paused: too slow"
    assert any(each.what == "match" and each.blame == "" for each in found)
    assert [each.at_ms for each in found] == sorted(each.at_ms for each in found)


def test_only_the_last_matches_are_told(
    connection: redis.Redis, keys: Keys, tmp_path: Path
) -> None:
    stage = Stage(connection, keys, tmp_path, ("a", "b"), target=4)
    stage.go(20)
    found = blame.of(ladder(stage, tmp_path), "a", 2)
    assert sum(each.what == "match" for each in found) == 2


def test_without_an_archive_the_endings_are_still_told(
    connection: redis.Redis, keys: Keys, tmp_path: Path
) -> None:
    stage_of(connection, keys, tmp_path, lambda record: left(record, 1))
    here = Ladder(redis=connection, namespace=keys.namespace, archive="")
    (first,) = [each for each in blame.of(here, "a", 50) if each.what == "match"][:1]
    assert first.ending == Ending.DISCONNECTED
    assert first.details == ()


def test_a_bot_that_never_was_is_wrong_use(
    connection: redis.Redis, keys: Keys, tmp_path: Path
) -> None:
    here = Ladder(redis=connection, namespace=keys.namespace, archive="")
    with pytest.raises(WrongUse, match="there is no bot 'nobody'"):
        blame.of(here, "nobody", 50)
