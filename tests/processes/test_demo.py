"""A demo with real processes: what it writes, and what it takes to bring it down."""

import json
import signal
import socket
import time
from functools import cache, partial
from pathlib import Path

import psutil
import pytest
import redis

from matchmaker import table
from matchmaker.settings import AWAY
from tests.helpers.demo_json import faults
from tests.helpers.processes import (
    Running,
    all_gone,
    eventually,
    free_ports,
    running,
    scrape,
    warladder,
)
from tests.helpers.redis_server import redis_server

pytestmark = pytest.mark.timeout(300)

SHORT = ("demo", "--game", "skirmish", "--matches", "10")
ENDLESS = ("demo", "--game", "skirmish", "--matches", "100000")


@cache
def told_to_matchmaker(demo: Running) -> dict[str, str]:
    """The environment of its matchmaker, kept: one that was killed a moment ago has none."""
    return demo.child("matchmaker", "matchmaker").environ()


def rated(demo: Running) -> int:
    """How many of its matches are rated so far."""
    told = told_to_matchmaker(demo)
    with redis.Redis.from_url(told["WARLADDER_REDIS_URL"]) as connection:
        try:
            now = table.read(connection, told["WARLADDER_GAMES"], told["WARLADDER_NAMESPACE"])
        except AWAY:
            return 0
    return int(now["rated"])


def said(demo: Running, what: str) -> str:
    """What follows a word that the demo says of itself."""
    lines = [line for line in demo.err.read_text().splitlines() if line.startswith(what)]
    return lines[0].removeprefix(what).strip()


def reached(address: str) -> bool:
    try:
        return "rated matches of" in scrape(address)
    except OSError:
        return False


def over(demo: Running, mark: int) -> bool:
    """Whether it has rated more than so many, or has ended."""
    return demo.process.poll() is not None or rated(demo) > mark


def test_a_demo_writes_its_table_and_its_json(tmp_path: Path) -> None:
    file = tmp_path / "demo.json"
    ran = warladder(*SHORT, "--json", str(file))
    assert ran.returncode == 0, ran.stderr
    assert faults(json.loads(file.read_text()), 10) == []
    assert "10 rated, 0 unrated, 0 void (normal 10) in " in ran.stdout
    for name in ("referee-1", "worker-1", "matchmaker"):
        assert f"metrics of {name}: http://127.0.0.1:" in ran.stderr


def test_json_on_standard_output_stands_there_alone() -> None:
    ran = warladder(*SHORT, "--json", "-")
    assert ran.returncode == 0, ran.stderr
    assert faults(json.loads(ran.stdout), 10) == []


def test_a_demo_that_serves_goes_on_after_its_table(tmp_path: Path) -> None:
    port = free_ports(tmp_path)
    with running(tmp_path, *SHORT, "--serve", "--web-port", str(port)) as demo:
        demo.says(f"pages at http://127.0.0.1:{port}/")
        eventually(lambda: "10 rated" in demo.out.read_text() or rated(demo) > 20, 60)
        shown = f"http://127.0.0.1:{port}/games/skirmish"
        assert "rated matches of" in scrape(shown)
        assert "warladder_web_renders_total" in scrape(said(demo, "metrics of web:"))
        listed = json.loads(Path(said(demo, "targets for Prometheus:")).read_text())
        watched = {each["labels"]["process"]: each["targets"] for each in listed}
        assert set(watched) == {"referee-1", "worker-1", "matchmaker", "web"}
        assert f"http://{watched['web'][0]}/metrics" == said(demo, "metrics of web:")
        demo.child("matchmaker", "web").kill()
        mark = rated(demo)
        eventually(lambda: reached(shown), 60)
        demo.child("matchmaker", "web").send_signal(signal.SIGTERM)
        eventually(lambda: rated(demo) > mark + 3, 60)
        assert " rated, 0 unrated, 0 void" in demo.out.read_text()
        assert demo.interrupt() == 130


def test_two_demos_at_once_do_not_meet(tmp_path: Path) -> None:
    files = [tmp_path / "one.json", tmp_path / "two.json"]
    with (
        running(tmp_path / "one", *SHORT, "--json", str(files[0])) as one,
        running(tmp_path / "two", *SHORT, "--json", str(files[1])) as two,
    ):
        assert [one.process.wait(120), two.process.wait(120)] == [0, 0], one.err.read_text()
    for file in files:
        assert faults(json.loads(file.read_text()), 10) == []


@pytest.mark.parametrize("moment", [0.0, 0.3, 0.6, 1.0, 2.0])
def test_ctrl_c_at_any_time_ends_all(tmp_path: Path, moment: float) -> None:
    """From the first moment in which Python has begun with our code."""
    with running(tmp_path, *ENDLESS) as demo:
        eventually(lambda: begun(demo))
        deadline = time.monotonic() + moment
        eventually(lambda: time.monotonic() >= deadline)
        family = demo.family()
        folders = homes(family)
        assert demo.interrupt() == 130
        assert all_gone(family)
        assert "Traceback" not in demo.err.read_text()
        assert not [folder for folder in folders if folder.exists()]


def begun(demo: Running) -> bool:
    """Whether our own code has been read: its package's extension modules are in memory."""
    maps = Path(f"/proc/{demo.process.pid}/maps")
    if maps.exists():
        return "pydantic_core" in maps.read_text()
    return bool(demo.family())


