"""The rater: ready tables, checkpoints, the archived log, and `recompute` bit for bit."""

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import redis

from matchmaker import fold, rater, table, walk
from matchmaker.archive import Archive, BadFile
from matchmaker.entries import BadEntry, BotAdded, Result, RulesSet, Season, Void, encode
from matchmaker.keys import Keys
from matchmaker.leader import Deposed, Term
from matchmaker.log import Aftermath, Closed, Log, Position, chain
from matchmaker.rater import Rater, recompute
from matchmaker.ratings import RatingRules
from tests.matchmaker.test_fold import season


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return Archive(tmp_path / "archive")


@pytest.fixture
def log(connection: redis.Redis, keys: Keys) -> Log:
    return Log(connection, keys)


@pytest.fixture
def new(connection: redis.Redis, keys: Keys, term: Term, archive: Archive) -> Rater:
    made = Rater(connection, keys, term, archive, ["toy"], clock=lambda: 0.0)
    made.load()
    return made


def append(log: Log, *results: Result) -> None:
    """Close matches that have ended, as the store sees it."""
    for result in results:
        log.redis.hset(log.keys.match(result.match), "status", "ended")
        closed, _ = log.close(result, Aftermath(bots=tuple(s.bot for s in result.seats)))
        assert closed is Closed.NOW


def stored(connection: redis.Redis, keys: Keys) -> bytes:
    text = connection.get(keys.table("toy"))
    assert isinstance(text, bytes)
    return text


def test_a_table_is_ready_before_the_first_match(
    new: Rater, connection: redis.Redis, keys: Keys
) -> None:
    new.take(0)
    new.publish()
    shown = table.read(connection, "toy", keys.namespace)
    assert (shown["rated"], shown["table"], shown["position"]) == (0, [], 1)
    assert table.games(connection, keys.namespace) == ["toy"]


def test_an_unknown_game_has_an_empty_table(connection: redis.Redis, keys: Keys) -> None:
    shown = table.read(connection, "nothing", keys.namespace)
    assert (shown["matches"], shown["table"], shown["head"]) == (0, [], "00" * 32)


def test_a_table_says_up_to_where_it_holds(
    new: Rater, log: Log, connection: redis.Redis, keys: Keys
) -> None:
    append(log, *season(10))
    new.take(0)
    new.publish()
    shown = table.read(connection, "toy", keys.namespace)
    assert shown["position"] == log.position() == 11
    assert shown["head"] == chain(Position(), log.tail(0)).head.hex()
    assert shown["rated"] == 10


def test_rating_rules_stand_in_the_log(new: Rater, log: Log) -> None:
    assert [each.entry for each in log.tail(0)] == [RulesSet(game="toy", rules=RatingRules())]


def test_authors_come_from_the_log(
    new: Rater, log: Log, connection: redis.Redis, keys: Keys
) -> None:
    log.note(BotAdded(bot="b1", author="ann"))
    append(log, *season(20))
    new.take(0)
    new.publish()
    authors = {row["bot"]: row["author"] for row in new_rows(connection, keys)}
    assert authors["b1"] == "ann"


def new_rows(connection: redis.Redis, keys: Keys) -> list[dict[str, str]]:
    return list(table.read(connection, "toy", keys.namespace)["table"])


def test_a_new_leader_goes_on_from_the_checkpoint(
    new: Rater, log: Log, connection: redis.Redis, keys: Keys, term: Term, archive: Archive
) -> None:
    results = season(100)
    append(log, *results[:60])
    new.take(30)
    new.publish(now=True)
    append(log, *results[60:])
    other = Rater(connection, keys, term, archive, ["toy"], clock=lambda: 0.0)
    other.load()
    assert other.at.position == 61
    assert len(other.fold.games["toy"].results) == 30
    other.take(0)
    other.publish(now=True)
    shown = fold.whole(each.entry for each in log.whole_tail())
    assert stored(connection, keys) == rater.document(shown, "toy", other.at)


def test_late_results_give_the_same_table(
    new: Rater, log: Log, connection: redis.Redis, keys: Keys, archive: Archive
) -> None:
    """The longest match ends last; the table is that of the order in which they were planned."""
    results = season(120)
    arrived = results[1:60] + results[61:] + [results[60], results[0]]
    for begin in range(0, len(arrived), 7):
        append(log, *arrived[begin : begin + 7])
        new.take(0)
    new.publish(now=True)
    in_order = fold.whole(results)
    shown = table.render(in_order, "toy", new.at.position, new.at.head)
    assert json.loads(stored(connection, keys)) == json.loads(json.dumps(shown))
    assert recompute(connection, archive, keys.namespace).ok


def test_a_change_below_what_is_settled_folds_the_log_anew(
    new: Rater, log: Log, connection: redis.Redis, keys: Keys, archive: Archive
) -> None:
    append(log, *season(50))
    new.take(50)
    log.note(Void(match="m3", by="olga", reason="the host was overloaded"))
    log.note(RulesSet(game="toy", rules=RatingRules(beta=5.0)))
    new.take(50)
    new.publish(now=True)
    shown = table.read(connection, "toy", keys.namespace)
    assert (shown["rated"], shown["void"]) == (49, 1)
    assert recompute(connection, archive, keys.namespace).ok


