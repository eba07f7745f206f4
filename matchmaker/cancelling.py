"""
Cancel a match by an operator's word: it ends as `cancelled`, never rated, and nobody is to blame.

The referee that plays it ends it, and so tells its bots; where there is none, or it does not
listen, the match is ended under a new epoch, so that a late owner is refused.
"""

from __future__ import annotations

import time
from enum import StrEnum
from pathlib import Path

from matchmaker import registry
from matchmaker.archive import Archive
from matchmaker.connection import Ladder
from matchmaker.entries import Result
from matchmaker.errors import WrongUse
from matchmaker.keys import Keys
from matchmaker.log import Log
from matchmaker.moving import Moving, look
from matchmaker.rater import every
from referee.logs import harmless
from referee.match.journal import Ending
from referee.store import presence
from referee.store.lifecycle import end_match
from referee.store.plainly import as_bytes
from referee.store.records import Status, unpack_record

LISTENS_SECONDS = 12.0
"""A referee looks each 3 s; one that is asleep for longer than its presence holds is fenced off."""
LOOK_SECONDS = 0.1
LONGEST_WHY = 200


class How(StrEnum):
    """What became of a wish to cancel."""

    NOW = "is cancelled"
    BEFORE = "was cancelled before"


def cancel(ladder: Ladder, match: str, why: str, listens: float = LISTENS_SECONDS) -> How:
    """
    Cancel a match.

    Args:
        why: Both bots and their authors are told.
        listens: Seconds that its referee has to end it.

    Raises:
        WrongUse: There is no such match, or it has ended otherwise.
    """
    keys = Keys(ladder.namespace)
    why = harmless(" ".join(why.split()))[:LONGEST_WHY]
    if not why:
        raise WrongUse("--why is empty; say what both bots' authors are to read")
    text = f"an operator cancelled it: {why}"
    deadline = time.monotonic() + listens
    asked: Moving | None = None
    try:
        while True:
            there = presence.present(ladder.redis, keys)
            seen = next(iter(look(ladder.redis, keys, [match], there)), None)
            if seen is None or seen.status == Status.ENDED:
                break
            is_heard = seen.status == Status.PLAYING and seen.is_owned
            if is_heard and time.monotonic() < deadline:
                if asked is None:
                    ladder.redis.hset(keys.cancels, match, text)
                time.sleep(LOOK_SECONDS)
            else:
                end_match(ladder.redis, keys, match, Ending.CANCELLED, epoch=seen.epoch, text=text)
            asked = seen
    finally:
        ladder.redis.hdel(keys.cancels, match)
    ending = _ending(ladder, keys, match, seen)
    if not ending:
        raise WrongUse(f"there is no match {match!r}; `warladder replay list` names those closed")
    if ending != Ending.CANCELLED:
        raise WrongUse(f"match {match} has ended already ({ending}); it cannot be cancelled")
    if asked is None:
        return How.BEFORE
    for seat in unpack_record(asked.record).seats:
        registry.remember(
            ladder.redis, keys, seat.bot, "cancelled", f"match {match}: {why}", by=registry.OPERATOR
        )
    return How.NOW


def _ending(ladder: Ladder, keys: Keys, match: str, seen: Moving | None) -> str:
    """How a match ended that is not under way any more; empty if nobody knows it."""
    if seen is not None:
        ending = as_bytes(ladder.redis.hget(keys.match(match), "ending"))
        if ending:
            return str(ending.decode())
    log = Log(ladder.redis, keys)
    if ladder.archive:
        entries = every(log, Archive(Path(ladder.archive)), log.position())
    else:
        entries = log.whole_tail(log.base().position)
    for logged in entries:
        entry = logged.entry
        if isinstance(entry, Result) and entry.match == match:
            return entry.ending
    return ""
