"""What the dashboards and rules in `deploy/` ask, and the answers of a real Prometheus."""

import json
import re
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from prometheus_client import CollectorRegistry
from prometheus_client.metrics_core import Metric

from deploy.grafana.boards import BOARDS
from deploy.grafana.panels import Panel
from matchmaker.metrics import ArchiveSpace, MatchmakerMetrics, WebMetrics, WorkerMetrics
from referee.metrics import Metrics

PROMETHEUS = Path(__file__).parents[2] / "deploy" / "prometheus"
CHOSEN = {"$ladder": "warladder", "$game": ".*", "$__rate_interval": "20s"}
"""What Grafana puts in for a reader who chose nothing."""


def panels() -> list[tuple[str, Panel]]:
    """Every panel with a name that tells it from all others."""
    return [(f"{board.uid}: {panel.title}", panel) for board in BOARDS for panel in board.panels]


def filled(expr: str) -> str:
    """A panel's query as Grafana sends it."""
    for name, value in CHOSEN.items():
        expr = expr.replace(name, value)
    return expr


def fresh() -> Iterator[Metric]:
    """The families of a ladder whose processes have just begun."""
    registry, referee = CollectorRegistry(), Metrics()
    registry.register(ArchiveSpace(Path()))
    MatchmakerMetrics(registry).ladder.known = True
    WorkerMetrics(registry)
    WebMetrics(registry)
    yield from registry.collect()
    yield from referee.registry.collect()


def declared() -> set[str]:
    """Names of all series that our processes can have."""
    names: set[str] = set()
    for family in fresh():
        ends = {
            "counter": ("_total",), "histogram": ("_bucket", "_sum", "_count")
        }.get(family.type, ("",))  # fmt: skip
        names |= {family.name + end for end in ends}
    return {name for name in names if name.startswith("warladder_")}


def named(expr: str) -> set[str]:
    """Names of our series in an expression; those that rules record have a colon before them."""
    return set(re.findall(r"(?<![\w:])warladder_\w+(?![\w:])", expr))


def recorded(expr: str) -> set[str]:
    """Names of recorded series in an expression."""
    return set(re.findall(r"\b\w+:warladder_\w+:\w+", expr))


class Server:
    """The HTTP interface of a Prometheus."""

    def __init__(self, port: int) -> None:
        self.address = f"http://127.0.0.1:{port}/api/v1"

    def get(self, path: str, **values: str) -> Any:
        query = f"?{urllib.parse.urlencode(values)}" if values else ""
        with urllib.request.urlopen(f"{self.address}/{path}{query}", timeout=10) as answer:
            document = json.load(answer)
        assert document["status"] == "success", document
        return document["data"]

    def ask(self, expr: str) -> list[dict[str, Any]]:
        """The series that an expression gives now."""
        found: list[dict[str, Any]] = self.get("query", query=expr)["result"]
        return found

    def firing(self) -> set[str]:
        """Names of the alerts that fire."""
        return {
            each["labels"]["alertname"]
            for each in self.get("alerts")["alerts"]
            if each["state"] == "firing"
        }
