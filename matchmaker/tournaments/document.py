"""The ready document of a tournament: what people and programs read of it, as plain data."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from matchmaker.formats.contract import Course, Forfeited, Played
from matchmaker.tournaments.contest import Contest

PLAYED = ("over", "forfeit", "bye")


class Ladder(NamedTuple):
    """How a ladder stands, for the season that is held on it."""

    matches: int
    """Rated ones."""
    rows: Callable[[], Sequence[Mapping[str, Any]]]
    """Of its published table, best first."""


def document(
    contest: Contest, how: str = "running", reason: str = "", ladder: Ladder | None = None
) -> dict[str, Any]:
    """
    Write a tournament down: a pure function of what the log says of it.

    Args:
        ladder: That it is held on, if it has no meetings of its own.

    Returns:
        `standings`: best first. `meetings`: all so far by round, with points in halves in the order
        of their bots and the ids of their matches.
    """
    begun = contest.begun
    # Of a ladder's season, and of what was not held, the format has nothing to say.
    course = Course() if ladder else contest.course
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
        "matches": ladder.matches if ladder else contest.matches,
        "standings": _of_ladder(ladder)
        if ladder
        else [
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
                # What has not been played when all is over never will be.
                "state": shown.state if how == "running" or shown.state in PLAYED else "unplayed",
                "winner": shown.winner,
                "matches": matches.get(shown.meeting.key, []),
            }
            for shown in course.shown
        ],
        "summary": {} if ladder else dict(course.summary),
    }


def _of_ladder(ladder: Ladder) -> list[dict[str, Any]]:
    return [
        {
            "place": row["rank"],
            "bot": row["bot"],
            "points": row["wins"] + row["draws"] / 2,
            "breaks": {},
            "wins": row["wins"],
            "draws": row["draws"],
            "losses": row["losses"],
            "note": "",
        }
        for row in ladder.rows()
    ]


def summary(last: Mapping[str, Any], archive: str, over_ms: int) -> bytes:
    """Write the line that stays in the list of tournaments that are over, from its document."""
    names = ("tournament", "schedule", "format", "game", "planned_ms", "begun_ms")
    return packed(
        {name: last[name] for name in names}
        | {
            "over_ms": over_ms,
            "state": last["state"],
            "reason": last["reason"],
            "entrants": len(last["standings"]),
            "matches": last["matches"],
            "best": [row["bot"] for row in last["standings"][:3]],
            "archive": archive,
        }
    )


def packed(shown: dict[str, Any]) -> bytes:
    """Give a document as it is stored."""
    return json.dumps(shown, ensure_ascii=False, separators=(",", ":")).encode()
