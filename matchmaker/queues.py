"""The two RQ queues: ids go in, jobs that carry ids and nothing else come out."""

from __future__ import annotations

from collections.abc import Sequence

import redis
from rq import Queue
from rq.timeouts import BaseTimeoutException as OutOfTime

from matchmaker.keys import Keys
from referee.store.plainly import as_bytes

__all__ = ["CLOSE", "OPEN", "OutOfTime", "Queues"]

OPEN = "open"
CLOSE = "close"
JOBS = {OPEN: "matchmaker.jobs.open_match", CLOSE: "matchmaker.jobs.close_match"}
AT_ONCE = 16
"""Matches in one job: several when several wait, few enough that a job stays short."""
TIMEOUT_SECONDS = {OPEN: 30, CLOSE: 120}
FAILED_KEPT_SECONDS = 3600
"""A failed job can be looked at for so long; nothing of ours ever reads it."""


class Queues:
    """The queues of one namespace. The sweeper alone re-queues: RQ's own retries are not used."""

    def __init__(self, connection: redis.Redis, keys: Keys) -> None:
        self.redis = connection
        self.keys = keys
        self.queues = {name: Queue(keys.queue(name), connection=connection) for name in JOBS}

    def put(self, name: str, matches: Sequence[str]) -> None:
        """Queue jobs for these matches."""
        for begin in range(0, len(matches), AT_ONCE):
            self.queues[name].enqueue(
                JOBS[name],
                list(matches[begin : begin + AT_ONCE]),
                job_timeout=TIMEOUT_SECONDS[name],
                result_ttl=0,
                failure_ttl=FAILED_KEPT_SECONDS,
            )

    def send(self) -> int:
        """
        Move planned matches from the outbox to the queue.

        A process that dies in between queues them twice, which does no harm.

        Returns:
            How many there were.
        """
        ids = [i.decode() for i in as_bytes(self.redis.lrange(self.keys.outbox, 0, 499))]
        if ids:
            self.put(OPEN, ids)
            self.redis.ltrim(self.keys.outbox, len(ids), -1)
        return len(ids)

    def lengths(self) -> dict[str, int]:
        """Jobs that wait, by queue."""
        return {name: queue.count for name, queue in self.queues.items()}
