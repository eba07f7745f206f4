"""
Cancel a match by an operator's word: it ends as `cancelled`, never rated, and nobody is to blame.

The referee that plays it ends it, and so tells its bots; where there is none, or it does not
listen, the match is ended under a new epoch, so that a late owner is refused.
"""

from __future__ import annotations

import time
from enum import StrEnum

from matchmaker import audit, closed, operator_scripts, registry
from matchmaker.connection import Ladder
from matchmaker.entries import Result
from matchmaker.errors import WrongUse
from matchmaker.keys import Keys
from matchmaker.moving import look
from referee.match.journal import Ending
from referee.store import presence
from referee.store.lifecycle import end_match
from referee.store.plainly import as_bytes
from referee.store.records import Status, unpack_record
from referee.store.scripts import packed

LISTENS_SECONDS = 12.0
"""A referee looks each 3 s; one that is asleep for longer than its presence holds is fenced off."""
LOOK_SECONDS = 0.1


class How(StrEnum):
    """What became of a wish to cancel."""

    NOW = "is cancelled"
    BEFORE = "was cancelled before"


def cancel(
    ladder: Ladder,
    match: str,
    why: str,
    listens: float = LISTENS_SECONDS,
    by: str = registry.OPERATOR,
) -> How:
    """
    Cancel a match.

    Args:
        why: Both bots and their authors are told.
        listens: Seconds that its referee has to end it.

    Raises:
        WrongUse: There is no such match, or it has ended otherwise.
    """
    keys = Keys(ladder.namespace)
    why = audit.reason(why, "what both bots' authors are to read")
    text = f"an operator cancelled it: {why}"
    record = as_bytes(ladder.redis.hget(keys.match(match), "record"))
    bots = [seat.bot for seat in unpack_record(record).seats] if record else []
    arguments = (keys.prefix, match, text, by, why, packed(bots))
    asked = bool(ladder.redis.eval(operator_scripts.CANCEL, 0, *arguments))
    ending = end(ladder, match, text, listens) if asked else _ending(ladder, keys, match)
    if not ending:
        raise WrongUse(f"there is no match {match!r}; `warladder replay list` names those closed")
    if ending != Ending.CANCELLED:
        raise WrongUse(f"match {match} has ended already ({ending}); it cannot be cancelled")
    if not asked:
        return How.BEFORE
    for bot in bots:
        registry.remember(ladder.redis, keys, bot, "cancelled", f"match {match}: {why}", by=by)
    return How.NOW


def end(ladder: Ladder, match: str, text: str, listens: float = LISTENS_SECONDS) -> str:
    """
    See a match to its end that is to be cancelled, as its referee has been asked.

    Returns:
        How it ended; empty if nobody knows it.
    """
    keys = Keys(ladder.namespace)
    deadline = time.monotonic() + listens
    try:
        while True:
            there = presence.present(ladder.redis, keys)
            seen = next(iter(look(ladder.redis, keys, [match], there)), None)
            if seen is None or seen.status == Status.ENDED:
                return _ending(ladder, keys, match)
            is_heard = seen.status == Status.PLAYING and seen.is_owned
            if is_heard and time.monotonic() < deadline:
                time.sleep(LOOK_SECONDS)
            else:
                end_match(ladder.redis, keys, match, Ending.CANCELLED, epoch=seen.epoch, text=text)
    finally:
        ladder.redis.hdel(keys.cancels, match)


def ban(
    ladder: Ladder,
    kind: registry.Kind,
    name: str,
    why: str,
    listens: float = LISTENS_SECONDS,
    by: str = registry.OPERATOR,
) -> list[str] | None:
    """
    Ban a bot, or an author with all bots; their running matches end as cancelled, nobody to blame.

    Returns:
        The matches that ended so; None if the ban holds already.

    Raises:
        WrongUse: There is no such bot or author.
    """
    why = audit.reason(why, "what the author is to read")
    arguments = {"by": by, "namespace": ladder.namespace}
    matches = registry.ban(ladder.redis, kind, name, why, **arguments)
    for match in matches or ():
        text = as_bytes(ladder.redis.hget(Keys(ladder.namespace).cancels, match))
        end(ladder, match, text.decode() if text else "", listens)
    return matches


def _ending(ladder: Ladder, keys: Keys, match: str) -> str:
    """How a match ended that is not under way any more; empty if nobody knows it."""
    ending = as_bytes(ladder.redis.hget(keys.match(match), "ending"))
    if ending:
        return str(ending.decode())
    for logged in closed.log_of(ladder):
        entry = logged.entry
        if isinstance(entry, Result) and entry.match == match:
            return entry.ending
    return ""
