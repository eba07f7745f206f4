"""
The audit log: which operator did what, when, to whom and why. Append-only.

Its lines are written by the scripts of the acts themselves; the last ones are in Redis, older ones
in the archive.
"""

from __future__ import annotations

import getpass
from datetime import UTC, datetime
from typing import Any, NamedTuple

import redis

from matchmaker import operator_scripts
from matchmaker.archive import Archive
from matchmaker.errors import WrongUse
from matchmaker.keys import Keys
from matchmaker.leader import Deposed, Term
from referee.logs import harmless
from referee.store.plainly import as_bytes

TAIL = 1_000
"""Lines that stay in Redis at least."""
PART = 1_000
"""Lines that go to the archive in one file."""
LONGEST_WHO = 64
LONGEST_WHY = 200
UNKNOWN = "operator"


class Act(NamedTuple):
    """What an operator did."""

    position: int
    at_ms: int
    """By the store's clock."""
    by: str
    what: str
    """The command: `bot pause`, `match void`, ..."""
    on: str
    """What it was done to."""
    why: str
    """Empty where the command asks for no reason."""
    bots: tuple[str, ...]
    """Whom it concerns."""

    @property
    def when(self) -> str:
        return datetime.fromtimestamp(self.at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")

    def line(self) -> str:
        """For people: when (UTC), who, what, on what, to whom, why."""
        said = f"{self.when}Z  {self.by}  {self.what} {self.on}".rstrip()
        whom = [bot for bot in self.bots if bot != self.on]
        if whom:
            said += f" ({', '.join(whom)})"
        return f"{said}: {self.why}" if self.why else said


def who(by: str | None) -> str:
    """
    Name the operator: as he says, else by his login name.

    Raises:
        WrongUse: He gives an empty name.
    """
    if by is None:
        try:
            return harmless(getpass.getuser())[:LONGEST_WHO] or UNKNOWN
        except (KeyError, OSError):  # a user without an entry
            return UNKNOWN
    name = harmless(" ".join(by.split()))[:LONGEST_WHO]
    if not name:
        raise WrongUse("--by is empty; say who you are, or leave it out")
    return name


def reason(why: str, what: str = "what everybody concerned is to read") -> str:
    """
    Give a reason as it is kept: one printable line.

    Raises:
        WrongUse: It is empty.
    """
    text = harmless(" ".join(why.split()))[:LONGEST_WHY]
    if not text:
        raise WrongUse(f"--why is empty; say {what}")
    return text


def read(
    connection: redis.Redis, keys: Keys, archive: Archive | None, bot: str | None = None
) -> list[Act]:
    """
    Read all acts, oldest first.

    Args:
        archive: None leaves out what is there alone.
        bot: Only what concerns this one.

    Raises:
        BadFile: A part is missing or broken.
    """
    tail = _tail(connection, keys)  # first: what moves to the archive meanwhile is in both
    parts = archive.acts() if archive else []
    old = {act.position: act for act in map(Act._make, parts)}
    acts = {**old, **{act.position: act for act in tail}}
    return [acts[n] for n in sorted(acts) if bot is None or bot in acts[n].bots]


def trim(connection: redis.Redis, keys: Keys, term: Term, archive: Archive) -> int:
    """
    Move old lines from Redis to the archive.

    Returns:
        How many.

    Raises:
        Deposed: Another matchmaker leads.
    """
    if connection.xlen(keys.audit) < TAIL + PART:
        return 0
    old = _tail(connection, keys, PART)
    archive.put_acts([tuple(act) for act in old])
    arguments = (keys.prefix, term.token, old[-1].position)
    if not connection.eval(operator_scripts.TRIM_AUDIT, 0, *arguments):
        raise Deposed("another matchmaker leads; it looks after the audit log")
    return len(old)


def _tail(connection: redis.Redis, keys: Keys, count: int | None = None) -> list[Act]:
    return [_act(row) for row in as_bytes(connection.xrange(keys.audit, count=count))]


def _act(row: Any) -> Act:
    name, fields = row
    text = {key.decode(): value.decode() for key, value in fields.items()}
    return Act(
        position=int(name.partition(b"-")[0]),
        at_ms=int(text["at"]),
        by=text["by"],
        what=text["what"],
        on=text["on"],
        why=text["why"],
        bots=tuple(text["bots"].split()),
    )
