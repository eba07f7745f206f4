"""Metrics: each is documented, named after its unit, and passes Prometheus's own check."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import redis
from prometheus_client import CollectorRegistry, generate_latest

from matchmaker import lua, operator_scripts, registry_scripts, scripts
from matchmaker.entries import Why
from matchmaker.keys import Keys
from matchmaker.metrics import (
    ArchiveSpace,
    MatchmakerMetrics,
    WebMetrics,
    WhileLeading,
    WorkerMetrics,
    process_registry,
)
from matchmaker.opening import Answer
from matchmaker.process import SETTLE_SECONDS, SWEEP_SECONDS, Matchmaker
from matchmaker.sweeper import Rule
from matchmaker.tournaments import scripts as tournament_scripts
from referee.match.journal import Ending
from referee.metrics import Metrics
from tests.helpers.stage import Stage

README = (Path(__file__).parents[2] / "matchmaker" / "README.md").read_text()
ROW = {
    "bot": "b", "rank": 1, "mu": 26.0, "sigma": 4.0, "wins": 3, "draws": 1, "losses": 2,
    "estimate": 25.5, "low": 22.0, "high": 29.0,
}  # fmt: skip
SIDE = {"side": 0, "effect": 0.5, "low": -1.0, "high": 2.0, "share": 0.52}
TABLE = {"game": "toy", "table": [ROW], "side_effect": [SIDE]}
UNITS = (
    "total", "seconds", "matches", "jobs", "bots", "referees", "points", "places", "entries",
    "results", "streams", "processes", "pairings", "number", "ratio", "tournaments", "meetings",
    "bytes",
)  # fmt: skip


def declared() -> CollectorRegistry:
    registry = CollectorRegistry()
    registry.register(ArchiveSpace(Path(__file__).parent))
    leading(registry)
    WorkerMetrics(registry)
    WebMetrics(registry)
    return registry


def labels_of(registry: CollectorRegistry) -> set[str]:
    """Names of all labels, of families without a series too."""
    found = {label for family in registry.collect() for each in family.samples for label in each[1]}
    for collector in list(registry._collector_to_names):
        found |= set(getattr(collector, "_labelnames", ()))
        if isinstance(collector, WhileLeading):
            found |= labels_of(collector.registry)
    return found


def leading(registry: CollectorRegistry) -> MatchmakerMetrics:
    """Those of a matchmaker that leads and has one table to show."""
    shown = MatchmakerMetrics(registry)
    shown.ladder.known = True
    shown.tables.shown = [TABLE]
    return shown


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


def test_no_label_is_one_that_prometheus_or_the_list_of_targets_sets() -> None:
    """It would be renamed on the way, and alerts would look for it in vain."""
    found = labels_of(declared()) | labels_of(Metrics().registry)
    assert {"game", "kind", "rule", "route", "code"} <= found
    assert found & {"job", "instance", "process", "role", "ladder"} == set()


def test_labels_are_few() -> None:
    for family in declared().collect():
        assert all(len(sample.labels) <= 4 for sample in family.samples)


def test_a_tables_figures_are_those_of_its_rows() -> None:
    registry = CollectorRegistry()
    shown = leading(registry)
    mine = {"game": "toy", "bot": "b"}
    sides = {"game": "toy", "side": "0"}

    def value(name: str, **labels: str) -> float | None:
        return registry.get_sample_value(f"warladder_{name}", labels)

    assert value("rating_mu_points", **mine) == 26.0
    assert value("rating_sigma_points", **mine) == 4.0
    assert value("rank_places", **mine) == 1
    by_outcome = [
        value("bot_matches", **mine, outcome=name) for name in ("wins", "draws", "losses")
    ]
    assert by_outcome == [3, 1, 2]
    bounds = ("low", "fitted", "high")
    assert [value("estimate_points", **mine, bound=name) for name in bounds] == [22.0, 25.5, 29.0]
    assert value("side_share_ratio", **sides) == 0.52
    effect = [value("side_effect_points", **sides, bound=name) for name in bounds]
    assert effect == [-1.0, 0.5, 2.0]
    unfitted = {**ROW, "estimate": None, "low": None, "high": None}
    shown.tables.shown = [{**TABLE, "table": [unfitted], "side_effect": []}]
    assert value("rating_mu_points", **mine) == 26.0
    assert value("estimate_points", **mine, bound="fitted") is None


def test_what_only_a_leader_knows_a_spare_does_not_show() -> None:
    registry = CollectorRegistry()
    shown = leading(registry)
    shown.referees.set(2)
    assert registry.get_sample_value("warladder_present_referees") == 2
    shown.ladder.known = False
    names = {family.name for family in registry.collect()}
    assert names == {
        "warladder_leading_processes", "warladder_leader_term_number", "warladder_planned_matches",
        "warladder_dropped_wishes", "warladder_sweeps", "warladder_swept_matches",
        "warladder_round_seconds", "warladder_redis_away",
    }  # fmt: skip


def test_a_leader_shows_its_ladder_from_its_first_look_to_its_last(
    connection: redis.Redis, keys: Keys, tmp_path: Path
) -> None:
    stage = Stage(connection, keys, tmp_path)
    leader = stage.matchmaker
    spare = stage.new_matchmaker()

    def round_of(process: Matchmaker) -> bool:
        process.round()
        return process.metrics.ladder.known

    assert not round_of(leader)
    stage.clock.now += SETTLE_SECONDS
    assert round_of(leader)
    stage.go(2)
    stage.clock.now += SWEEP_SECONDS
    assert round_of(leader)
    assert not round_of(spare)
    registry = leader.metrics.ladder.registry
    played = [
        registry.get_sample_value("warladder_rank_places", {"game": "skirmish", "bot": bot})
        for bot in stage.streams
    ]
    assert {1.0, 2.0} <= set(played)
    used = registry.get_sample_value("warladder_redis_memory_bytes")
    assert used is not None
    assert used > 0

    leader.lost_redis()
    assert not leader.metrics.ladder.known
    assert not round_of(leader)
    stage.clock.now += SETTLE_SECONDS
    assert round_of(leader)


def test_an_archive_that_cannot_be_seen_has_no_figures(tmp_path: Path) -> None:
    registry = CollectorRegistry()
    registry.register(ArchiveSpace(tmp_path / "archive"))
    assert registry.get_sample_value("warladder_archive_free_bytes") is None
    (tmp_path / "archive").mkdir()
    free = registry.get_sample_value("warladder_archive_free_bytes")
    capacity = registry.get_sample_value("warladder_archive_capacity_bytes")
    assert free is not None
    assert capacity is not None
    assert 0 < free < capacity


@pytest.mark.parametrize("kind", [leading, WorkerMetrics, WebMetrics])
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
