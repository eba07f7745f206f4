"""
Milliseconds of CPU until the longest fuzz match is drawn: web process and browser together.

A real browser opens the viewer's page of a match of 2,297 decisions, each viewer's course made for
the first time. Run in full, the time on the wall is held to the same limit; run small it is told
and not judged, as it tells of what else the machine does.
"""

import json
import subprocess
import sys
from statistics import median

import redis

from matchmaker.archive import Archive
from matchmaker.keys import Keys
from referee.match.journal import End, unpack_entry
from tests.bars import Measured
from tests.bars._web import web
from tests.helpers.matches import record
from tests.helpers.processes import ROOT, environment
from tests.helpers.random_play import longest_journal
from tests.helpers.redis_server import redis_server
from tests.helpers.results import append, result

NEEDS = ("chromium",)
BROWSER = True
"""It runs where the browser's driver is installed: `make web`, not with the other bars."""
AT_MOST_MS = 1_000.0
AT_MOST_RATIO = 6.0
"""Run small: a busy machine makes the raw page of the same run dearer too."""
VIEWERS, SMALL_VIEWERS = ("all", "0", "1", "public"), ("all", "public")
LEAST_STEPS = 2_200
"""Of `all`: else it was not the match that is meant."""


def measure(small: bool) -> Measured:
    planned = record("longest", game="stalingrad", seed="long 83")
    journal = longest_journal(planned)
    end = unpack_entry(journal[-1])
    assert isinstance(end, End)
    with redis_server() as store, redis.Redis.from_url(store.url) as client:
        keys = Keys("opens")
        archived = Archive(store.folder / "archive").put_replay(planned.match, journal)
        append(
            client, keys,
            result(
                1, [seat.bot for seat in planned.seats], match=planned.match, game=planned.game,
                cards=planned.cards, ranks=end.ranks, scores=end.scores, digest=end.digest,
                reason=end.reason, archive=archived,
            ),
        )  # fmt: skip
        with web(store.url, keys, store.folder) as (port, process):
            address = f"http://127.0.0.1:{port}/matches/{planned.match}/watch"
            viewers = SMALL_VIEWERS if small else VIEWERS
            # The driver keeps an event loop in its main thread: in a process of its own.
            ran = subprocess.run(
                [sys.executable, "-m", "tests.bars._opening", address, str(process.pid), *viewers],
                cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=300,
            )  # fmt: skip
    if ran.returncode:
        said = (ran.stderr.strip().splitlines() or ["nothing was said"])[-1]
        return Measured(
            value=0.0, limit=AT_MOST_MS, ok=False, notes=f"no browser opened it: {said}"
        )
    found = json.loads(ran.stdout)
    opened, raw_ms = found["opened"], found["raw_ms"]
    cpu = median(each["cpu_ms"] for each in opened)
    wall = median(each["wall_ms"] for each in opened)
    steps = max(each["steps"] for each in opened)
    limit = max(AT_MOST_MS, AT_MOST_RATIO * raw_ms) if small else AT_MOST_MS
    ok = cpu <= limit and steps > LEAST_STEPS and (small or wall <= AT_MOST_MS)
    each = "; ".join(
        f"{one['viewer']}: {one['cpu_ms']:.0f} ms of CPU, drawn after {one['wall_ms']:.0f} ms"
        for one in opened
    )
    return Measured(
        value=round(cpu, 1),
        limit=round(limit, 1),
        ok=ok,
        notes=f"{steps} steps; raw page {raw_ms:.0f} ms; {each}",
    )