def homes(family: list[psutil.Process]) -> list[Path]:
    """Temporary folders that these processes are told to use."""
    found = set()
    for process in family:
        try:
            archive = process.environ().get("WARLADDER_ARCHIVE")
        except psutil.Error:
            continue
        if archive:
            found.add(Path(archive).parent)
    return sorted(found)


def test_a_killed_demo_leaves_nothing_behind(tmp_path: Path) -> None:
    with running(tmp_path, *ENDLESS) as demo:
        demo.says("metrics of matchmaker")
        eventually(lambda: rated(demo) > 0)
        family = demo.family()
        folders = homes(family)
        assert len(family) >= 10  # server, three of ours, five bots, the guard
        assert len(folders) == 1
        demo.process.send_signal(signal.SIGKILL)
        demo.process.wait(10)
        assert all_gone(family)
        assert not folders[0].exists()
    assert warladder(*SHORT).returncode == 0


def test_a_killed_guard_ends_the_demo_in_order(tmp_path: Path) -> None:
    with running(tmp_path, *ENDLESS) as demo:
        demo.says("metrics of matchmaker")
        family = demo.family()
        folders = homes(family)
        demo.child("watch").send_signal(signal.SIGKILL)
        assert demo.process.wait(60) == 1
        assert demo.err.read_text().splitlines()[-1] == (
            "warladder: the guard of our processes was killed; start again"
        )
        assert all_gone(family)
        assert not folders[0].exists()


def test_killed_workers_and_matchmakers_lose_nothing(tmp_path: Path) -> None:
    """Every planned match ends, and has one result; the bots are blamed for nothing."""
    file = tmp_path / "demo.json"
    words = ("demo", "--game", "skirmish", "--matches", "200", "--json", str(file))
    with running(tmp_path, *words) as demo:
        demo.says("metrics of matchmaker")
        told_to_matchmaker(demo)
        for name in ("worker", "matchmaker", "referee") * 2:
            demo.child("matchmaker", name).send_signal(signal.SIGKILL)
            eventually(partial(over, demo, rated(demo) + 3), 60)
        assert demo.process.poll() is None, "it was over before all was killed"
        assert demo.process.wait(120) == 0, demo.err.read_text()
    found = json.loads(file.read_text())
    assert faults(found, 200) == []
    assert found["endings"] == {"normal": found["matches"]}


def test_thirty_seconds_without_redis_lose_nothing(tmp_path: Path) -> None:
    file = tmp_path / "demo.json"
    words = ("demo", "--game", "skirmish", "--matches", "200", "--json", str(file))
    with (
        redis_server() as server,
        running(tmp_path, *words, WARLADDER_REDIS_URL=server.url) as demo,
    ):
        demo.says("metrics of matchmaker")
        eventually(lambda: rated(demo) > 0)
        server.stop()
        away = time.monotonic() + 30
        demo.says("Redis is away; waiting for it")
        eventually(lambda: time.monotonic() >= away, 40)
        assert demo.process.poll() is None, demo.err.read_text()
        server.start()
        assert demo.process.wait(120) == 0, demo.err.read_text()
    found = json.loads(file.read_text())
    assert faults(found, 200) == []
    assert found["endings"] == {"normal": found["matches"]}


def test_an_embedded_server_that_is_killed_comes_back_with_its_data(tmp_path: Path) -> None:
    file = tmp_path / "demo.json"
    words = ("demo", "--game", "skirmish", "--matches", "100", "--json", str(file))
    with running(tmp_path, *words) as demo:
        demo.says("metrics of matchmaker")
        eventually(lambda: rated(demo) > 0)
        server = next(each for each in demo.family() if "valkey" in each.name())
        server.send_signal(signal.SIGKILL)
        assert demo.process.wait(120) == 0, demo.err.read_text()
    assert faults(json.loads(file.read_text()), 100) == []


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("demo --game chess", "no line-up for 'chess'"),
        ("demo --matches 0", "greater than or equal to 1"),
        ("demo --json /no/such/folder/file", "--json /no/such/folder/file: No such file"),
        ("up --game chess", "no game 'chess'; there are: "),
        ("up --listen nowhere", "--listen 'nowhere': give it as HOST:PORT"),
    ],
)
def test_wrong_use_is_one_line(tmp_path: Path, words: str, line: str) -> None:
    ran = warladder(*words.split(), home=tmp_path)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert len(ran.stderr.splitlines()) == 1, ran.stderr
    assert line in ran.stderr


def test_a_redis_that_does_not_answer_is_one_line() -> None:
    ran = warladder(*SHORT, WARLADDER_REDIS_URL="redis://127.0.0.1:1")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert len(ran.stderr.splitlines()) == 1, ran.stderr
    assert "Redis at redis://127.0.0.1:1 does not answer" in ran.stderr


@pytest.mark.parametrize("option", ["--listen", "--metrics-port", "--web-listen"])
def test_a_port_in_use_is_one_line(tmp_path: Path, option: str) -> None:
    free = free_ports(tmp_path)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        listen = port if option == "--listen" else free
        metrics = port if option == "--metrics-port" else free + 1
        web = port if option == "--web-listen" else free + 8
        words = ("--listen", f"127.0.0.1:{listen}", "--metrics-port", str(metrics))
        words += ("--web-listen", f"127.0.0.1:{web}")
        ran = warladder("up", "--game", "skirmish", *words, home=tmp_path)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert len(ran.stderr.splitlines()) == 1, ran.stderr
    assert f"port {port} is in use by another process" in ran.stderr
    assert f"choose another port with {option}" in ran.stderr
    assert "in use" in ran.stderr
