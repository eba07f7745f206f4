"""A ladder whose processes are killed, stopped, starved and cut off from one another."""

from __future__ import annotations

import http.client
import os
import signal
import socket
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from itertools import count
from urllib.parse import urlsplit

from matchmaker.settings import AWAY
from tests.bars._alerts import Cause, harm
from tests.bars._alerts.ladders import Up, meet, together
from tests.bars._alerts.watch import Watch

STALL_MS = 4_000
"""A ladder's usual limit is two minutes."""
SETTINGS = {"WARLADDER_CLOCKS": f"cap_ms=1500,bank_ms=20000,grace_ms=3000,stall_ms={STALL_MS}"}
BOTS, PLACES = 12, 4
THINK_SECONDS = 0.25
FILES = 60
"""That the web process may have open; it has some 20."""
OPEN_FILES = 50


@contextmanager
def unknown(rough: Up, watch: Watch) -> Iterator[None]:
    yield
    meet(rough, watch)


@contextmanager
def matchmaker_stopped(rough: Up, watch: Watch) -> Iterator[None]:
    with harm.stopped(rough.pid("matchmaker")):
        yield


@contextmanager
def worker_killed(rough: Up, watch: Watch) -> Iterator[None]:
    os.kill(rough.pid("worker"), signal.SIGKILL)
    yield


@contextmanager
def worker_killed_again_and_again(rough: Up, watch: Watch) -> Iterator[None]:
    """As soon as Prometheus has seen each life."""
    begun, lives = time.monotonic(), set[float]()

    def born() -> float:
        series = f'process_start_time_seconds{{process="worker-1",ladder="{rough.name}"}}'
        found = watch.server.ask(series)
        return float(found[0]["value"][1]) if found else 0.0

    while not watch.until_firing("ProcessCrashLoops", rough.name, begun, 0.2):
        if (life := born()) and life not in lives:
            lives.add(life)
            os.kill(rough.pid("worker"), signal.SIGKILL)
        if time.monotonic() > begun + 60.0:
            break
    yield


@contextmanager
def matchmaker_hung(rough: Up, watch: Watch) -> Iterator[None]:
    with harm.hung(rough.pid("matchmaker"), lambda: rough.serves("matchmaker")):
        yield


@contextmanager
def referee_stopped(rough: Up, watch: Watch) -> Iterator[None]:
    with harm.stopped(rough.pid("referee")):
        yield


@contextmanager
def redis_stopped(rough: Up, watch: Watch) -> Iterator[None]:
    """While people ask for pages; matches are void when it is back after the stall limit."""
    begun, over = time.monotonic(), False

    def ask() -> None:
        while not over:
            with suppress(OSError, http.client.HTTPException):
                urllib.request.urlopen(f"{rough.running.web}api/v1/games", timeout=30).read()

    with ThreadPoolExecutor(8) as pool:
        try:
            with harm.stopped(rough.redis_pid):
                for _ in range(8):
                    pool.submit(ask)
                for alert in ("RedisAway", "PagesFail"):
                    watch.until_firing(alert, rough.name, begun, 60.0)
        finally:
            over = True
    yield


@contextmanager
def redis_slow(rough: Up, watch: Watch) -> Iterator[None]:
    """It answers in turns: a round of the leader asks it some twenty times."""
    with harm.starved(rough.redis_pid, 0.4, 0.02):
        yield


@contextmanager
def referee_starved(rough: Up, watch: Watch) -> Iterator[None]:
    """While two bots never answer."""
    silent = [{"name": f"silent-{k}", "places": 4, "manner": "silent"} for k in range(2)]
    with together(
        harm.starved(rough.pid("referee"), 0.2, 0.08),
        rough.troupe(rough.running.referees[0], *silent),
    ):
        yield


@contextmanager
def worker_stopped(rough: Up, watch: Watch) -> Iterator[None]:
    """The ladder's only one, when many matches are under way."""
    with harm.stopped(rough.pid("worker")):
        yield


@contextmanager
def crowd_at_the_pages(rough: Up, watch: Watch) -> Iterator[None]:
    """Lines that say nothing take the process's files; live streams are more than one may have."""
    where = urlsplit(rough.running.web)
    address = (where.hostname or "", where.port or 0)
    lines: list[socket.socket] = []
    try:
        with harm.few_files(rough.pid("web"), FILES):
            ask = f"GET /events HTTP/1.1\r\nHost: {where.netloc}\r\n\r\n".encode()
            for number in count():
                lines.append(socket.create_connection(address, timeout=10))
                if number < 10:
                    lines[-1].sendall(ask)
                    lines[-1].recv(12)
                if rough.number("web", "process_open_fds") >= OPEN_FILES or number > FILES:
                    break
            yield
    finally:
        for line in lines:
            line.close()


@contextmanager
def redis_filled(rough: Up, watch: Watch) -> Iterator[None]:
    """By somebody else's data."""
    piece, names = b"x" * 1_048_576, []
    limit = int(rough.redis.info("memory")["used_memory"]) + 64 * 1024 * 1024
    rough.redis.config_set("maxmemory", limit)
    try:
        for number in count():
            if int(rough.redis.info("memory")["used_memory"]) > 0.86 * limit:
                break
            names.append(f"of-somebody-else:{number}")
            rough.redis.set(names[-1], piece)
        yield
    finally:
        with suppress(*AWAY):
            rough.redis.delete(*names)
        rough.redis.config_set("maxmemory", 0)


@contextmanager
def rough_bots(rough: Up) -> Iterator[None]:
    members = [
        {"name": f"bot-{k:02}", "places": PLACES, "think": THINK_SECONDS} for k in range(BOTS)
    ]
    with rough.troupe(rough.running.referees[0], *members):
        rough.until_bots(BOTS)
        yield


FIRST = Cause(alerts=("NothingWatched",), what="no ladder's list", do=unknown, ladder="")
SMALL = (
    Cause(
        alerts=("FilesRunOut", "StreamsRefused"), what="a crowd of silent lines and live streams",
        do=crowd_at_the_pages, small=True, goes_on=True,
    ),
    Cause(
        alerts=("ProcessDown", "NoLeader"), what="the matchmaker is stopped",
        do=matchmaker_stopped, small=True,
    ),
    Cause(
        alerts=("ProcessRestarted",), what="a worker is killed", do=worker_killed, small=True,
        goes_on=True,
    ),
)  # fmt: skip
"""Without bots."""
CAUSES = (
    Cause(
        alerts=("LeaderHangs",), what="the matchmaker's main thread is held", do=matchmaker_hung
    ),
    Cause(alerts=("RefereeMissing",), what="the referee is stopped", do=referee_stopped),
    Cause(
        alerts=("RefereeLate", "LateAnswersInDoubt"), what="the referee is starved",
        do=referee_starved,
    ),
    Cause(
        alerts=("QueueGrows", "SweeperBusy", "LadderStandsStill"), what="the worker is stopped",
        do=worker_stopped, fires_within=120.0,
    ),
    Cause(
        alerts=("RedisMemoryHigh",), what="Redis is filled to 86 % of its maxmemory",
        do=redis_filled,
    ),
    Cause(
        alerts=("RedisAway", "PagesFail", "MatchesVoidByUs"), what="Redis is stopped",
        do=redis_stopped, fires_within=60.0,
    ),
    Cause(alerts=("RoundsSlow",), what="Redis answers in turns", do=redis_slow),
    Cause(
        alerts=("ProcessCrashLoops",), what="the worker is killed again and again",
        do=worker_killed_again_and_again,
    ),
)  # fmt: skip
"""With bots."""
