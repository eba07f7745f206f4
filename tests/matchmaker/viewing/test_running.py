"""A running match is shown as the public may know it, never earlier than its delay allows."""

import json
from pathlib import Path
from typing import Any

import pytest
import redis

from matchmaker.connection import Ladder
from matchmaker.keys import Keys
from matchmaker.viewing.closed import Withheld
from matchmaker.viewing.course import Course
from matchmaker.viewing.running import Running
from referee.games import PUBLIC
from referee.match.errors import BadJournal
from referee.match.journal import Choice, pack_entry, unpack_journal
from referee.match.record import MatchRecord, Pace
from tests.helpers.matches import plan, record
from tests.helpers.random_play import random_journal
from tests.helpers.stage import HandClock

DELAY_SECONDS = 60


class Hall:
    """A store with one running match, and a web process that looks at it."""

    def __init__(self, connection: redis.Redis, keys: Keys, **more: Any) -> None:
        self.redis, self.keys, self.clock = connection, keys, HandClock()
        self.planned: MatchRecord = record("live", bots=("needle-one", "needle-two"), **more)
        self.entries = random_journal(self.planned)
        plan(connection, keys, self.planned)
        connection.hset(keys.match("live"), "status", "playing")
        ladder = Ladder(redis=connection, namespace=keys.namespace, archive=str(Path("unused")))
        self.running = Running(ladder, self.clock, most=2)
        self.appended = 0

    def append(self, count: int, ago_ms: int = 0) -> None:
        """Let the referee go on; the store says when."""
        self.redis.rpush(
            self.keys.journal("live"), *self.entries[self.appended : self.appended + count]
        )
        self.appended += count
        seconds, micros = self.redis.time()  # type: ignore[misc]
        now_ms = seconds * 1000 + micros // 1000
        self.redis.hset(self.keys.match("live"), "moved_ms", now_ms - ago_ms)

    def shown(self, after: int = 0) -> Any:
        part = self.running.part("live", after)
        return json.loads(json.dumps(part))

    def steps(self) -> int:
        return len(self.shown()["steps"])

    def steps_of(self, count: int) -> int:
        """Steps of so many entries, watched without a delay."""
        course = Course(self.planned, PUBLIC)
        course.add(unpack_journal(self.entries[:count]))
        return len(course.steps)


@pytest.fixture
def hall(connection: redis.Redis, keys: Keys) -> Hall:
    return Hall(connection, keys)


def test_nothing_is_shown_before_the_delay_is_over(hall: Hall) -> None:
    hall.append(9)
    assert hall.shown()["delay_ms"] == 1000 * DELAY_SECONDS
    assert hall.steps() == 1, "the set-up"
    hall.clock.now += DELAY_SECONDS / 2
    hall.append(4)
    assert hall.shown()["wait_ms"] == 1000 * DELAY_SECONDS / 2
    hall.clock.now += DELAY_SECONDS / 2 - 0.001
    assert hall.steps() == 1
    hall.clock.now += 0.001
    assert hall.steps() == hall.steps_of(9) > 1
    hall.clock.now += DELAY_SECONDS / 2
    assert hall.steps() == hall.steps_of(13)
    assert hall.shown()["wait_ms"] == 0


def test_entries_count_as_new_from_when_they_were_first_seen(hall: Hall) -> None:
    """Nobody looked while they came: they may be as young as the last of them."""
    hall.append(9)
    assert hall.steps() == 1
    hall.append(4)
    hall.clock.now += DELAY_SECONDS
    assert hall.steps() == hall.steps_of(9)
    hall.clock.now += DELAY_SECONDS
    assert hall.steps() == hall.steps_of(13)


def test_a_match_that_has_stood_still_is_shown_at_once(hall: Hall) -> None:
    hall.append(9, ago_ms=1000 * DELAY_SECONDS)
    assert hall.steps() == hall.steps_of(9)


def test_the_delay_is_an_option_of_the_match(connection: redis.Redis, keys: Keys) -> None:
    hall = Hall(connection, keys, pace=Pace(watch_delay_ms=0))
    hall.append(9)
    assert hall.steps() == hall.steps_of(9)
    assert hall.shown()["delay_ms"] == 0


def test_parts_of_a_running_match_are_its_public_course(hall: Hall) -> None:
    parts, steps = [hall.shown()], 1
    while hall.appended < len(hall.entries):
        hall.append(5)
        hall.shown()
        hall.clock.now += DELAY_SECONDS
        part = hall.shown(steps)
        parts.append(part)
        steps += len(part["steps"])
    whole = Course(hall.planned, PUBLIC)
    whole.add(unpack_journal(hall.entries))
    for name in ("steps", "events", "texts", "words"):
        assert [each for part in parts for each in part[name]] == whole.part()[name], name
    assert parts[-1]["end"] == whole.end


def test_no_name_no_seed_and_no_question_of_a_running_match_is_told(hall: Hall) -> None:
    hall.append(len(hall.entries), ago_ms=1000 * DELAY_SECONDS)
    part = hall.shown()
    text = json.dumps(part)
    assert "needle" not in text
    assert hall.planned.seed not in text
    assert not any(step["questions"] for step in part["steps"])
    assert part["viewer"] == "public"
    assert part["seats"] == [{"bot": ""}] * 2


def test_a_deal_that_is_still_to_be_played_is_not_shown(
    connection: redis.Redis, keys: Keys
) -> None:
    hall = Hall(connection, keys, reveal=False)
    hall.append(9, ago_ms=1000 * DELAY_SECONDS)
    with pytest.raises(Withheld):
        hall.shown()


def test_a_match_that_is_closed_runs_no_more(hall: Hall) -> None:
    hall.append(3)
    assert hall.steps() == 1
    hall.redis.delete(hall.keys.match("live"), hall.keys.journal("live"))
    assert hall.running.part("live") is None
    assert hall.running.part("never") is None


def test_a_journal_that_does_not_fit_is_begun_anew(hall: Hall) -> None:
    """The store has lost what was seen, and another owner went on otherwise."""
    hall.append(3, ago_ms=1000 * DELAY_SECONDS)
    hall.shown()
    hall.redis.rpush(hall.keys.journal("live"), pack_entry(Choice(0, 99)))
    with pytest.raises(BadJournal, match="not offered"):
        hall.shown()
    hall.redis.ltrim(hall.keys.journal("live"), 0, 2)
    hall.append(6, ago_ms=1000 * DELAY_SECONDS)
    assert hall.steps() == hall.steps_of(9)


def test_few_matches_are_held_at_once(hall: Hall) -> None:
    hall.append(3)
    hall.shown()
    for name in ("second", "third"):
        plan(hall.redis, hall.keys, record(name))
        assert hall.running.part(name) is None, "it has not begun"
        hall.redis.hset(hall.keys.match(name), "status", "playing")
        assert hall.running.part(name) is not None
    hall.clock.now += DELAY_SECONDS
    assert hall.steps() == 1, "it was let go and waits anew"
