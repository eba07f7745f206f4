"""An event loop whose time is counted, not measured: waiting takes none, and twice is the same."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from types import TracebackType
from typing import Any, TypeVar

T = TypeVar("T")


class ClockworkLoop(asyncio.SelectorEventLoop):
    """Time goes on to the next thing that is due whenever nothing is left to do."""

    def __init__(self) -> None:
        self.clock = 0.0
        super().__init__(_Skipping(self))

    def time(self) -> float:
        return self.clock

    def pass_seconds(self, seconds: float) -> None:
        """Let time pass, everything at its own moment."""
        self.run_until_complete(asyncio.sleep(seconds))

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.run_until_complete(work)

    def __enter__(self) -> ClockworkLoop:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        tasks = asyncio.all_tasks(self)
        for task in tasks:
            task.cancel()
        if tasks:
            self.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        self.close()


class _Skipping(selectors.DefaultSelector):
    """Where the loop would wait, the clock is put on."""

    def __init__(self, loop: ClockworkLoop) -> None:
        super().__init__()
        self.loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise RuntimeError("nothing is due, now or ever: the loop would wait for ever")
        if timeout > 0:
            self.loop.clock += timeout
        return super().select(0)
