"""Logs as the page on them promises: each line one event, of those that are listed."""

import re
from pathlib import Path
from typing import NamedTuple

from tests.helpers.processes import ROOT

ROW = re.compile(r"^\| `([a-z_]+)` \| ([a-z, ]+) \| ([^|]+) \| ([a-z_, ]*) \| ([^|]*) \|$", re.M)
FIELD = re.compile(r' ?([a-z_]+)=("(?:[^"\\]|\\.)*"|[^ "]*)')
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
WHOM = {"match", "bot", "instance", "tournament", "referee"}
"""Fields that say whom an event concerns: where the page names one, it must be there."""


class Listed(NamedTuple):
    levels: set[str]
    fields: set[str]


def page() -> dict[str, Listed]:
    """The events of the page, by name."""
    text = (ROOT / "deploy" / "README.md").read_text()
    return {
        event: Listed(set(levels.split(", ")), set(filter(None, fields.split(", "))))
        for event, levels, _, fields, _ in ROW.findall(text)
    }


def event(line: str) -> dict[str, str]:
    """A line's fields; the line must be nothing else."""
    fields: dict[str, str] = {}
    end = 0
    while end < len(line):
        found = FIELD.match(line, end)
        assert found, f"no field at {end}: {line}"
        assert found[1] not in fields, f"{found[1]} twice: {line}"
        fields[found[1]] = found[2]
        end = found.end()
    return fields


def events(log: Path) -> list[dict[str, str]]:
    """Every line of a log, checked against the page."""
    listed = page()
    found = []
    for line in log.read_text().splitlines():
        fields = event(line)
        assert list(fields)[:3] == ["timestamp", "level", "event"], line
        assert TIME.fullmatch(fields["timestamp"]), line
        assert fields["event"] in listed, line
        known = listed[fields["event"]]
        assert fields["level"] in known.levels, line
        assert set(fields) - {"timestamp", "level", "event"} <= known.fields, line
        for name in known.fields & WHOM:
            assert name in fields, line
            assert fields[name] or name == "instance", line
        found.append(fields)
    return found
