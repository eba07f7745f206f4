"""How far a ladder with a target has come: read by whoever waits for its end."""

from __future__ import annotations

from typing import NamedTuple

import redis

from matchmaker import table
from matchmaker.keys import Keys
from referee.store.plainly import as_bytes


class Progress(NamedTuple):
    """How far a ladder with a target has come."""

    target: int | None
    rated: int
    open: int
    """Matches planned and not closed."""

    @property
    def done(self) -> bool:
        """All planned matches have closed, and enough of them are rated."""
        return self.target is not None and self.rated >= self.target and self.open == 0


def progress(connection: redis.Redis, namespace: str = "warladder") -> Progress:
    """Read how far the ladder is, from its ready tables."""
    keys = Keys(namespace)
    opened = int(connection.zcard(keys.open))  # before the tables: it only errs on the late side
    target = as_bytes(connection.get(keys.target))
    rated = sum(
        int(table.read(connection, game, namespace)["rated_in_all"])
        for game in table.games(connection, namespace)
    )
    return Progress(int(target) if target else None, rated, opened)
