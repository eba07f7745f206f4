"""Tournaments as pages and API show them: what is announced, runs and is over."""

from __future__ import annotations

import json
from typing import Any

from matchmaker.tournaments.schedule import following, shown
from matchmaker.tournaments.store import Tournaments
from matchmaker.web.problems import NotHere, Unreadable
from matchmaker.web.reading import Reading
from referee.engine.errors import WarladderError

INSTANTS = 5
"""Of each schedule that the calendar shows."""
BRACKETS = frozenset({"single_elimination", "double_elimination"})
CROSS_TABLES = frozenset({"round_robin"})
MOST_CROSSED = 64
"""Bots of a cross table; a wider one is unreadable."""

Shown = dict[str, Any]


class Contests:
    """The tournaments of one ladder."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.store = Tournaments(reading.ladder.redis, reading.keys)

    def overview(self) -> Shown:
        """
        List them all.

        Returns:
            `now_ms`: by the clock of schedules. `announced`: each with its next instants.
            `calendar`: all instants, soonest first. `running`, `over`: in short. `news`.
        """
        now_ms = self.store.now_ms()
        handled = self.store.handled()
        announced, calendar = [], []
        for name, each in self.store.announced().items():
            after = max(now_ms - 1, handled.get(name, 0))
            instants = following(each, after, INSTANTS) or [each.at_ms]
            entry = {
                "name": name,
                "format": each.format,
                "game": each.game,
                "cron": each.cron,
                "zone": each.zone,
                "rated": each.rated,
                "by": each.by,
                "next_ms": list(instants),
            }
            announced.append(entry)
            calendar += [
                {
                    "at_ms": instant,
                    "local": shown(instant, each.zone),
                    "name": name,
                    "format": each.format,
                    "game": each.game,
                }
                for instant in instants
            ]
        calendar.sort(key=lambda each: (each["at_ms"], each["name"]))
        running: list[Shown] = [
            {
                "tournament": name,
                "format": each["format"],
                "game": each["game"],
                "begun_ms": each["begun_ms"],
                "entrants": len(each["standings"]),
                "matches": each["matches"],
                "best": [row["bot"] for row in each["standings"][:3]],
            }
            for name, each in self.store.running().items()
        ]
        return {
            "now_ms": now_ms,
            "announced": announced,
            "calendar": calendar,
            "running": running,
            "over": self.store.over(),
            "news": self.store.news(50),
        }

    def one(self, name: str) -> Shown:
        """
        Give a tournament's ready document.

        Raises:
            NotHere: There is none of this name.
            Unreadable: It is over, and its document cannot be read here.
        """
        found = self.store.running().get(name)
        if found:
            return found
        for line in self.store.over():
            if line["tournament"] == name:
                try:
                    text = self.reading.archive.tournament(line["archive"])
                except WarladderError:
                    raise Unreadable(
                        f"the document of {name} cannot be read here; tell the operator"
                    ) from None
                document: Shown = json.loads(text)
                return document
        raise NotHere(f"there is no tournament {name!r} among the running and the last 500")


def rounds(document: Shown) -> list[tuple[int, list[Shown]]]:
    """Give a tournament's meetings by round."""
    by_round: dict[int, list[Shown]] = {}
    for meeting in document["meetings"]:
        by_round.setdefault(meeting["round"], []).append(meeting)
    return sorted(by_round.items())


def cross_table(document: Shown) -> tuple[list[str], dict[tuple[str, str], float]] | None:
    """
    Give points of each against each, in the order of the standings.

    Returns:
        The bots, and the points of the first in a pair against the second; None if it is no
        tournament of all against all in twos, or too wide.
    """
    bots = [row["bot"] for row in document["standings"]]
    if document["format"] not in CROSS_TABLES or not 2 <= len(bots) <= MOST_CROSSED:
        return None
    points: dict[tuple[str, str], float] = {}
    for meeting in document["meetings"]:
        if len(meeting["bots"]) != 2:
            return None
        if meeting["state"] in ("waiting", "open") and not meeting["matches"]:
            continue
        one, other = meeting["bots"]
        for pair, own in zip(((one, other), (other, one)), meeting["points"]):
            points[pair] = points.get(pair, 0.0) + own
    return bots, points
