"""The page's list of events is what the code writes: names, levels, fields."""

import ast
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.helpers.log_lines import page
from tests.helpers.processes import ROOT

LEVELS = ("debug", "info", "warning", "error", "exception", "critical", "log")
FOREIGN = "library_message"
"""Made of what libraries say; no call of ours writes it."""


class Call(NamedTuple):
    """One place in the code that writes an event."""

    event: str
    levels: set[str]
    fields: set[str]
    where: str


@cache
def calls() -> tuple[Call, ...]:
    paths = [path for folder in ("referee", "matchmaker") for path in (ROOT / folder).rglob("*.py")]
    return tuple(call for path in sorted(paths) for call in in_file(path))


def in_file(path: Path) -> list[Call]:
    found: list[Call] = []
    text = path.read_text()
    if "structlog.get_logger" not in text:
        return found
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="log" | "logger"), attr=how)):
                pass
            case _:
                continue
        if how not in LEVELS:
            continue
        fields = {
            "exception" if each.arg == "exc_info" else str(each.arg) for each in node.keywords
        }
        levels = {how}
        first = node.args[0]
        if how == "exception":
            levels, fields = {"error"}, fields | {"exception"}
        elif how == "log":  # the first argument says which
            levels, first = {"warning", "error"}, node.args[1]
        texts = [each.value for each in ast.walk(first) if isinstance(each, ast.Constant)]
        where = f"{path.relative_to(ROOT)}:{node.lineno}"
        found += [Call(text, levels, fields, where) for text in texts if isinstance(text, str)]
    return found


def test_every_event_is_on_the_page_and_nothing_else() -> None:
    listed = page()
    assert set(listed) == {call.event for call in calls()} | {FOREIGN}
    for event, (levels, fields) in listed.items():
        some = [call for call in calls() if call.event == event]
        if event == FOREIGN:
            continue
        assert levels == set().union(*(call.levels for call in some)), event
        assert fields == set().union(*(call.fields for call in some)), event


def test_an_event_is_a_name_and_says_whom_it_concerns() -> None:
    for event, levels, fields, where in calls():
        assert re.fullmatch(r"[a-z]+(_[a-z]+)*", event), where
        if event.startswith("match_") or event in ("leak", "different_result_refused"):
            assert "match" in fields, where
        if event.startswith(("bot_", "stream_", "version_")):
            assert "bot" in fields, where
        if event.startswith(("referee_un", "referee_se")):
            assert "referee" in fields, where
        assert not fields & {"token", "seed", "salt", "secret", "key"}, where
        # What a bot or its author does wrong is no error of ours.
        if levels & {"error", "critical"}:
            assert not event.startswith(("bot_", "stream_failed", "stream_silent")), where
