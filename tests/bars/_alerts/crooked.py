"""A ladder of which some processes hold a mistake of ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tests.bars._alerts import Cause
from tests.bars._alerts.ladders import Crooked, spoilt
from tests.bars._alerts.watch import Watch
from tests.helpers.ladder_processes import ladder_processes

WORKER = "matchmaker.worker"
LONG = 25 * 60.0
"""Findings that stay for six hours are seen to clear at the end of the run, if it takes so long."""


@contextmanager
def bots(crooked: Crooked) -> Iterator[None]:
    members = [{"name": f"bot-{k}", "places": 2, "think": 0.1, "views": True} for k in range(4)]
    with crooked.troupe(crooked.processes.address, *members):
        crooked.until_bots(4)
        yield


@contextmanager
def rules_leak(crooked: Crooked, watch: Watch) -> Iterator[None]:
    """Referee and worker agree on views that show too much."""
    crooked.referee(*spoilt("leaks", "referee.server"))
    try:
        with crooked.with_("worker-1", *spoilt("leaks", WORKER)), bots(crooked):
            yield
    finally:
        crooked.end("referee-1")
        crooked.referee()


@contextmanager
def rules_differ(crooked: Crooked, watch: Watch) -> Iterator[None]:
    with crooked.with_("worker-1", *spoilt("differs", WORKER)), bots(crooked):
        yield


@contextmanager
def workers_differ(crooked: Crooked, watch: Watch) -> Iterator[None]:
    """One closes matches slowly and otherwise than another."""
    with (
        crooked.with_("worker-1", *spoilt("doubles", WORKER)),
        crooked.with_("worker-2", "-m", WORKER),
        bots(crooked),
    ):
        yield


@contextmanager
def worker_hoards(crooked: Crooked, watch: Watch) -> Iterator[None]:
    with crooked.with_("worker-1", *spoilt("hoards", WORKER)):
        yield


@contextmanager
def another_ladder_of_this_name(crooked: Crooked, watch: Watch) -> Iterator[None]:
    """With a Redis of its own."""
    with ladder_processes() as others:
        other = Crooked(others, watch.place)
        other.matchmaker("matchmaker-2")
        yield
        other.end("matchmaker-2")


CAUSES = (
    Cause(
        alerts=("LeakFound",), what="views that show all hands", do=rules_leak,
        clears_within=LONG, goes_on=True,
    ),
    Cause(
        alerts=("MatchUnverified",), what="a worker of other rules", do=rules_differ,
        clears_within=LONG, goes_on=True,
    ),
    Cause(
        alerts=("ResultRefused",), what="two workers close a match differently",
        do=workers_differ, clears_within=LONG, goes_on=True,
    ),
    Cause(
        alerts=("MemoryHigh",), what="a worker keeps 2.2 GB", do=worker_hoards,
        fires_within=180.0, clears_within=60.0,
    ),
    Cause(
        alerts=("TwoLeaders",), what="two ladders of one name", do=another_ladder_of_this_name,
        clears_within=60.0,
    ),
)  # fmt: skip
