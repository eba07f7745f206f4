"""How late the loop is: by its overdue probe, by the last one, and when it stood still."""

import asyncio
from collections.abc import Callable

import pytest

from referee.server.looptime import PROBE_SECONDS, LoopTime, loop_factory


class HandLoop:
    """A loop whose clock a test moves."""

    def __init__(self) -> None:
        self.clock = 100.0
        self.due: list[Callable[[], None]] = []

    def time(self) -> float:
        return self.clock

    def call_at(self, when: float, callback: Callable[[], None]) -> None:
        self.due.append(callback)

    def run_at(self, now: float) -> None:
        self.clock = now
        self.due.pop()()


def test_delay_is_that_of_the_overdue_probe_and_then_of_the_last_one() -> None:
    loop = HandLoop()
    lags: list[float] = []
    stalls: list[float] = []
    time = LoopTime(loop, lags.append, stalls.append, loop.time)  # type: ignore[arg-type]
    assert time.delay() == 0.0
    loop.clock = 100.0 + PROBE_SECONDS + 0.1
    assert time.delay() == pytest.approx(0.1)
    loop.run_at(loop.clock)
    assert time.delay() == pytest.approx(0.1)
    loop.run_at(loop.clock + PROBE_SECONDS)
    assert time.delay() == pytest.approx(0.0)
    assert stalls == []
    loop.run_at(loop.clock + PROBE_SECONDS + 30.0)
    assert stalls == [pytest.approx(30.0)]
    assert time.delay() == pytest.approx(0.0)
    assert len(lags) == 3


@pytest.mark.parametrize("factory", [None, loop_factory()], ids=["asyncio", "installed"])
def test_time_is_finer_than_a_millisecond_and_alarms_go_by_it(
    factory: Callable[[], asyncio.AbstractEventLoop] | None,
) -> None:
    async def look() -> None:
        loop = asyncio.get_running_loop()
        time = LoopTime(loop)
        began = time.now()
        moments = {time.now() for _ in range(1000)}
        assert len(moments) > 10  # of whole milliseconds, these are a few
        rung: asyncio.Future[float] = loop.create_future()
        time.call_at(began + 0.02, lambda: rung.set_result(time.now()))
        assert await rung - began > 0.018
        time.close()

    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(look())
