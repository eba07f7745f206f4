"""Matches in motion as the sweeper and the jobs find them."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Any

import redis

from matchmaker.keys import Keys
from referee.store.plainly import as_bytes
from referee.store.records import Clocks, Status, unpack_record

FIELDS = (
    "status", "record", "epoch", "referee", "planned_ms", "queued_ms", "opened_ms", "moved_ms",
    "ended_ms", "slots", "losses", "lost_epoch", "lost_at", "lost_in_all",
    "asked", "stills", "still_at", "closes",
)  # fmt: skip
NUMBERS = tuple(name for name in FIELDS if name not in ("status", "record", "referee"))


@dataclass(frozen=True, kw_only=True)
class Moving:
    """A match that is not closed. Times are Redis's, in milliseconds."""

    match: str
    status: str
    clocks: Clocks
    now_ms: int
    record: bytes = b""
    referee: str = ""
    """Its owner; empty before it was opened."""
    epoch: int = 0
    is_owned: bool = False
    """Its referee is present."""
    planned_ms: int = 0
    queued_ms: int = 0
    """When its last job was queued."""
    opened_ms: int = 0
    moved_ms: int = 0
    """When it was opened last, or the last entry was appended."""
    ended_ms: int = 0
    entries: int = 0
    """Of its journal."""
    slots: int = 1
    """The largest `max_matches` of its bots: their questions wait for one another."""
    losses: int = 0
    """Owners found absent in a row, no choice made between."""
    lost_in_all: int = 0
    lost_epoch: int = 0
    """The epoch whose owner was last found absent."""
    lost_at: int = 0
    """Entries when it was."""
    has_moved_on: bool = True
    """A choice was made since then; the sweeper alone looks."""
    asked: int = 0
    """Jobs to open it since its owner was found absent, the first not counted."""
    stills: int = 0
    still_at: int = 0
    """Entries when it was last found still."""
    closes: int = 0
    """Attempts to close it."""

    @property
    def is_still(self) -> bool:
        """Nothing was appended for longer than any question may take."""
        return self.status == Status.PLAYING and self.now_ms - self.moved_ms > still_after_ms(
            self.clocks, self.slots
        )


def still_after_ms(clocks: Clocks, slots: int) -> int:
    """Tell how long nothing may be appended: one question may wait for those of other matches."""
    return clocks.grace_ms + clocks.stall_ms + clocks.cap_ms * max(1, slots)


def in_motion(connection: redis.Redis, keys: Keys) -> list[str]:
    """Name every match that is planned, playing, or ended and not closed."""
    with connection.pipeline(transaction=False) as pipe:
        for key in (keys.planned, keys.playing, keys.ended):
            pipe.zrange(key, 0, -1)
        moving = as_bytes(pipe.execute())
    return [name.decode() for some in moving for name in some]


def look(
    connection: redis.Redis, keys: Keys, matches: Sequence[str], present: Container[str]
) -> list[Moving]:
    """
    Look at these matches; those that are closed are left out.

    Args:
        present: Names of the referees that are there.
    """
    if not matches:
        return []
    with connection.pipeline(transaction=False) as pipe:
        pipe.time()
        for match in matches:
            pipe.hmget(keys.match(match), *FIELDS)
            pipe.llen(keys.journal(match))
        answers: list[Any] = pipe.execute()
    seconds, micros = answers[0]
    now_ms = int(seconds) * 1000 + int(micros) // 1000
    found = []
    for index, match in enumerate(matches):
        fields = dict(zip(FIELDS, answers[1 + 2 * index]))
        if not fields["status"] or not fields["record"]:
            continue
        referee = (fields["referee"] or b"").decode()
        found.append(
            Moving(
                match=match,
                status=fields["status"].decode(),
                clocks=unpack_record(fields["record"]).clocks,
                now_ms=now_ms,
                record=fields["record"],
                referee=referee,
                is_owned=referee in present,
                has_moved_on=True,  # who asks looks into the journal
                entries=int(answers[2 + 2 * index]),
                **{name: int(fields[name] or 0) for name in NUMBERS},
            )
        )
    return found
