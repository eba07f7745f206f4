"""What a Prometheus that watches the run tells: which alerts fire, and after which faults."""

from __future__ import annotations

import json
import threading
import urllib.parse
import urllib.request
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self

from matchmaker.errors import FellShort, WrongUse
from matchmaker.tools.chaos.stage import Done

LOOK_SECONDS = 1.0
ANSWER_SECONDS = 10.0
SEEN_SECONDS = 60.0
"""For Prometheus to find the run's processes: it reads their list every ten seconds."""

UNASSIGNED = "unassigned"
"""In place of a fault, for an alert of which nobody can say which one it tells of."""


class Alerts:
    """A context in which a thread looks; what was told stays in `told`."""

    def __init__(self, url: str, done: Sequence[Done]) -> None:
        """
        Args:
            url: Of the Prometheus.
            done: The run's faults, the last one last; grows meanwhile.
        """
        self.url = url.rstrip("/")
        self.done = done
        self.told: dict[str, Counter[str]] = {}
        """By alert: how often it began to fire after each kind of fault."""
        self._firing: set[tuple[tuple[str, str], ...]] = set()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="alerts")

    def ask(self, path: str, **values: str) -> Any:
        """
        Raises:
            WrongUse: There is no Prometheus.
        """
        query = f"?{urllib.parse.urlencode(values)}" if values else ""
        try:
            with urllib.request.urlopen(
                f"{self.url}/api/v1/{path}{query}", timeout=ANSWER_SECONDS
            ) as answer:
                return json.load(answer)["data"]
        except (OSError, ValueError, KeyError) as fault:
            raise WrongUse(
                f"--prometheus {self.url}: no Prometheus answers there ({fault}); start one as"
                " deploy/README.md says"
            ) from None

    def wait_until_watched(
        self, processes: Sequence[str], targets: Path, ladder: str, wait: Callable[[float], None]
    ) -> None:
        """
        Wait until Prometheus has seen all processes of the run.

        Args:
            wait: Lets so many seconds pass.

        Raises:
            FellShort: It does not find them.
        """
        missing = set(processes)
        for _ in range(int(SEEN_SECONDS)):
            up = self.ask("query", query=f'up{{job="warladder", ladder="{ladder}"}} == 1')
            missing = set(processes) - {each["metric"].get("process") for each in up["result"]}
            if not missing:
                return
            wait(1.0)
        raise FellShort(
            f"the Prometheus at {self.url} does not watch {', '.join(sorted(missing))}; link"
            f" {targets} into deploy/prometheus/targets"
        )

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *fault: object) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._over.wait(LOOK_SECONDS):
            try:
                self._note(self.ask("alerts")["alerts"])
            except WrongUse:
                continue  # it is busy; an alert stays longer than that

    def _note(self, alerts: Sequence[dict[str, Any]]) -> None:
        firing = {
            tuple(sorted(each["labels"].items())): each["labels"]
            for each in alerts
            if each["state"] == "firing"
        }
        for key in firing.keys() - self._firing:
            labels = firing[key]
            counts = self.told.setdefault(labels["alertname"], Counter())
            counts[before(self.done, labels.get("process", ""))] += 1
        self._firing = set(firing)

    def report(self) -> dict[str, dict[str, int]]:
        """By alert, names in order: after which faults it began to fire, and how often."""
        return {name: dict(sorted(counts.items())) for name, counts in sorted(self.told.items())}


def before(done: Sequence[Done], process: str) -> str:
    """
    Name the kind of the fault that an alert may tell of.

    Args:
        process: That the alert names, empty if none.

    Returns:
        The last fault of that process, as `kill referee`; `unassigned` if it names none, or one
        that no fault was done to, as the last fault of others need not be the cause; `nothing`
        if there was no fault at all.
    """
    mine = [each for each in done if each.name == process]
    if mine:
        return f"{mine[-1].kind} {mine[-1].role}"
    return UNASSIGNED if done else "nothing"
