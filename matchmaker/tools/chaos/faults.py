"""Which faults happen when: drawn from a seed, so that a run's plan can be drawn again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

KILL, STOP, CUT, DELAY = "kill", "stop", "cut", "delay"
REFEREE, WORKER, MATCHMAKER, BOT, REDIS = "referee", "worker", "matchmaker", "bot", "redis"

WEIGHTS = {
    (KILL, REFEREE): 5,
    (KILL, WORKER): 2,
    (KILL, MATCHMAKER): 2,
    (KILL, BOT): 3,
    (KILL, REDIS): 2,
    (STOP, REFEREE): 3,
    (STOP, WORKER): 1,
    (STOP, MATCHMAKER): 2,
    (STOP, BOT): 2,
    (STOP, REDIS): 1,
    (CUT, BOT): 3,
    (DELAY, BOT): 2,
}
"""How often each comes; every one does."""
LONG = 0.25
"""Share of stops, cuts and delays that may last to the longest; the others are over soon."""
SHORT_SECONDS = 3.0


@dataclass(frozen=True, kw_only=True)
class Fault:
    kind: str
    role: str
    after: float
    """Seconds since the fault before."""
    seconds: float
    """How long it lasts; 0 for a kill."""
    which: float
    """From 0 to 1: which of those that are there."""
    whole: bool
    """Of a bot's lines: all of them, else one."""


def plan(seed: str, count: int, pause: float, longest: float) -> Iterator[Fault]:
    """
    Draw faults.

    Args:
        pause: Mean seconds between two.
        longest: Seconds that one may last.
    """
    chance = Random(f"{seed}|faults")
    kinds = list(WEIGHTS)
    for _ in range(count):
        kind, role = chance.choices(kinds, [WEIGHTS[each] for each in kinds])[0]
        most = longest if chance.random() < LONG else min(SHORT_SECONDS, longest)
        yield Fault(
            kind=kind,
            role=role,
            after=chance.expovariate(1 / pause),
            seconds=0.0 if kind == KILL else chance.uniform(0.05, most),
            which=chance.random(),
            whole=chance.random() < 0.5,
        )
