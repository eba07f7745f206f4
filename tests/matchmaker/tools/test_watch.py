"""`warladder watch`: what runs, a match as the public sees it, how it came out."""

import json
from pathlib import Path
from typing import Any

import pytest
import redis

from matchmaker import closed
from matchmaker.connection import Ladder
from matchmaker.keys import Keys
from matchmaker.tools.watch import CAUGHT_UP, Watching
from referee.match.record import Pace
from tests.helpers.commands import Here
from tests.helpers.matches import plan, record
from tests.helpers.random_play import random_journal
from tests.helpers.redis_server import RedisServer
from tests.helpers.stage import Stage

BOTS = ("needle-one", "needle-two")


@pytest.fixture
def ladder(connection: redis.Redis, keys: Keys, tmp_path: Path) -> Ladder:
    return Ladder(redis=connection, namespace=keys.namespace, archive=str(tmp_path / "archive"))


@pytest.fixture
def here(
    ladder: Ladder,
    server: RedisServer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Here:
    return Here(monkeypatch, capsys).at(server.url, Path(ladder.archive), ladder.namespace)


def running(ladder: Ladder, game: str = "skirmish", delay_ms: int = 0, **more: Any) -> None:
    """Put a match there that is played to its last choice."""
    keys = Keys(ladder.namespace)
    planned = record("live", game=game, bots=BOTS, pace=Pace(watch_delay_ms=delay_ms), **more)
    entries = random_journal(planned)
    plan(ladder.redis, keys, planned)
    seconds, _ = ladder.redis.time()  # type: ignore[misc]
    ladder.redis.hset(keys.match("live"), mapping={"status": "playing", "moved_ms": seconds * 1000})
    ladder.redis.rpush(keys.journal("live"), *entries)


def test_nothing_runs(here: Here) -> None:
    assert here.says("watch").startswith("no match is running")
    assert here.result("watch")["matches"] == []


def test_what_runs_is_listed_without_names(here: Here, ladder: Ladder) -> None:
    running(ladder, delay_ms=60_000)
    lines = here.says("watch").splitlines()
    assert lines[1].split()[:3] == ["live", "skirmish", "2"]
    assert lines[1].endswith("60 s")
    [match] = here.result("watch")["matches"]
    assert (match["match"], match["watch_delay_ms"]) == ("live", 60_000)
    assert "needle" not in json.dumps(match)


def test_a_match_nobody_knows_is_wrong_use(here: Here) -> None:
    code, line = here.refused("watch", "nowhere")
    assert code == 2
    assert "there is no match 'nowhere'; `warladder watch` lists those that run" in line


def test_a_running_match_is_told_as_the_public_sees_it(
    ladder: Ladder, capsys: pytest.CaptureFixture[str]
) -> None:
    running(ladder)
    watching = Watching(ladder, "live", False)
    part = watching.running.part("live")
    assert part is not None
    watching.take(part)
    out, err = capsys.readouterr()
    assert out.startswith("match live of skirmish, as the public sees it\n· The hills lie in")
    assert "\n· seat 0 draws a card\n" in out, "and not which"
    assert "── shows" not in out
    assert "\nDeck: 0 cards" in out, "the table, as it stands"
    assert "needle" not in out + err
    assert "(you)" not in out
    watching.take({**part, "steps": [], "events": []})
    assert capsys.readouterr().out == "", "nothing new"


def test_it_is_late_by_the_matchs_delay(ladder: Ladder, capsys: pytest.CaptureFixture[str]) -> None:
    running(ladder, delay_ms=60_000)
    watching = Watching(ladder, "live", False)
    part = watching.running.part("live")
    assert part is not None
    watching.take(part)
    out = capsys.readouterr().out
    assert out.startswith("match live of skirmish, as the public sees it, 60 s late\n")
    assert out.count("·") == 1, "the set-up"


def test_as_json_each_step_is_a_line(ladder: Ladder, capsys: pytest.CaptureFixture[str]) -> None:
    running(ladder)
    watching = Watching(ladder, "live", True)
    part = watching.running.part("live")
    assert part is not None
    watching.take(part)
    head, *lines = map(json.loads, capsys.readouterr().out.splitlines())
    assert (head["command"], head["match"], head["game"]) == ("watch", "live", "skirmish")
    assert len(lines) == len(part["steps"])
    told = [event for line in lines for event in line["events"]]
    assert [[each["event"], each["fields"], each["text"]] for each in told] == [
        part["events"][number] for step in part["steps"] for number in step["events"]
    ]
    assert all(each["text"] for each in told)
    assert lines[-1]["asked"] == []


def test_on_a_terminal_who_comes_late_is_told_the_last_things_alone(
    ladder: Ladder, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    running(ladder, game="stalingrad", options={"max_rounds": 2})
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich takes this for a terminal
    watching = Watching(ladder, "live", False)
    part = watching.running.part("live")
    assert part is not None
    watching.take(part)
    out = capsys.readouterr().out
    assert " things happened before" in out
    assert out.count("· ") < CAUGHT_UP + 10
    assert "◆" in out


def test_a_closed_match_says_how_it_came_out_and_where_to_read_it(
    connection: redis.Redis,
    keys: Keys,
    tmp_path: Path,
    ladder: Ladder,
    here: Here,
    server: RedisServer,
) -> None:
    stage = Stage(connection, keys, tmp_path, target=2)
    stage.go(20)
    row = closed.matches(ladder, None, None, 1)[0]
    lines = here.says("watch", row.result.match).splitlines()
    assert lines[0] == (
        f"match {row.result.match} of skirmish is over: played to its end by the rules;"
        " all hills were fought for, and the hills taken were counted"
    )
    ranks = [f"  {rank}. {seat.bot}, seat {n}" for n, (rank, seat) in
             enumerate(zip(row.result.ranks, row.result.seats, strict=True))]  # fmt: skip
    assert lines[1:3] == ranks
    assert lines[3:] == ["rated", f"read it with `warladder replay show {row.file}`"]
    told = here.result("watch", row.result.match)
    assert told["over"] is True
    assert told["file"] == row.file
    # Followed to its end, the rest is told from the replay.
    watching = Watching(ladder, row.result.match, False)
    found = watching.closed()
    assert found is not None
    here.capsys.readouterr()
    watching.begin({"game": "skirmish", "cards": row.result.cards, "seats": [{}, {}]})
    watching.over(found)
    out = here.capsys.readouterr().out
    assert "· The end: " in out
    assert out.endswith("\n".join(lines) + "\n")
    # An operator takes it out.
    here.says("match", "void", row.result.match, "--why", "a test")
    assert here.says("watch", row.result.match).splitlines()[3] == ("void: an operator took it out")
    # Without the archive the last ones are known, though not where their files are.
    here.at(server.url, None, ladder.namespace)
    assert here.says("watch", row.result.match).endswith("WARLADDER_ARCHIVE names no folder\n")
