"""Ladders of real processes that Prometheus watches and that things can be done to."""

from __future__ import annotations

import json
import secrets
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import redis

from matchmaker import registry, targets
from matchmaker.connection import Ladder
from matchmaker.home import Running
from matchmaker.keys import Keys
from tests.bars._alerts.troupe import Member
from tests.bars._alerts.watch import Watch
from tests.helpers import processes, prometheus
from tests.helpers.ladder_processes import NAMESPACE, LadderProcesses, free_port
from tests.helpers.processes import ROOT, environment

GAME = "skirmish"
PACE = {"WARLADDER_PACE": "floor_ms=0,quantum_ms=0"}


class Stage:
    """What all ladders have."""

    name: str
    """The label of its alerts."""
    place: Path
    redis: redis.Redis
    metrics: Mapping[str, str]
    """Address of each process's metrics."""

    @property
    def keys(self) -> Keys:
        return Keys(self.name)

    @property
    def ladder(self) -> Ladder:
        """As operators' acts take it."""
        return Ladder(redis=self.redis, namespace=self.name, archive="")

    @contextmanager
    def troupe(self, address: str, *members: Mapping[str, Any]) -> Iterator[None]:
        """Let bots attend, each named by its fields; GAME is played unless they say otherwise."""
        listed = []
        for fields in members:
            author = f"author-{fields['name']}"
            token = registry.admit(self.redis, fields["name"], author, namespace=self.name)
            listed.append(
                asdict(Member(**{"game": GAME, "address": address, **fields}, token=token))
            )
        file = self.place / f"troupe-{secrets.token_hex(4)}.json"
        file.write_text(json.dumps(listed))
        with file.with_suffix(".log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "tests.bars._alerts.troupe", str(file)],
                cwd=ROOT, env=environment(), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip
        try:
            yield
        finally:
            process.kill()
            process.wait()

    def serves(self, process: str) -> bool:
        """Whether a process answers whoever asks for its metrics."""
        try:
            with urllib.request.urlopen(self.metrics[process], timeout=1) as answer:
                return bool(answer.read())
        except OSError:
            return False

    def number(self, process: str, series: str) -> float:
        """A figure of a process now; -1 if it does not answer or has none."""
        try:
            with urllib.request.urlopen(self.metrics[process], timeout=1) as answer:
                lines = answer.read().decode().splitlines()
        except OSError:
            return -1.0
        found = [line.rpartition(" ")[2] for line in lines if line.startswith(f"{series} ")]
        return float(found[0]) if found else -1.0

    def until_bots(self, count: int, seconds: float = 90.0, game: str = GAME) -> None:
        """Wait until the leader sees so many bots that can be paired."""
        series = f'warladder_ladder_bots{{game="{game}"}}'
        deadline = time.monotonic() + seconds
        while self.number("matchmaker", series) < count:
            assert time.monotonic() < deadline, f"{self.name}: not {count} bots in {seconds:g} s"
            time.sleep(0.3)


class Up(Stage):
    """A `warladder up`."""

    def __init__(self, name: str, place: Path, command: processes.Running, home: Path) -> None:
        self.name = name
        self.place = place
        self.command = command
        self.home = home
        running = Running.read(home)
        assert running is not None
        self.running = running
        self.metrics = running.metrics
        self.redis = redis.Redis.from_url(running.redis_url, socket_timeout=10)

    def pid(self, role: str) -> int:
        """Of the first process of a role in its present life."""
        return int(self.command.child("matchmaker", role).pid)

    @property
    def redis_pid(self) -> int:
        return int(self.redis.info("server")["process_id"])


@contextmanager
def up(name: str, place: Path, words: Sequence[str], **settings: str) -> Iterator[Up]:
    """Run one until the body ends; then it is killed, with all its processes."""
    home, port = place / "home", processes.free_ports(place)
    ports = ("--listen", f"127.0.0.1:{port}", "--metrics-port", str(port + 2))
    web = ("--web-listen", f"127.0.0.1:{port + 9}")
    settings = {"WARLADDER_NAMESPACE": name, **PACE, **settings}
    with processes.running(
        place / "up", "up", "--game", GAME, *words, *ports, *web, home=home, **settings
    ) as command:
        command.says("up; Ctrl-C ends it")
        found = Up(name, place, command, home)
        try:
            yield found
        finally:
            found.redis.close()


def meet(stage: Up, watch: Watch) -> None:
    """Let Prometheus look at a ladder, and wait until it has: counters then have a first value."""
    prometheus.watch(watch.place, stage.name, stage.home / targets.NAME)

    def all_seen() -> bool:
        up = watch.server.ask(f'up{{ladder="{stage.name}"}} == 1')
        return len(up) == len(stage.metrics)

    processes.eventually(all_seen, 60.0)


class Crooked(Stage):
    """Processes started one by one, some of them spoilt."""

    name = NAMESPACE

    def __init__(self, processes_: LadderProcesses, watched: Path) -> None:
        self.processes = processes_
        self.place = processes_.folder
        self.redis = processes_.redis
        self.metrics: dict[str, str] = {}
        targets.write(self.place, self.name, {})
        prometheus.watch(watched, secrets.token_hex(4), self.place / targets.NAME)

    def start(self, process: str, *words: str, **settings: str) -> None:
        """Start one by its module, and let Prometheus look at it."""
        port = free_port()
        self.processes.start(process, *words, WARLADDER_METRICS_PORT=str(port), **settings)
        self.metrics[process] = f"http://127.0.0.1:{port}/metrics"
        targets.write(self.place, self.name, self.metrics)

    def end(self, process: str) -> None:
        """End one that is watched no more."""
        del self.metrics[process]
        targets.write(self.place, self.name, self.metrics)
        self.processes.kill(process)

    @contextmanager
    def with_(self, process: str, *words: str, **settings: str) -> Iterator[None]:
        self.start(process, *words, **settings)
        try:
            yield
        finally:
            self.end(process)

    def referee(self, *words: str) -> None:
        self.start(
            "referee-1", *(words or ("-m", "referee.server")),
            WARLADDER_REFEREE_NAME="referee-1",
            WARLADDER_REFEREE_LISTEN=self.processes.address,
            WARLADDER_INTERNAL_LISTEN=f"unix:{self.place}/referee-1-internal.sock",
        )  # fmt: skip

    def matchmaker(self, process: str = "matchmaker") -> None:
        self.start(process, "-m", "matchmaker.process", WARLADDER_GAMES=GAME)


def spoilt(mistake: str, module: str) -> tuple[str, ...]:
    """The command of a process with a mistake of ours."""
    return ("-m", "tests.bars._alerts.spoilt", mistake, module)


@contextmanager
def together(*contexts: Any) -> Iterator[None]:
    """Enter several contexts as one."""
    with ExitStack() as stack:
        for each in contexts:
            stack.enter_context(each)
        yield
