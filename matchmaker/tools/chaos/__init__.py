"""
`warladder chaos`: a running ladder of real processes, faults at random moments, and a judge.

The judge knows the results log, the archive and what the bots themselves wrote down.
"""

from __future__ import annotations

import secrets
import sys
import time
from contextlib import nullcontext
from pathlib import Path

from matchmaker import output, targets
from matchmaker.errors import WrongUse
from matchmaker.log import Log
from matchmaker.rater import recompute
from matchmaker.supervise import Supervisor
from matchmaker.tools.chaos.alerts import Alerts
from matchmaker.tools.chaos.checker import Checker, Verdict
from matchmaker.tools.chaos.faults import plan
from matchmaker.tools.chaos.stage import LADDER, NAMESPACE, Stage
from matchmaker.tools.chaos.transcript import by_match, read
from matchmaker.walk import every
from referee import games

PAUSE_SECONDS = 1.5
"""Mean time between two faults."""
THINK_SECONDS = 0.12
"""Mean time for an answer: long enough that faults find matches in their middle."""
MATCHES_EACH = 2
"""At least so many matches for each fault."""
PATIENCE_SECONDS = 300.0
"""For all matches to end when the faults are over."""
SHOWN = 20


def run(
    *,
    faults: int,
    json: bool,
    seed: str | None,
    longest: float,
    game: str | None,
    keep: Path | None,
    prometheus: str | None,
) -> int:
    """
    Do so many faults to a ladder and judge what came of it.

    Args:
        prometheus: Address of one that finds the run's list of processes in `keep`; which of its
            alerts fire is told too.

    Returns:
        0 if nothing was lost, doubled, unjust or unverified, else 1.

    Raises:
        WrongUse: No Prometheus answers there, or there is no place for the list.
        FellShort: It does not watch the run.
    """
    if prometheus is not None and keep is None:
        raise WrongUse("--prometheus needs --keep DIR: the list of processes is put there")
    chosen = game or smallest()
    games.get(chosen)
    seed = seed or secrets.token_hex(4)
    print(f"chaos: seed {seed}", file=sys.stderr, flush=True)
    began = time.monotonic()
    with Supervisor() as supervisor:
        runtime = supervisor.temporary_folder("warladder-")
        folder = keep.resolve() if keep else runtime
        measured = prometheus is not None
        stage = Stage(supervisor, folder, runtime, chosen, THINK_SECONDS, measured=measured)
        told = Alerts(prometheus, stage.done) if prometheus is not None else None
        if told is not None:
            told.ask("status/buildinfo")
        with stage.proxy:
            stage.start()
            if told is not None:
                list_ = folder / targets.NAME
                told.wait_until_watched(list(stage.metrics), list_, LADDER, stage.pass_time)
            with told or nullcontext():
                harm(stage, seed, faults, longest)
                still_open = calm(stage)
            verdict = judge(stage, still_open)
            if told is not None:
                targets.clear(folder)
    return report(stage, verdict, json, seed, time.monotonic() - began, told)


def smallest() -> str:
    """The game with the fewest kinds of decisions: its matches are the shortest."""
    return min(games.names(), key=lambda name: len(games.get(name).facts.kinds))


def harm(stage: Stage, seed: str, count: int, longest: float) -> None:
    """Do the faults, one after the other, while matches are played."""
    for fault in plan(seed, count, PAUSE_SECONDS, longest):
        stage.pass_time(fault.after)
        while not stage.harm(fault):
            stage.pass_time(0.1)
    while stage.closed() < MATCHES_EACH * count:
        stage.pass_time(0.5)


def calm(stage: Stage) -> list[str]:
    """
    Let all matches end.

    Returns:
        Those that have not.
    """
    stage.heal()
    stage.rest()
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (left := stage.open_matches()) and time.monotonic() < deadline:
        stage.pass_time(0.5)
    while not recompute(stage.redis, stage.archive, NAMESPACE).ok and time.monotonic() < deadline:
        stage.pass_time(0.5)
    return left


def judge(stage: Stage, still_open: list[str]) -> Verdict:
    log = Log(stage.redis, stage.keys)
    transcripts = {bot: by_match(read(stage.transcript(bot))) for bot in stage.bots}
    checker = Checker(stage.archive, transcripts, stage.done)
    found = checker.check(every(log, stage.archive, log.position()), still_open)
    found.unverified += recompute(stage.redis, stage.archive, NAMESPACE).differences
    if log.refusals():
        found.doubled.append(f"{log.refusals()} different second results were refused")
    return found


def report(
    stage: Stage, found: Verdict, json: bool, seed: str, seconds: float, told: Alerts | None
) -> int:
    ok = found.ok
    for line in found.faults[:SHOWN]:
        print(f"chaos: {line}", file=sys.stderr)
    if len(found.faults) > SHOWN:
        print(f"chaos: and {len(found.faults) - SHOWN} more", file=sys.stderr)
    figures: dict[str, object] = {
        "faults": len(stage.done),
        "matches": found.matches,
        "lost": len(found.lost),
        "doubled": len(found.doubled),
        "unjust_forfeits": len(found.unjust),
        "resumed": found.resumed,
        "restarted": len(found.restarted),
        "unverified": len(found.unverified),
        "disagreements": len(found.disagreements),
        "endings": dict(sorted(found.endings.items())),
        "seed": seed,
        "seconds": round(seconds, 1),
    }
    if told is not None:
        figures["alerts"] = told.report()
    for line in found.voids[:SHOWN]:
        print(f"chaos: void: {line}", file=sys.stderr)
    if json:
        print(output.document("chaos", ok, **figures))
    else:
        for name, value in figures.items():
            print(f"{name}: {value}")
    return 0 if ok else 1
