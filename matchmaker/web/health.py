"""Whether all goes well: what the health page and /healthz say."""

from __future__ import annotations

import time
from typing import Any

from matchmaker import attendance, table
from matchmaker.web.reading import Reading
from referee.store.plainly import as_bytes

LAG_ENTRIES = 2_000
"""A table that is so many entries behind the log is not kept up to date."""

Shown = dict[str, Any]


def look(reading: Reading) -> Shown:
    """
    Look at everything once.

    Returns:
        `ok`, and `complaints` in plain words if not; figures of the parts.
    """
    redis, keys = reading.ladder.redis, reading.keys
    began = time.perf_counter()
    redis.ping()
    answer_ms = (time.perf_counter() - began) * 1000
    with redis.pipeline(transaction=False) as pipe:
        pipe.exists(keys.leader)
        pipe.get(keys.terms)
        for status in (keys.planned, keys.playing, keys.ended):
            pipe.zcard(status)
        pipe.llen(keys.outbox)
        pipe.llen(keys.cases)
        leads, term, planned, playing, ended, outbox, cases = as_bytes(pipe.execute())
    log, base = reading.log.position(), reading.log.base().position
    there = attendance.read(redis, keys)
    games = []
    for game in reading.games():
        now = table.read(redis, game, reading.ladder.namespace)
        attending = {
            bot
            for referee in there.referees.values()
            for bot, streams in referee.attending.items()
            if any(game in stream.games for stream in streams)
        }
        games.append(
            {
                "game": game,
                "position": now["position"],
                "behind": max(0, log - now["position"]),
                "rated": now["rated"],
                "unrated": now["unrated"],
                "void": now["void"],
                "attending": len(attending),
            }
        )
    referees = [
        {
            "name": each.name,
            "address": each.address,
            "playing": each.playing,
            "room": each.room,
            "draining": each.draining,
            "streams": sum(map(len, each.attending.values())),
            "games": dict(sorted(each.games.items())),
        }
        for _, each in sorted(there.referees.items())
    ]
    refusals = reading.log.refusals()
    complaints = []
    if not leads:
        complaints.append("no matchmaker leads: nothing is planned or rated")
    if not referees:
        complaints.append("no referee is present: nothing is played")
    if refusals:
        complaints.append(f"{refusals} second, different results were refused; there must be none")
    complaints += [
        f"the table of {each['game']} is {each['behind']} entries behind the log"
        for each in games
        if each["behind"] > LAG_ENTRIES
    ]
    return {
        "ok": not complaints,
        "complaints": complaints,
        "store_ms": round(answer_ms, 2),
        "leader": bool(leads),
        "term": int(term or 0),
        "log_position": log,
        "log_archived": base,
        "planned": planned,
        "playing": playing,
        "ended": ended,
        "outbox": outbox,
        "cases": cases,
        "refused_results": refusals,
        "paused": len(there.paused),
        "games": games,
        "referees": referees,
    }
