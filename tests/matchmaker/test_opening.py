"""The job that hands matches to referees; whatever it is asked, it is safe to ask twice."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
import redis

from matchmaker import opening
from matchmaker.keys import Keys
from matchmaker.moving import look
from matchmaker.opening import Answer
from matchmaker.queues import OPEN
from referee.match.journal import End, unpack_entry
from referee.store.records import Clocks, Presence
from tests.helpers.stage import Stage


@pytest.fixture
def stage(connection: redis.Redis, keys: Keys, tmp_path: Path) -> Stage:
    return Stage(connection, keys, tmp_path)


class Scripted:
    """Referees that answer what a test says, and note who was asked for what."""

    def __init__(self, **answers: Answer) -> None:
        self.answers = answers
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    def hand(self, referee: Presence, matches: Sequence[str]) -> list[Answer]:
        self.asked.append((referee.name, tuple(matches)))
        return [self.answers[referee.name]] * len(matches)


def absent_since(stage: Stage, match: str, change_ms: int) -> None:
    """Move the moment at which a match's bots were first found absent."""
    key = stage.keys.match(match)
    since = json.loads(stage.redis.hget(key, "absent"))
    moved = {seat: at + change_ms for seat, at in since.items()}
    stage.redis.hset(key, "absent", json.dumps(moved))


