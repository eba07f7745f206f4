"""The two jobs: each safe to run twice, at the same time too; one result for each match."""

import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import redis
from rq.timeouts import JobTimeoutException

from matchmaker import closing, registry
from matchmaker.entries import Result, Standing, Why, encode
from matchmaker.keys import Keys
from matchmaker.ladder import LadderRules
from matchmaker.log import Closed, Log
from matchmaker.moving import Moving
from matchmaker.queues import CLOSE, OPEN
from referee.match.errors import WrongRules
from referee.match.journal import Choice, End, Ending, How, pack_entry, unpack_entry
from referee.match.record import MatchRecord
from referee.store.records import Clocks
from tests.helpers.matches import record
from tests.helpers.stage import Stage, forfeited, left, played, spoilt


@pytest.fixture
def stage(connection: redis.Redis, keys: Keys, tmp_path: Path) -> Stage:
    return Stage(connection, keys, tmp_path)


@pytest.fixture
def ended(stage: Stage) -> str:
    """A match that has ended and is not closed."""
    stage.matchmaker.round()
    stage.work(OPEN)
    [match] = stage.open
    return match


def results(stage: Stage) -> list[Result]:
    entries = [logged.entry for logged in Log(stage.redis, stage.keys).whole_tail()]
    return [entry for entry in entries if isinstance(entry, Result)]


