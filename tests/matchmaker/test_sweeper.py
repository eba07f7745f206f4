"""Recovery by three rules, judged without a clock, and what a sweep does in a real store."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import redis

from matchmaker.entries import Result, Why
from matchmaker.keys import Keys
from matchmaker.leader import Deposed
from matchmaker.log import Log
from matchmaker.moving import Moving, look, still_after_ms
from matchmaker.queues import CLOSE, OPEN
from matchmaker.sweeper import AGAIN_MS, JITTER, OVERTIME_MS, SOON_MS, Rule, ask_again_ms, judge
from referee.match.journal import Choice, Ending, unpack_entry
from referee.store.presence import EXPIRES_MS
from referee.store.records import Clocks, unpack_record
from referee.store.scripts import OPEN as OPEN_SCRIPT
from tests.helpers.stage import Stage, played

NOW = 10_000_000
CLOCKS = Clocks()
STILL_MS = still_after_ms(CLOCKS, 1)


def seen(status: str, **more: Any) -> Moving:
    fields: dict[str, Any] = {
        "match": "m",
        "status": status,
        "clocks": CLOCKS,
        "now_ms": NOW,
        "planned_ms": NOW,
        "queued_ms": NOW,
        "opened_ms": NOW,
        "moved_ms": NOW,
        "ended_ms": NOW,
        "epoch": 1,
        "referee": "r1",
        "is_owned": True,
    }
    return Moving(**{**fields, **more})


def rule(moving: Moving) -> Rule | None:
    found = judge(moving)
    return None if found is None else found.rule


class TestUnopened:
    @pytest.mark.parametrize(
        ("waited_ms", "expected"), [(AGAIN_MS - 1, None), (AGAIN_MS, Rule.UNOPENED)]
    )
    def test_after_ten_seconds(self, waited_ms: int, expected: Rule | None) -> None:
        moving = seen("planned", planned_ms=NOW - waited_ms, queued_ms=NOW - waited_ms)
        assert rule(moving) == expected

    def test_ten_seconds_after_it_was_queued_again(self) -> None:
        assert rule(seen("planned", planned_ms=NOW - 60_000, queued_ms=NOW - 5_000)) is None

    def test_is_cancelled_when_nobody_can_ever_open_it(self) -> None:
        found = judge(seen("planned", planned_ms=NOW - CLOCKS.longest_ms - 1))
        assert found is not None
        assert (found.rule, found.ending) == (Rule.TOO_LONG, Ending.CANCELLED)


class TestOwnerless:
    def test_is_handed_on_at_once(self) -> None:
        found = judge(seen("playing", is_owned=False))
        assert found is not None
        assert (found.rule, found.queue) == (Rule.OWNERLESS, OPEN)
        assert dict(found.fields) == {
            "losses": 1, "lost_in_all": 1, "lost_epoch": 1, "lost_at": 0, "asked": 0,
        }  # fmt: skip

    def test_one_loss_counts_once(self) -> None:
        moving = seen("playing", is_owned=False, losses=1, lost_epoch=1)
        assert rule(moving) is None
        again = judge(replace(moving, queued_ms=NOW - AGAIN_MS))
        assert again is not None
        assert (again.rule, again.fields) == (Rule.OWNERLESS, (("asked", 1),))

    def test_is_queued_again_soon_and_then_less_often(self) -> None:
        waits = [ask_again_ms("m", asked) for asked in range(12)]
        for asked, wait in enumerate(waits):
            even = min(AGAIN_MS, SOON_MS * 2**asked)
            assert abs(wait - even) <= JITTER * even
            moving = seen("playing", is_owned=False, losses=1, lost_epoch=1, asked=asked)
            assert rule(replace(moving, queued_ms=NOW - wait + 1)) is None
            assert rule(replace(moving, queued_ms=NOW - wait)) == Rule.OWNERLESS
        assert sum(waits[:2]) < 15_000 - EXPIRES_MS, "two more jobs before 15 s have passed"

    def test_many_left_by_one_referee_do_not_come_back_at_once(self) -> None:
        waits = {ask_again_ms(f"m{number}", 0) for number in range(200)}
        assert max(waits) - min(waits) > JITTER * SOON_MS
        assert len(waits) > 100

    def test_a_third_referee_lost_gives_it_up(self) -> None:
        lost = seen("playing", is_owned=False, epoch=3, losses=2, lost_epoch=2, entries=9)
        found = judge(replace(lost, has_moved_on=False))
        assert found is not None
        assert (found.rule, found.ending) == (Rule.LOST_REFEREES, Ending.REFEREE_FAULT)
        assert found.text == "the referees that played it went down, 3 in a row"
        assert rule(lost) == Rule.OWNERLESS, "with a choice between it is not why they went down"
        assert dict(judge(lost).fields)["losses"] == 1  # type: ignore[union-attr]

    def test_a_tenth_in_all_does_too(self) -> None:
        lost = seen("playing", is_owned=False, epoch=9, losses=1, lost_in_all=8, lost_epoch=8)
        assert rule(lost) == Rule.OWNERLESS
        found = judge(replace(lost, lost_in_all=9))
        assert found is not None
        assert found.ending == Ending.REFEREE_FAULT
        assert found.text == "the referees that played it went down, 10 in all"

    def test_two_are_not_enough(self) -> None:
        lost = seen("playing", is_owned=False, epoch=2, losses=1, lost_epoch=1)
        assert rule(replace(lost, has_moved_on=False)) == Rule.OWNERLESS


class TestStill:
    @pytest.mark.parametrize(
        ("still_ms", "expected"), [(STILL_MS, None), (STILL_MS + 1, Rule.STILL)]
    )
    def test_after_grace_stall_and_cap(self, still_ms: int, expected: Rule | None) -> None:
        moving = seen("playing", moved_ms=NOW - still_ms, queued_ms=NOW - still_ms)
        assert rule(moving) == expected

    def test_a_bot_of_many_matches_may_let_each_wait_for_the_others(self) -> None:
        assert still_after_ms(CLOCKS, 8) - still_after_ms(CLOCKS, 1) == 7 * CLOCKS.cap_ms
        moving = seen("playing", moved_ms=NOW - STILL_MS - 1, queued_ms=0, slots=2)
        assert rule(moving) is None

    def still(self, **more: Any) -> Moving:
        return seen("playing", moved_ms=NOW - STILL_MS - 1, queued_ms=0, entries=9, **more)

    def test_three_times_in_a_row_gives_it_up(self) -> None:
        first = judge(self.still())
        assert first is not None
        assert dict(first.fields) == {"stills": 1, "still_at": 9}
        second = judge(replace(self.still(stills=1, still_at=9), entries=10))
        assert second is not None
        assert dict(second.fields) == {"stills": 2, "still_at": 10}, "being opened is no progress"
        third = judge(replace(self.still(stills=2, still_at=10), entries=11))
        assert third is not None
        assert (third.rule, third.ending) == (Rule.STOOD_STILL, Ending.REFEREE_FAULT)

    def test_progress_begins_the_count_anew(self) -> None:
        found = judge(replace(self.still(stills=2, still_at=9), entries=20))
        assert found is not None
        assert dict(found.fields) == {"stills": 1, "still_at": 20}


class TestTooLong:
    def test_the_referee_ends_it_first(self) -> None:
        assert rule(seen("playing", opened_ms=NOW - CLOCKS.longest_ms - OVERTIME_MS)) is None

    def test_then_the_sweeper_does(self) -> None:
        found = judge(seen("playing", opened_ms=NOW - CLOCKS.longest_ms - OVERTIME_MS - 1))
        assert found is not None
        assert found.ending is Ending.CANCELLED


class TestUnclosed:
    @pytest.mark.parametrize(
        ("ended_ms", "queued_ms", "expected"),
        [
            (NOW - AGAIN_MS, 0, Rule.UNCLOSED),
            (NOW - AGAIN_MS + 1, 0, None),
            (NOW - 60_000, NOW - 5_000, None),
        ],
    )
    def test_after_ten_seconds(self, ended_ms: int, queued_ms: int, expected: Rule | None) -> None:
        assert rule(seen("ended", ended_ms=ended_ms, queued_ms=queued_ms)) == expected


def test_a_match_in_order_is_left_alone() -> None:
    assert all(rule(seen(status)) is None for status in ("planned", "playing", "ended", "other"))


@pytest.fixture
def stage(connection: redis.Redis, keys: Keys, tmp_path: Path) -> Stage:
    return Stage(connection, keys, tmp_path, bots="ab")


def backdate(stage: Stage, match: str, *fields: str, ms: int = 1_000_000) -> None:
    for field in fields:
        stage.redis.hincrby(stage.keys.match(match), field, -ms)


def lose_jobs(stage: Stage) -> None:
    for name in (OPEN, CLOSE):
        for job in stage.queued(name):
            job.delete()


def results(stage: Stage) -> list[Result]:
    entries = [logged.entry for logged in Log(stage.redis, stage.keys).whole_tail()]
    return [entry for entry in entries if isinstance(entry, Result)]


class TestSweep:
    def test_a_lost_open_job_is_queued_again_once(self, stage: Stage) -> None:
        stage.matchmaker.round()
        [match] = stage.open
        lose_jobs(stage)
        assert not stage.matchmaker.sweeper.sweep()
        backdate(stage, match, "planned_ms", "queued_ms")
        assert stage.matchmaker.sweeper.sweep() == {Rule.UNOPENED: 1}
        assert not stage.matchmaker.sweeper.sweep(), "it was queued just now"
        assert [job.args for job in stage.queued(OPEN)] == [([match],)]
        stage.go(1)
        assert [each.match for each in results(stage)][:1] == [match]

    def test_a_lost_close_job_is_queued_again_once(self, stage: Stage) -> None:
        stage.matchmaker.round()
        stage.work(OPEN)
        stage.matchmaker.round()
        [match] = stage.open
        lose_jobs(stage)
        backdate(stage, match, "ended_ms", "queued_ms")
        assert stage.matchmaker.sweeper.sweep() == {Rule.UNCLOSED: 1}
        stage.work(CLOSE)
        assert [each.match for each in results(stage)] == [match]

    def playing(self, stage: Stage, owner: str = "r2") -> str:
        """A match that a referee has, and that has not moved beyond its set-up."""
        stage.matchmaker.round()
        [match] = stage.open
        lose_jobs(stage)
        stage.redis.eval(OPEN_SCRIPT, 0, stage.keys.prefix, match, owner, "token")
        return match

    def test_a_match_of_a_lost_referee_is_handed_on_at_once(self, stage: Stage) -> None:
        match = self.playing(stage)
        assert stage.matchmaker.sweeper.sweep() == {Rule.OWNERLESS: 1}
        stage.work(OPEN)
        assert stage.handed == [match]
        assert stage.redis.hget(stage.keys.match(match), "referee") == b"r1"

    def test_a_match_that_takes_three_referees_down_is_void_and_a_case(self, stage: Stage) -> None:
        match = self.playing(stage)
        for _ in range(2):
            assert stage.matchmaker.sweeper.sweep() == {Rule.OWNERLESS: 1}
            lose_jobs(stage)
            stage.redis.eval(OPEN_SCRIPT, 0, stage.keys.prefix, match, "r2", "token")
        assert stage.matchmaker.sweeper.sweep() == {Rule.LOST_REFEREES: 1}
        stage.matchmaker.round()
        stage.work(CLOSE)
        [result] = results(stage)
        assert (result.why, result.attempt) == (Why.REFEREE_FAULT, 1)
        assert stage.redis.lrange(stage.keys.cases, 0, -1) == [match.encode()]

    def test_a_match_that_gets_on_with_each_referee_outlives_them_all(self, stage: Stage) -> None:
        match = self.playing(stage)
        journal = [
            entry
            for entry in played(unpack_record(look(stage.redis, stage.keys, [match], ())[0].record))
            if isinstance(unpack_entry(entry), Choice)
        ]
        for number in range(5):
            stage.redis.rpush(stage.keys.journal(match), journal[number])
            assert stage.matchmaker.sweeper.sweep() == {Rule.OWNERLESS: 1}
            lose_jobs(stage)
            stage.redis.eval(OPEN_SCRIPT, 0, stage.keys.prefix, match, "r2", "token")
        for _ in range(2):
            assert stage.redis.hget(stage.keys.match(match), "status") == b"playing"
            assert stage.matchmaker.sweeper.sweep()
            stage.redis.eval(OPEN_SCRIPT, 0, stage.keys.prefix, match, "r2", "token")
        assert stage.redis.hget(stage.keys.match(match), "status") == b"ended"

    def test_a_still_match_goes_to_its_own_referee_under_a_new_epoch(self, stage: Stage) -> None:
        match = self.playing(stage, owner="r1")
        backdate(stage, match, "moved_ms", "queued_ms")
        assert stage.matchmaker.sweeper.sweep() == {Rule.STILL: 1}
        stage.attend(name="r0")
        stage.work(OPEN)
        assert stage.redis.hmget(stage.keys.match(match), "referee", "epoch") == [b"r1", b"2"]

    def test_a_late_owner_is_refused_after_its_match_was_given_up(self, stage: Stage) -> None:
        match = self.playing(stage)
        backdate(stage, match, "opened_ms", ms=CLOCKS.longest_ms + OVERTIME_MS + 5_000)
        assert stage.matchmaker.sweeper.sweep() == {Rule.TOO_LONG: 1}
        record = look(stage.redis, stage.keys, [match], ())[0].record
        with pytest.raises(AssertionError):
            stage.append(match, 1, played(unpack_record(record)))
        stage.matchmaker.round()
        stage.work(CLOSE)
        assert [each.why for each in results(stage)] == [Why.CANCELLED]

    def test_another_leader_sweeps_not(self, stage: Stage) -> None:
        stage.matchmaker.round()
        [match] = stage.open
        backdate(stage, match, "queued_ms", "planned_ms")
        stage.redis.set(stage.keys.leader, "another")
        with pytest.raises(Deposed):
            stage.matchmaker.sweeper.sweep()

    def test_after_redis_was_away_referees_are_given_time(self, stage: Stage) -> None:
        """Presences expire while Redis is gone; that costs no match a referee."""
        match = self.playing(stage, owner="r1")
        stage.clock.now += 10
        stage.matchmaker.lost_redis()
        stage.vanish()
        stage.matchmaker.round()
        stage.clock.now += 2
        stage.matchmaker.round()
        stage.attend()
        stage.clock.now += 10
        stage.matchmaker.round()
        assert stage.redis.hget(stage.keys.match(match), "losses") is None
        stage.vanish()
        stage.clock.now += 2
        stage.matchmaker.round()
        assert stage.redis.hget(stage.keys.match(match), "losses") == b"1"
