"""
To whom a bot's next place goes, when the ladder and tournaments want it at once.

Pure; the clock is given. Each activity has a weight; who has had least by its weight is served
next, as in stride scheduling. What an activity does not take in a moment others may.
"""

from __future__ import annotations

from collections.abc import Mapping

LADDER = "ladder"
LADDER_WEIGHT = 1.0
KEPT_SECONDS = 2.0
"""So long a place stays free for whose turn it is."""


class Shares:
    """What each activity has had of each bot, as this leader saw it."""

    def __init__(self) -> None:
        self._served: dict[str, dict[str, float]] = {}
        self._refused: dict[tuple[str, str], float] = {}

    def may(self, bot: str, activity: str, rivals: Mapping[str, float], now: float) -> bool:
        """
        Say whether a bot's next place may go to an activity.

        Args:
            rivals: Weights of all that want the bot now, the activity itself included.
            now: Seconds of any steady clock.
        """
        served = self._served.setdefault(bot, {})
        known = [served[name] for name in rivals if name in served]
        begin = min(known, default=0.0)
        for name in rivals:  # who is new gets no credit for the time before
            served.setdefault(name, begin)
        least = min(served[name] for name in rivals)
        if served[activity] - least <= 1 / rivals[activity]:
            self._refused.pop((bot, activity), None)
            return True
        since = self._refused.setdefault((bot, activity), now)
        return now - since >= KEPT_SECONDS

    def serve(self, bot: str, activity: str, weight: float) -> None:
        """Note that a match of an activity takes a place of a bot."""
        served = self._served.setdefault(bot, {})
        served[activity] = served.get(activity, min(served.values(), default=0.0)) + 1 / weight
        self._refused.pop((bot, activity), None)

    def forget(self, activity: str) -> None:
        """An activity is over."""
        for bot in list(self._served):
            self._served[bot].pop(activity, None)
            if not self._served[bot]:
                del self._served[bot]
        for key in [key for key in self._refused if key[1] == activity]:
            del self._refused[key]
