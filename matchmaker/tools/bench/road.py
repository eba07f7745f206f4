"""
How many matches a second a whole ladder plays and rates, beside raw RQ jobs that do nothing.

Everything is real and a process of its own: the embedded store, a matchmaker, a referee, stock RQ
workers; all bots share one more process and answer at once. A match is the shortest that a game
has. It counts when its result stands in the log as rated: its journal replayed, its file in the
archive. The raw jobs carry one id each and are worked by the very same workers, half of them
before the ladder begins and half when its last match has closed: others may use the machine too.
"""

from __future__ import annotations

import secrets
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import redis
from rq import Queue

from matchmaker import embedded, lineup, registry
from matchmaker.entries import Result
from matchmaker.errors import FellShort
from matchmaker.keys import Keys
from matchmaker.log import Log
from matchmaker.machine import READY, UP_SECONDS
from matchmaker.queues import CLOSE
from matchmaker.settings import connect
from matchmaker.supervise import Supervisor, Task
from matchmaker.tools.bench.figures import Row, rounded
from matchmaker.tools.bench.processes import Helper, socket_folder
from matchmaker.tools.quiet import quiet

WORKERS = 2
BOTS = 16
NOTHING = "matchmaker.tools.bench.ladder.nothing"
JOBS_A_SECOND = 600
"""So many raw jobs are made for each second that they may take."""
WARM_MATCHES = 64
"""Closed before it counts."""
PATIENCE_SECONDS = 60.0
LOOK_SECONDS = 0.002


class Found(NamedTuple):
    """A whole ladder under load."""

    raw: float
    """Jobs that do nothing, in a second."""
    rated: float
    """Rated matches, in a second."""
    commands: dict[str, float]
    """The store's commands for one closed match, by name; those inside of scripts among them."""

    @property
    def ratio(self) -> float:
        """Rated matches for one raw job."""
        return self.rated / self.raw

    @property
    def all_commands(self) -> float:
        return sum(self.commands.values())


@dataclass
class Stage:
    """The processes of one ladder."""

    supervisor: Supervisor
    folder: Path
    store: redis.Redis
    keys: Keys
    shared: dict[str, str]

    @property
    def address(self) -> str:
        return f"unix:{self.folder}/referee.sock"

    def start(self, name: str, what: str, command: tuple[str, ...] = (), **more: str) -> None:
        command = command or ("-m", "matchmaker", what)
        self.supervisor.start(
            Task(
                name=name,
                command=(sys.executable, "-P", *command),
                environment={**self.shared, **more},
                log=self.folder / f"{name}.log",
                ready=READY[what],
            )
        )
        is_ready = self.supervisor.children[name].is_ready
        self.supervisor.wait_for(name, is_ready, UP_SECONDS)

    def start_referee(self) -> None:
        self.start(
            "referee",
            "referee",
            WARLADDER_REFEREE_LISTEN=self.address,
            WARLADDER_INTERNAL_LISTEN=f"unix:{self.folder}/internal.sock",
        )

    def start_matchmaker(self, game: str, options: Sequence[str]) -> None:
        self.start(
            "matchmaker",
            "matchmaker",
            ("-m", "matchmaker.tools.bench.leading", *options),
            WARLADDER_GAMES=game,
            WARLADDER_PACE="floor_ms=0,quantum_ms=0",
            WARLADDER_PATIENCE_MS="0",
        )

    def commands(self) -> Counter[str]:
        """How often the store has done each of its commands."""
        stats = self.store.info("commandstats")
        calls = {name.removeprefix("cmdstat_"): row["calls"] for name, row in stats.items()}
        return Counter(calls)


