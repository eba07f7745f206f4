"""The referee's metrics: every family in one place, labels few, children kept."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import accumulate

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    GCCollector,
    Histogram,
    PlatformCollector,
    ProcessCollector,
)
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

SECONDS = (
    0.0001,
    0.00025,
    0.0005,
    0.001,
    0.0025,
    0.005,
    0.01,
    0.025,
    0.05,
    0.1,
    0.25,
    0.5,
    1.0,
    2.5,
    10.0,
)

LATE_LOOP_SECONDS = 0.05
"""From here on a late answer may be the loop's doing: clocks are read as late as this."""


class Tally:
    """What was observed of one part: counted by the event loop, read by a scrape's thread."""

    __slots__ = ("counts", "seconds")

    def __init__(self) -> None:
        self.counts = [0] * (len(SECONDS) + 1)
        self.seconds = 0.0

    def observe(self, seconds: float) -> None:
        self.counts[bisect_left(SECONDS, seconds)] += 1
        self.seconds += seconds


class Tallies(Collector):
    """A histogram of several parts; its observers take no lock, for they run with each decision."""

    def __init__(self, name: str, says: str, parts: Sequence[str]) -> None:
        self.name, self.says = name, says
        self.parts = {part: Tally() for part in parts}

    def collect(self) -> Iterator[Metric]:
        family = HistogramMetricFamily(self.name, self.says, labels=["part"])
        for part, tally in self.parts.items():
            bounds = [*map(str, SECONDS), "+Inf"]
            buckets = list(zip(bounds, accumulate(tally.counts), strict=True))
            family.add_metric([part], buckets, tally.seconds)
        yield family


class Counts(Collector):
    """A counter by game; like `Tallies`, its event loop takes no lock."""

    def __init__(self, name: str, says: str) -> None:
        self.name, self.says = name, says
        self.by_game: dict[str, int] = defaultdict(int)

    def collect(self) -> Iterator[Metric]:
        family = CounterMetricFamily(self.name, self.says, labels=["game"])
        for game, count in list(self.by_game.items()):
            family.add_metric([game], count)
        yield family


class Metrics:
    """One referee's families, in a registry of their own."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        PlatformCollector(registry=registry)
        GCCollector(registry=registry)
        self.matches = Counter(
            "warladder_referee_matches_total",
            "Matches that ended here, by how they ended.",
            ["game", "ending"],
            registry=registry,
        )
        self.decisions = Counts("warladder_referee_decisions", "Questions answered by bots.")
        registry.register(self.decisions)
        self.decision = Tallies(
            "warladder_referee_decision_seconds",
            "Where a decision's time goes: referee (answer read until the match's next question"
            " is written), wire (the stream's median ping), think (charged to the bot).",
            ["referee", "wire", "think"],
        )
        registry.register(self.decision)
        self.in_referee = self.decision.parts["referee"]
        self.on_wire = self.decision.parts["wire"]
        self.thinking = self.decision.parts["think"]
        self.lates = Counter(
            "warladder_referee_late_answers_total",
            "Answers that were not there in time, by whether the loop was 50 ms late then.",
            ["loop"],
            registry=registry,
        )
        self._lates = {each: self.lates.labels(each) for each in ("punctual", "late")}
        self.faults = Counter(
            "warladder_referee_faults_total",
            "Faults told to bots.",
            ["code"],
            registry=registry,
        )
        self.playing = Gauge(
            "warladder_referee_matches_playing", "Matches under way here.", registry=registry
        )
        self.streams = Gauge("warladder_referee_streams", "Bots' live streams.", registry=registry)
        self.loop_lag = Histogram(
            "warladder_referee_event_loop_lag_seconds",
            "How late the event loop calls what is due.",
            buckets=SECONDS,
            registry=registry,
        )
        self.entries = Counter(
            "warladder_referee_journal_entries_total",
            "Journal entries the store has taken.",
            registry=registry,
        )
        self.round_trips = Counter(
            "warladder_referee_journal_round_trips_total",
            "Round trips to the store they took.",
            registry=registry,
        )
        self.away = Counter(
            "warladder_referee_store_away_seconds_total",
            "Time without a store.",
            registry=registry,
        )
        self.takeovers = Counter(
            "warladder_referee_takeovers_total",
            "Matches taken over from an earlier owner.",
            registry=registry,
        )
        self.fenced = Counter(
            "warladder_referee_fenced_total",
            "Matches lost to another owner.",
            registry=registry,
        )

    def decided(self, game: str, think_seconds: float, ping_seconds: float) -> None:
        self.decisions.by_game[game] += 1
        self.thinking.observe(think_seconds)
        self.on_wire.observe(ping_seconds)

    def late(self, delay_seconds: float) -> None:
        """A bot's answer was not there in time, when the loop was so late."""
        loop = "late" if delay_seconds >= LATE_LOOP_SECONDS else "punctual"
        self._lates[loop].inc()
