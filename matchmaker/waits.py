"""How long bots have waited for a match: measured in this process, by its own clock."""

from __future__ import annotations

from collections.abc import Callable, Iterable


class Waits:
    """Since when each bot has had a place free."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock
        self.longest_seconds: dict[str, float] = {}
        """By game: the longest wait of a bot that is waiting now."""
        self._since: dict[str, float] = {}
        self._there: dict[str, frozenset[str]] = {}

    def of(self, bot: str, is_free: bool) -> int:
        """Tell, in milliseconds, how long a bot has waited; a busy one waits not at all."""
        if not is_free:
            self._since.pop(bot, None)
            return 0
        return int(1000 * (self.clock() - self._since.setdefault(bot, self.clock())))

    def keep(self, game: str, bots: Iterable[str]) -> None:
        """Forget those that attend no game any more, and note the longest wait of this one."""
        self._there[game] = frozenset(bots)
        there = frozenset[str]().union(*self._there.values())
        for bot in [bot for bot in self._since if bot not in there]:
            del self._since[bot]
        waits = (self.clock() - self._since[bot] for bot in self._there[game] if bot in self._since)
        self.longest_seconds[game] = max(waits, default=0.0)