def test_a_deposed_leader_writes_no_table(
    new: Rater, log: Log, connection: redis.Redis, keys: Keys
) -> None:
    new.take(0)
    connection.set(keys.leader, "another")
    with pytest.raises(Deposed):
        new.publish()
    assert connection.get(keys.table("toy")) is None


def test_a_checkpoint_of_a_newer_program_is_refused(
    new: Rater, connection: redis.Redis, keys: Keys
) -> None:
    new.take(0)
    new.publish(now=True)
    data = connection.get(keys.fold)
    assert isinstance(data, bytes)
    newer = rater.SCHEMA + 1
    connection.set(keys.fold, data.replace(b"\xa6schema%c" % rater.SCHEMA, b"\xa6schema%c" % newer))
    with pytest.raises(BadEntry, match=f"schema {newer}"):
        new.load()


def test_a_checkpoint_of_an_older_program_is_made_anew(
    new: Rater, log: Log, connection: redis.Redis, keys: Keys, archive: Archive
) -> None:
    append(log, *season(20))
    connection.set(keys.fold, b"\x81\xa6schema\x01")
    new.load()
    assert new.at.position == 21
    new.publish(now=True)
    assert recompute(connection, archive, keys.namespace).ok


def test_who_met_whom_stands_in_a_document_of_its_own(
    new: Rater, log: Log, connection: redis.Redis, keys: Keys, archive: Archive
) -> None:
    append(log, *season(60))
    new.take(0)
    new.publish()
    shown = table.read_head_to_head(connection, "toy", keys.namespace)
    assert shown["position"] == 61
    assert sum(sum(counts) for _, _, *counts in shown["meetings"]) == 60
    forged = {**shown, "meetings": shown["meetings"][::-1]}
    connection.set(keys.head_to_head("toy"), table.stored(forged))
    found = recompute(connection, archive, keys.namespace)
    assert found.differences == ("toy: who met whom differs from what the log gives",)


def test_head_to_heads_and_tables_may_hold_for_different_entries(
    connection: redis.Redis, keys: Keys, term: Term, archive: Archive, log: Log
) -> None:
    """Tables are written more often; both are as the log was when they were."""
    now = [0.0]
    current = Rater(connection, keys, term, archive, ["toy"], clock=lambda: now[0])
    current.load()
    for begin in range(0, 60, 10):
        append(log, *season(60)[begin : begin + 10])
        current.take(0)
        current.publish()
        now[0] += 0.8
    shown = table.read_head_to_head(connection, "toy", keys.namespace)
    assert (shown["position"], table.read(connection, "toy", keys.namespace)["position"]) == (
        11, 61,
    )  # fmt: skip
    assert recompute(connection, archive, keys.namespace).ok
    now[0] += 5.0
    current.publish()
    assert table.read_head_to_head(connection, "toy", keys.namespace)["position"] == 61


