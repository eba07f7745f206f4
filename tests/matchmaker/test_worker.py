"""The worker process and the signals that end it."""

import signal
from collections.abc import Iterator

import pytest
import redis as plain
from rq import Queue, SimpleWorker
from rq.exceptions import StopRequested

from matchmaker.daemon import Stop
from matchmaker.worker import note_stops
from tests.helpers.redis_server import redis_server


@pytest.fixture
def worker() -> Iterator[SimpleWorker]:
    """Without a job; the signals are ours again afterwards."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    with redis_server() as store, plain.Redis.from_url(store.url) as redis:
        yield SimpleWorker([Queue("quiet", connection=redis)], connection=redis)
    for number, handler in before.items():
        signal.signal(number, handler)


def test_a_stop_that_came_before_rq_listened_is_heeded(worker: SimpleWorker) -> None:
    stop = Stop()
    note_stops(worker, stop)
    stop.asked = signal.SIGTERM
    worker.work(logging_level="CRITICAL", max_idle_time=5)
    assert worker._stop_requested, "it only ran out of work"


def test_a_stop_that_comes_later_is_known_to_both(worker: SimpleWorker) -> None:
    stop = Stop()
    note_stops(worker, stop)
    worker._install_signal_handlers()
    with pytest.raises(StopRequested):  # how RQ leaves its wait for work
        signal.raise_signal(signal.SIGTERM)
    assert stop.asked == signal.SIGTERM
