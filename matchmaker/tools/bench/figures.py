"""What every bench has in common: a row, and fair ways to measure one."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import perf_counter, process_time
from typing import NamedTuple

REPETITIONS = 5
"""A figure is the median of so many."""


class Row(NamedTuple):
    """One figure of a bench."""

    name: str
    value: float
    unit: str
    raw: float | None
    """The same unit for the least that could do the job, in the same run; None if there is none."""
    ratio: float | None
    """How many times the limit's cost: 1 is the limit."""
    cpu_us: float | None
    """Microseconds of CPU for one."""


def rate(name: str, unit: str, cpu_seconds: float, raw_cpu_seconds: float | None = None) -> Row:
    """A row of things done in a CPU second; both times are for one thing."""
    return Row(
        name=name,
        value=rounded(1 / cpu_seconds),
        unit=unit,
        raw=None if raw_cpu_seconds is None else rounded(1 / raw_cpu_seconds),
        ratio=None if raw_cpu_seconds is None else rounded(cpu_seconds / raw_cpu_seconds),
        cpu_us=rounded(cpu_seconds * 1e6),
    )


def cost(name: str, cpu_seconds: float, raw_cpu_seconds: float | None = None) -> Row:
    """A row of what one thing costs in microseconds of CPU."""
    return Row(
        name=name,
        value=rounded(cpu_seconds * 1e6),
        unit="us",
        raw=None if raw_cpu_seconds is None else rounded(raw_cpu_seconds * 1e6),
        ratio=None if raw_cpu_seconds is None else rounded(cpu_seconds / raw_cpu_seconds),
        cpu_us=rounded(cpu_seconds * 1e6),
    )


def rounded(value: float) -> float:
    """Three digits that mean something."""
    return float(f"{value:.3g}")


def cpu_for_one(work: Callable[[], int], seconds: float) -> float:
    """
    CPU seconds for one of what `work` does, median of several repetitions.

    Args:
        work: Does some and returns how many.
        seconds: About how long to measure in all.
    """
    work()  # warm
    figures = []
    for _ in range(REPETITIONS):
        began, cpu = perf_counter(), process_time()
        done = work()  # at least once, however little of the machine is ours
        while perf_counter() - began < seconds / REPETITIONS:
            done += work()
        figures.append((process_time() - cpu) / done)
    return median(figures)
