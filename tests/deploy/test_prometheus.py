"""What Prometheus is given: its configuration, and rules of which each alert fires and clears."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.main import get_command

from matchmaker import home, targets
from matchmaker.cli.app import app
from tests.helpers.promql import PROMETHEUS, declared, fresh, named, recorded

RULES = PROMETHEUS / "rules"
CASES = sorted((PROMETHEUS / "tests").glob("*.yml"))


def rules(kind: str) -> dict[str, dict[str, Any]]:
    """Rules of a kind (`alert`, `record`) by name."""
    found: dict[str, dict[str, Any]] = {}
    for file in RULES.glob("*.yml"):
        for group in yaml.safe_load(file.read_text())["groups"]:
            for rule in group["rules"]:
                if kind in rule:
                    assert rule[kind] not in found, rule[kind]
                    found[rule[kind]] = rule
    return found


def promtool(tool: str, *words: str | Path) -> str:
    """What it says; it must find nothing wrong."""
    ran = subprocess.run([tool, *words], capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def test_the_configuration_is_valid(require: Callable[..., str]) -> None:
    said = promtool(require("promtool"), "check", "config", PROMETHEUS / "prometheus.yml")
    assert "is valid prometheus config" in said


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_alerts_fire_and_clear(case: Path, require: Callable[..., str]) -> None:
    assert "SUCCESS" in promtool(require("promtool"), "test", "rules", case)


def test_each_alert_has_a_case_in_which_it_fires_and_clears() -> None:
    fired: set[str] = set()
    for file in CASES:
        for case in yaml.safe_load(file.read_text())["tests"]:
            expected = [
                {re.findall(r'"(\w+)"', sample["labels"])[0] for sample in look["exp_samples"]}
                for look in case["promql_expr_test"]
            ]
            assert expected[-1] == set(), case["name"]
            assert case["name"] in expected[-2], case["name"]
            fired.add(case["name"])
    assert fired == set(rules("alert"))


def test_an_alert_says_how_grave_it_is_what_it_means_and_what_to_do() -> None:
    for name, rule in rules("alert").items():
        assert rule["labels"]["severity"] in ("critical", "warning", "info"), name
        assert set(rule["annotations"]) == {"summary", "meaning", "action"}, name
        assert all(len(text) > 10 for text in rule["annotations"].values()), name


def test_commands_that_alerts_name_are_there() -> None:
    known = get_command(app)
    words = set[str]()
    for rule in rules("alert").values():
        words |= set(re.findall(r"warladder ((?:[a-z]+ )?[a-z]+)", rule["annotations"]["action"]))
    assert "log verify" in words
    for word in words:
        first, _, second = word.partition(" ")
        command = known.commands[first]  # type: ignore[attr-defined]
        assert not hasattr(command, "commands") or second in command.commands, word


def test_rules_read_what_is_there() -> None:
    records, there = rules("record"), declared()
    for name, rule in (rules("alert") | records).items():
        assert named(rule["expr"]) <= there, name
        assert recorded(rule["expr"]) <= set(records), name


def test_a_counter_that_rules_watch_is_there_before_its_first_event() -> None:
    """The first event of a series that begins with it is no increase of anything."""
    there = {sample.name for family in fresh() for sample in family.samples}
    watched = set[str]()
    for rule in (rules("alert") | rules("record")).values():
        watched |= set(re.findall(r"increase\((warladder_\w+)", rule["expr"]))
    assert {"warladder_openings_total", "warladder_failed_jobs_total"} <= watched
    assert watched <= there


def test_each_recorded_series_is_read_by_an_alert_or_shown() -> None:
    from deploy.grafana.boards import BOARDS

    shown = [query.expr for board in BOARDS for panel in board.panels for query in panel.queries]
    read = [rule["expr"] for rule in (rules("alert") | rules("record")).values()]
    used = set[str]().union(*map(recorded, shown + read))
    assert set(rules("record")) == used


def test_targets_are_named_by_process_role_and_ladder(tmp_path: Path) -> None:
    metrics = {
        "referee-1": "http://127.0.0.1:9101/metrics",
        "matchmaker": "http://127.0.0.1:9102/metrics",
    }
    file = targets.write(tmp_path, "spring", metrics)
    assert file == tmp_path / "targets.json"
    assert yaml.safe_load(file.read_text()) == [
        {
            "targets": ["127.0.0.1:9101"],
            "labels": {"ladder": "spring", "process": "referee-1", "role": "referee"},
        },
        {
            "targets": ["127.0.0.1:9102"],
            "labels": {"ladder": "spring", "process": "matchmaker", "role": "matchmaker"},
        },
    ]
    targets.clear(tmp_path)
    assert yaml.safe_load(file.read_text()) == []
    assert list(tmp_path.iterdir()) == [file]


def test_the_list_of_an_up_in_its_usual_home_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PROMETHEUS.parents[1])
    monkeypatch.delenv("WARLADDER_HOME", raising=False)
    (job,) = yaml.safe_load((PROMETHEUS / "prometheus.yml").read_text())["scrape_configs"]
    pattern = (PROMETHEUS / job["file_sd_configs"][0]["files"][0]).resolve()
    assert (home.folder() / targets.NAME).match(str(pattern))
