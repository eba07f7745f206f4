"""
Running matches that somebody watches, as the public may know them and so much later as each says.

Nobody's clock is compared with another's: an entry is shown once this process has had it for the
match's delay, or when the store itself says that nothing was appended for as long. So whoever opens
a quick match waits that long for the first step; nothing is ever shown earlier.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Any, NamedTuple

from matchmaker.connection import Ladder
from matchmaker.keys import Keys
from matchmaker.viewing.closed import Withheld
from matchmaker.viewing.course import Course, Json
from referee.games import PUBLIC
from referee.match.errors import BadJournal
from referee.match.journal import unpack_entry
from referee.match.record import MatchRecord
from referee.match.replay import check_rules
from referee.store.records import Status, unpack_record

MOST_WATCHED = 64
"""Matches held at once; the one looked at least lately goes first, and waits anew afterwards."""


class Seen(NamedTuple):
    """A running match as far as it is shown."""

    course: Course
    wait_ms: int
    """Until something more is shown, if there is something; else 0."""


class _Watched:
    """One match: what has come, since when, and what is shown of it."""

    def __init__(self, record: MatchRecord) -> None:
        self.record = record
        self.course = Course(record, PUBLIC)
        self.entries: list[bytes] = []
        """Come, and not shown yet."""
        self.shown = 0
        self.marks: deque[tuple[float, int]] = deque()
        """When this process first saw so many entries."""

    @property
    def come(self) -> int:
        return self.shown + len(self.entries)

    def add(self, entries: list[bytes], now: float) -> None:
        if entries:
            self.entries += entries
            self.marks.append((now, self.come))

    def go_on(self, now: float, is_still: bool) -> int:
        """
        Show what is old enough.

        Args:
            is_still: The store says that even the last entry is.

        Returns:
            Milliseconds until more is.
        """
        delay = self.record.pace.watch_delay_ms / 1000
        due = self.come if is_still else self.shown
        while self.marks and (is_still or now - self.marks[0][0] >= delay):
            due = max(due, self.marks.popleft()[1])
        count = due - self.shown
        self.course.add(map(unpack_entry, self.entries[:count]))
        del self.entries[:count]
        self.shown = due
        return max(1, round(1000 * (self.marks[0][0] + delay - now))) if self.marks else 0


class Running:
    """The running matches of a ladder; may be asked from several threads."""

    def __init__(
        self,
        ladder: Ladder,
        clock: Callable[[], float] = time.monotonic,
        most: int = MOST_WATCHED,
    ) -> None:
        self.ladder = ladder
        self.keys = Keys(ladder.namespace)
        self.clock = clock
        self.most = most
        self._watched: OrderedDict[str, _Watched] = OrderedDict()
        self._lock = threading.Lock()

    def part(self, match: str, after: int = 0) -> Json | None:
        """
        A running match's steps from one on; None if it does not run (any more).

        Raises:
            Withheld: It is not to be shown yet.
            WrongRules: These rules cannot play it.
        """
        with self._lock:
            seen = self._look(match)
            if seen is None:
                return None
            record = seen.course.record
            return {
                **seen.course.part(after),
                "delay_ms": record.pace.watch_delay_ms,
                "wait_ms": seen.wait_ms,
                "over": False,
            }

    def _look(self, match: str) -> Seen | None:
        watched = self._watched.get(match)
        with self.ladder.redis.pipeline(transaction=True) as pipe:
            pipe.time()
            pipe.hmget(self.keys.match(match), "status", "record", "moved_ms")
            pipe.lrange(self.keys.journal(match), watched.come if watched else 0, -1)
            answers: list[Any] = pipe.execute()
        now = self.clock()
        (seconds, micros), (status, record, moved_ms), entries = answers
        if record is None or status.decode() == Status.PLANNED:  # its setting is not told yet
            self._watched.pop(match, None)
            return None
        if watched is None:
            watched = self._begin(match, unpack_record(record))
        age_ms = int(seconds) * 1000 + int(micros) // 1000 - int(moved_ms or 0)
        is_still = bool(moved_ms) and age_ms >= watched.record.pace.watch_delay_ms
        watched.add(list(entries), now)
        self._watched.move_to_end(match)
        try:
            wait_ms = watched.go_on(now, is_still)
        except BadJournal:
            del self._watched[match]  # the store lost what we had seen: begin anew
            raise
        return Seen(watched.course, wait_ms)

    def _begin(self, match: str, record: MatchRecord) -> _Watched:
        if not record.reveal:
            raise Withheld(match)
        check_rules(record)
        watched = self._watched[match] = _Watched(record)
        while len(self._watched) > self.most:
            self._watched.popitem(last=False)
        return watched