class TestClose:
    def test_appends_what_the_replay_gives(self, stage: Stage, ended: str) -> None:
        stage.close(ended)
        [result] = results(stage)
        known = stage.records[ended]
        assert (result.match, result.number, result.game) == (ended, known.number, "skirmish")
        assert (result.standing, result.why) == (Standing.RATED, Why.NONE)
        assert (result.ending, result.cause, result.attempt) == ("normal", "ladder", 1)
        assert [seat.bot for seat in result.seats] == [seat.bot for seat in known.seats]
        assert sorted(result.ranks) in ([1, 2], [1, 1])
        assert result.decisions > 0
        assert len(result.digest) == 32

    def test_keeps_the_journal_in_the_archive_under_its_digest(
        self, stage: Stage, ended: str
    ) -> None:
        journal = stage.redis.lrange(stage.keys.journal(ended), 0, -1)
        stage.close(ended)
        [result] = results(stage)
        kept = stage.archive.replay(result.archive)
        assert kept.match == ended
        assert list(kept.journal) == journal
        assert stage.archive.path(result.archive).stat().st_size < 8 * 1024

    def test_twice_gives_one_result_and_the_same_receipt(self, stage: Stage, ended: str) -> None:
        closer = closing.Closer(stage.redis, stage.keys, stage.archive)
        first = closer.close([ended])
        assert closer.close([ended]) == first
        assert len(results(stage)) == 1
        assert first[ended].position == Log(stage.redis, stage.keys).position()

    def test_twice_at_the_same_time_gives_one_result(self, stage: Stage, ended: str) -> None:
        """Both have replayed before either appends: the slower one gets the same receipt."""
        both = threading.Barrier(2, timeout=20)
        hows: list[Closed] = []
        receipts: list[Any] = []

        def worker() -> None:
            with redis.Redis(connection_pool=stage.redis.connection_pool) as connection:
                closer = closing.Closer(
                    connection,
                    stage.keys,
                    stage.archive,
                    on_verified=lambda record, verified: both.wait() and None,
                    on_closed=lambda result, how: hows.append(how),
                )
                receipts.append(closer.close([ended]))

        threads = [threading.Thread(target=worker) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
        assert sorted(hows) == [Closed.NOW, Closed.BEFORE]
        assert receipts[0] == receipts[1]
        assert len(results(stage)) == 1

    def test_that_comes_too_late_leaves_nothing_behind(self, stage: Stage, ended: str) -> None:
        """It has looked at the match; meanwhile another worker closes it."""

        class Late(closing.Closer):
            def _close(self, moving: Moving) -> Any:
                stage.close(ended)
                return super()._close(moving)

        late = Late(stage.redis, stage.keys, stage.archive)
        assert late.close([ended]) == closing.Closer(stage.redis, stage.keys, stage.archive).close(
            [ended]
        )
        assert not stage.redis.exists(stage.keys.match(ended))

    def test_of_a_different_result_is_refused_and_counted(self, stage: Stage, ended: str) -> None:
        stage.close(ended)
        [result] = results(stage)
        log = Log(stage.redis, stage.keys)
        other = replace(result, ranks=result.ranks[::-1], reason="forged")
        how, receipt = log.close(other, closing.aftermath(stage.records[ended], other))
        assert how is Closed.REFUSED
        assert receipt == log.receipt(ended)
        assert log.refusals() == 1
        assert results(stage) == [result]

    def test_of_a_match_that_has_not_ended_does_nothing(self, stage: Stage) -> None:
        stage.matchmaker.round()
        [match] = stage.open
        stage.close(match, "nemo")
        assert results(stage) == []
        assert stage.open == [match]

    def test_of_many_does_the_others_when_one_fails(
        self, connection: redis.Redis, keys: Keys, tmp_path: Path
    ) -> None:
        stage = Stage(connection, keys, tmp_path, bots="abcd")
        stage.matchmaker.round()
        stage.work(OPEN)
        bad, good = stage.open
        stage.redis.lpop(stage.keys.journal(bad))
        with pytest.raises(ExceptionGroup, match="could not be closed"):
            stage.close(bad, good)
        assert [each.match for each in results(stage)] == [good]

    def test_that_runs_out_of_time_ends_at_once(
        self, stage: Stage, ended: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """RQ's time-out rises in whatever is running: it is no fault of that match."""

        def slow(*arguments: object) -> None:
            raise JobTimeoutException

        monkeypatch.setattr(closing, "verify", slow)
        with pytest.raises(JobTimeoutException):
            stage.close(ended)

    def test_of_a_forfeit_is_rated_with_the_fault_beside_the_seat(
        self, connection: redis.Redis, keys: Keys, tmp_path: Path
    ) -> None:
        stage = Stage(connection, keys, tmp_path, play=lambda record: forfeited(record, seat=1))
        stage.go(1)
        [result] = results(stage)
        assert (result.standing, result.ending) == (Standing.RATED, "resigned")
        assert (result.ranks, result.faults) == ((1, 2), ("", "resigned"))
        counted = stage.tools.metrics.bot_faults
        loser = result.seats[1].bot
        assert counted.labels("skirmish", loser, "resigned")._value.get() == 1
        assert {each.labels["bot"] for each in counted.collect()[0].samples} == {loser}

    @pytest.mark.parametrize("ending", [Ending.STALLED, Ending.CANCELLED, Ending.REFEREE_FAULT])
    def test_of_what_we_spoilt_is_void(
        self, connection: redis.Redis, keys: Keys, tmp_path: Path, ending: Ending
    ) -> None:
        stage = Stage(connection, keys, tmp_path, play=lambda record: spoilt(record, ending))
        stage.go(1)
        result = results(stage)[0]
        assert (result.standing, result.why) == (Standing.VOID, Why(ending.value))
        cases = stage.redis.lrange(stage.keys.cases, 0, -1)
        assert (result.match.encode() in cases) == (ending is Ending.REFEREE_FAULT)


class TestBrokenJournals:
    """What the replay does not confirm is never rated, and after three tries void and kept."""

    @pytest.fixture(params=["choice", "digest", "end", "gone", "rubbish"])
    def broken(self, stage: Stage, ended: str, request: pytest.FixtureRequest) -> str:
        key = stage.keys.journal(ended)
        entries = [unpack_entry(data) for data in stage.redis.lrange(key, 0, -1)]
        last = entries[-1]
        assert isinstance(last, End)
        if request.param == "choice":
            place, choice = next((i, e) for i, e in enumerate(entries) if isinstance(e, Choice))
            entries[place] = choice._replace(option=choice.option + 1, how=How.ANSWERED)
        elif request.param == "digest":
            entries[-1] = last._replace(digest=bytes(32))
        elif request.param == "end":
            entries[-1] = last._replace(ranks=last.ranks[::-1], scores=(99, 0))
        stage.redis.delete(key)
        if request.param == "rubbish":
            stage.redis.rpush(key, b"\xc1\xc1")
        elif request.param != "gone":
            stage.redis.rpush(key, *(pack_entry(entry) for entry in entries))
        return ended

    def test_three_tries_and_then_void_as_a_case(self, stage: Stage, broken: str) -> None:
        for _ in range(closing.MOST_CLOSES):
            with pytest.raises(ExceptionGroup):
                stage.close(broken)
            assert results(stage) == []
        stage.close(broken)
        [result] = results(stage)
        assert (result.standing, result.why) == (Standing.VOID, Why.REFEREE_FAULT)
        assert stage.redis.lrange(stage.keys.cases, 0, -1) == [broken.encode()]
        assert stage.open == []
        stage.go(1)
        assert list(stage.records.values())[1].attempt == 2, "and played anew"

    def test_a_worker_of_other_rules_leaves_it_to_one_of_its_own(
        self, stage: Stage, ended: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def other_rules(*arguments: object) -> None:
            raise WrongRules("here are others")

        with monkeypatch.context() as patched:
            patched.setattr(closing, "verify", other_rules)
            for _ in range(closing.MOST_CLOSES + 2):
                with pytest.raises(ExceptionGroup):
                    stage.close(ended)
        stage.close(ended)
        assert results(stage)[0].standing is Standing.RATED


class TestStanding:
    def verified(self, ending: Ending, **more: Any) -> Any:
        return closing.Verified(ending=ending, **more)

    @pytest.mark.parametrize(
        ("ending", "rated", "standing", "why"),
        [
            (Ending.NORMAL, True, Standing.RATED, Why.NONE),
            (Ending.TIMEOUT, True, Standing.RATED, Why.NONE),
            (Ending.ILLEGAL, True, Standing.RATED, Why.NONE),
            (Ending.DISCONNECTED, True, Standing.RATED, Why.NONE),
            (Ending.PROTOCOL, True, Standing.RATED, Why.NONE),
            (Ending.RESIGNED, True, Standing.RATED, Why.NONE),
            (Ending.NO_SHOW, True, Standing.UNRATED, Why.NO_SHOW),
            (Ending.REFEREE_FAULT, True, Standing.VOID, Why.REFEREE_FAULT),
            (Ending.STALLED, True, Standing.VOID, Why.STALLED),
            (Ending.CANCELLED, True, Standing.VOID, Why.CANCELLED),
            (Ending.NORMAL, False, Standing.UNRATED, Why.PRACTISE),
            (Ending.STALLED, False, Standing.VOID, Why.STALLED),
        ],
    )
    def test_follows_the_closed_list(
        self, ending: Ending, rated: bool, standing: Standing, why: Why
    ) -> None:
        found = closing.standing_of(record(rated=rated), self.verified(ending))
        assert found == (standing, why)

    def test_covers_every_ending(self) -> None:
        for ending in Ending:
            closing.standing_of(record(), self.verified(ending))

    def test_a_result_is_a_pure_function_of_record_and_journal(self) -> None:
        known = record()
        entries = [unpack_entry(data) for data in played(known)]
        once = closing.result_of(known, closing.verify(known, entries), "d")
        again = closing.result_of(known, closing.verify(known, entries), "d")
        assert encode(once) == encode(again)


class TestPauses:
    """A bot that does not come is paused 1, 10, 30 minutes; one that keeps failing, too."""

    def no_show(self, stage: Stage, bot: str) -> None:
        """A match whose bot `bot` never came: ended by the opening job."""
        stage.attend({b: s for b, s in stage.streams.items() if b != bot})
        stage.work(OPEN)

    def test_no_show_pauses_longer_each_time_in_a_row(
        self, connection: redis.Redis, keys: Keys, tmp_path: Path
    ) -> None:
        stage = Stage(
            connection, keys, tmp_path, bots="ab",
            rules=stage_rules(startup_ms=0),
        )  # fmt: skip
        waits = []
        for _ in range(4):
            stage.attend()
            stage.matchmaker.round()
            self.no_show(stage, "b")
            stage.matchmaker.round()
            stage.work(CLOSE)
            bot = registry.find(connection, "b", namespace=keys.namespace)
            assert bot.paused == "no_show"
            seconds, _ = connection.time()
            waits.append(round((bot.paused_until_ms / 1000 - seconds) / 60))
            assert connection.smembers(keys.served_first) == {b"a"}
            registry.resume(connection, "b", namespace=keys.namespace)
            stage.clock.now += 1
        assert waits == [1, 10, 30, 30]
        whys = {each.why for each in results(stage)}
        assert whys == {Why.NO_SHOW}
        assert all(each.faults.count("no_show") == 1 for each in results(stage))
        history = registry.history(connection, "b", namespace=keys.namespace)
        assert "no_show for 60 s" in [h for h in history if h["what"] == "paused"][-1]["text"]

    def test_a_played_match_begins_the_count_anew(
        self, connection: redis.Redis, keys: Keys, tmp_path: Path
    ) -> None:
        stage = Stage(connection, keys, tmp_path, bots="ab", rules=stage_rules(startup_ms=0))
        connection.hset(keys.bot("b"), "absent", 2)
        stage.go(1)
        assert connection.hget(keys.bot("b"), "absent") == b"0"

    def test_five_faults_in_a_row_pause_a_bot(
        self, connection: redis.Redis, keys: Keys, tmp_path: Path
    ) -> None:
        def play(known: MatchRecord) -> Sequence[bytes]:
            """Bot b's stream ends in every match."""
            seat = [seat.bot for seat in known.seats].index("b")
            return left(known, seat)

        stage = Stage(connection, keys, tmp_path, bots="ab", play=play)
        stage.go(8)
        assert len(results(stage)) == 5
        bot = registry.find(connection, "b", namespace=keys.namespace)
        assert bot.paused == "faulty"
        assert registry.find(connection, "a", namespace=keys.namespace).paused == ""

    @pytest.mark.parametrize("seconds", [0, 3600])
    def test_a_pause_that_holds_longer_is_not_replaced(
        self, connection: redis.Redis, keys: Keys, tmp_path: Path, seconds: int
    ) -> None:
        """An operator's pause holds as he said, whatever the bot fails to do meanwhile."""
        stage = Stage(connection, keys, tmp_path, bots="ab", rules=stage_rules(startup_ms=0))
        stage.attend()
        stage.matchmaker.round()
        registry.pause(connection, "b", "by hand", seconds=seconds, namespace=keys.namespace)
        before = registry.find(connection, "b", namespace=keys.namespace)
        self.no_show(stage, "b")
        stage.matchmaker.round()
        stage.work(CLOSE)
        assert connection.hget(keys.bot("b"), "absent") == b"1"
        after = registry.find(connection, "b", namespace=keys.namespace)
        assert (after.paused, after.paused_until_ms) == ("by hand", before.paused_until_ms)

    def test_a_pause_that_ends_sooner_gives_way_to_a_longer_one(
        self, connection: redis.Redis, keys: Keys, tmp_path: Path
    ) -> None:
        stage = Stage(connection, keys, tmp_path, bots="ab", rules=stage_rules(startup_ms=0))
        stage.attend()
        stage.matchmaker.round()
        registry.pause(connection, "b", "by hand", seconds=5, namespace=keys.namespace)
        self.no_show(stage, "b")
        stage.matchmaker.round()
        stage.work(CLOSE)
        assert registry.find(connection, "b", namespace=keys.namespace).paused == "no_show"

    def test_a_pause_that_is_over_ends_by_itself(self, stage: Stage) -> None:
        registry.pause(stage.redis, "a", "cool", seconds=60, namespace=stage.keys.namespace)
        stage.redis.hset(stage.keys.bot("a"), "paused_until", "1")
        stage.clock.now += 10
        stage.matchmaker.round()
        assert registry.find(stage.redis, "a", namespace=stage.keys.namespace).paused == ""
        registry.pause(stage.redis, "a", "for good", namespace=stage.keys.namespace)
        stage.clock.now += 10
        stage.matchmaker.round()
        assert registry.find(stage.redis, "a", namespace=stage.keys.namespace).paused == "for good"

    def test_our_faults_count_for_nobody(
        self, connection: redis.Redis, keys: Keys, tmp_path: Path
    ) -> None:
        stage = Stage(connection, keys, tmp_path, bots="ab", play=spoilt)
        connection.hset(keys.bot("a"), mapping={"absent": 1, "faulty": 3})
        stage.go(2)
        assert connection.hmget(keys.bot("a"), "absent", "faulty") == [b"1", b"3"]


def stage_rules(**clocks: int) -> LadderRules:
    return LadderRules(game="skirmish", patience_ms=0, clocks=Clocks(**clocks))
