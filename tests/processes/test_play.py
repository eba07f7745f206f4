"""Local matches: bots as processes of their own, the same bytes each time."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from matchmaker import archive
from referee.match.journal import unpack_journal
from referee.match.replay import read_record, verify
from tests.helpers.processes import all_gone, running, warladder


def play(*words: str, **more: str) -> str:
    run = warladder("play", *words, "--json", **more)
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_two_runs_are_the_same_to_the_byte() -> None:
    words = ("skirmish", "greedy", "random", "--pairings", "5", "--seed", "1")
    first = play(*words, PYTHONHASHSEED="1")
    # An author's shell may name the authority of a server that he attends.
    assert first == play(*words, PYTHONHASHSEED="2", WARLADDER_TLS_CA="/not/here.pem")
    assert first != play("skirmish", "greedy", "random", "--pairings", "5", "--seed", "2")
    told = json.loads(first)
    assert list(told) == [
        "command", "version", "ok", "game", "seed", "pairings", "results", "totals",
    ]  # fmt: skip
    assert (told["command"], told["game"], told["seed"]) == ("play", "skirmish", "1")
    assert len(told["results"]) == 10
    for k, result in enumerate(told["results"]):
        assert list(result) == ["seats", "ranks", "reason", "decisions", "digest"]
        assert result["seats"] == (["greedy", "random"], ["random", "greedy"])[k % 2]
        assert result["reason"] == "points"
    assert sum(sum(figures.values()) for figures in told["totals"].values()) == 20
    assert told["totals"]["greedy"]["wins"] > told["totals"]["random"]["wins"]


def test_a_bots_chance_hangs_on_seed_and_match_not_on_its_company() -> None:
    """The first matches are the same whether or not more follow."""
    few = json.loads(play("skirmish", "random", "random", "--pairings", "1"))
    many = json.loads(play("skirmish", "random", "random", "--pairings", "3"))
    assert many["results"][:2] == few["results"]
    assert list(few["totals"]) == ["random", "random#2"]


def test_teams_win_together_and_every_order_of_seats_is_played() -> None:
    told = json.loads(
        play("skirmish", "greedy", "hello", "random", "hello", "--option", "teams=true")
    )
    assert len({tuple(result["seats"]) for result in told["results"]}) == 24
    for result in told["results"]:
        assert result["ranks"][0] == result["ranks"][2]
        assert result["ranks"][1] == result["ranks"][3]


def test_replays_are_kept_and_right(tmp_path: Path) -> None:
    told = json.loads(play("skirmish", "greedy", "random", "--replay", str(tmp_path)))
    replays = [archive.read_replay(path) for path in tmp_path.rglob("*.zst")]
    assert len(replays) == len(told["results"]) == 2
    digests = set()
    for replay in replays:
        entries = unpack_journal(list(replay.journal))
        found = verify(read_record(entries), entries)
        assert found.problems == []
        assert found.leaks == []
        digests.add(found.digest.hex())
    assert digests == {result["digest"] for result in told["results"]}


def test_without_json_it_is_a_table() -> None:
    run = warladder("play", "skirmish", "random", "hello")
    assert run.returncode == 0, run.stderr
    assert run.stdout.split()[:4] == ["bot", "wins", "draws", "losses"]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("chess", "random", "random"), "no game 'chess'"),
        (
            ("skirmish", "random", "nobody"),
            "bot 'nobody': neither a sample nor a program",
        ),
        (("skirmish", "random", "sh 'open"), "No closing quotation"),
        (("skirmish", "random", "cautious"), "cautious does not play skirmish, only stalingrad"),
        (("skirmish", "random"), "skirmish is played by 2 or 3 or 4 bots, not 1"),
        (("skirmish", "random", "random", "--option", "rounds=9"), "rounds"),
        (("skirmish", "random", "random", "--option", "teams=true"), "teams"),
        (("skirmish", "random", "random", "--pairings", "0"), "pairings"),
    ],
)
def test_wrong_use_is_one_line_and_exit_2(words: tuple[str, ...], line: str) -> None:
    run = warladder("play", *words)
    assert run.returncode == 2, run.stderr
    assert run.stdout == ""
    assert len(run.stderr.splitlines()) == 1, run.stderr
    assert line in run.stderr


def test_a_bot_that_dies_at_its_start_is_named_with_its_last_words(tmp_path: Path) -> None:
    bot = tmp_path / "broken.py"
    bot.write_text("import sys\nprint('warming up')\nsys.exit('the model file is missing')\n")
    run = warladder("play", "skirmish", "random", f"{sys.executable} {bot}")
    assert run.returncode == 1
    assert run.stdout == ""
    assert len(run.stderr.splitlines()) == 1, run.stderr
    assert "bot broken ended with exit code 1: " in run.stderr
    assert "the model file is missing" in run.stderr


def test_a_bot_that_dies_in_a_match_loses_it(tmp_path: Path) -> None:
    bot = tmp_path / "mortal.py"
    hello = Path("sample_bots/python/hello/bot.py").read_text()
    bot.write_text(hello.replace("option=0)", "option=0)\n            os._exit(3)"))
    run = warladder("play", "skirmish", "random", f"{sys.executable} {bot}", "--json")
    assert run.returncode == 1
    assert "bot mortal ended with exit code 3: " in run.stderr
    assert "1 match not played" in run.stderr
    told = json.loads(run.stdout)
    assert told["ok"] is False
    (result,) = told["results"]
    assert (result["reason"], result["ranks"]) == ("disconnected", [1, 2])


def test_what_bots_print_is_shown_when_asked_for() -> None:
    run = warladder("play", "skirmish", "random", "hello", "--show-bots")
    assert run.returncode == 0, run.stderr
    assert sorted(run.stderr.splitlines()) == [
        "hello: attending as hello",
        "random: attending as random",
    ]


@pytest.mark.parametrize("end", ["interrupt", "kill"])
def test_its_bots_end_with_it(end: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    with running(tmp_path, "play", "skirmish", "hello", "random", "--pairings", "100000") as it:
        it.child(str(Path("sample_bots/python/random/bot.py").resolve()))
        family = it.family()
        ends: dict[str, Callable[[], int | None]] = {
            "interrupt": it.interrupt,
            "kill": lambda: it.process.kill() or it.process.wait(),
        }
        code = ends[end]()
        assert code == (130 if end == "interrupt" else -9)
        assert all_gone(family)
    if end == "interrupt":
        assert "interrupted after " in it.err.read_text()


def test_what_each_bot_heard_and_said_is_written_down(tmp_path: Path) -> None:
    told = json.loads(play("skirmish", "greedy", "random", "--log", str(tmp_path / "log")))
    choices = 0
    for bot in ("greedy", "random"):
        written = (tmp_path / "log" / f"{bot}.jsonl").read_text("utf-8")
        lines = [json.loads(line) for line in written.splitlines()]
        kinds = [next(iter(message)) for line in lines for message in line.values()]
        assert kinds[:2] == ["hello", "welcome"]
        assert kinds.count("match_started") == kinds.count("match_ended") == 2
        assert kinds.count("decide") == kinds.count("choose") > 0
        choices += kinds.count("choose")
    assert choices == sum(result["decisions"] for result in told["results"])
