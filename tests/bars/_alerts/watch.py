"""What fires, and since when: a look at Prometheus's own list of alerts twice a second."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.helpers.promql import Server

if TYPE_CHECKING:
    from tests.bars._alerts import Line

LOOK_SECONDS = 0.5
Key = tuple[str, str]
"""Alert and ladder; an alert that is of no ladder has an empty one."""


@dataclass
class Span:
    """From when to when an alert fired, whatever its other labels."""

    key: Key
    began: float
    ended: float | None = None


class Watch:
    """A thread that looks, as a context."""

    def __init__(self, server: Server, place: Path) -> None:
        """`place`: of the Prometheus, where it is told of ladders."""
        self.server = server
        self.place = place
        self.began = time.monotonic()
        self.spans: list[Span] = []
        self.garbled: set[str] = set()
        """Texts of alerts that could not be made."""
        self._changed = threading.Condition()
        self._over = False
        self._thread = threading.Thread(target=self._run, name="watch")

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *fault: object) -> None:
        self._over = True
        self._thread.join()

    def _run(self) -> None:
        while not self._over:
            with suppress(OSError):  # too busy to answer: the next look tells
                self._look(self.server.get("alerts")["alerts"])
            time.sleep(LOOK_SECONDS)

    def _look(self, alerts: list[dict[str, Any]]) -> None:
        now = time.monotonic()
        firing: set[Key] = set()
        for each in alerts:
            if each["state"] == "firing":
                firing.add((each["labels"]["alertname"], each["labels"].get("ladder", "")))
                self.garbled |= {text for text in each["annotations"].values() if is_garbled(text)}
        with self._changed:
            for span in self.spans:
                if span.ended is None and span.key not in firing:
                    span.ended = now
            open_spans = {span.key for span in self.spans if span.ended is None}
            self.spans += [Span(key, now) for key in sorted(firing - open_spans)]
            self._changed.notify_all()

    def looks(self) -> bool:
        """Whether Prometheus knows of a ladder: before, an alert says that it knows of none."""
        return any((self.place / "targets").iterdir())

    def now(self, key: Key) -> bool:
        return any(span.key == key and span.ended is None for span in self.spans)

    def fired(self, line: Line) -> bool:
        """Whether an alert has begun to fire since its cause; notes when, and when it cleared."""
        key = (line.alert, line.ladder)
        spans = [span for span in self.spans if span.key == key and span.began >= line.begun]
        if not spans:
            return False
        line.fired = spans[0].began
        if line.righted is not None:
            # It may go out and fire again while its cause lasts.
            last = [span for span in spans if span.began <= max(line.righted, line.fired)][-1]
            line.cleared = None if last.ended is None else max(last.ended, line.righted)
        return True

    def cleared(self, line: Line) -> bool:
        """Whether that is over."""
        return not self.fired(line) or line.cleared is not None

    def until(self, what: Callable[[], bool], seconds: float) -> bool:
        """Wait until something is so; False if it is not in time."""
        deadline = time.monotonic() + seconds
        with self._changed:
            while not what():
                left = deadline - time.monotonic()
                if left <= 0 or not self._thread.is_alive():
                    return False
                self._changed.wait(left)
        return True

    def until_firing(self, alert: str, ladder: str, since: float, seconds: float) -> bool:
        """Wait for an alert that began to fire after a moment."""
        return self.until(
            lambda: any(span.key == (alert, ladder) and span.began >= since for span in self.spans),
            seconds,
        )


def is_garbled(text: str) -> bool:
    """Prometheus writes so what it cannot fill in."""
    return "<error" in text or "<no value>" in text or "{{" in text
