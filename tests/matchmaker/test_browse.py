"""Closed matches are found from the newest back, with little work however long the log is."""

from pathlib import Path

import pytest
import redis

from matchmaker import browse
from matchmaker.adopting import keys_of
from matchmaker.archive import Archive
from matchmaker.browse import Past, Wanted
from matchmaker.entries import Result, Standing, Void, Why, cause_of, encode
from matchmaker.keys import Keys
from matchmaker.leader import Term
from matchmaker.log import RESULTS_OF_A_BOT, Log
from matchmaker.scripts import NOTE
from tests.helpers.results import append, archive_up_to, result
from tests.helpers.stage import Stage


@pytest.fixture
def past(connection: redis.Redis, keys: Keys, tmp_path: Path) -> Past:
    return Past(Log(connection, keys), Archive(tmp_path / "archive"))


def fill(past: Past, *results: Result) -> list[int]:
    return append(past.log.redis, past.log.keys, *results)


def found(past: Past, count: int = 100, before: int = 0, **wanted: str) -> list[str]:
    return [row.result.match for row in past.find(Wanted(**wanted), count, before).rows]


def test_matches_come_newest_first_whether_archived_or_not(past: Past, term: Term) -> None:
    fill(past, *(result(n) for n in range(1, 31)))
    newest_first = [f"m{n}" for n in range(30, 0, -1)]
    assert found(past) == newest_first
    for position in (8, 20):
        archive_up_to(past.log, past.archive, term, position)
        assert found(past) == newest_first
    assert past.log.base().position == 20
    assert past.log.before(21) == [], "they are in the archive alone"


def test_a_list_goes_on_where_it_was_left(past: Past, term: Term) -> None:
    fill(past, *(result(n) for n in range(1, 24)))
    archive_up_to(past.log, past.archive, term, 12)
    before, parts = 0, []
    while True:
        part = past.find(Wanted(), 10, before)
        parts.append([row.result.number for row in part.rows])
        fill(past, result(100 + len(parts)))  # what comes meanwhile shifts nothing
        if not part.before:
            break
        before = part.before
    assert parts == [list(range(23, 13, -1)), list(range(13, 3, -1)), [3, 2, 1]]


def test_each_filter_lets_through_what_it_names(past: Past) -> None:
    fill(
        past,
        result(1),
        result(2, ("a", "c"), ending="timeout", faults=("timeout", "")),
        result(3, game="chess"),
        result(4, cause=cause_of("cup", "r1m1")),
        result(5, ("b", "c"), standing=Standing.UNRATED, why=Why.PRACTISE),
    )
    assert found(past, game="chess") == ["m3"]
    assert found(past, ending="timeout") == ["m2"]
    assert found(past, tournament="cup") == ["m4"]
    assert found(past, standing="unrated") == ["m5"]
    assert found(past, bot="c") == ["m5", "m2"]
    assert found(past, bot="c", standing="rated") == ["m2"]
    assert found(past, bot="nobody") == []


def test_what_was_taken_out_later_is_void_by_an_operator(past: Past) -> None:
    fill(past, result(1), result(2))
    past.log.redis.eval(NOTE, 0, past.log.keys.prefix, encode(Void(match="m1", by="o", reason="r")))
    past.log.redis.hset(past.log.keys.voids, "m1", 3)
    rows = past.find(Wanted(), 10).rows
    assert [(row.result.match, row.standing, row.why) for row in rows] == [
        ("m2", Standing.RATED, Why.NONE),
        ("m1", Standing.VOID, Why.OPERATOR),
    ]
    assert found(past, standing="void") == ["m1"]


def test_one_call_looks_at_a_bounded_number_of_entries(
    past: Past, term: Term, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browse, "LOOKED_AT", 10)
    fill(past, result(1, game="chess"), *(result(n) for n in range(2, 31)))
    archive_up_to(past.log, past.archive, term, 15)
    calls, before = 0, 0
    while True:
        part = past.find(Wanted(game="chess"), 5, before)
        calls, before = calls + 1, part.before
        if part.rows or not before:
            break
        assert calls < 10
    assert [row.result.match for row in part.rows] == ["m1"]
    assert calls == 3, "thirty entries, ten at a time"


def test_a_match_is_found_by_its_id_however_old_it_is(past: Past, term: Term) -> None:
    fill(past, *(result(n) for n in range(1, 13)))
    for position in (3, 9):
        archive_up_to(past.log, past.archive, term, position)
    for number in range(1, 13):
        for given in (0, number):
            row = past.match(f"m{number}", given)
            assert row is not None
            assert (row.position, row.result.number) == (number, number)
    assert past.match("m99") is None
    assert past.match("m2", 3) is None, "there is another one"
    assert past.match("m2", 99) is None


def test_the_rater_keeps_where_archived_results_are(
    connection: redis.Redis, keys: Keys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("matchmaker.rater.TAIL", 4)
    monkeypatch.setattr("matchmaker.rater.SEGMENT", 4)
    stage = Stage(connection, keys, tmp_path, target=12)
    stage.go(24)
    stage.settle()
    while stage.matchmaker.rater.trim():
        pass
    log = Log(connection, keys)
    past = Past(log, stage.archive)
    assert log.base().position >= 4
    for record in stage.records.values():
        row = past.match(record.match)
        assert row is not None
        assert row.result.number == record.number
    assert all(log.receipt(match) is None for match in ("none", *stage.open))


def test_eight_bytes_across_two_rows_are_no_match(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    archive.put_places({f"m{n}": n for n in range(1, 200)})
    assert [archive.place_of(f"m{n}") for n in range(1, 200)] == list(range(1, 200))
    [file] = (tmp_path / "places").iterdir()
    assert file.name == "000000000001-000000000199"
    assert file.stat().st_size == 199 * 16


def test_a_close_remembers_where_the_results_of_its_bots_are(
    connection: redis.Redis, keys: Keys, tmp_path: Path
) -> None:
    stage = Stage(connection, keys, tmp_path, target=6)
    stage.go(12)
    log = Log(connection, keys)
    past = Past(log, stage.archive)
    for bot in "abc":
        own = [
            each.position
            for each in log.whole_tail()
            if isinstance(each.entry, Result) and bot in {seat.bot for seat in each.entry.seats}
        ]
        assert own
        assert log.of_bot(bot) == own[::-1]
        assert [row.position for row in past.of_bot(bot, 3)] == own[::-1][:3]


def test_a_log_that_comes_alone_says_where_each_bots_results_are(past: Past) -> None:
    fill(past, *(result(n, ("a", "b" if n % 2 else "c")) for n in range(1, 9)))
    stored = {name: values for name, _, values in keys_of(past.log.whole_tail())}
    for bot in "abc":
        assert stored[f"results:{bot}"] == [str(each) for each in past.log.of_bot(bot)]


def test_of_each_bot_a_bounded_number_is_remembered(
    connection: redis.Redis, keys: Keys, tmp_path: Path
) -> None:
    connection.rpush(keys.results("a"), *range(1_000, 0, -1))
    stage = Stage(connection, keys, tmp_path, ("a", "b"), target=1)
    stage.go(6)
    assert connection.llen(keys.results("a")) == RESULTS_OF_A_BOT