class TestOpen:
    def plan(self, stage: Stage) -> str:
        stage.matchmaker.round()
        [match] = stage.open
        return match

    def test_a_refused_match_is_offered_to_the_next(self, stage: Stage) -> None:
        stage.attend(name="r2")
        match = self.plan(stage)
        referees = Scripted(r1=Answer.FULL, r2=Answer.OPENED)
        opening.Opener(stage.redis, stage.keys, referees).open([match])
        assert referees.asked == [("r1", (match,)), ("r2", (match,))]

    @pytest.mark.parametrize("answer", [Answer.OPENED, Answer.NOT_PLANNED])
    def test_a_settled_match_is_offered_to_nobody_else(self, stage: Stage, answer: Answer) -> None:
        stage.attend(name="r2")
        match = self.plan(stage)
        referees = Scripted(r1=answer, r2=answer)
        opening.Opener(stage.redis, stage.keys, referees).open([match])
        assert referees.asked == [("r1", (match,))]

    def test_several_go_in_one_call(
        self, connection: redis.Redis, keys: Keys, tmp_path: Path
    ) -> None:
        stage = Stage(connection, keys, tmp_path, bots="abcd")
        stage.matchmaker.round()
        assert len(stage.queued(OPEN)) == 1, "one job for both"
        referees = Scripted(r1=Answer.OPENED)
        opening.Opener(connection, keys, referees).open(stage.open)
        assert referees.asked == [("r1", tuple(stage.open))]

    def test_a_refused_match_stays_planned_for_the_sweeper(self, stage: Stage) -> None:
        match = self.plan(stage)
        opening.Opener(stage.redis, stage.keys, Scripted(r1=Answer.UNREACHED)).open([match])
        assert stage.redis.hget(stage.keys.match(match), "status") == b"planned"

    def test_a_running_match_with_its_owner_is_left_alone(self, stage: Stage) -> None:
        match = self.plan(stage)
        stage.redis.hset(
            stage.keys.match(match),
            mapping={"status": "playing", "referee": "r1", "moved_ms": now_ms(stage)},
        )
        referees = Scripted(r1=Answer.OPENED)
        opening.Opener(stage.redis, stage.keys, referees).open([match])
        assert referees.asked == []

    def test_an_ended_or_unknown_match_is_left_alone(self, stage: Stage) -> None:
        ended = self.plan(stage)
        stage.work(OPEN)
        referees = Scripted(r1=Answer.OPENED)
        opening.Opener(stage.redis, stage.keys, referees).open([ended, "nemo"])
        assert referees.asked == []

    def test_absence_is_no_show_only_after_the_start_up_time(self, stage: Stage) -> None:
        match = self.plan(stage)
        present = {bot: streams for bot, streams in stage.streams.items() if bot == "a"}
        stage.attend(present)
        opening.Opener(stage.redis, stage.keys, Scripted()).open([match])
        assert stage.redis.hget(stage.keys.match(match), "status") == b"planned"
        absent_since(stage, match, -60_001)
        opening.Opener(stage.redis, stage.keys, Scripted()).open([match])
        assert stage.redis.hget(stage.keys.match(match), "ending") == b"no_show"
        last = unpack_entry(stage.redis.lrange(stage.keys.journal(match), -1, -1)[0])
        bots = [seat.bot for seat in opening.unpack_record(raw_record(stage, match)).seats]
        assert isinstance(last, End)
        assert dict(zip(bots, last.faults))["a" if "a" in bots else bots[0]] in ("", "no_show")
        assert [fault for bot, fault in zip(bots, last.faults) if bot != "a"] == ["no_show"] * (
            len(bots) - ("a" in bots)
        )

    def test_a_bot_that_is_away_when_the_referee_comes_back_has_its_start_up_time(
        self, stage: Stage
    ) -> None:
        """For minutes there was no referee: that is not the bots' absence."""
        match = self.plan(stage)
        stage.redis.hincrby(stage.keys.match(match), "planned_ms", -600_000)
        stage.attend({"a": stage.streams["a"]})
        opening.Opener(stage.redis, stage.keys, Scripted()).open([match])
        assert stage.redis.hget(stage.keys.match(match), "status") == b"planned"

    @pytest.mark.parametrize("between", ["all attend", "no referee", "nobody looked"])
    def test_absence_counts_anew_after(self, stage: Stage, between: str) -> None:
        match = self.plan(stage)
        opener = opening.Opener(stage.redis, stage.keys, Scripted(r1=Answer.FULL))
        stage.attend({"a": stage.streams["a"]})
        opener.open([match])
        absent_since(stage, match, -60_001)
        if between == "all attend":
            stage.attend()
            opener.open([match])
        elif between == "no referee":
            stage.vanish()
            opener.open([match])
        else:
            stage.redis.hincrby(stage.keys.match(match), "absent_seen_ms", -30_001)
        stage.attend({"a": stage.streams["a"]})
        opener.open([match])
        assert stage.redis.hget(stage.keys.match(match), "status") == b"planned"

    def test_without_any_referee_nobody_is_to_blame(self, stage: Stage) -> None:
        match = self.plan(stage)
        stage.redis.hincrby(stage.keys.match(match), "planned_ms", -60_001)
        stage.vanish()
        opening.Opener(stage.redis, stage.keys, Scripted()).open([match])
        assert stage.redis.hget(stage.keys.match(match), "status") == b"planned"

    @pytest.mark.parametrize("status", ["planned", "playing"])
    def test_bots_at_different_referees_are_parted_soon_and_nobody_is_to_blame(
        self, stage: Stage, status: str
    ) -> None:
        match = self.plan(stage)
        one, other = (seat.bot for seat in opening.unpack_record(raw_record(stage, match)).seats)
        stage.attend({one: stage.streams[one]})
        stage.attend({other: stage.streams[other]}, name="r2")
        stage.redis.hset(stage.keys.match(match), mapping={"status": status, "referee": "gone"})
        patience = opening.APART_MS if status == "planned" else Clocks().grace_ms
        opener = opening.Opener(stage.redis, stage.keys, Scripted())
        opener.open([match])
        absent_since(stage, match, 1_000 - patience)
        opener.open([match])
        assert stage.redis.hget(stage.keys.match(match), "status") == status.encode()
        absent_since(stage, match, -1_000)
        opener.open([match])
        last = unpack_entry(stage.redis.lrange(stage.keys.journal(match), -1, -1)[0])
        assert isinstance(last, End)
        assert (last.ending, any(last.faults)) == ("cancelled", False)
        assert last.text == "its bots attend different referees"

    @pytest.mark.parametrize("is_back", [False, True], ids=["gone", "back elsewhere"])
    @pytest.mark.parametrize("plays_on", [False, True], ids=["gone", "plays on"])
    def test_a_match_that_was_planned_when_a_bot_said_goodbye_is_taken_back(
        self, stage: Stage, plays_on: bool, is_back: bool
    ) -> None:
        match = self.plan(stage)
        one, other = (seat.bot for seat in opening.unpack_record(raw_record(stage, match)).seats)
        there = {other: stage.streams[other]}
        if plays_on:
            there[one] = (stage.stream(leaving=True),)
        stage.attend(there, left=((one, ""),))
        if is_back:
            stage.attend({one: stage.streams[one]}, name="r2")
        referees = Scripted(r1=Answer.BOT_ABSENT)
        opening.Opener(stage.redis, stage.keys, referees).open([match])
        if is_back:
            assert stage.redis.hget(stage.keys.match(match), "status") == b"planned"
            return
        assert referees.asked == []
        last = unpack_entry(stage.redis.lrange(stage.keys.journal(match), -1, -1)[0])
        assert isinstance(last, End)
        assert (last.ending, any(last.faults)) == ("cancelled", False)
        assert last.text == "a bot had said Goodbye before it began"

    def test_one_that_runs_goes_on_when_its_bot_has_said_goodbye(self, stage: Stage) -> None:
        match = self.plan(stage)
        stage.redis.hset(
            stage.keys.match(match), mapping={"status": "playing", "referee": "killed"}
        )
        streams = dict.fromkeys(stage.streams, (stage.stream(leaving=True),))
        stage.attend(streams, left=tuple((bot, "") for bot in streams))
        referees = Scripted(r1=Answer.OPENED)
        opening.Opener(stage.redis, stage.keys, referees).open([match])
        assert referees.asked == [("r1", (match,))]

    def test_bots_that_find_one_another_again_are_not_parted(self, stage: Stage) -> None:
        match = self.plan(stage)
        one, other = (seat.bot for seat in opening.unpack_record(raw_record(stage, match)).seats)
        opener = opening.Opener(stage.redis, stage.keys, Scripted(r1=Answer.FULL, r2=Answer.FULL))
        for _ in range(2):
            stage.attend({one: stage.streams[one]})
            stage.attend({other: stage.streams[other]}, name="r2")
            opener.open([match])
            absent_since(stage, match, -opening.APART_MS)
            stage.attend()
            opener.open([match])
        assert stage.redis.hget(stage.keys.match(match), "status") == b"planned"

    def test_parted_bots_are_paired_anew_when_they_share_a_referee(self, stage: Stage) -> None:
        match = self.plan(stage)
        one, other = (seat.bot for seat in opening.unpack_record(raw_record(stage, match)).seats)
        stage.attend({one: stage.streams[one]})
        stage.attend({other: stage.streams[other]}, name="r2")
        opener = opening.Opener(stage.redis, stage.keys, Scripted())
        opener.open([match])
        absent_since(stage, match, -opening.APART_MS)
        opener.open([match])
        stage.close(match)
        for _ in range(3):
            stage.matchmaker.round()
        assert stage.open == [], "not while no referee has both"
        stage.attend({one: stage.streams[one], other: stage.streams[other]})
        stage.matchmaker.round()
        [again] = [opening.unpack_record(raw_record(stage, each)) for each in stage.open]
        assert (again.attempt, {seat.bot for seat in again.seats}) == (2, {one, other})

    def test_a_referee_without_room_counts_as_full_unasked(self, stage: Stage) -> None:
        """Else a ladder without room for long matches would look as if its workers were slow."""
        match, answers = self.plan(stage), list[tuple[str, Answer]]()
        opener = opening.Opener(stage.redis, stage.keys, Scripted(), lambda *a: answers.append(a))
        stage.attend({"a": stage.streams["a"]}, room=0)
        opener.open([match])
        assert answers == [], "there it would be missing a bot"
        stage.attend(room=0)
        opener.open([match])
        assert answers == [(match, Answer.FULL)]
        assert stage.redis.hget(stage.keys.match(match), "status") == b"planned"

    def test_a_full_referee_makes_nobody_absent(self, stage: Stage) -> None:
        match = self.plan(stage)
        stage.redis.hincrby(stage.keys.match(match), "planned_ms", -60_001)
        opening.Opener(stage.redis, stage.keys, Scripted(r1=Answer.FULL)).open([match])
        assert stage.redis.hget(stage.keys.match(match), "status") == b"planned"


def now_ms(stage: Stage) -> int:
    seconds, micros = stage.redis.time()
    return int(seconds) * 1000 + int(micros) // 1000


def raw_record(stage: Stage, match: str) -> bytes:
    [moving] = look(stage.redis, stage.keys, [match], ())
    return moving.record