def test_what_takes_long_to_write_is_written_less_often(
    connection: redis.Redis, keys: Keys, term: Term, archive: Archive, log: Log,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    now, made = [0.0], [0]

    def slow(*arguments: Any) -> dict[str, Any]:
        now[0] += 2.0
        made[0] += 1
        return table.render(*arguments)

    monkeypatch.setattr(rater, "render", slow)
    current = Rater(connection, keys, term, archive, ["toy"], clock=lambda: now[0])
    current.load()
    begun = now[0]
    results = season(1_000)
    while results:
        append(log, results.pop(0))
        current.take(0)
        current.publish()
        now[0] += 0.2
    assert made[0] >= 3
    assert 2.0 * made[0] <= 2.0 + 0.06 * (now[0] - begun)


def test_a_table_without_news_is_not_made_twice(
    new: Rater, log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(log, *season(20))
    new.take(0)
    first = new.table("toy")
    monkeypatch.setattr(rater, "render", None)
    assert new.table("toy") == first
    log.note(BotAdded(bot="b1", author="ann"))
    new.take(0)
    with pytest.raises(TypeError):
        new.table("toy")


def test_who_met_whom_in_a_season_that_is_over_is_kept(
    new: Rater, log: Log, connection: redis.Redis, keys: Keys, archive: Archive
) -> None:
    results = season(60)
    append(log, *results[:40])
    new.take(0)
    log.note(Season(game="toy", name="spring", number=40))
    append(log, *results[40:])
    new.take(0)
    new.publish(now=True)
    counts = {}
    for name in (fold.PRESEASON, "spring"):
        shown = table.read_head_to_head(connection, "toy", keys.namespace, name)
        counts[shown["season"]] = sum(sum(row[2:]) for row in shown["meetings"])
    assert counts == {fold.PRESEASON: 40, "spring": 20}
    assert recompute(connection, archive, keys.namespace).ok


class TestArchivedLog:
    """What is old and settled goes to files; the tables need not know."""

    @pytest.fixture(autouse=True)
    def small(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(rater, "TAIL", 20)
        monkeypatch.setattr(rater, "SEGMENT", 30)

    @pytest.fixture
    def trimmed(self, new: Rater, log: Log) -> Rater:
        append(log, *season(130))
        new.take(130)
        new.publish(now=True)
        while new.trim():
            pass
        return new

    def test_the_tail_stays_short(self, trimmed: Rater, log: Log, archive: Archive) -> None:
        assert log.base().position == 90
        assert log.redis.xlen(log.keys.log) == 131 - 90
        assert log.redis.hlen(log.keys.receipts) == 131 - 90
        assert [len(segment.entries) for segment in archive.segments()] == [30, 30, 30]

    def test_nothing_is_forgotten(
        self, trimmed: Rater, log: Log, connection: redis.Redis, keys: Keys, archive: Archive
    ) -> None:
        entries = list(walk.every(log, archive, 131))
        assert [each.position for each in entries] == list(range(1, 132))
        found = recompute(connection, archive, keys.namespace)
        assert (found.ok, found.results, found.position) == (True, 130, 131)

    def test_a_void_of_an_archived_result_folds_it_all_anew(
        self, trimmed: Rater, log: Log, connection: redis.Redis, keys: Keys, archive: Archive
    ) -> None:
        log.note(Void(match="m2", by="olga", reason="why"))
        trimmed.take(130)
        trimmed.publish(now=True)
        assert table.read(connection, "toy", keys.namespace)["rated"] == 129
        assert recompute(connection, archive, keys.namespace).ok

    def test_a_lost_file_is_named(
        self, trimmed: Rater, connection: redis.Redis, keys: Keys, archive: Archive
    ) -> None:
        digest = next(iter(sorted((archive.folder / "log").glob("*")))).read_text()
        archive.path(digest).unlink()
        with pytest.raises(BadFile, match=digest):
            recompute(connection, archive, keys.namespace)

    def test_another_leader_trims_not(self, new: Rater, log: Log) -> None:
        append(log, *season(130))
        new.take(130)
        new.publish(now=True)
        log.redis.set(log.keys.leader, "another")
        with pytest.raises(Deposed):
            new.trim()
        assert log.base() == Position()


class TestRecompute:
    @pytest.fixture
    def published(self, new: Rater, log: Log) -> Rater:
        append(log, *season(40))
        new.take(0)
        new.publish(now=True)
        return new

    def test_finds_a_changed_table(
        self, published: Rater, connection: redis.Redis, keys: Keys, archive: Archive
    ) -> None:
        changed = stored(connection, keys).replace(b'"wins":1', b'"wins":2', 1)
        connection.set(keys.table("toy"), changed)
        found = recompute(connection, archive, keys.namespace)
        assert found.differences == ("toy: the table differs from what the log gives",)

    def test_finds_a_changed_entry(
        self, published: Rater, log: Log, connection: redis.Redis, keys: Keys, archive: Archive
    ) -> None:
        logged = log.tail(10, 1)[0]
        entry = logged.entry
        assert isinstance(entry, Result)
        forged = encode(replace(entry, ranks=entry.ranks[::-1], reason="forged"))
        rows = log.tail(0)
        connection.delete(keys.log)
        for each in rows:
            data = forged if each.position == logged.position else each.data
            connection.xadd(keys.log, {"entry": data, "at": each.at_ms}, id=f"{each.position}-0")
        found = recompute(connection, archive, keys.namespace)
        assert found.differences == ("toy: the chain's head differs: the log was changed",)

    def test_finds_a_missing_entry(
        self, published: Rater, connection: redis.Redis, keys: Keys, archive: Archive
    ) -> None:
        connection.xdel(keys.log, "12-0")
        found = recompute(connection, archive, keys.namespace)
        assert found.differences[0] == "the log has no entry 12"

    def test_of_nothing_is_right(
        self, connection: redis.Redis, keys: Keys, archive: Archive
    ) -> None:
        found = recompute(connection, archive, keys.namespace)
        assert (found.ok, found.position, found.games) == (True, 0, ())


def test_random_interruptions_leave_one_table(
    connection: redis.Redis, keys: Keys, term: Term, archive: Archive, log: Log
) -> None:
    """A rater that is replaced at any point, late results, settling: equal bit for bit."""
    chance = random.Random(5)
    results = season(150, seed=3)
    pending, number = list(results), 0
    running: list[Result] = []
    current = Rater(connection, keys, term, archive, ["toy"], clock=lambda: 0.0)
    current.load()
    while pending or running:
        while pending and len(running) < 6:
            running.append(pending.pop(0))
        lowest = min(result.number for result in running)
        append(log, running.pop(chance.randrange(len(running))))
        if chance.random() < 0.5:
            current.take(lowest - 1)
        if chance.random() < 0.2:
            current.publish(now=chance.random() < 0.5)
        if chance.random() < 0.1:
            current = Rater(connection, keys, term, archive, ["toy"], clock=lambda: 0.0)
            current.load()
        number += 1
    current.take(150)
    current.publish(now=True)
    assert recompute(connection, archive, keys.namespace).ok
    assert table.read(connection, "toy", keys.namespace)["rated"] == 150
