"""Match records for tests."""

from collections.abc import Sequence
from typing import Any

import redis as plain

from referee import games
from referee.match.record import MatchRecord, SeatRecord, pack_record
from referee.store.keys import Keys


def record(
    match: str = "m1",
    game: str = "skirmish",
    seats: int = 2,
    bots: Sequence[str] = (),
    **more: Any,
) -> MatchRecord:
    """A match of these bots, or of a, b, ..., on a fixed deal; any other field can be given."""
    facts = games.get(game).facts
    fields: dict[str, Any] = {
        "match": match,
        "number": 1,
        "game": game,
        "rules": facts.rules,
        "cards": facts.cards,
        "seats": tuple(SeatRecord(bot=bot, version="1") for bot in bots or "abcdefgh"[:seats]),
        "seed": f"seed of {match}",
        "salt": b"0123456789abcdef",
    }
    return MatchRecord(**{**fields, **more})


def plan(redis: plain.Redis, keys: Keys, planned: MatchRecord) -> None:
    """What the matchmaker's plan leaves in the store for a match."""
    redis.hset(
        keys.match(planned.match), mapping={"record": pack_record(planned), "status": "planned"}
    )
    redis.zadd(keys.planned, {planned.match: 1.0})
