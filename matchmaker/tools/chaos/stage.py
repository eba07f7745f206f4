"""
A whole ladder of real processes to do harm to: referees, workers, a matchmaker and its spare, bots,
a store of its own. Each is started again when it dies, as whoever runs a ladder would.
"""

from __future__ import annotations

import os
import secrets
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from pathlib import Path

from matchmaker import connection, embedded, registry, targets
from matchmaker.archive import Archive
from matchmaker.keys import Keys
from matchmaker.machine import LOOPBACK, READY, UP_SECONDS, free_port
from matchmaker.settings import AWAY
from matchmaker.supervise import Child, Supervisor, Task
from matchmaker.tools.chaos.faults import (
    BOT,
    CUT,
    KILL,
    MATCHMAKER,
    REDIS,
    REFEREE,
    WORKER,
    Fault,
)
from matchmaker.tools.chaos.proxy import Link, Proxy

NAMESPACE = "warladder"
LADDER = "chaos"
"""Its name where others of this machine are watched too."""
REFEREES, WORKERS, MATCHMAKERS, BOTS = 2, 4, 2, 12
PLACES = 2
"""Matches of a bot at once."""
ROAMERS = 4
"""Of the bots: so many attend one referee at a time, half of them beginning at either. They take
one match at once: two could come to be at different referees."""


@dataclass(frozen=True, kw_only=True)
class Done:
    """A fault that was done to somebody, by the clock that the transcripts are written by."""

    kind: str
    role: str
    name: str
    begin_ms: int
    end_ms: int
    """When it was over; of a kill, the same instant."""


@dataclass(order=True)
class _Later:
    due: float
    number: int
    call: Callable[[], None] = field(compare=False)


