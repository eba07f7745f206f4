"""
Provoke alerts by their real causes, and see them fire and clear through a real Prometheus.

`watch` looks, `harm` and `troupe` do what goes wrong, `spoilt` is what cannot go wrong by itself:
mistakes of ours. `rough`, `calm` and `crooked` are ladders with what is done to each.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from tests.bars._alerts.watch import Watch


@dataclass(frozen=True, kw_only=True)
class Cause:
    """Something that goes wrong, and the alerts that tell of it."""

    alerts: tuple[str, ...]
    what: str
    do: Callable[[Any, Watch], AbstractContextManager[None]]
    """Given the ladder: it goes wrong on entering and is put right on leaving."""
    then: Callable[[Any, Watch], AbstractContextManager[None]] | None = None
    """What has to go well afterwards, until the alerts clear."""
    ladder: str | None = None
    """The alerts' label; that of the ladder if None."""
    small: bool = False
    """Part of the small run."""
    fires_within: float = 90.0
    """Seconds."""
    clears_within: float = 90.0
    goes_on: bool = False
    """Whether the next cause waits not until these alerts have cleared."""


@dataclass
class Line:
    """What came of one alert. Times are monotonic seconds."""

    alert: str
    ladder: str
    cause: Cause
    begun: float
    fired: float | None = None
    righted: float | None = None
    """When the cause began to be put right."""
    cleared: float | None = None
    fault: str = ""

    def __str__(self) -> str:
        if self.fired is None:
            return f"{self.alert}: DID NOT FIRE ({self.cause.what}) {self.fault}".rstrip()
        fired = f"fired after {self.fired - self.begun:.1f} s"
        if self.cleared is None or self.righted is None:
            cleared = "not seen to clear"
        elif self.cleared == self.righted:
            cleared = "cleared while its cause lasted"
        else:
            cleared = f"cleared after {self.cleared - self.righted:.1f} s"
        return f"{self.alert}: {fired}, {cleared} ({self.cause.what}) {self.fault}".rstrip()


def provoke(cause: Cause, stage: Any, watch: Watch, begun: float | None = None) -> list[Line]:
    """
    Let something go wrong until its alerts fire, and put it right again.

    Args:
        begun: When it began to go wrong, if it has already.
    """
    ladder = stage.name if cause.ladder is None else cause.ladder
    lines = [Line(name, ladder, cause, begun or time.monotonic()) for name in cause.alerts]
    if begun is None:
        watch.until(lambda: not any(map(watch.now, keys(lines))), cause.clears_within)
        for line in lines:
            if watch.now((line.alert, ladder)):
                line.fault = "fired before its cause"
            line.begun = time.monotonic()
    try:
        with cause.do(stage, watch):
            watch.until(lambda: all(map(watch.fired, lines)), cause.fires_within)
            for line in lines:
                line.righted = time.monotonic()
    except Exception as fault:  # the run goes on with what else can go wrong
        for line in lines:
            line.fault = f"{line.fault} {fault!r}".strip()
    if not cause.goes_on:
        with cause.then(stage, watch) if cause.then else nullcontext():
            watch.until(lambda: all(map(watch.cleared, lines)), cause.clears_within)
    return lines


def keys(lines: list[Line]) -> list[tuple[str, str]]:
    return [(line.alert, line.ladder) for line in lines]
