"""
How much Redis's memory grows while thousands of matches are played by the same bots, as a multiple.

Measured when nothing runs: after the log's tail has filled, and at the end. Besides, no key of any
match is left.
"""

import time

from matchmaker import registry
from matchmaker.supervise import Supervisor
from matchmaker.tools.chaos import smallest
from matchmaker.tools.chaos.stage import NAMESPACE, Stage
from tests.bars import Measured

AT_MOST = 1.15
MATCHES, FILLED = 5_000, 3_000
"""Redis keeps 2,000 to 4,000 entries of the log, the rest goes to the archive 2,000 at a time: at
both numbers of matches 3,000 entries are in Redis."""
SMALL, SMALL_FILLED = 120, 60
SMALL_AT_MOST = 1.5
"""Before the tail is full each match adds its result: some hundred bytes."""
PATIENCE_SECONDS = 1400.0


def measure(small: bool) -> Measured:
    filled, matches = (SMALL_FILLED, SMALL) if small else (FILLED, MATCHES)
    limit = SMALL_AT_MOST if small else AT_MOST
    with Supervisor() as supervisor:
        folder = supervisor.temporary_folder("warladder-")
        stage = Stage(supervisor, folder, folder, smallest(), think=0.0, roamers=0)
        with stage.proxy:
            stage.start()
            before, left_before = at_rest(stage, filled)
            after, left_after = at_rest(stage, matches)
            played = stage.closed()
    left = left_before + left_after
    value = round(after / before, 3)
    notes = f"{before} bytes, after {played} matches {after} bytes; keys left: {left or 'none'}"
    return Measured(value=value, limit=limit, ok=value <= limit and not left, notes=notes)


def at_rest(stage: Stage, matches: int) -> tuple[int, list[str]]:
    """Play until so many matches have closed, then let all end; bytes in use, matches' keys."""
    for bot in stage.bots:
        registry.resume(stage.redis, bot, namespace=NAMESPACE)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while stage.closed() < matches:
        assert time.monotonic() < deadline, f"{stage.closed()} of {matches} matches"
        stage.pass_time(0.2)
    stage.rest()
    while stage.open_matches():
        stage.pass_time(0.2)
    stage.pass_time(2.0)  # for the rater's last checkpoint and the log's trim
    left = [
        key.decode()
        for kind in ("match:*", "journal:*", "places:*")
        for key in stage.redis.scan_iter(stage.keys.prefix + kind)
    ]
    return int(stage.redis.info("memory")["used_memory_dataset"]), left
