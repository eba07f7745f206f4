"""The event loop's time, and how late it is: what a referee does to a bot's clock is no fault."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from importlib import import_module
from time import monotonic

PROBE_SECONDS = 0.025
STALL_SECONDS = 0.25
"""A loop as late as this stood still: the time is left out of every clock."""


GARBAGE_EVERY = (10_000, 20, 20)
"""Objects and rounds between collections of garbage: decisions leave almost none."""


def settle_memory() -> None:
    """
    Leave what is loaded by now out of every collection of garbage to come.

    A full one that goes through modules and card data holds the loop up for tens of milliseconds.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GARBAGE_EVERY)


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """uvloop's where it is installed: a decision costs a seventh less; None is asyncio's own."""
    try:
        factory: Callable[[], asyncio.AbstractEventLoop] = import_module("uvloop").new_event_loop
    except ImportError:
        return None
    return factory


class LoopTime:
    """
    Monotonic time of one event loop, with a probe of its lateness.

    Not the loop's own `time`: asyncio's is the same clock, reached more slowly, and uvloop's knows
    whole milliseconds only.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        on_lag: Callable[[float], None] = lambda seconds: None,
        on_stall: Callable[[float], None] = lambda seconds: None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """
        Args:
            clock: The one that the loop's `call_at` goes by.
        """
        self.now = clock
        self.call_at = loop.call_at
        self._on_lag = on_lag
        self._on_stall = on_stall
        self._recent = 0.0
        self._due = clock() + PROBE_SECONDS
        self._probe: asyncio.TimerHandle | None = loop.call_at(self._due, self._look)

    def delay(self) -> float:
        """How late things are looked at now: the overdue probe's lateness, or the last one's."""
        late = self.now() - self._due
        return late if late > self._recent else self._recent

    def close(self) -> None:
        if self._probe is not None:
            self._probe.cancel()
            self._probe = None

    def _look(self) -> None:
        now = self.now()
        late = max(0.0, now - self._due)
        self._on_lag(late)
        self._due = now + PROBE_SECONDS
        self._probe = self.call_at(self._due, self._look)
        if late >= STALL_SECONDS:
            self._recent = 0.0
            self._on_stall(late)
        else:
            self._recent = late
