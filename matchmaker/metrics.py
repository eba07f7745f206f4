"""
Every metric of the matchmaker's processes, declared once. The README documents them in one table.

Each process serves its own on its own port, from a thread, so that a scrape never holds up work.
"""

from __future__ import annotations

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    GCCollector,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    disable_created_metrics,
    start_http_server,
)

from matchmaker.errors import WrongUse
from matchmaker.sweeper import Rule
from referee.match.journal import Ending

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


def process_registry() -> CollectorRegistry:
    """Begin a process's metrics with those of the process itself."""
    # Half of the lines otherwise, and nobody asks when a counter was made.
    disable_created_metrics()  # type: ignore[no-untyped-call]  # shipped without types
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
    GCCollector(registry=registry)
    return registry


def serve(registry: CollectorRegistry, port: int) -> None:
    """
    Serve metrics on loopback.

    Raises:
        WrongUse: The port is in use.
    """
    try:
        start_http_server(port, addr="127.0.0.1", registry=registry)
    except OSError as error:
        raise WrongUse(
            f"WARLADDER_METRICS_PORT={port}: {error.strerror}; choose another port"
        ) from None


class MatchmakerMetrics:
    """Of a matchmaker. What comes from stores is what the leader saw last; a spare shows none."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.leading = Gauge(
            "warladder_leading_processes",
            "1 while this matchmaker leads, 0 while it is a spare.",
            registry=registry,
        )
        self.term = Gauge(
            "warladder_leader_term_number", "Number of this matchmaker's term.", registry=registry
        )
        self.matches = Gauge(
            "warladder_ladder_matches",
            "Closed matches in the results log by ending.",
            ["game", "ending"],
            registry=registry,
        )
        self.standings = Gauge(
            "warladder_ladder_results",
            "Closed matches in the results log by standing: rated, unrated, void.",
            ["game", "standing"],
            registry=registry,
        )
        self.open = Gauge(
            "warladder_open_matches",
            "Matches that are not closed, by status.",
            ["status"],
            registry=registry,
        )
        self.announced = Gauge(
            "warladder_announced_tournaments",
            "Tournaments that are to be held, schedules among them.",
            registry=registry,
        )
        self.contests = Gauge(
            "warladder_running_tournaments",
            "Tournaments that have begun and not ended.",
            registry=registry,
        )
        self.meetings = Gauge(
            "warladder_wanted_meetings",
            "Meetings that running tournaments want played and that have not begun.",
            registry=registry,
        )
        self.pairings = Gauge(
            "warladder_open_pairings",
            "Pairings with matches still to play.",
            ["game"],
            registry=registry,
        )
        self.outbox = Gauge(
            "warladder_outbox_matches", "Planned matches without a job yet.", registry=registry
        )
        self.queue = Gauge(
            "warladder_queue_jobs", "Jobs that wait for a worker.", ["queue"], registry=registry
        )
        self.planned = Counter(
            "warladder_planned_matches_total", "Matches planned by this process.", registry=registry
        )
        self.dropped = Counter(
            "warladder_dropped_wishes_total",
            "Practise matches that found no partner.",
            registry=registry,
        )
        self.sweeps = Counter(
            "warladder_sweeps_total", "Looks of the sweeper at all matches.", registry=registry
        )
        self.swept = Counter(
            "warladder_swept_matches_total",
            "Matches that a rule of the sweeper concerned.",
            ["rule"],
            registry=registry,
        )
        for rule in Rule:
            self.swept.labels(rule.value)
        self.bots = Gauge(
            "warladder_ladder_bots",
            "Bots that attend and can be paired.",
            ["game"],
            registry=registry,
        )
        self.paused = Gauge(
            "warladder_paused_bots", "Bots that attend but are paused.", registry=registry
        )
        self.referees = Gauge(
            "warladder_present_referees", "Referees that are present.", registry=registry
        )
        self.wait = Gauge(
            "warladder_longest_wait_seconds",
            "Longest wait of a bot that has a place free now.",
            ["game"],
            registry=registry,
        )
        self.spread = Gauge(
            "warladder_pairing_spread_ratio",
            "How unevenly bots that are there had recent pairings (Gini coefficient).",
            ["game"],
            registry=registry,
        )
        self.repeats = Gauge(
            "warladder_repeated_pairings_ratio",
            "Share of recent pairings of bots that had just met.",
            ["game"],
            registry=registry,
        )
        self.imbalance = Gauge(
            "warladder_seat_imbalance_ratio",
            "Largest difference between a bot's share of matches in a seat and an even one.",
            ["game"],
            registry=registry,
        )
        self.mu = Gauge(
            "warladder_rating_mu_points", "Rating of a bot.", ["game", "bot"], registry=registry
        )
        self.sigma = Gauge(
            "warladder_rating_sigma_points",
            "Uncertainty of a bot's rating.",
            ["game", "bot"],
            registry=registry,
        )
        self.rank = Gauge(
            "warladder_rank_places",
            "Place of a bot in its table, from 1.",
            ["game", "bot"],
            registry=registry,
        )
        self.log = Gauge("warladder_log_entries", "Entries of the results log.", registry=registry)
        self.head = Gauge(
            "warladder_log_head_number",
            "First 6 bytes of the chain's head at that entry, as a number.",
            registry=registry,
        )
        self.refused = Gauge(
            "warladder_log_refused_results",
            "Second, different results of a match that the log refused; must stay 0.",
            registry=registry,
        )
        self.round = Histogram(
            "warladder_round_seconds",
            "One round of the leader: fold, plan, sweep.",
            buckets=SECONDS,
            registry=registry,
        )
        self.away = Counter(
            "warladder_redis_away_total",
            "Times that Redis did not answer.",
            registry=registry,
        )


class WorkerMetrics:
    """Of a worker."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.jobs = Histogram(
            "warladder_job_seconds",
            "Time of one job.",
            ["job"],
            buckets=SECONDS,
            registry=registry,
        )
        for job in ("open", "close"):
            self.jobs.labels(job)
        self.failed = Counter(
            "warladder_failed_jobs_total",
            "Jobs that did not do all their work.",
            ["job"],
            registry=registry,
        )
        for job in ("open", "close"):
            self.failed.labels(job)
        self.openings = Counter(
            "warladder_openings_total",
            "Answers of referees that were handed a match.",
            ["answer"],
            registry=registry,
        )
        self.closed = Counter(
            "warladder_closed_matches_total",
            "Matches that this worker closed.",
            ["game", "ending", "standing"],
            registry=registry,
        )
        self.again = Counter(
            "warladder_repeated_closes_total",
            "Closes of a match that had been closed before, with the same result.",
            registry=registry,
        )
        self.unverified = Counter(
            "warladder_unverified_matches_total",
            "Replays that did not give the recorded result; must stay 0.",
            registry=registry,
        )
        self.canaries = Counter(
            "warladder_canaries_total", "Decisions re-dealt to look for leaks.", registry=registry
        )
        self.leaks = Counter(
            "warladder_leaks_total",
            "Re-dealt decisions that showed what the seat cannot know; must stay 0.",
            registry=registry,
        )


class WebMetrics:
    """Of a web process."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.requests = Counter(
            "warladder_web_requests_total",
            "Requests answered, by route and class of status.",
            ["route", "status"],
            registry=registry,
        )
        self.seconds = Histogram(
            "warladder_web_request_seconds",
            "From a request to the end of its answer; streams are left out.",
            ["route"],
            buckets=SECONDS,
            registry=registry,
        )
        self.renders = Counter(
            "warladder_web_renders_total",
            "Answers that were made anew; all others came ready from memory.",
            registry=registry,
        )
        self.streams = Gauge(
            "warladder_web_open_streams", "Event streams that are open.", registry=registry
        )
        self.refused = Counter(
            "warladder_web_refused_streams_total",
            "Event streams that were refused: there were too many.",
            registry=registry,
        )
        self.away = Counter(
            "warladder_web_redis_away_total",
            "Requests that failed since Redis did not answer.",
            registry=registry,
        )


ENDINGS = tuple(ending.value for ending in Ending)
