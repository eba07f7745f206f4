"""The ready document of a tournament: what people and programs read of it, as plain data."""

from __future__ import annotations

import json
from typing import Any

from matchmaker.formats.contract import Forfeited, Played
from matchmaker.tournaments.contest import Contest


def document(contest: Contest, how: str = "running", reason: str = "") -> dict[str, Any]:
    """
    Write a tournament down: a pure function of what the log says of it.

    Returns:
        `standings`: best first. `meetings`: all so far by round, with points in halves in the order
        of their bots and the ids of their matches.
    """
    begun, course = contest.begun, contest.course
    matches: dict[str, list[str]] = {}
    for each in contest.said:
        if each.match and isinstance(each.event, Played | Forfeited):
            matches.setdefault(each.event.meeting, []).append(each.match)
    return {
        "tournament": begun.tournament,
        "name": begun.name,
        "schedule": begun.schedule,
        "state": how,
        "reason": reason,
        "planned_ms": begun.planned_ms,
        "begun_ms": begun.begun_ms,
        "format": begun.format,
        "game": begun.game,
        "seats": begun.seats,
        "options": dict(begun.options),
        "settings": dict(begun.settings),
        "rated": begun.rated,
        "weight": begun.weight,
        "entrants": [{"bot": bot, "seed": seed} for bot, seed in begun.entrants],
        "dropped": [{"bot": bot, "reason": why} for bot, why in begun.dropped],
        "matches": contest.matches,
        "standings": [
            {
                "place": row.place,
                "bot": row.bot,
                "points": row.points / 2,
                "breaks": dict(row.breaks),
                "wins": row.wins,
                "draws": row.draws,
                "losses": row.losses,
                "note": row.note,
            }
            for row in course.standings
        ],
        "meetings": [
            {
                "meeting": shown.meeting.key,
                "round": shown.meeting.round,
                "label": shown.meeting.label,
                "bots": list(shown.meeting.bots),
                "points": [points / 2 for points in shown.points],
                "state": shown.state,
                "winner": shown.winner,
                "matches": matches.get(shown.meeting.key, []),
            }
            for shown in course.shown
        ],
        "summary": dict(course.summary),
    }


def summary(contest: Contest, how: str, reason: str, archive: str, over_ms: int) -> bytes:
    """Write the line that stays in the list of tournaments that are over."""
    begun = contest.begun
    standings = contest.course.standings
    return packed(
        {
            "tournament": begun.tournament,
            "schedule": begun.schedule,
            "format": begun.format,
            "game": begun.game,
            "planned_ms": begun.planned_ms,
            "begun_ms": begun.begun_ms,
            "over_ms": over_ms,
            "state": how,
            "reason": reason,
            "entrants": len(contest.bots),
            "matches": contest.matches,
            "best": [row.bot for row in standings[:3]],
            "archive": archive,
        }
    )


def packed(shown: dict[str, Any]) -> bytes:
    """Give a document as it is stored."""
    return json.dumps(shown, ensure_ascii=False, separators=(",", ":")).encode()
