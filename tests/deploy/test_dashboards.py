"""Dashboards: their files are what the code makes, Grafana's schema, and ask for what is there."""

import json
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from grafana_foundation_sdk.models import units

from deploy.grafana import generate
from deploy.grafana.boards import BOARDS
from tests.deploy.test_prometheus import promtool, rules
from tests.helpers.promql import declared, filled, named, panels, recorded

GRAFANA = Path(generate.__file__).parent
FILES = sorted(generate.FOLDER.glob("*.json"))
NOT_SHOWN = {
    # Sums and counts of histograms whose quantiles are shown.
    f"{name}_{end}"
    for name in (
        "warladder_job_seconds", "warladder_round_seconds", "warladder_web_request_seconds",
        "warladder_referee_decision_seconds", "warladder_referee_event_loop_lag_seconds",
    )
    for end in ("bucket", "sum", "count")
}  # fmt: skip


def read(file: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(file.read_text())
    return document


def test_files_are_what_the_code_makes() -> None:
    assert generate.drift() == []
    assert [file.stem for file in FILES] == sorted(board.uid for board in BOARDS)


def test_a_changed_or_left_over_file_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generate, "FOLDER", tmp_path)
    assert generate.main([]) == 0
    assert generate.main(["--check"]) == 0
    file = tmp_path / FILES[0].name
    file.write_text(file.read_text().replace("now-1h", "now-2h"))
    (tmp_path / "old.json").write_text("{}")
    assert generate.drift() == ["old.json", file.name]
    assert generate.main(["--check"]) == 1
    assert generate.main([]) == 0
    assert generate.drift() == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_dashboard_is_of_grafanas_schema(file: Path) -> None:
    """What the schema does not know would be gone when it is written again."""
    assert generate.through_schema(read(file)) == read(file)


def test_a_word_that_the_schema_does_not_know_is_noticed() -> None:
    document = read(FILES[0])
    document["panels"][1]["targets"][0]["expresion"] = "up"
    assert generate.through_schema(document) != document


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_panels_have_ids_of_their_own_and_do_not_overlap(file: Path) -> None:
    found = read(file)["panels"]
    assert max(Counter(panel["id"] for panel in found).values()) == 1
    cells = Counter(
        (x, y)
        for at in (panel["gridPos"] for panel in found)
        for x in range(at.get("x", 0), at.get("x", 0) + at["w"])
        for y in range(at.get("y", 0), at.get("y", 0) + at["h"])
    )
    assert max(cells.values()) == 1
    assert max(x for x, _ in cells) < 24


def test_units_are_grafanas() -> None:
    known = {each for each in vars(units).values() if isinstance(each, str)}
    assert [name for name, panel in panels() if panel.unit not in known] == []


def test_titles_tell_panels_apart_and_descriptions_say_more() -> None:
    assert max(Counter(name for name, _ in panels()).values()) == 1
    assert [name for name, panel in panels() if len(panel.says) < 12] == []


def test_panels_ask_for_what_is_there() -> None:
    there, records = declared(), set(rules("record"))
    for name, panel in panels():
        for query in panel.queries:
            assert named(query.expr) <= there, name
            assert recorded(query.expr) <= records, name
            assert "$ladder" in query.expr, name


def test_each_metric_stands_on_a_dashboard() -> None:
    asked = [query.expr for _, panel in panels() for query in panel.queries]
    asked += [rule["expr"] for rule in rules("record").values()]
    shown = set[str]().union(*map(named, asked))
    assert declared() - shown - NOT_SHOWN == set()


def test_queries_can_be_read(tmp_path: Path, require: Callable[..., str]) -> None:
    listed = [
        {"record": f"panel:{number}", "expr": filled(query.expr)}
        for number, query in enumerate(query for _, panel in panels() for query in panel.queries)
    ]
    file = tmp_path / "queries.yml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": listed}]}))
    said = promtool(require("promtool"), "check", "rules", file)
    assert f"{len(listed)} rules found" in said


def test_provisioning_leads_to_the_dashboards(monkeypatch: pytest.MonkeyPatch) -> None:
    """As Grafana does: the one variable that it is started with, put into the path."""
    monkeypatch.setenv("GF_PATHS_PROVISIONING", str(GRAFANA / "provisioning"))
    provider = GRAFANA / "provisioning/dashboards/warladder.yml"
    (found,) = yaml.safe_load(provider.read_text())["providers"]
    assert Path(os.path.expandvars(found["options"]["path"])).resolve() == generate.FOLDER
    source = GRAFANA / "provisioning/datasources/warladder.yml"
    (prometheus,) = yaml.safe_load(source.read_text())["datasources"]
    assert (prometheus["type"], prometheus["isDefault"]) == ("prometheus", True)


def test_wrong_use_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert generate.main(["--chek"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