class Stage:
    """The processes, and the hands that harm them."""

    def __init__(
        self,
        supervisor: Supervisor,
        folder: Path,
        runtime: Path,
        game: str,
        think: float,
        roamers: int = ROAMERS,
        measured: bool = False,
    ) -> None:
        """
        Args:
            folder: For what is to be read afterwards.
            runtime: Short path, for sockets.
            roamers: Bots that attend one referee at a time; the others attend all.
            measured: Serve metrics, and write the list of processes for Prometheus.
        """
        self.supervisor = supervisor
        self.folder = folder
        self.runtime = runtime
        self.game = game
        self.think = think
        self.roamers = roamers
        self.measured = measured
        self.metrics: dict[str, str] = {}
        """Address of each process's metrics, if they are served."""
        self.keys = Keys(NAMESPACE)
        self.archive = Archive(folder / "archive")
        self.url = embedded.url(runtime / "redis.sock")
        self.redis = connection.to(self.url)
        self.bots = [f"bot-{number:02}" for number in range(1, BOTS + 1)]
        self.done: list[Done] = []
        self._referees = [f"referee-{number}" for number in range(1, REFEREES + 1)]
        self._links = {
            bot: [
                Link(runtime / f"{bot}-{number}.sock", runtime / f"{referee}.sock")
                for number, referee in enumerate(self._referees)
            ]
            for bot in self.bots
        }
        self.proxy = Proxy(link for links in self._links.values() for link in links)
        self._shared = {
            "WARLADDER_REDIS_URL": self.url,
            "WARLADDER_NAMESPACE": NAMESPACE,
            "WARLADDER_ARCHIVE": str(folder / "archive"),
            "WARLADDER_INTERNAL_SECRET": secrets.token_hex(16),
            "WARLADDER_LADDER_KEY": secrets.token_hex(32),
        }
        self._later: list[_Later] = []
        self._asleep: set[str] = set()

    def transcript(self, bot: str) -> Path:
        return self.folder / "transcripts" / f"{bot}.jsonl"

    # Starting

    def start(self) -> None:
        for name in ("archive", "transcripts", "logs"):
            (self.folder / name).mkdir(parents=True)
        embedded.start(
            self.supervisor,
            self.folder / "redis",
            self.runtime / "redis.sock",
            self.folder / "logs" / "redis.log",
        )
        for name in self._referees:
            self._start(
                name,
                REFEREE,
                WARLADDER_REFEREE_NAME=name,
                WARLADDER_REFEREE_LISTEN=f"unix:{self.runtime}/{name}.sock",
                WARLADDER_INTERNAL_LISTEN=f"unix:{self.runtime}/{name}-internal.sock",
            )
        for number in range(1, WORKERS + 1):
            self._start(f"{WORKER}-{number}", WORKER)
        for number in range(1, MATCHMAKERS + 1):
            self._start(
                f"{MATCHMAKER}-{number}",
                MATCHMAKER,
                WARLADDER_GAMES=self.game,
                WARLADDER_PACE="floor_ms=0,quantum_ms=0",
            )
        for bot in self.bots:
            self._start_bot(bot)
        for name, child in self.supervisor.children.items():
            if child.task.ready:
                self.supervisor.wait_for(name, child.is_ready, UP_SECONDS)
        if self.measured:
            targets.write(self.folder, LADDER, self.metrics)

    def _start(self, name: str, what: str, **settings: str) -> None:
        if self.measured:
            port = free_port()
            self.metrics[name] = f"http://{LOOPBACK}:{port}/metrics"
            settings["WARLADDER_METRICS_PORT"] = str(port)
        self.supervisor.start(
            Task(
                name=name,
                command=(sys.executable, "-P", "-m", "matchmaker", what),
                environment={**self._shared, **settings},
                log=self.folder / "logs" / f"{name}.log",
                ready=READY[what],
            )
        )

    def _start_bot(self, bot: str) -> None:
        number = self.bots.index(bot)
        is_roamer = number < self.roamers
        places = 1 if is_roamer else PLACES
        roams = ("--roams-from", str(number % REFEREES)) if is_roamer else ()
        token = registry.admit(self.redis, bot, f"author-{bot}", namespace=NAMESPACE)
        self.supervisor.start(
            Task(
                name=bot,
                command=(
                    sys.executable, "-P", "-m", "matchmaker.tools.chaos.bot",
                    "--transcript", str(self.transcript(bot)), "--game", self.game,
                    "--think", str(self.think), "--max-matches", str(places), *roams,
                    *(f"unix:{link.door}" for link in self._links[bot]),
                ),
                environment={"WARLADDER_TOKEN": token},
                log=self.folder / "logs" / f"{bot}.log",
                patience_seconds=0.5,
            )
        )  # fmt: skip

    # Time

    def pass_time(self, seconds: float) -> None:
        """Look after the processes for so long, and end what faults have lasted long enough."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            self._wake_due()
            due = self._later[0].due - time.monotonic() if self._later else left
            self.supervisor.poll(max(0.0, min(left, due, 0.5)))
        self._wake_due()

    def _wake_due(self) -> None:
        while self._later and self._later[0].due <= time.monotonic():
            heappop(self._later).call()

    # Harm

    def harm(self, fault: Fault) -> bool:
        """Do a fault to one of those that are there; False if there is none."""
        there = sorted(
            name
            for name, child in self.supervisor.children.items()
            if name.startswith(fault.role) and child.process is not None
            and name not in self._asleep
        )  # fmt: skip
        if not there:
            return False
        name = there[int(fault.which * len(there))]
        now = int(time.time() * 1000)
        done = Done(
            kind=fault.kind,
            role=fault.role,
            name=name,
            begin_ms=now,
            end_ms=now + int(fault.seconds * 1000),
        )
        if fault.kind == KILL:
            self._signal(self.supervisor.children[name], signal.SIGKILL)
        elif fault.role == BOT and fault.kind in (CUT, "delay"):
            links = self._links[name]
            if not fault.whole:
                links = [links[int(fault.which * 1000) % len(links)]]
            act = self.proxy.cut if fault.kind == CUT else self.proxy.delay
            act(links, fault.seconds)
        else:
            self._sleep(name, fault.seconds)
        self.done.append(done)
        return True

    def _sleep(self, name: str, seconds: float) -> None:
        child = self.supervisor.children[name]
        pid = child.pid
        self._signal(child, signal.SIGSTOP)
        self._asleep.add(name)

        def wake() -> None:
            self._asleep.discard(name)
            if child.pid == pid:
                self._signal(child, signal.SIGCONT)

        due = time.monotonic() + seconds
        heappush(self._later, _Later(due, len(self.done), wake))

    @staticmethod
    def _signal(child: Child, number: int) -> None:
        if child.pid is not None:
            os.kill(child.pid, number)

    def heal(self) -> None:
        """End every fault now."""
        while self._later:
            heappop(self._later).call()
        self.proxy.lift()

    # The ladder

    def rest(self) -> None:
        """No new matches from now on."""
        for bot in self.bots:
            self._patiently(
                lambda bot=bot: registry.pause(  # type: ignore[misc]  # binds the loop's bot
                    self.redis, bot, "the run is over", namespace=NAMESPACE
                )
            )

    def closed(self) -> int:
        """Results in the log; the last known number while Redis is away."""
        try:
            return int(self.redis.get(self.keys.log_position) or 0) - len(self.bots)
        except AWAY:
            return 0

    def open_matches(self) -> list[str]:
        names = self._patiently(lambda: self.redis.zrange(self.keys.open, 0, -1))
        return [name.decode() for name in names]  # type: ignore[attr-defined]

    def _patiently(self, call: Callable[[], object]) -> object:
        """Ask Redis, and wait for it while it is away."""
        while True:
            try:
                return call()
            except AWAY:
                self.pass_time(0.2)


ROLES = (REFEREE, WORKER, MATCHMAKER, BOT, REDIS)