@contextmanager
def stage(workers: int) -> Iterator[Stage]:
    """The store and the workers of a ladder; everything else comes when it is called for."""
    with quiet(), socket_folder() as folder, Supervisor() as supervisor:
        (folder / "archive").mkdir()
        url = embedded.start(
            supervisor, folder / "data", folder / "redis.sock", folder / "redis.log"
        )
        with connect(url) as store:
            shared = {
                "WARLADDER_REDIS_URL": url,
                "WARLADDER_NAMESPACE": "bench",
                "WARLADDER_ARCHIVE": str(folder / "archive"),
                "WARLADDER_INTERNAL_SECRET": secrets.token_hex(16),
                "WARLADDER_LADDER_KEY": secrets.token_hex(32),
            }
            there = Stage(supervisor, folder, store, Keys("bench"), shared)
            for number in range(1, workers + 1):
                there.start(f"worker-{number}", "worker")
            yield there


def measure(seconds: float) -> list[Row]:
    """Rows of raw jobs, of rated matches, and of the store's commands for one of them."""
    found = find(seconds)
    return [
        Row(f"raw no-op jobs, {WORKERS} workers", rounded(found.raw), "jobs/s", None, None, None),
        Row(
            f"shortest {lineup.quickest()[0]}, from pairing to rating, {WORKERS} workers",
            rounded(found.rated),
            "matches/s",
            rounded(found.raw),
            rounded(found.raw / found.rated),
            None,
        ),
        Row("store's commands a match", rounded(found.all_commands), "commands", None, None, None),
    ]


def find(seconds: float, workers: int = WORKERS, bots: int = BOTS) -> Found:
    """
    Measure once: raw jobs for about a third of the time, a ladder, and raw jobs again.

    Raises:
        FellShort: A match was not rated, or none was.
    """
    game, options = lineup.quickest()
    with stage(workers) as there:
        jobs = max(100, int(seconds / 3 * JOBS_A_SECOND))
        raw = nothing_done(there, jobs)
        there.start_referee()
        tokens = [
            registry.admit(there.store, f"bot-{k}", f"author-{k}", namespace="bench")
            for k in range(bots)
        ]
        with Helper("bots", "first", there.address, game, *tokens):
            there.start_matchmaker(game, options)
            rated, commands = _rated(there, seconds)
            _drained(there)
            raw = 2 / (1 / raw + 1 / nothing_done(there, jobs))
    return Found(raw, rated, commands)


def nothing_done(there: Stage, count: int) -> float:
    """Raw jobs in a second: all of them wait before the workers see the first."""
    store = there.store
    made, worked = Queue("bench:made", connection=store), there.keys.queue(CLOSE)
    for _ in range(count):
        made.enqueue(NOTHING, ["0123456789abcdef"], result_ttl=0)
    queue = Queue(worked, connection=store)
    began = time.perf_counter()
    store.rename(made.key, queue.key)
    while store.llen(queue.key):
        time.sleep(LOOK_SECONDS)
    return count / (time.perf_counter() - began)


def _drained(there: Stage) -> None:
    """End the ladder: no more matches, and none left."""
    there.supervisor.stop(["matchmaker"])
    deadline = time.monotonic() + PATIENCE_SECONDS
    while there.store.zcard(there.keys.planned) or there.store.zcard(there.keys.playing):
        if time.monotonic() > deadline:
            raise FellShort("bench: matches are still being played")
        time.sleep(LOOK_SECONDS)


def _rated(there: Stage, seconds: float) -> tuple[float, dict[str, float]]:
    log = Log(there.store, there.keys)
    first = log.position()
    deadline = time.monotonic() + PATIENCE_SECONDS
    while log.position() < first + WARM_MATCHES:
        if time.monotonic() > deadline:
            raise FellShort(f"bench: {log.position() - first} of {WARM_MATCHES} matches closed")
        time.sleep(0.05)
    before, commands, began = log.position(), there.commands(), time.perf_counter()
    time.sleep(seconds)
    after, since, ended = log.position(), there.commands(), time.perf_counter()
    closed = Counter(
        each.entry.standing.value
        for each in log.whole_tail(before)
        if each.position <= after and isinstance(each.entry, Result)
    )
    rated = closed["rated"]
    if not rated or rated != after - before:
        raise FellShort(f"bench: of {after - before} entries {dict(closed)}")
    since.subtract(commands)
    shares = {name: calls / rated for name, calls in since.most_common() if calls}
    return rated / (ended - began), shares
