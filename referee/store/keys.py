"""
Every Redis key of the store, named once.

A namespace stands before each key, so that two ladders may share one Redis. A match's own keys end
in its id; the three sets of matches in motion hold ids with a time in milliseconds.
"""

from __future__ import annotations


class Keys:
    """The keys of one namespace."""

    def __init__(self, namespace: str = "warladder") -> None:
        self.namespace = namespace
        self.prefix = f"{namespace}:"
        self.planned = f"{namespace}:matches:planned"
        """Sorted set: match id by the time it was planned."""
        self.playing = f"{namespace}:matches:playing"
        """Sorted set: match id by the time of its last journal entry."""
        self.ended = f"{namespace}:matches:ended"
        """Sorted set: match id by the time it ended; those not closed yet."""
        self.referees = f"{namespace}:referees"
        """Set: names of referees that are or were present."""
        self.practise = f"{namespace}:practise"
        """List: requests for practise matches, oldest first."""
        self.cancels = f"{namespace}:cancels"
        """Hash: match id → why; matches that their referees are to cancel."""

    def match(self, match: str) -> str:
        """Hash: record, status, epoch, token, referee, planned_ms, opened_ms, moved_ms, ended_ms,
        ending; a planner may keep fields of its own in it."""
        return f"{self.prefix}match:{match}"

    def journal(self, match: str) -> str:
        """List: the entries of a match's journal; an entry's number is its index."""
        return f"{self.prefix}journal:{match}"

    def referee(self, name: str) -> str:
        """Bytes that expire: a referee's presence."""
        return f"{self.prefix}referee:{name}"

    def token(self, digest: str) -> str:
        """Text: the bot that a token's SHA-256 (hex) belongs to."""
        return f"{self.prefix}token:{digest}"

    def bot(self, name: str) -> str:
        """Hash: a bot of the registry; see `bots.Bot` for the fields a referee reads."""
        return f"{self.prefix}bot:{name}"
