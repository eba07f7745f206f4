"""
Who leads: one matchmaker at a time, for a term that it must keep renewing. Others are hot spares.

What a leader writes carries its token; a script of another term is refused, so a leader that was
asleep does no harm when it wakes.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable

import redis

from matchmaker import scripts
from matchmaker.keys import Keys

TERM_MS = 10_000
RENEW_SECONDS = 3.0
ASK_SECONDS = 1.0
"""How often a spare asks whether the lead is free."""


class Deposed(Exception):
    """Another matchmaker leads."""


class Term:
    """This process's claim to the lead."""

    def __init__(
        self,
        connection: redis.Redis,
        keys: Keys,
        clock: Callable[[], float] = time.monotonic,
        term_ms: int = TERM_MS,
    ) -> None:
        self.redis = connection
        self.keys = keys
        self.clock = clock
        self.term_ms = term_ms
        self.token = ""
        """Of the term, while we believe to lead."""
        self.number = 0
        self._due = float("-inf")

    @property
    def leads(self) -> bool:
        return bool(self.token)

    def hold(self) -> bool:
        """
        Take or renew the lead when it is time to.

        Returns:
            Whether this process leads.
        """
        if self.clock() < self._due:
            return self.leads
        if self.leads:
            self._due = self.clock() + RENEW_SECONDS
            if not self._renew(self.term_ms):
                self.lose()
        if not self.leads:
            self._due = self.clock() + ASK_SECONDS
            token = secrets.token_hex(16)
            number = int(self.redis.eval(scripts.LEAD, 0, self.keys.prefix, token, self.term_ms))
            if number:
                self.token, self.number = token, number
                self._due = self.clock() + RENEW_SECONDS
        return self.leads

    def lose(self) -> None:
        """Forget the term: another matchmaker leads."""
        self.token = ""
        self._due = float("-inf")

    def ask_again(self) -> None:
        """Redis was away: the next `hold` asks whether the term still runs."""
        self._due = float("-inf")

    def leave(self) -> None:
        """Give the lead up, so that a spare need not wait for its expiry."""
        if self.leads:
            self._renew(0)
            self.lose()

    def _renew(self, milliseconds: int) -> bool:
        answer = self.redis.eval(scripts.RENEW, 0, self.keys.prefix, self.token, milliseconds)
        return bool(answer)
