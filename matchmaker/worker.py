"""
One worker process: a stock RQ `SimpleWorker` in the main thread.

A forking worker costs 12 ms a job and gRPC does not survive a fork; RQ's time-outs need signals,
so the main thread. If it loses Redis in mid-job it exits, and whoever started it starts it again.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType

import structlog
from rq import Queue, SimpleWorker

from matchmaker import jobs, metrics
from matchmaker.daemon import LONGEST_WAIT_SECONDS, Stop, main, wait_for_redis
from matchmaker.keys import Keys
from matchmaker.queues import CLOSE, OPEN
from matchmaker.settings import AWAY, WorkerConfig, connect, worker_config

logger = structlog.get_logger()


def run(config: WorkerConfig) -> int:
    """
    Work until told to stop.

    Returns:
        0 if told to (130 by Ctrl-C); 1 if Redis was lost in mid-job.
    """
    registry = metrics.process_registry()
    registry.register(metrics.ArchiveSpace(config.archive))
    tools = jobs.Tools.of(config, registry)
    jobs.use(tools)
    if config.metrics_port is not None:
        metrics.serve(registry, config.metrics_port)
    stop = Stop()
    stop.install()
    if not wait_for_redis(tools.redis, config.redis_url, stop):
        return stop.code
    keys = Keys(config.namespace)
    connection = connect(config.redis_url)
    # Closing comes first: it gives places back.
    queues = [Queue(keys.queue(name), connection=connection) for name in (CLOSE, OPEN)]
    worker = SimpleWorker(queues, connection=connection, log_job_description=False)
    worker.max_connection_wait_time = LONGEST_WAIT_SECONDS
    note_stops(worker, stop)
    tell_away(worker)
    logger.info("worker_started", worker=worker.name)
    try:
        # RQ's own words are silenced: jobs say what failed, and a lost Redis is one line.
        worker.work(logging_level="CRITICAL")
    except AWAY as error:
        logger.warning("worker_lost_redis", fault=str(error))
        return 1
    if stop():
        logger.info("worker_stopped")
        return stop.code
    logger.warning("worker_lost_redis", fault="in mid-job")
    return 1


def note_stops(worker: SimpleWorker, stop: Stop) -> None:
    """
    Let us know of a signal that RQ takes for itself: it says not why it ended its work.

    And let RQ know of one that we took before it began to listen: it would work on.
    """
    take: Callable[[int, FrameType | None], object] = worker.request_stop
    listen: Callable[[], None] = worker._install_signal_handlers

    def request_stop(number: int, frame: FrameType | None) -> None:
        stop.asked = number
        take(number, frame)

    def install_signal_handlers() -> None:
        listen()
        if stop():
            worker._stop_requested = True

    # A stock worker otherwise.
    worker.request_stop = request_stop  # type: ignore[method-assign]
    worker._install_signal_handlers = install_signal_handlers  # type: ignore[method-assign]


def tell_away(worker: SimpleWorker) -> None:
    """
    Say once that Redis has gone, and once that it is back.

    An idle worker waits for it inside RQ, whose own words are silenced; it beats before each try.
    """
    beat: Callable[..., None] = worker.heartbeat
    away = False

    def heartbeat(*arguments: object, **named: object) -> None:
        nonlocal away
        try:
            beat(*arguments, **named)
        except AWAY as error:
            if not away:
                away = True
                logger.warning("redis_away", fault=str(error))
            raise
        if away:
            away = False
            logger.info("redis_back")

    worker.heartbeat = heartbeat  # type: ignore[method-assign]  # a stock worker otherwise


if __name__ == "__main__":
    sys.exit(main("worker", worker_config, run))
