"""A ladder that runs: a newcomer's way to a rated match, its metrics, its memory over kills."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.helpers.log_lines import events
from tests.helpers.processes import (
    ROOT,
    Running,
    all_gone,
    environment,
    eventually,
    free_ports,
    running,
    scrape,
    warladder,
)
from tests.helpers.redis_server import redis_server

pytestmark = pytest.mark.timeout(240)

FAMILIES = {
    "referee-1": {
        "warladder_referee_matches_total",  # by ending
        "warladder_referee_decisions_total",
        "warladder_referee_decision_seconds",  # by part: referee, wire, think
        "warladder_referee_matches_playing",
        "warladder_referee_streams",
        "warladder_referee_faults_total",
        "warladder_referee_event_loop_lag_seconds",
        "process_cpu_seconds_total",
        "process_resident_memory_bytes",
    },
    "worker-1": {
        "warladder_job_seconds",
        "warladder_failed_jobs_total",
        "warladder_closed_matches_total",
        "warladder_leaks_total",
        "process_cpu_seconds_total",
        "process_resident_memory_bytes",
    },
    "matchmaker": {
        "warladder_ladder_matches",  # by ending
        "warladder_queue_jobs",
        "warladder_sweeps_total",
        "warladder_swept_matches_total",
        "warladder_rating_mu_points",
        "warladder_rating_sigma_points",
        "warladder_rank_places",
        "process_cpu_seconds_total",
        "process_resident_memory_bytes",
    },
    "web": {
        "warladder_web_requests_total",
        "warladder_web_request_seconds",
        "warladder_web_open_streams",
        "process_cpu_seconds_total",
        "process_resident_memory_bytes",
    },
}


@contextmanager
def up(place: Path, home: Path, *words: str) -> Iterator[Running]:
    """A ladder of the tutorial game on ports that nobody else is likely to use."""
    port = free_ports(place)
    ports = ("--listen", f"127.0.0.1:{port}", "--metrics-port", str(port + 1))
    ports += ("--web-listen", f"127.0.0.1:{port + 8}")
    with running(place, "up", "--game", "skirmish", *ports, *words, home=home) as ladder:
        ladder.says("up; Ctrl-C ends it")
        yield ladder


def table(home: Path) -> dict[str, int]:
    """Matches of each bot."""
    ran = warladder("leaderboard", "--game", "skirmish", "--json", home=home)
    assert ran.returncode == 0, ran.stderr
    return {row["bot"]: row["matches"] for row in json.loads(ran.stdout)["table"]}


def said(ladder: Running, what: str) -> str:
    """What follows a word that `up` says of itself."""
    lines = [line for line in ladder.err.read_text().splitlines() if line.startswith(what)]
    return lines[0].removeprefix(what).strip()


@contextmanager
def bot(place: Path, address: str, token: str) -> Iterator[subprocess.Popen[bytes]]:
    """The tutorial's bot, started as its author would."""
    with (place / "bot").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, str(ROOT / "sample_bots/python/hello/bot.py")],
            env=environment(WARLADDER_REFEREE=address, WARLADDER_TOKEN=token),
            stdout=log, stderr=log,
        )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def test_a_newcomers_bot_is_rated_and_metrics_tell_of_it(
    tmp_path: Path, require: Callable[..., str]
) -> None:
    home = tmp_path / "home"
    with up(tmp_path / "up", home, "--bots") as ladder:
        added = warladder("bot", "add", "newcomer", "--author", "me", home=home)
        assert added.returncode == 0, added.stderr
        with bot(tmp_path, said(ladder, "bots dial"), added.stdout.strip()):
            eventually(lambda: table(home).get("newcomer", 0) >= 2, 90)
            watch_one(home)
        checked = warladder("recompute", "--json", home=home)
        assert checked.returncode == 0, checked.stderr
        assert json.loads(checked.stdout)["results"] >= 2

        promtool = require("promtool")
        for name, families in FAMILIES.items():
            metrics = scrape(said(ladder, f"metrics of {name}:"))
            there = {line.split()[2] for line in metrics.splitlines() if line.startswith("# TYPE")}
            assert families - there == set(), name
            lint = subprocess.run(
                [promtool, "check", "metrics"], input=metrics, capture_output=True, text=True
            )
            assert (lint.returncode, lint.stdout + lint.stderr) == (0, ""), name
        leaks = scrape(said(ladder, "metrics of worker-1:"))
        assert "warladder_leaks_total 0.0" in leaks

        family = ladder.family()
        assert ladder.interrupt() == 130
        assert all_gone(family)
    assert "Traceback" not in ladder.err.read_text()
    logs_are_events(home / "logs")


