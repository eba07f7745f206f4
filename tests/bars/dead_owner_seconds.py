"""
Seconds from the death of a match's referee until it is noticed, at the worst: the sweeper has noted
the loss and queued the match, or it has another owner already.

Two referees play matches of bots that attend both; one is killed, and what it played is followed.
"""

import os
import signal
import sys
import time

from matchmaker.supervise import Supervisor
from matchmaker.tools.chaos import smallest
from matchmaker.tools.chaos.stage import Stage
from tests.bars import Measured

AT_MOST = 15.0
TRIES, SMALL = 50, 1
THINK_SECONDS = 4.0
"""Long enough that a match outlives its referee by far."""
PATIENCE_SECONDS = 90.0


def measure(small: bool) -> Measured:
    found: list[float] = []
    with Supervisor() as supervisor:
        folder = supervisor.temporary_folder("warladder-")
        stage = Stage(supervisor, folder, folder, smallest(), THINK_SECONDS)
        with stage.proxy:
            stage.start()
            while len(found) < (SMALL if small else TRIES):
                found.append(once(stage))
                print(f"dead owner: {found[-1]:.1f} s", file=sys.stderr, flush=True)
    value = round(max(found), 2)
    notes = f"{len(found)} tries, mean {sum(found) / len(found):.1f} s, most {value} s"
    return Measured(value=value, limit=AT_MOST, ok=value <= AT_MOST, notes=notes)


def once(stage: Stage) -> float:
    """Kill the referee that plays most; seconds until that is noticed of all it played."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        by_referee = {name: owned(stage, name) for name in ("referee-1", "referee-2")}
        name = max(by_referee, key=lambda each: len(by_referee[each]))
        orphans = by_referee[name]
        if orphans and stage.supervisor.children[name].pid is not None:
            break
        assert time.monotonic() < deadline, "no referee plays"
        stage.pass_time(0.2)
    pid = stage.supervisor.children[name].pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    began = time.monotonic()
    while orphans:
        assert time.monotonic() < began + PATIENCE_SECONDS, f"{orphans} have no owner"
        stage.pass_time(0.05)
        orphans = {
            match: epoch for match, epoch in orphans.items() if not noticed(stage, match, epoch)
        }
    return time.monotonic() - began


def owned(stage: Stage, name: str) -> dict[str, int]:
    """The matches that a referee plays, with their epochs."""
    found = {}
    for match in stage.redis.zrange(stage.keys.playing, 0, -1):
        owner, epoch = standing(stage, match.decode())
        if owner.startswith(f"{name}-"):
            found[match.decode()] = epoch
    return found


def noticed(stage: Stage, match: str, epoch: int) -> bool:
    lost = int(stage.redis.hget(stage.keys.match(match), "lost_epoch") or 0)
    return lost >= epoch or standing(stage, match)[1] != epoch


def standing(stage: Stage, match: str) -> tuple[str, int]:
    referee, epoch = stage.redis.hmget(stage.keys.match(match), "referee", "epoch")
    return (referee or b"").decode(), int(epoch or 0)
