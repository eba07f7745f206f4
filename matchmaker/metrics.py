"""
Every metric of the matchmaker's processes, declared once. The README documents them in one table.

Each process serves its own on its own port, from a thread, so that a scrape never holds up work.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

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
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from matchmaker.errors import WrongUse
from matchmaker.opening import Answer
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


class WhileLeading(Collector):
    """What only a leader knows: it would be old, or nothing, in a spare's answer."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.known = False
        """Whether this process leads and has looked."""

    def collect(self) -> Iterator[Metric]:
        if self.known:
            yield from self.registry.collect()


class Tables(Collector):
    """The tables that were made last, read when someone asks: no work between two scrapes."""

    def __init__(self) -> None:
        self.shown: Sequence[Mapping[str, Any]] = ()
        """Of the running seasons, as `table.render` makes them."""

    def collect(self) -> Iterator[Metric]:
        by_bot = ["game", "bot"]
        mu = GaugeMetricFamily("warladder_rating_mu_points", "Rating of a bot.", labels=by_bot)
        sigma = GaugeMetricFamily(
            "warladder_rating_sigma_points", "Uncertainty of a bot's rating.", labels=by_bot
        )
        rank = GaugeMetricFamily(
            "warladder_rank_places", "Place of a bot in its table, from 1.", labels=by_bot
        )
        estimate = GaugeMetricFamily(
            "warladder_estimate_points",
            "Estimated strength of a bot (fitted) and its 95 % interval (low, high).",
            labels=[*by_bot, "bound"],
        )
        matches = GaugeMetricFamily(
            "warladder_bot_matches",
            "Rated matches of a bot's version by outcome.",
            labels=[*by_bot, "outcome"],
        )
        share = GaugeMetricFamily(
            "warladder_side_share_ratio",
            "Expected score of a side between equally strong bots.",
            labels=["game", "side"],
        )
        effect = GaugeMetricFamily(
            "warladder_side_effect_points",
            "Advantage of a side (fitted) and its 95 % interval (low, high).",
            labels=["game", "side", "bound"],
        )
        for table in self.shown:
            game = table["game"]
            for row in table["table"]:
                bot = row["bot"]
                mu.add_metric([game, bot], row["mu"])
                sigma.add_metric([game, bot], row["sigma"])
                rank.add_metric([game, bot], row["rank"])
                for outcome in OUTCOMES:
                    matches.add_metric([game, bot, outcome], row[outcome])
                if row["estimate"] is not None:
                    for bound, column in BOUNDS.items():
                        estimate.add_metric([game, bot, bound], row[column])
            for place in table["side_effect"]:
                side = str(place["side"])
                share.add_metric([game, side], place["share"])
                for bound, column in {**BOUNDS, "fitted": "effect"}.items():
                    effect.add_metric([game, side, bound], place[column])
        yield from (mu, sigma, rank, estimate, matches, share, effect)


class ArchiveSpace(Collector):
    """The file system of the archive, looked at when someone asks."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def collect(self) -> Iterator[Metric]:
        free = GaugeMetricFamily("warladder_archive_free_bytes", "Free space where the archive is.")
        capacity = GaugeMetricFamily(
            "warladder_archive_capacity_bytes", "All space where the archive is."
        )
        try:
            usage = shutil.disk_usage(self.folder)
        except OSError:
            pass  # not there yet, or gone: no figure rather than a wrong one
        else:
            free.add_metric([], usage.free)
            capacity.add_metric([], usage.total)
        yield from (free, capacity)


class MatchmakerMetrics:
    """Of a matchmaker. What comes from stores is what the leader saw last; a spare shows none."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._own(registry)
        self.ladder = WhileLeading()
        registry.register(self.ladder)
        self.tables = Tables()
        self.ladder.registry.register(self.tables)
        self._of_the_ladder(self.ladder.registry)

    def _own(self, registry: CollectorRegistry) -> None:
        """What each matchmaker says of itself, a spare too."""
        self.leading = Gauge(
            "warladder_leading_processes",
            "1 while this matchmaker leads, 0 while it is a spare.",
            registry=registry,
        )
        self.term = Gauge(
            "warladder_leader_term_number", "Number of this matchmaker's term.", registry=registry
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

    def _of_the_ladder(self, registry: CollectorRegistry) -> None:
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
        self.memory = Gauge(
            "warladder_redis_memory_bytes", "Memory that Redis uses for data.", registry=registry
        )
        self.memory_limit = Gauge(
            "warladder_redis_memory_limit_bytes",
            "Memory that Redis may use: its maxmemory, else all of its machine's.",
            registry=registry,
        )


class WorkerMetrics:
    """Of a worker."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.jobs = Histogram(
            "warladder_job_seconds",
            "Time of one job.",
            ["kind"],
            buckets=SECONDS,
            registry=registry,
        )
        for job in ("open", "close"):
            self.jobs.labels(job)
        self.failed = Counter(
            "warladder_failed_jobs_total",
            "Jobs that did not do all their work.",
            ["kind"],
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
        for answer in Answer:  # a series that begins with its first event hides it from `increase`
            self.openings.labels(answer.value)
        self.closed = Counter(
            "warladder_closed_matches_total",
            "Matches that this worker closed.",
            ["game", "ending", "standing"],
            registry=registry,
        )
        self.bot_faults = Counter(
            "warladder_bot_faults_total",
            "Matches closed here in which a bot ended its part by a fault, or resigned.",
            ["game", "bot", "fault"],
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
        self.failed = Counter(
            "warladder_web_failed_requests_total",
            "Requests that failed by a mistake of ours or a file that cannot be read.",
            registry=registry,
        )


ENDINGS = tuple(ending.value for ending in Ending)
OUTCOMES = ("wins", "draws", "losses")
BOUNDS = {"low": "low", "fitted": "estimate", "high": "high"}
"""What an estimate's label says, and the table's column."""
