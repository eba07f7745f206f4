"""
Matches that are not closed, as anybody may see them.

White-listed: a match's record holds its seed, and bots learn who sits opposite when it ends, not
before. So no name is here; whose match it is, only the bot's own author is told.
"""

from __future__ import annotations

from dataclasses import dataclass

from matchmaker.connection import Ladder
from matchmaker.entries import tournament_of
from matchmaker.keys import Keys
from matchmaker.moving import in_motion, look
from referee.store.plainly import as_bytes
from referee.store.records import Clocks, Pace, unpack_record

MOST = 200
"""Matches that are listed."""


@dataclass(frozen=True, kw_only=True)
class Underway:
    """A match that is planned, played, or ended and not closed."""

    match: str
    game: str
    rules: str
    status: str
    seats: int
    planned_ms: int
    opened_ms: int
    """0 before it was opened."""
    referee: str
    """Empty before it was opened."""
    attempt: int
    rated: bool
    tournament: str
    """Empty if it is for none."""
    clocks: Clocks
    pace: Pace
    commitment: str
    """Hex."""


def find(ladder: Ladder, match: str) -> Underway | None:
    """Find a match that is not closed."""
    found = _look(ladder, [match])
    return found[0] if found else None


def listed(ladder: Ladder) -> list[Underway]:
    """List what is under way, the longest first: at most so many as a page shows."""
    return _look(ladder, in_motion(ladder.redis, Keys(ladder.namespace))[:MOST])


def of_bot(ladder: Ladder, bot: str) -> list[Underway]:
    """List the matches that hold a place of a bot, the longest first."""
    keys = Keys(ladder.namespace)
    names = sorted(name.decode() for name in as_bytes(ladder.redis.smembers(keys.places(bot))))
    return _look(ladder, names)


def _look(ladder: Ladder, matches: list[str]) -> list[Underway]:
    found = []
    for moving in look(ladder.redis, Keys(ladder.namespace), matches, ()):
        record = unpack_record(moving.record)
        tournament = tournament_of(record.cause)
        found.append(
            Underway(
                match=record.match,
                game=record.game,
                rules=record.rules,
                status=moving.status,
                seats=len(record.seats),
                planned_ms=moving.planned_ms,
                opened_ms=moving.opened_ms,
                referee=moving.referee,
                attempt=record.attempt,
                rated=record.rated,
                tournament=tournament[0] if tournament else "",
                clocks=record.clocks,
                pace=record.pace,
                commitment=record.commitment.hex(),
            )
        )
    return sorted(found, key=lambda each: each.planned_ms)
