"""Simulated ladders that several bars look at; each is played once in a process."""

import os
from collections.abc import Callable
from functools import cache
from typing import TypeVar

from matchmaker.tools.simulate.measure import each_seed
from matchmaker.tools.simulate.trials import Usual, usual

One = TypeVar("One")
JOBS = min(2, os.cpu_count() or 1)


def played(trial: Callable[[int], One], seeds: int) -> list[One]:
    """Play a trial for seeds 0, 1, 2…"""
    return each_seed(trial, range(seeds), JOBS)


@cache
def usual_ladders(seeds: int) -> tuple[Usual, ...]:
    """100 bots, 1,500 pairings by information."""
    return tuple(played(usual, seeds))
