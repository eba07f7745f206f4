"""`warladder bot …` and `leaderboard` with a real server, and what they say without one."""

import json
from collections.abc import Iterator
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.helpers.processes import warladder
from tests.helpers.redis_server import redis_server


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with redis_server() as server:
        yield server.url


def run(url: str, words: str) -> CompletedProcess[str]:
    return warladder(*words.split(), WARLADDER_REDIS_URL=url)


def result(url: str, words: str) -> dict[str, object]:
    ran = run(url, f"{words} --json")
    assert ran.returncode == 0, ran.stderr
    found: dict[str, object] = json.loads(ran.stdout)
    assert found["command"] == " ".join(word for word in words.split()[:2])
    assert found["ok"] is True
    return found


def bots(url: str) -> dict[str, dict[str, object]]:
    rows = result(url, "bot list")["bots"]
    assert isinstance(rows, list)
    return {row["bot"]: row for row in rows}


def test_the_life_of_a_bot(url: str) -> None:
    added = run(url, "bot add one --author me")
    assert added.returncode == 0
    token = added.stdout.strip()
    assert token.startswith("wl_")
    assert "shown once" in added.stderr
    assert token not in added.stderr
    assert (bots(url)["one"]["author"], bots(url)["one"]["house"]) == ("me", False)
    assert run(url, "bot add sparring --author me --house").returncode == 0
    assert bots(url)["sparring"]["house"] is True
    assert token not in run(url, "bot list").stdout

    assert "added: by author me" in run(url, "bot log one").stdout
    assert result(url, "bot rotate one")["token"] != token
    assert run(url, "bot pause one --reason slow").stdout == "one is paused: slow\n"
    assert bots(url)["one"]["paused"] == "slow"
    assert run(url, "bot resume one").stdout == "one plays again\n"
    assert run(url, "bot resume one").stdout == "one was not paused\n"
    assert run(url, "bot remove one").stdout == "one is removed\n"
    lines = result(url, "bot log one")["lines"]
    assert isinstance(lines, list)
    whats = [line["what"] for line in lines]
    assert whats == ["added", "rotated", "paused", "resumed", "removed"]
    assert lines[2]["text"] == "paused: slow"


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("bot add two", "Missing option '--author'"),
        ("bot add no/name --author me", "bot 'no/name': a name has"),
        ("bot pause nobody", "there is no bot 'nobody'; `warladder bot list` names them"),
        ("bot rotate nobody", "there is no bot 'nobody'"),
        ("bot remove nobody", "there is no bot 'nobody'"),
        ("leaderboard --game chess", "no game 'chess'; there are: "),
    ],
)
def test_wrong_use_is_one_line(url: str, words: str, line: str) -> None:
    ran = run(url, words)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert len(ran.stderr.splitlines()) == 1
    assert line in ran.stderr


def test_a_name_that_is_taken_is_refused(url: str) -> None:
    assert run(url, "bot add three --author me").returncode == 0
    again = run(url, "bot add three --author me")
    assert again.returncode == 2
    assert "registered already" in again.stderr


def test_a_ladder_without_matches_has_an_empty_table(url: str) -> None:
    found = result(url, "leaderboard")
    assert (found["table"], found["position"]) == ([], 0)
    assert run(url, "leaderboard").returncode == 0


def test_nothing_running_says_what_to_do(tmp_path: Path) -> None:
    ran = warladder("bot", "list", home=tmp_path)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == (
        f"warladder: no `warladder up` is running in {tmp_path};"
        " start one, or set WARLADDER_HOME or WARLADDER_REDIS_URL\n"
    )


def test_a_server_that_does_not_answer_is_one_line() -> None:
    ran = run("redis://:secret@127.0.0.1:1", "bot list")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert len(ran.stderr.splitlines()) == 1
    assert "Redis at redis://…@127.0.0.1:1 does not answer" in ran.stderr


@pytest.mark.parametrize("url", ["nonsense", "http://127.0.0.1"])
def test_an_address_that_is_none_is_wrong_use(url: str) -> None:
    ran = run(url, "bot list")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "WARLADDER_REDIS_URL" in ran.stderr
    assert len(ran.stderr.splitlines()) == 1
