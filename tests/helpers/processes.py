"""Start the real `warladder` command, wait for what it says, look at the processes under it."""

import os
import random
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import psutil

T = TypeVar("T")

ROOT = Path(__file__).parent.parent.parent
WARLADDER = (sys.executable, "-m", "matchmaker")


def free_ports(place: Path) -> int:
    """The first of ten ports that are unlikely to be in use, the same for the same folder."""
    return random.Random(f"{os.getpid()} {place}").randrange(20_000, 30_000, 10)


def eventually(what: Callable[[], T], seconds: float = 30.0, why: str = "") -> T:
    """Ask until the answer is true; the answer, or a failure after so many seconds."""
    deadline = time.monotonic() + seconds
    while True:
        answer = what()
        if answer:
            return answer
        assert time.monotonic() < deadline, why or f"not within {seconds:g} s"
        time.sleep(0.05)


def environment(home: Path | None = None, **more: str) -> dict[str, str]:
    """Ours without what the outer shell says about a running ladder."""
    kept = {name: value for name, value in os.environ.items() if "WARLADDER_" not in name}
    if home is not None:
        kept["WARLADDER_HOME"] = str(home)
    return {**kept, **more}


def warladder(
    *words: str, home: Path | None = None, seconds: float = 120, **more: str
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(
        [*WARLADDER, *words], cwd=ROOT, env=environment(home, **more),
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds,
    )  # fmt: skip


class Running:
    """A command that goes on; its outputs are files, so that no pipe fills."""

    def __init__(self, place: Path, words: tuple[str, ...], home: Path | None, **more: str) -> None:
        self.out, self.err = place / "stdout", place / "stderr"
        with self.out.open("wb") as out, self.err.open("wb") as err:
            self.process = subprocess.Popen(
                [*WARLADDER, *words], cwd=ROOT, env=environment(home, **more),
                stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True,
            )  # fmt: skip

    def says(self, text: str, seconds: float = 60.0) -> str:
        """Wait for a text on standard error; all that is there by then."""

        def found() -> str:
            said = self.err.read_text()
            if text not in said and self.process.poll() is not None:
                raise AssertionError(f"ended with {self.process.returncode}: {said}")
            return said if text in said else ""

        return eventually(found, seconds, why=f"never said {text!r}")

    def family(self) -> list[psutil.Process]:
        """Every process under it now."""
        return psutil.Process(self.process.pid).children(recursive=True)

    def child(self, *words: str) -> psutil.Process:
        """The one process under it whose command line ends with these words."""

        def found() -> list[psutil.Process]:
            return [
                process
                for process in self.family()
                if tuple(command_line(process)[-len(words) :]) == words
            ]

        return eventually(found, why=f"no child {words}")[0]

    def interrupt(self, seconds: float = 30.0) -> int:
        """Ctrl-C; the exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(seconds)


def command_line(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except (psutil.NoSuchProcess, psutil.ZombieProcess):
        return []


def all_gone(family: list[psutil.Process], seconds: float = 15.0) -> bool:
    """Whether all of these end in time; an entry nobody has collected yet counts as ended."""
    _, alive = psutil.wait_procs(family, timeout=seconds)
    return not [
        process
        for process in alive
        if process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    ]


@contextmanager
def running(place: Path, *words: str, home: Path | None = None, **more: str) -> Iterator[Running]:
    """A command that goes on while the body runs; whatever is left of it is killed."""
    place.mkdir(parents=True, exist_ok=True)
    command = Running(place, words, home, **more)
    try:
        yield command
    finally:
        if command.process.poll() is None:
            family = command.family()
            command.process.kill()
            command.process.wait()
            for process in family:
                if process.is_running():
                    process.kill()


def scrape(address: str) -> str:
    """What a process's metrics say now."""
    with urllib.request.urlopen(address, timeout=10) as answer:
        return str(answer.read().decode())
