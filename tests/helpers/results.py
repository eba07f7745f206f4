"""Results for a log that no match was played for."""

from collections.abc import Sequence
from typing import Any

import redis

from matchmaker import scripts
from matchmaker.archive import Archive, Segment
from matchmaker.entries import Result, Seated, Standing, Why, encode
from matchmaker.keys import Keys
from matchmaker.leader import Term
from matchmaker.log import Log, chain, places_of
from referee.store.scripts import packed


def result(number: int, bots: Sequence[str] = ("a", "b"), **more: Any) -> Result:
    """A match of skirmish that the first bot won; any field can be given."""
    seats = tuple(range(len(bots)))
    fields: dict[str, Any] = {
        "match": f"m{number}", "number": number, "game": "skirmish", "rules": "1", "cards": "c",
        "pairing": f"p{number}", "cause": "ladder", "attempt": 1, "standing": Standing.RATED,
        "why": Why.NONE, "ending": "normal", "reason": "points",
        "seats": tuple(Seated(bot, "1") for bot in bots),
        "sides": tuple((seat,) for seat in seats), "ranks": tuple(seat + 1 for seat in seats),
        "scores": tuple(9 - seat for seat in seats), "faults": ("",) * len(bots),
        "decisions": 20, "digest": bytes(32), "archive": "",
    }  # fmt: skip
    return Result(**{**fields, **more})


def append(connection: redis.Redis, keys: Keys, *results: Result) -> list[int]:
    """Put results into the log, as a close does; their positions."""
    positions = []
    for each in results:
        data = encode(each)
        position = int(connection.eval(scripts.NOTE, 0, keys.prefix, data))
        for seat in each.seats:
            connection.lpush(keys.results(seat.bot), position)
        connection.hset(keys.receipts, each.match, f"{position}:digest")
        positions.append(position)
    return positions


def archive_up_to(log: Log, archive: Archive, term: Term, position: int) -> None:
    """Move the log up to a position into the archive, as the rater does."""
    base = log.base()
    entries = [each for each in log.whole_tail(base.position) if each.position <= position]
    after = chain(base, entries)
    archive.put_segment(Segment(tuple((e.position, e.at_ms, e.data) for e in entries), after.head))
    places = places_of(entries)
    archive.put_places(places)
    arguments = (term.token, position, after.head.hex(), packed(list(places)))
    assert log.redis.eval(scripts.TRIM, 0, log.keys.prefix, *arguments)
