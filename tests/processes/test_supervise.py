"""Children of a parent: restarted with back-off, and gone when it is, however it goes."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
import redis

from matchmaker import embedded
from matchmaker.errors import WrongUse
from matchmaker.supervise import Supervisor, Task, Turned
from tests.matchmaker.test_turning import files, whole

PARENT = """
import sys
from pathlib import Path
from matchmaker.supervise import Supervisor, Task
here = Path(sys.argv[1])
with Supervisor() as supervisor:
    folder = supervisor.temporary_folder("wl-test-")
    (here / "folder").write_text(str(folder))
    for name in ("one", "two"):
        # each child has a child of its own, as a bot in a shell has
        supervisor.start(Task(name=name, command=("sh", "-c", "sleep 1000 & sleep 1000; true")))
    (here / "ready").write_text("")
    while True:
        supervisor.poll(1.0)
"""


def eventually(what: Callable[[], object], seconds: float = 20.0) -> None:
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline, "not in time"
        time.sleep(0.02)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_all_end_with_the_parent(tmp_path: Path, number: signal.Signals) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(tmp_path)], stderr=subprocess.DEVNULL
    )
    try:
        eventually(lambda: (tmp_path / "ready").exists())
        eventually(lambda: len(psutil.Process(parent.pid).children(recursive=True)) >= 7)
        family = psutil.Process(parent.pid).children(recursive=True)
        parent.send_signal(number)
        parent.wait(20)
        _, alive = psutil.wait_procs(family, timeout=10)
        assert not [process for process in alive if process.status() != psutil.STATUS_ZOMBIE]
        eventually(lambda: not Path((tmp_path / "folder").read_text()).exists())
    finally:
        parent.kill()
        parent.wait()


def test_a_child_that_dies_is_started_again_ever_later(tmp_path: Path) -> None:
    with Supervisor() as supervisor:
        child = supervisor.start(Task(name="short", command=("true",)))
        began = time.monotonic()
        while child.starts < 4:
            assert time.monotonic() - began < 20
            supervisor.poll(1.0)
        assert time.monotonic() - began >= 0.25 + 0.5 + 1.0


def test_a_child_that_was_used_wrongly_ends_all_with_its_last_line(tmp_path: Path) -> None:
    command = ("sh", "-c", "echo port 1 is in use >&2; exit 2")
    with (
        pytest.raises(WrongUse, match=r"^door: port 1 is in use$"),
        Supervisor() as supervisor,
    ):
        supervisor.start(Task(name="door", command=command, log=tmp_path / "log"))
        while True:
            supervisor.poll(1.0)


def test_a_child_that_does_not_listen_is_killed_after_its_patience(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    command = ("sh", "-c", f"trap '' TERM; touch {ready}; while true; do sleep 1; done")
    with Supervisor() as supervisor:
        child = supervisor.start(Task(name="deaf", command=command, patience_seconds=0.2))
        eventually(ready.exists)
        pid = child.pid
        assert pid is not None
        began = time.monotonic()
        supervisor.stop(["deaf"])
        assert 0.2 <= time.monotonic() - began < 10
        assert not psutil.pid_exists(pid)


def test_a_signal_interrupts_the_body_once() -> None:
    with pytest.raises(KeyboardInterrupt), Supervisor() as supervisor:
        supervisor.start(Task(name="sleeper", command=("sleep", "1000")))
        os.kill(os.getpid(), signal.SIGINT)
        supervisor.poll(5.0)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_childs_log_is_turned_over_and_nothing_is_lost(tmp_path: Path) -> None:
    """It prints as much as its pipe holds and more, in one life after the other."""
    log, lines = tmp_path / "bot.log", 9_000
    program = f"seq -f 'line %g of a bot' {lines}; sleep 1000 & exit 1"
    with Supervisor(most_log_bytes=150_000) as supervisor:
        task = Task(name="bot", command=("sh", "-c", program), log=log, turned=Turned.ON_ITS_WAY)
        child = supervisor.start(task)
        while child.starts < 2 or child.process is not None:
            supervisor.poll(1.0)
        assert child.last_line() == f"line {lines} of a bot"
    life = [f"line {n} of a bot" for n in range(1, lines + 1)]
    assert whole(log).decode().splitlines() == life + life
    assert len(files(log)) > 2
    assert all(each.stat().st_size <= 150_000 for each in files(log))


def test_the_stores_log_is_turned_over_and_nothing_is_lost(tmp_path: Path) -> None:
    log = tmp_path / "redis.log"
    with Supervisor(most_log_bytes=4_000) as supervisor:
        url = embedded.start(supervisor, tmp_path / "data", tmp_path / "s", log)
        with redis.Redis.from_url(url) as store:
            store.config_set("loglevel", "verbose")
            said = 0
            while len(files(log)) < 3:
                for _ in range(20):
                    with redis.Redis.from_url(url) as client:
                        client.ping()
                    said += 1
                eventually(lambda: log.exists() and log.stat().st_size < 4_000)
            store.config_set("loglevel", "warning")
        eventually(lambda: whole(log).count(b"Client closed connection") >= said)
    assert whole(log).count(b"Accepted ") == said
