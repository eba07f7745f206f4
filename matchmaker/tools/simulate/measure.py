"""Curves of many simulated ladders, and from which match on their tables are right enough."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from typing import NamedTuple, TypeVar

from matchmaker.interrupts import deaf
from matchmaker.numeric import Floats, Integers, np
from matchmaker.tools.simulate.field import Field, likeness
from matchmaker.tools.simulate.informed import BATCH, Ladder
from matchmaker.tools.simulate.rivals import Rival

RIVALS = ("uniform", "nearest", "quality")
INFORMATION = "information"
SMOOTHED = 3
"""Points of a curve that are averaged before it is said to cross."""
RESAMPLED = 400
One = TypeVar("One")


class Entry(NamedTuple):
    """From which pairing on the median table is right enough, with its 95 % interval."""

    pairings: float
    """Infinite if it never was."""
    low: float
    high: float


def curve(seed: int, *, bots: int, pairings: int, rule: str) -> list[float]:
    """
    Play one ladder.

    Returns:
        How alike its table and the truth were after each 25 pairings (Spearman).
    """
    field = Field(bots, seed)
    ladder = Ladder(field, seed) if rule == INFORMATION else Rival(field, seed, rule)
    found = []
    while ladder.begun < pairings:
        ladder.play(BATCH)
        found.append(likeness(field.strengths, ladder.worth()))
    return found


def curves(
    rule: str, *, bots: int, pairings: int, seeds: Sequence[int], jobs: int
) -> list[list[float]]:
    """Play a ladder for each seed."""
    return each_seed(partial(curve, bots=bots, pairings=pairings, rule=rule), seeds, jobs)


def each_seed(play: Callable[[int], One], seeds: Sequence[int], jobs: int) -> list[One]:
    """Do something for each seed, in so many processes; results in order of `seeds`."""
    with _mapper(jobs) as mapped:
        return list(mapped(play, seeds))


@contextmanager
def _mapper(jobs: int) -> Iterator[Callable[..., Iterator[One]]]:
    if jobs == 1:
        yield map
        return
    # Forked children would share the parent's locks: it may have threads.
    with ProcessPoolExecutor(jobs, get_context("spawn"), initializer=deaf) as pool:
        yield pool.map


def entry(found: Sequence[Sequence[float]], target: float) -> Entry:
    """Say from which pairing on the median curve is above a target."""
    points = np.array(found)
    chance = np.random.Generator(np.random.PCG64(5))
    drawn = [
        _crossing(points[chance.integers(len(points), size=len(points))], target)
        for _ in range(RESAMPLED)
    ]
    low, high = _middle(drawn)
    return Entry(_crossing(points, target), low, high)


def ratio(
    ours: Sequence[Sequence[float]], others: Sequence[Sequence[Sequence[float]]], target: float
) -> Entry:
    """Compare our entry with the best of others'; the same seeds are drawn for all."""
    all_points = [np.array(each) for each in (ours, *others)]
    count = min(len(points) for points in all_points)
    chance = np.random.Generator(np.random.PCG64(6))

    def of(seeds: Integers) -> float:
        mine, *rest = (_crossing(points[seeds], target) for points in all_points)
        best = min(rest)
        return mine / best if np.isfinite(best) else float("inf")

    drawn = [of(chance.integers(count, size=count)) for _ in range(RESAMPLED)]
    low, high = _middle(drawn)
    return Entry(of(np.arange(count)), low, high)


def _middle(drawn: Sequence[float]) -> tuple[float, float]:
    """Between which 95 % of draws lie."""
    ordered = sorted(drawn)
    cut = len(ordered) // 40
    return ordered[cut], ordered[-1 - cut]


def _crossing(points: Floats, target: float) -> float:
    """Where the smoothed median rises above the target, between two points by a straight line."""
    median = np.median(points, axis=0)
    smooth = np.convolve(median, np.ones(SMOOTHED) / SMOOTHED, "valid")
    above = np.flatnonzero(smooth >= target)
    if not len(above):
        return float("inf")
    number = int(above[0])
    middle = SMOOTHED // 2 + 1
    if number == 0:
        return float(BATCH * middle)
    rise = (target - smooth[number - 1]) / (smooth[number] - smooth[number - 1])
    return float(BATCH * (number - 1 + middle + rise))
