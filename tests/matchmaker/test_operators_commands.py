"""The operators' commands as they are typed: what they print, and what they say to wrong use."""

import json
from pathlib import Path

import pytest
import redis

from matchmaker.keys import Keys
from matchmaker.log import Log
from tests.helpers.commands import Here
from tests.helpers.redis_server import RedisServer
from tests.helpers.stage import Stage


@pytest.fixture
def here(
    server: RedisServer,
    keys: Keys,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Here:
    return Here(monkeypatch, capsys).at(server.url, tmp_path / "archive", keys.namespace)


def test_words_on_bots_are_audited(here: Here) -> None:
    assert here.result("bot", "add", "one", "--author", "ann", "--by", "olga")["token"]
    assert here.says("bot", "ban", "one", "--why", "cheating", "--by", "olga") == (
        "bot one is banned; matches cancelled: 0\n"
    )
    assert here.result("bot", "list")["bots"][0]["paused"] == "banned: cheating"
    assert here.says("bot", "ban", "one", "--why", "x") == "bot one was banned before\n"
    assert here.result("bot", "unban", "one", "--by", "ivan")["before"] is False
    assert here.result("author", "ban", "ann", "--why", "cheating", "--by", "olga") == {
        **here.result("author", "ban", "ann", "--why", "x"), "before": False, "cancelled": [],
    }  # fmt: skip
    assert here.says("author", "unban", "ann") == "author ann is banned no more\n"
    assert here.says("author", "unban", "ann") == "author ann was not banned\n"
    acts = here.result("audit")["acts"]
    assert [(act["by"], act["what"], act["on"], act["why"]) for act in acts][:4] == [
        ("olga", "bot add", "one", ""),
        ("olga", "bot ban", "one", "cheating"),
        ("ivan", "bot unban", "one", ""),
        ("olga", "author ban", "ann", "cheating"),
    ]
    lines = here.says("audit", "--bot", "one").splitlines()
    assert len(lines) == 5
    assert lines[1].endswith("  olga  bot ban one: cheating")


def test_words_on_matches_and_seasons(
    here: Here, connection: redis.Redis, keys: Keys, tmp_path: Path
) -> None:
    stage = Stage(connection, keys, tmp_path, ("a", "b"), target=4)
    stage.go(8)
    one, two, *_ = (row["match"] for row in here.result("replay", "list")["matches"])
    position = Log(connection, keys).position()
    assert here.says("match", "void", one, "--why", "x") == (
        f"match {one} is void (entry {position + 1} of the results log)\n"
    )
    assert here.refused("match", "void", one, "--why", "x") == (
        2, f"warladder: match {one} is void already, by an operator's word",
    )  # fmt: skip
    assert here.result("match", "anew", two, "--why", "x")["pairing"]
    assert here.says(
        "season", "begin", "one", "--game", "skirmish", "--why", "x", "--keep", "mu"
    ) == ("season one of skirmish begins after match number 4\n")
    stage.settle()
    seasons = here.result("season", "list")["seasons"]
    assert [(row["season"], row["rated"], row["running"]) for row in seasons] == [
        ("preseason", 2, False),
        ("one", 0, True),
    ]
    assert here.says("season", "list").splitlines()[1] == "skirmish  one  0 rated  running"
    past = here.result("leaderboard", "--season", "preseason")
    assert (past["season"], len(past["table"])) == ("preseason", 2)
    assert here.says("leaderboard").startswith("skirmish ladder, season one\n")
    assert here.result("recompute")["results"] == 4


def test_words_on_the_whole_log(
    here: Here, connection: redis.Redis, keys: Keys, tmp_path: Path
) -> None:
    stage = Stage(connection, keys, tmp_path, ("a", "b"), target=2)
    stage.go(5)
    stage.settle()
    at = here.result("log", "head")
    assert here.says("log", "head") == f"position {at['position']}, head {at['head']}\n"
    assert here.says("log", "verify").startswith(f"{at['position']} entries, every one linked")
    for form in ("jsonl", "parquet"):
        file = str(tmp_path / f"log.{form}")
        made = here.result("log", "export", file)
        assert (made["format"], made["part"], made["head"]) == (form, False, at["head"])
        found = here.result("log", "verify", file)
        assert (found["head"], found["part"], found["broken"]) == (at["head"], False, None)
    part = str(tmp_path / "part")
    assert "entries, a part; position" in here.says("log", "export", part, "--game", "skirmish")
    assert here.says("log", "verify", part).startswith("a part: each of its ")
    code, line = here.refused("log", "import", part)
    assert (code, line.endswith("a part of a log cannot be imported; export it whole")) == (2, True)
    connection.xdel(keys.log, "3-0")
    assert here.refused("log", "verify") == (
        1, "warladder: the results log: entry 3: missing: the next is entry 4",
    )  # fmt: skip


def test_a_broken_chain_is_told_in_json_too(
    here: Here, connection: redis.Redis, keys: Keys, capsys: pytest.CaptureFixture[str]
) -> None:
    from matchmaker.cli.app import run

    connection.set(keys.log_position, 2)
    assert run(["log", "verify", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["ok"], told["broken"]) == (
        False, {"position": 1, "what": "missing: 2 were appended"},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("bot ban nobody --why x", "there is no bot 'nobody'; `warladder bot list` names all"),
        ("author ban nobody --why x", "there is no author 'nobody'"),
        ("bot ban nobody", "Missing option '--why'"),
        ("match void nemo --why x", "there is no match 'nemo'"),
        ("match anew nemo --why x", "there is no match 'nemo'"),
        ("season begin a/b --game skirmish --why x", "season 'a/b': a name has"),
        ("season begin ab --game chess --why x", "no game 'chess'"),
        ("leaderboard --game skirmish --season x", "skirmish has no season 'x'; there are: "),
        ("log export x --format xml", "--format 'xml': jsonl or parquet"),
        ("log export x --season x", "--season needs --game"),
        ("log verify /nothing", "/nothing: No such file or directory"),
        ("log import /nothing", "/nothing: No such file or directory"),
        ("backup /", "/: "),
        ("restore /nothing", "/nothing: No such file or directory"),
    ],
)
def test_wrong_use_is_one_line(here: Here, words: str, line: str) -> None:
    code, said = here.refused(*words.split())
    assert code == 2
    assert line in said


@pytest.mark.parametrize(
    "words", ["log head", "log verify", "log export x", "backup x", "recompute"]
)
def test_without_an_archive_a_line_says_so(here: Here, words: str) -> None:
    here.monkeypatch.setenv("WARLADDER_ARCHIVE", "")
    assert here.refused(*words.split()) == (
        2, "warladder: WARLADDER_ARCHIVE is not set: the older part of the log is there",
    )  # fmt: skip
