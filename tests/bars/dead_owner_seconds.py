"""
Seconds from the death of a match's referee until another owner works on it, at the worst.

Two referees play matches of bots that attend both; one is killed, and what it played is followed
until the loss is noticed (the sweeper has noted it and queued the match) and until a new owner has
written to its journal. Both are to take 15 s at most. A match that is given up, since it was the
third referee that it lost, is noticed but has no new owner. A try in which the machine did not let
this process run for a second is repeated: nothing else ran then either.
"""

import os
import signal
import sys
import time
from typing import NamedTuple

from matchmaker.supervise import Supervisor
from matchmaker.tools.chaos import smallest
from matchmaker.tools.chaos.stage import Stage
from referee.match.journal import Opened, unpack_entry
from referee.store.records import Status
from tests.bars import Measured

AT_MOST = 15.0
TRIES, SMALL = 50, 1
THINK_SECONDS = 4.0
"""Long enough that a match outlives its referee by far."""
PATIENCE_SECONDS = 90.0
LOOK_SECONDS = 0.05
STALL_SECONDS = 1.0
"""A look that comes so much later than it should."""
REFEREES = ("referee-1", "referee-2")


class Try(NamedTuple):
    """Of one dead referee: the slowest of its matches, in seconds."""

    noticed: float
    owned: float
    matches: int
    """That got a new owner."""
    stalled: float
    """The longest time for which this process was not run."""


def measure(small: bool) -> Measured:
    found: list[Try] = []
    repeated: list[Try] = []
    with Supervisor() as supervisor:
        folder = supervisor.temporary_folder("warladder-")
        stage = Stage(supervisor, folder, folder, smallest(), THINK_SECONDS, roamers=0)
        with stage.proxy:
            stage.start()
            while len(found) < (SMALL if small else TRIES):
                each = once(stage)
                if each.stalled >= STALL_SECONDS:
                    repeated.append(each)
                elif each.matches:
                    found.append(each)
                print(f"dead owner: {each}", file=sys.stderr, flush=True)
    noticed, owned = [each.noticed for each in found], [each.owned for each in found]
    value = round(max(owned), 2)
    notes = (
        f"{len(found)} tries; noticed: mean {sum(noticed) / len(found):.1f} s, most"
        f" {max(noticed):.2f} s; new owner: mean {sum(owned) / len(found):.1f} s, most"
        f" {max(owned):.2f} s, {sum(each > AT_MOST for each in owned)} over {AT_MOST:.0f} s;"
        f" repeated, since the machine stood still: {[tuple(each) for each in repeated]}"
    )
    ok = max(*noticed, *owned) <= AT_MOST
    return Measured(value=value, limit=AT_MOST, ok=ok, notes=notes)


def once(stage: Stage) -> Try:
    """Kill the referee that plays most, and follow what it played."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        by_referee = {name: played_by(stage, name) for name in REFEREES}
        name = max(by_referee, key=lambda each: len(by_referee[each]))
        orphans = by_referee[name]
        pids = [stage.supervisor.children[each].pid for each in REFEREES]
        if orphans and None not in pids:
            break
        assert time.monotonic() < deadline, "no referee plays"
        stage.pass_time(0.2)
    pid = stage.supervisor.children[name].pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    began = time.monotonic()
    unnoticed, unowned = dict(orphans), dict(orphans)
    noticed_after = owned_after = stalled = 0.0
    matches = 0
    while unnoticed or unowned:
        assert time.monotonic() < began + PATIENCE_SECONDS, f"{unowned} have no owner"
        before = time.monotonic()
        stage.pass_time(LOOK_SECONDS)
        stalled = max(stalled, time.monotonic() - before - LOOK_SECONDS)
        for match, epoch in list(unowned.items()):
            lost, status, now_epoch = standing(stage, match)
            if match in unnoticed and (lost >= epoch or now_epoch != epoch):
                del unnoticed[match]
                noticed_after = time.monotonic() - began
            if status != Status.PLAYING:  # given up, and perhaps closed already
                unowned.pop(match)
                unnoticed.pop(match, None)
            elif now_epoch != epoch and is_worked_on(stage, match, epoch):
                del unowned[match]
                owned_after = time.monotonic() - began
                matches += 1
    return Try(round(noticed_after, 2), round(owned_after, 2), matches, round(stalled, 2))


def played_by(stage: Stage, name: str) -> dict[str, int]:
    """The matches that a referee plays, with their epochs."""
    found = {}
    for match in stage.redis.zrange(stage.keys.playing, 0, -1):
        owner, epoch = stage.redis.hmget(stage.keys.match(match.decode()), "referee", "epoch")
        if (owner or b"").decode().startswith(f"{name}-"):
            found[match.decode()] = int(epoch or 0)
    return found


def standing(stage: Stage, match: str) -> tuple[int, str, int]:
    """The last epoch whose loss was noted, the status, the epoch; none of a closed match."""
    fields = ("lost_epoch", "status", "epoch")
    lost, status, epoch = stage.redis.hmget(stage.keys.match(match), *fields)
    return int(lost or 0), (status or b"").decode(), int(epoch or 0)


def is_worked_on(stage: Stage, match: str, epoch: int) -> bool:
    """An owner after this epoch has written to the journal."""
    entries = stage.redis.lrange(stage.keys.journal(match), -20, -1)
    return any(
        isinstance(entry, Opened) and entry.epoch > epoch for entry in map(unpack_entry, entries)
    )
