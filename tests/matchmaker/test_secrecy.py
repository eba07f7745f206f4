"""Whatever anybody can ask of a ladder while a match is open, its deal is not in it."""

import json
from pathlib import Path

import pytest
import redis
from structlog.testing import capture_logs

from matchmaker import blame, closed, registry
from matchmaker.connection import Ladder
from matchmaker.keys import Keys
from matchmaker.queues import OPEN
from referee.match.record import MatchRecord, unpack_record
from referee.store.records import Status
from tests.helpers import needles
from tests.helpers.stage import Stage


@pytest.fixture
def stage(connection: redis.Redis, keys: Keys, tmp_path: Path) -> Stage:
    stage = Stage(connection, keys, tmp_path, ("a", "b", "c"))
    stage.go(3)
    return stage


def ways_out(stage: Stage, ladder: Ladder) -> list[bytes]:
    """All that commands and tables tell, and the archive's files, packed and unpacked."""
    bots = registry.bots(stage.redis, namespace=stage.keys.namespace)
    told = [
        stage.table(),
        [row.fields() for row in closed.matches(ladder, None, None, 1000)],
        [bot._asdict() for bot in bots],
        *([blame.fields(each) for each in blame.of(ladder, bot.name, 1000)] for bot in bots),
    ]
    files = [file for file in stage.archive.folder.rglob("*") if file.is_file()]
    return [
        *(json.dumps(each, default=str).encode() for each in told),
        *(file.read_bytes() for file in files),
        *(entry for file in files for entry in replayed(stage, file)),
    ]


def replayed(stage: Stage, file: Path) -> tuple[bytes, ...]:
    """A closed match's whole journal."""
    if file.suffix != ".zst" or len(file.stem) != 64:
        return ()
    return stage.archive.replay(file.stem).journal


def secrets_of(record: MatchRecord) -> dict[str, dict[str, bytes]]:
    return {
        f"the seed of {record.match}": needles.forms(record.seed.encode()),
        f"the salt of {record.match}": needles.forms(record.salt),
    }


def test_the_deal_of_a_match_is_told_nowhere_before_it_is_closed(
    stage: Stage, tmp_path: Path
) -> None:
    ladder = Ladder(
        redis=stage.redis, namespace=stage.keys.namespace, archive=str(tmp_path / "archive")
    )
    with capture_logs() as logged:
        stage.matchmaker.round()
        planned = open_records(stage)
        assert planned
        stage.work(OPEN)
        ended = open_records(stage)
    assert {status for status, _ in planned.values()} == {Status.PLANNED}
    assert {status for status, _ in ended.values()} == {Status.ENDED}
    heard = [*ways_out(stage, ladder), str(logged).encode()]
    for _, record in ended.values():
        assert needles.found(heard, secrets_of(record)) == []
    stage.go(3)
    after = ways_out(stage, ladder)
    for _, record in ended.values():
        assert needles.found(after, secrets_of(record)) != [], "closed, its replay tells it"


def open_records(stage: Stage) -> dict[str, tuple[str, MatchRecord]]:
    found = {}
    for match in stage.open:
        status, data = stage.redis.hmget(stage.keys.match(match), ["status", "record"])
        found[match] = (status.decode(), unpack_record(data))
    return found


def test_no_two_matches_share_a_deal_or_a_salt(stage: Stage) -> None:
    stage.go(10)
    records = list(stage.records.values())
    assert len(records) > 10
    for secret in ("match", "seed", "salt", "commitment"):
        assert len({getattr(record, secret) for record in records}) == len(records), secret
