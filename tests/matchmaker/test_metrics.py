"""Metrics: each is documented, named after its unit, and passes Prometheus's own check."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from matchmaker import lua, operator_scripts, registry_scripts, scripts
from matchmaker.entries import Why
from matchmaker.keys import Keys
from matchmaker.metrics import MatchmakerMetrics, WebMetrics, WorkerMetrics, process_registry
from matchmaker.opening import Answer
from matchmaker.sweeper import Rule
from matchmaker.tournaments import scripts as tournament_scripts
from referee.match.journal import Ending

README = (Path(__file__).parents[2] / "matchmaker" / "README.md").read_text()
UNITS = (
    "total", "seconds", "matches", "jobs", "bots", "referees", "points", "places", "entries",
    "results", "streams", "processes", "pairings", "number", "ratio", "tournaments", "meetings",
)  # fmt: skip


def declared() -> CollectorRegistry:
    registry = CollectorRegistry()
    MatchmakerMetrics(registry)
    WorkerMetrics(registry)
    WebMetrics(registry)
    return registry


def families() -> list[str]:
    return sorted(
        family.name + ("_total" if family.type == "counter" else "")
        for family in declared().collect()
    )


def test_each_metric_stands_in_the_readme_once() -> None:
    rows = re.findall(r"^\| `(warladder_\w+)` \|", README, re.MULTILINE)
    assert sorted(rows) == families()


def test_names_end_in_their_unit() -> None:
    assert [name for name in families() if not name.endswith(UNITS)] == []


def test_labels_are_few() -> None:
    for family in declared().collect():
        assert all(len(sample.labels) <= 4 for sample in family.samples)


@pytest.mark.parametrize("kind", [MatchmakerMetrics, WorkerMetrics, WebMetrics])
def test_promtool_has_nothing_to_say(
    kind: Callable[[CollectorRegistry], object], require: Callable[..., str]
) -> None:
    registry = process_registry()
    kind(registry)
    checked = subprocess.run(
        [require("promtool"), "check", "metrics"],
        input=generate_latest(registry), capture_output=True, timeout=30,
    )  # fmt: skip
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, b"", b"")


def test_closed_lists_stand_in_the_readme() -> None:
    for word in (*Why, *Answer, *Rule, *Ending):
        assert not word.value or word.value in README, word


def test_each_key_stands_in_the_readme() -> None:
    keys = Keys("ns")
    own = {name: text for name, text in vars(keys).items() if name not in ("namespace", "prefix")}
    for name in ("table", "head_to_head", "recent", "places", "versions", "history"):
        own[name] = getattr(keys, name)("X")[:-1]
    theirs = {"planned", "playing", "ended", "referees"}
    for name, text in own.items():
        assert name in theirs or f"`{text.removeprefix('ns:')}" in README, name


def test_each_script_stands_in_the_readme() -> None:
    for module in (scripts, registry_scripts, operator_scripts, tournament_scripts):
        for name in vars(module):
            shared = name.startswith("_") or hasattr(lua, name)
            assert not name.isupper() or f"`{name}`" in README or shared, name