def watch_one(home: Path) -> None:
    """Follow a running match until it has closed; it may be over before we look."""

    def matches() -> list[dict[str, str]]:
        ran = warladder("watch", "--json", home=home)
        assert ran.returncode == 0, ran.stderr
        found: list[dict[str, str]] = json.loads(ran.stdout)["matches"]
        return found

    match = eventually(matches, 30)[-1]["match"]
    ran = warladder("watch", match, "--json", home=home, seconds=60)
    assert ran.returncode == 0, ran.stderr
    *steps, last = map(json.loads, ran.stdout.splitlines())
    assert (last["command"], last["over"], last["match"]) == ("watch", True, match)
    assert not steps or steps[-1]["events"], "what was not shown yet is told at the end"
    assert Path(last["file"]).is_file()


def logs_are_events(logs: Path) -> None:
    """Of every process of ours: one event a line, as the page on logs lists them."""
    names = {name: {each["event"] for each in events(logs / f"{name}.log")} for name in FAMILIES}
    assert {"referee_serves", "bot_attends", "match_opened", "match_ended"} <= names["referee-1"]
    assert {"worker_started", "worker_stopped"} <= names["worker-1"]
    assert {"matchmaker_started", "term_began", "version_seen"} <= names["matchmaker"]
    assert {"web_serves", "web_stopped"} <= names["web"]
    ended = [each for each in events(logs / "referee-1.log") if each["event"] == "match_ended"]
    assert any("newcomer" in each["bots"].split(",") for each in ended)


def test_a_second_up_in_the_same_home_is_refused_and_one_elsewhere_is_not(tmp_path: Path) -> None:
    with up(tmp_path / "one", tmp_path / "home"):
        again = warladder("up", "--game", "skirmish", home=tmp_path / "home")
        assert (again.returncode, again.stdout) == (2, "")
        assert "is running in" in again.stderr
        assert len(again.stderr.splitlines()) == 1
        port = free_ports(tmp_path / "the-other")
        here = {
            "WARLADDER_NAMESPACE": "other",
            "WARLADDER_REFEREE_LISTEN": f"127.0.0.1:{port}",
            "WARLADDER_METRICS_PORT": str(port + 1),
            "WARLADDER_WEB_LISTEN": f"127.0.0.1:{port + 8}",
        }  # its own, once for `up` and every command
        elsewhere = tmp_path / "elsewhere"
        words = ("up", "--game", "skirmish")
        with running(tmp_path / "the-other", *words, home=elsewhere, **here) as other:
            said = other.says("up; Ctrl-C ends it")
            assert f"bots dial 127.0.0.1:{port}\npages at http://127.0.0.1:{port + 8}/" in said
            targets = json.loads((elsewhere / "targets.json").read_text())
            assert {each["labels"]["ladder"] for each in targets} == {"other"}
            guest = warladder("human", home=elsewhere, seconds=30, WARLADDER_TOKEN="none", **here)
            assert guest.returncode == 1, guest.stderr
            assert f"127.0.0.1:{port}" in guest.stderr
            assert other.interrupt() == 130


def test_up_waits_for_a_redis_that_is_named_and_goes_on_when_it_comes(tmp_path: Path) -> None:
    with redis_server() as store:
        store.stop()
        port = free_ports(tmp_path)
        words = ("--listen", f"127.0.0.1:{port}", "--metrics-port", str(port + 1))
        words += ("--web-listen", f"127.0.0.1:{port + 8}")
        with running(
            tmp_path, "up", "--game", "skirmish", *words,
            home=tmp_path / "home", WARLADDER_REDIS_URL=store.url,
        ) as ladder:  # fmt: skip
            said = ladder.says("waiting for it")
            assert said.startswith(f"warladder up: Redis at {store.url} does not answer (")
            assert len(said.splitlines()) == 1
            store.start()
            ladder.says("up; Ctrl-C ends it")
            assert ladder.interrupt() == 130


def test_nothing_is_forgotten_over_a_kill_and_a_stop(tmp_path: Path) -> None:
    home = tmp_path / "home"
    counts: list[int] = []
    for number, end in enumerate((signal.SIGKILL, signal.SIGINT, signal.SIGTERM)):
        with up(tmp_path / str(number), home, "--bots") as ladder:
            before = sum(table(home).values())
            assert before >= (counts[-1] if counts else 0)
            eventually(lambda mark=before: sum(table(home).values()) > mark, 90)  # type: ignore[misc]
            counts.append(sum(table(home).values()))
            family = ladder.family()
            ladder.process.send_signal(end)
            assert ladder.process.wait(30) == (-9 if end == signal.SIGKILL else 130)
            assert all_gone(family)
    with up(tmp_path / "last", home):
        assert sum(table(home).values()) >= counts[-1]
        assert warladder("recompute", home=home).returncode == 0


def test_a_killed_referee_is_started_again_and_its_bots_come_back(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with up(tmp_path / "up", home, "--bots") as ladder:
        eventually(lambda: sum(table(home).values()) > 0, 60)
        ladder.child("matchmaker", "referee").send_signal(signal.SIGKILL)
        mark = sum(table(home).values())
        eventually(lambda: sum(table(home).values()) > mark + 4, 90)
        assert ladder.interrupt() == 130
