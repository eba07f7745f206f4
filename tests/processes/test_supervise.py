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

from matchmaker.errors import WrongUse
from matchmaker.supervise import Supervisor, Task

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
