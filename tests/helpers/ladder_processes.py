"""A ladder of real processes around one real store, for tests that kill some of them."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import redis

from matchmaker import progress, registry
from matchmaker.archive import Archive
from matchmaker.entries import Result, Standing
from matchmaker.keys import Keys
from matchmaker.log import Log
from matchmaker.rater import Recomputed, recompute
from tests.helpers.processes import ROOT, eventually
from tests.helpers.redis_server import RedisServer, redis_server

NAMESPACE = "warladder"
RANDOM = ROOT / "sample_bots" / "python" / "random" / "bot.py"


class LadderProcesses:
    """Referee, workers, matchmakers and bots, each started and ended by the test."""

    def __init__(self, store: RedisServer) -> None:
        self.store = store
        self.folder = store.folder
        self.keys = Keys(NAMESPACE)
        self.redis = redis.Redis.from_url(store.url)
        self.archive = Archive(self.folder / "archive")
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.shared = {
            "WARLADDER_REDIS_URL": store.url,
            "WARLADDER_ARCHIVE": str(self.folder / "archive"),
            "WARLADDER_INTERNAL_SECRET": "secret of the test",
            "WARLADDER_LADDER_KEY": "k" * 32,
            "WARLADDER_PACE": "floor_ms=0,quantum_ms=0",
        }
        self.address = f"unix:{self.folder}/r1.sock"

    # Processes

    def environment(self, **settings: str) -> dict[str, str]:
        kept = {key: value for key, value in os.environ.items() if "WARLADDER_" not in key}
        return {**kept, **self.shared, **settings}

    def start(self, name: str, *words: str, **settings: str) -> subprocess.Popen[bytes]:
        with self.log(name).open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, *words], cwd=ROOT, env=self.environment(**settings),
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip
        self.running[name] = process
        return process

    def referee(self, name: str = "r1") -> None:
        """A referee at the address that bots dial; each life has a name of its own."""
        self.start(
            name, "-m", "referee.server",
            WARLADDER_REFEREE_NAME=name,
            WARLADDER_REFEREE_LISTEN=self.address,
            WARLADDER_INTERNAL_LISTEN=f"unix:{self.folder}/{name}-internal.sock",
        )  # fmt: skip
        self.says(name, "referee_serves")

    def worker(self, name: str = "worker", **settings: str) -> None:
        self.start(name, "-m", "matchmaker.worker", **settings)

    def matchmaker(self, name: str, matches: int, **settings: str) -> None:
        settings = {"WARLADDER_GAMES": "skirmish", "WARLADDER_MATCHES": str(matches), **settings}
        self.start(name, "-m", "matchmaker.process", **settings)

    def bots(self, *names: str, places: int = 1) -> None:
        for name in names:
            token = registry.admit(self.redis, name, "tester", namespace=NAMESPACE)
            self.start(
                f"bot-{name}",
                str(RANDOM),
                "--max-matches",
                str(places),
                WARLADDER_REFEREE=self.address,
                WARLADDER_TOKEN=token,
            )

    def kill(self, name: str) -> None:
        process = self.running.pop(name)
        process.kill()
        process.wait(20)

    def ask_to_stop(self, name: str, number: int = signal.SIGTERM) -> int:
        """Give the exit code of a process that was told to stop."""
        process = self.running.pop(name)
        process.send_signal(number)
        return process.wait(20)

    def log(self, name: str) -> Path:
        return self.folder / f"{name}.log"

    def says(self, name: str, text: str, seconds: float = 30.0) -> str:
        """Wait for a text in a process's log."""

        def found() -> str:
            said = self.log(name).read_text()
            ended = self.running[name].poll()
            assert text in said or ended is None, f"{name} ended with {ended}: {said}"
            return said if text in said else ""

        return eventually(found, seconds, why=f"{name} never said {text!r}")

    def close(self) -> None:
        for process in self.running.values():
            process.kill()
        for process in self.running.values():
            process.wait()
        self.redis.close()

    # What came of it

    def progress(self) -> progress.Progress:
        return progress.progress(self.redis, NAMESPACE)

    def rated(self, matches: int, seconds: float = 60.0) -> None:
        """Wait until so many matches are rated."""
        eventually(
            lambda: self.progress().rated >= matches, seconds,
            why=f"not {matches} rated in {seconds:g} s",
        )  # fmt: skip

    def done(self, seconds: float = 90.0) -> None:
        """Wait until the target is reached and every planned match has closed."""
        eventually(lambda: self.progress().done, seconds, why=f"not done in {seconds:g} s")

    def results(self) -> list[Result]:
        entries = [logged.entry for logged in Log(self.redis, self.keys).whole_tail()]
        return [entry for entry in entries if isinstance(entry, Result)]

    def recompute(self) -> Recomputed:
        return recompute(self.redis, self.archive, NAMESPACE)

    def all_is_right(self, matches: int) -> None:
        """Every planned match ended, one result each, all verified, nothing left behind."""
        results = self.results()
        assert len({each.match for each in results}) == len(results)
        numbers = sorted(each.number for each in results)
        assert numbers == list(range(1, len(numbers) + 1)), "every planned match has a result"
        standings = [each.standing for each in results]
        assert standings.count(Standing.RATED) == matches
        assert Log(self.redis, self.keys).refusals() == 0
        for each in results:
            if each.archive:
                assert self.archive.replay(each.archive).match == each.match
        found = self.recompute()
        assert found.ok, found.differences
        left = [
            key
            for kind in ("match:*", "journal:*", "places:*")
            for key in self.redis.scan_iter(self.keys.prefix + kind)
        ]
        assert left == []


@contextmanager
def ladder_processes() -> Iterator[LadderProcesses]:
    """Run a store; what the test starts beside it ends with it."""
    with redis_server() as store:
        processes = LadderProcesses(store)
        try:
            yield processes
        finally:
            processes.close()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
