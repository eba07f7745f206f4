"""
Alerts that do not fire when what they tell of is really done to a ladder of real processes.

A real Prometheus with our rules looks at three ladders. Its time is shorter by a factor: each
`for`, range and offset is divided by it, and nothing else. For each alert a line says after how
many seconds it fired, and after how many it cleared when its cause was gone, as each must. CI
provokes a handful.
"""

import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from tests.bars import Measured
from tests.bars._alerts import Cause, Line, calm, crooked, provoke, rough
from tests.bars._alerts.ladders import Crooked, meet, up
from tests.bars._alerts.watch import Watch
from tests.helpers.ladder_processes import free_port, ladder_processes
from tests.helpers.prometheus import prometheus
from tests.helpers.tools import find

NEEDS = ("prometheus",)
FACTOR = 30
"""Six hours are twelve minutes then, half a minute is a second, the time between two looks."""
LONGEST_SECONDS = 24 * 60.0
CAUSES = (
    rough.FIRST, *rough.SMALL, *rough.CAUSES, calm.APART_CAUSE, *calm.CAUSES, *crooked.CAUSES,
)  # fmt: skip


class Run:
    """One run, its ladders side by side."""

    def __init__(self, place: Path, small: bool) -> None:
        self.place = place
        self.prometheus = place / "prometheus"
        self.small = small
        self.lines: list[Line] = []
        self.faults: list[str] = []
        self._lock = threading.Lock()

    def wanted(self) -> list[Cause]:
        return [cause for cause in CAUSES if cause.small or not self.small]

    def run(self, tool: str) -> None:
        with (
            prometheus(tool, self.prometheus, free_port(), FACTOR) as server,
            Watch(server, self.prometheus) as watch,
        ):
            ladders: list[Callable[[Watch], None]] = [self.rough]
            if not self.small:
                ladders += [self.calm, self.crooked]
            threads = [
                threading.Thread(target=self._guarded, args=(each, watch)) for each in ladders
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            if not self.small:
                self._see_all_clear(watch)
            self.faults += [f"text of an alert: {text}" for text in sorted(watch.garbled)]

    def _guarded(self, ladder: Callable[[Watch], None], watch: Watch) -> None:
        try:
            ladder(watch)
        except Exception as fault:  # the others go on
            self.faults.append(f"{ladder.__name__}: {fault!r}")

    def _see_all_clear(self, watch: Watch) -> None:
        left = watch.began + LONGEST_SECONDS - time.monotonic()
        watch.until(lambda: all(map(watch.cleared, self.lines)), left)

    def do(self, cause: Cause, stage: object, watch: Watch, begun: float | None = None) -> None:
        lines = provoke(cause, stage, watch, begun)
        with self._lock:
            self.lines += lines
            for line in lines:
                print(f"alerts_fire: {line}", file=sys.stderr, flush=True)

    # Ladders

    def rough(self, watch: Watch) -> None:
        with up("rough", self.place / "rough", (), **rough.SETTINGS) as ladder:
            if self.small:
                meet(ladder, watch)
            else:
                self.do(rough.FIRST, ladder, watch, watch.began)
            for cause in rough.SMALL:
                self.do(cause, ladder, watch)
            if not self.small:
                with rough.rough_bots(ladder):
                    for cause in rough.CAUSES:
                        self.do(cause, ladder, watch)

    def calm(self, watch: Watch) -> None:
        place = self.place / "calm"
        with calm.disk(place), up("calm", place, calm.WORDS, **calm.SETTINGS) as ladder:
            watch.until(watch.looks, 120.0)
            meet(ladder, watch)
            apart = threading.Thread(target=self.do, args=(calm.APART_CAUSE, ladder, watch))
            apart.start()
            for cause in calm.CAUSES:
                self.do(cause, ladder, watch)
            apart.join()

    def crooked(self, watch: Watch) -> None:
        watch.until(watch.looks, 120.0)
        with ladder_processes() as started:
            ladder = Crooked(started, self.prometheus)
            ladder.matchmaker()
            for cause in crooked.CAUSES:
                self.do(cause, ladder, watch)


def measure(small: bool) -> Measured:
    tool = find(*NEEDS)
    if tool is None:
        return Measured(value=len(CAUSES), limit=0.0, ok=False, notes=f"missing: {NEEDS[0]}")
    with tempfile.TemporaryDirectory(prefix="wl-alerts-") as folder:
        run = Run(Path(folder), small)
        run.run(tool)
    wanted = {alert for cause in run.wanted() for alert in cause.alerts}
    fired = {line.alert for line in run.lines if line.fired is not None}
    bad = [line for line in run.lines if line.fault or (line.cleared is None and not small)]
    notes = "; ".join([f"{len(fired)} of {len(wanted)} fired", *map(str, run.lines), *run.faults])
    silent = len(wanted - fired)
    return Measured(
        value=silent, limit=0.0, ok=not silent and not bad and not run.faults, notes=notes
    )
