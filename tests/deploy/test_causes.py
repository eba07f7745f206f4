"""The run in which alerts are provoked: it leaves none out, and changes their time alone."""

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.bars.alerts_fire import CAUSES, FACTOR
from tests.deploy.test_prometheus import RULES, promtool, rules
from tests.helpers.shrunk import MILLISECONDS, shrunk

FILES = sorted(RULES.glob("*.yml"))
TIME = re.compile(r"(\d+)(ms|[smhd])\b")


def test_each_alert_has_one_real_cause() -> None:
    caused = Counter(alert for cause in CAUSES for alert in cause.alerts)
    assert set(caused) == set(rules("alert"))
    assert set(caused.values()) == {1}


def times(text: str) -> list[int]:
    """Every time with a unit in an expression or a `for`, in milliseconds."""
    return [int(number) * MILLISECONDS[unit] for number, unit in TIME.findall(text)]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_shorter_rules_differ_in_their_times_alone(file: Path) -> None:
    before = yaml.safe_load(file.read_text())
    after = yaml.safe_load(shrunk(file.read_text(), FACTOR))
    changed = 0

    def masked(document: Any) -> Any:
        for group in document["groups"]:
            for rule in group["rules"]:
                for key in ("expr", "for"):
                    if key in rule:
                        rule[key] = TIME.sub("TIME", rule[key])
        return document

    for group, shorter in zip(before["groups"], after["groups"], strict=True):
        for rule, its in zip(group["rules"], shorter["rules"], strict=True):
            # Names of recorded series hold times too: those stay.
            for key in {"expr", "for"} & set(rule):
                names = set(re.findall(r"\w+:\w+:\w+", rule[key]))
                assert names <= set(re.findall(r"\w+:\w+:\w+", its[key]))
                texts = [re.sub(r"\w+:\w+:\w+", "NAME", each[key]) for each in (rule, its)]
                was, now = map(times, texts)
                assert now == [each / FACTOR for each in was], rule
                changed += len(was)
    assert changed > 10
    assert masked(after) == masked(before)


def test_prometheus_takes_the_shorter_rules(tmp_path: Path, require: Callable[..., str]) -> None:
    tool = require("promtool")
    for file in FILES:
        (tmp_path / file.name).write_text(shrunk(file.read_text(), FACTOR))
        assert "SUCCESS" in promtool(tool, "check", "rules", tmp_path / file.name)


def test_a_time_that_cannot_be_divided_evenly_is_refused() -> None:
    rule = {"record": "a:b:c", "expr": "rate(x[1s])"}
    text = yaml.safe_dump({"groups": [{"name": "g", "rules": [rule]}]})
    with pytest.raises(AssertionError, match="1s / 7"):
        shrunk(text, 7)
