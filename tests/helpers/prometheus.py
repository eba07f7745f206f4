"""A real Prometheus with our configuration and rules, for as long as a `with` lasts."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml

from tests.helpers.processes import ROOT, environment, eventually
from tests.helpers.promql import PROMETHEUS, Server
from tests.helpers.shrunk import shrunk


@contextmanager
def prometheus(tool: str, place: Path, port: int, factor: int = 1) -> Iterator[Server]:
    """
    Start one that looks every second, so that rates have their samples sooner.

    Args:
        place: For its files; `watch` gives it ladders to look at.
        factor: By which the time of its rules is divided.
    """
    for folder in ("rules", "targets", "data"):
        (place / folder).mkdir(parents=True)
    for file in (PROMETHEUS / "rules").glob("*.yml"):
        rules = file.read_text()
        (place / "rules" / file.name).write_text(shrunk(rules, factor) if factor > 1 else rules)
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


def watch(place: Path, name: str, targets: Path) -> None:
    """Let the Prometheus at a place look at a ladder, by a link to its list as the README says."""
    (place / "targets" / f"{name}.json").symlink_to(targets)
