"""
The two jobs that RQ runs: `open_match` and `close_match`. Each carries match ids and nothing else.

Run by a stock `SimpleWorker` in the main thread of its own process. Each is safe to run twice, at
the same time too. Also the way to the referees' internal service.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import grpc
import redis
import structlog
from prometheus_client import CollectorRegistry

from matchmaker.archive import Archive
from matchmaker.closing import Closer
from matchmaker.entries import Result
from matchmaker.keys import Keys
from matchmaker.log import Closed
from matchmaker.metrics import WorkerMetrics
from matchmaker.opening import Answer, Opener, Referees
from matchmaker.queues import CLOSE, OPEN, OutOfTime
from matchmaker.settings import WorkerConfig, connect, worker_config
from referee.match.replay import Verified
from referee.store.records import MatchRecord, Presence
from warladder.v1 import internal_pb2, internal_pb2_grpc

CALL_SECONDS = 10.0
"""A referee that does not answer in this time is passed over."""
SECRET = "x-warladder-secret"
ANSWERS = {
    internal_pb2.OPENING_OPENED: Answer.OPENED,
    internal_pb2.OPENING_FULL: Answer.FULL,
    internal_pb2.OPENING_AWAY: Answer.AWAY,
    internal_pb2.OPENING_BOT_ABSENT: Answer.BOT_ABSENT,
    internal_pb2.OPENING_WRONG_RULES: Answer.WRONG_RULES,
    internal_pb2.OPENING_NOT_PLANNED: Answer.NOT_PLANNED,
}

logger = structlog.get_logger()


class Channels:
    """Channels to the referees' internal services, kept from job to job."""

    def __init__(self, secret: str) -> None:
        self.metadata = ((SECRET, secret),)
        self._channels: dict[str, grpc.Channel] = {}

    def hand(self, referee: Presence, matches: Sequence[str]) -> list[Answer]:
        """Hand matches to one referee; one answer each, in their order."""
        was_known = referee.internal in self._channels
        response = self._call(referee, matches)
        if response is None and was_known:
            # A channel of an earlier life of that address: nobody was asked yet.
            response = self._call(referee, matches)
        openings = [] if response is None else response.openings
        found = [ANSWERS.get(opening, Answer.UNREACHED) for opening in openings]
        return found + [Answer.UNREACHED] * (len(matches) - len(found))

    def _call(
        self, referee: Presence, matches: Sequence[str]
    ) -> internal_pb2.OpenMatchesResponse | None:
        """
        Call once.

        Returns:
            None if nobody can be there: the channel is broken, and the next call has a new one.
        """
        channel = self._channels.get(referee.internal)
        if channel is None:
            channel = self._channels[referee.internal] = grpc.insecure_channel(referee.internal)
        stub = internal_pb2_grpc.InternalStub(channel)
        try:
            return stub.OpenMatches(
                internal_pb2.OpenMatchesRequest(matches=matches),
                timeout=CALL_SECONDS,
                metadata=self.metadata,
            )
        except grpc.RpcError as error:
            logger.warning("referee_unreached", referee=referee.name, status=str(error.code()))
            # A new channel next time: another referee may have this address by then.
            self._channels.pop(referee.internal).close()
            if error.code() is grpc.StatusCode.UNAVAILABLE:
                return None
            return internal_pb2.OpenMatchesResponse()


@dataclass
class Tools:
    """What a worker's jobs share."""

    redis: redis.Redis
    keys: Keys
    archive: Archive
    channels: Referees
    metrics: WorkerMetrics = field(default_factory=lambda: WorkerMetrics(CollectorRegistry()))

    @classmethod
    def of(cls, config: WorkerConfig, registry: CollectorRegistry) -> Tools:
        return cls(
            redis=connect(config.redis_url),
            keys=Keys(config.namespace),
            archive=Archive(config.archive),
            channels=Channels(config.secret),
            metrics=WorkerMetrics(registry),
        )


_tools: Tools | None = None


def use(tools: Tools | None) -> None:
    """Give the jobs of this process their tools; without any they are made by the environment."""
    global _tools
    _tools = tools


def open_match(matches: list[str]) -> None:
    """Hand matches to referees, or find that their bots did not come."""
    tools = _ready()

    def count(match: str, answer: Answer) -> None:
        tools.metrics.openings.labels(answer.value).inc()
        if answer is not Answer.OPENED:
            logger.info("match_not_opened", match=match, answer=answer.value)

    with _timed(tools, OPEN, matches):
        Opener(tools.redis, tools.keys, tools.channels, count).open(matches)


def close_match(matches: list[str]) -> None:
    """Replay ended matches, keep them in the archive and append their results."""
    tools = _ready()
    metrics = tools.metrics

    def verified(record: MatchRecord, found: Verified) -> None:
        metrics.canaries.inc(found.canaries)
        metrics.leaks.inc(len(found.leaks))
        for leak in found.leaks:
            logger.error("leak", match=record.match, game=record.game, what=leak)
        if found.problems:
            metrics.unverified.inc()

    def closed(result: Result, how: Closed) -> None:
        if how is Closed.NOW:
            metrics.closed.labels(result.game, result.ending, result.standing.value).inc()
            for seated, fault in zip(result.seats, result.faults):
                if fault:
                    metrics.bot_faults.labels(result.game, seated.bot, fault).inc()
        elif how is Closed.BEFORE:
            metrics.again.inc()

    with _timed(tools, CLOSE, matches):
        ends_all = (redis.RedisError, OutOfTime)
        Closer(tools.redis, tools.keys, tools.archive, verified, closed, ends_all).close(matches)


def _ready() -> Tools:
    if _tools is None:
        use(Tools.of(worker_config(os.environ), CollectorRegistry()))
    assert _tools is not None
    return _tools


@contextmanager
def _timed(tools: Tools, job: str, matches: list[str]) -> Iterator[None]:
    began = time.perf_counter()
    try:
        yield
    except Exception as fault:
        tools.metrics.failed.labels(job).inc()
        # A store that went away is nobody's fault of ours; whatever else it is, is.
        level = logging.WARNING if isinstance(fault, redis.RedisError) else logging.ERROR
        logger.log(level, "job_failed", job=job, matches=matches, fault=repr(fault))
        raise
    finally:
        tools.metrics.jobs.labels(job).observe(time.perf_counter() - began)
