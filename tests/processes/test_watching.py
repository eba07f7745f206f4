"""A real Prometheus watches a real ladder: all is up, every panel and rule has data."""

import math
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.helpers.processes import eventually, free_ports, running
from tests.helpers.prometheus import prometheus, watch
from tests.helpers.promql import Server, filled, panels

pytestmark = pytest.mark.timeout(120)

PROCESSES = {"referee-1", "worker-1", "matchmaker", "web"}


def has_data(server: Server, expr: str) -> bool:
    return any(not math.isnan(float(series["value"][1])) for series in server.ask(expr))


def test_every_panel_and_rule_has_data(tmp_path: Path, require: Callable[..., str]) -> None:
    tool = require("prometheus")
    home, port = tmp_path / "home", free_ports(tmp_path)
    words = ("--listen", f"127.0.0.1:{port}", "--metrics-port", str(port + 1))
    web = ("--web-listen", f"127.0.0.1:{port + 8}")
    with running(
        tmp_path / "up", "up", "--game", "skirmish", "--bots", *words, *web, home=home
    ) as ladder:
        ladder.says("up; Ctrl-C ends it")
        place = tmp_path / "prometheus"
        with prometheus(tool, place, port + 9) as server:
            watch(place, "ladder", home / "targets.json")

            def up() -> set[str]:
                return {
                    target["labels"]["process"]
                    for target in server.get("targets")["activeTargets"]
                    if target["health"] == "up"
                }

            eventually(lambda: up() == PROCESSES, 20)
            silent = {
                f"{name}: {query.legend}": filled(query.expr)
                for name, panel in panels()
                for query in panel.queries
                if not panel.rare
            }
            for group in server.get("rules", type="record")["groups"]:
                silent |= {rule["name"]: rule["name"] for rule in group["rules"]}

            def all_have_data() -> bool:
                for name, expr in list(silent.items()):
                    if has_data(server, expr):
                        del silent[name]
                return not silent

            try:
                eventually(all_have_data, 30)
            except AssertionError:
                raise AssertionError(f"nothing for: {silent}") from None
            # Those that may be empty can be answered, too.
            for _, panel in panels():
                for query in panel.queries:
                    server.ask(filled(query.expr))
            unhealthy = {
                rule["name"]: rule["lastError"]
                for group in server.get("rules")["groups"]
                for rule in group["rules"]
                if rule["health"] != "ok"
            }
            assert unhealthy == {}
            assert server.firing() == set()

            assert ladder.interrupt() == 130
            # What was stopped in order is not down: nobody is to be woken.
            eventually(lambda: server.get("targets")["activeTargets"] == [], 20)
