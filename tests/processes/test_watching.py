"""A real Prometheus watches a real ladder: all is up, every panel and rule has data, one alert."""

import math
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml

from tests.helpers.processes import ROOT, environment, eventually, free_ports, running
from tests.helpers.promql import PROMETHEUS, Server, filled, panels

pytestmark = pytest.mark.timeout(120)

PROCESSES = {"referee-1", "worker-1", "matchmaker", "web"}


@contextmanager
def prometheus(tool: str, place: Path, port: int, home: Path) -> Iterator[Server]:
    """
    One with our configuration and rules, given the list of the ladder as the README says.

    It looks every second, so that rates have their samples sooner.
    """
    for folder in ("rules", "targets", "data"):
        (place / folder).mkdir(parents=True)
    for file in (PROMETHEUS / "rules").glob("*.yml"):
        (place / "rules" / file.name).write_text(file.read_text())
    (place / "targets" / "ladder.json").symlink_to(home / "targets.json")
    config = yaml.safe_load((PROMETHEUS / "prometheus.yml").read_text())
    config["global"] = dict.fromkeys(config["global"], "1s")
    config["scrape_configs"][0]["file_sd_configs"][0]["refresh_interval"] = "1s"
    (place / "prometheus.yml").write_text(yaml.safe_dump(config))
    with (place / "log").open("wb") as log:
        process = subprocess.Popen(
            [
                tool, f"--config.file={place / 'prometheus.yml'}",
                f"--storage.tsdb.path={place / 'data'}", f"--web.listen-address=127.0.0.1:{port}",
            ],
            cwd=ROOT, env=environment(), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
        )  # fmt: skip
    server = Server(port)

    def answers() -> bool:
        assert process.poll() is None, (place / "log").read_text()
        try:
            return bool(server.get("status/buildinfo"))
        except OSError:
            return False

    try:
        eventually(answers, 20)
        yield server
    finally:
        process.kill()
        process.wait()


def has_data(server: Server, expr: str) -> bool:
    return any(not math.isnan(float(series["value"][1])) for series in server.ask(expr))


def test_every_panel_and_rule_has_data_and_a_killed_referee_is_told_of(
    tmp_path: Path, require: Callable[..., str]
) -> None:
    tool = require("prometheus")
    home, port = tmp_path / "home", free_ports(tmp_path)
    words = ("--listen", f"127.0.0.1:{port}", "--metrics-port", str(port + 1))
    web = ("--web-listen", f"127.0.0.1:{port + 8}")
    with running(
        tmp_path / "up", "up", "--game", "skirmish", "--bots", *words, *web, home=home
    ) as ladder:
        ladder.says("up; Ctrl-C ends it")
        with prometheus(tool, tmp_path / "prometheus", port + 9, home) as server:

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

            ladder.child("matchmaker", "referee").send_signal(signal.SIGKILL)
            eventually(lambda: "ProcessRestarted" in server.firing(), 20)
            told = [
                each
                for each in server.get("alerts")["alerts"]
                if each["labels"]["alertname"] == "ProcessRestarted"
            ]
            assert [each["labels"]["process"] for each in told] == ["referee-1"]
            assert told[0]["annotations"]["summary"] == "warladder: referee-1 was started again"

            assert ladder.interrupt() == 130
            # What was stopped in order is not down: nobody is to be woken.
            eventually(lambda: server.get("targets")["activeTargets"] == [], 20)
