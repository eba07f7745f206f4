"""How the referee parts from a bot: the manual's table, which the stream and the door follow."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

COUNTED = "the last one"
"""In place of a code: whichever fault was one too many."""
ON = "go on within the grace"
ELSEWHERE = "go on at another referee"
"""What becomes of the bot's running matches, mostly."""


class End(NamedTuple):
    """One way in which a stream ends."""

    happened: str
    fault: str
    """Code of the fatal Fault before the Goodbye; empty: none comes."""
    goodbye: str
    """Its reason, and with it whether the bot dials again; empty: none comes."""
    status: str
    """As gRPC names it."""
    matches: str


class Parting(Enum):
    """Every way in which the referee ends a stream by itself."""

    BAD_HELLO = End(
        "the first message is no `Hello`, or not a correct one",
        "BAD_HELLO", "FAULT", "INVALID_ARGUMENT", ON,
    )  # fmt: skip
    NO_GAME = End(
        "none of the `Hello`'s games is played here", "NO_SUCH_GAME", "FAULT", "NOT_FOUND", ON
    )
    NO_HELLO = End("no `Hello` in time", "BAD_HELLO", "SILENT", "DEADLINE_EXCEEDED", ON)
    MANY_FAULTS = End(
        "more counted faults than `faults_per_minute`",
        COUNTED, "FAULT", "INVALID_ARGUMENT", "end as `ENDING_PROTOCOL`",
    )  # fmt: skip
    SLOW = End(
        "the bot does not read what is sent to it",
        "SLOW_READER", "SLOW", "RESOURCE_EXHAUSTED", ON,
    )  # fmt: skip
    REPLACED = End(
        "a newer stream of the same bot and instance has come",
        "REPLACED", "REPLACED", "ABORTED", "go on in that stream",
    )  # fmt: skip
    SILENT = End("nothing heard for too long", "", "SILENT", "DEADLINE_EXCEEDED", ON)
    REVOKED = End("the token opens nothing any more", "", "REVOKED", "UNAUTHENTICATED", ON)
    DRAINED = End(
        "this referee is going away, and has no match of the bot's",
        "", "DRAINING", "UNAVAILABLE", ELSEWHERE,
    )  # fmt: skip
    MOVED = End("another referee has the bot's match", "", "DRAINING", "UNAVAILABLE", ELSEWHERE)
    OURS = End("a mistake of the referee's own", "", "BUSY", "INTERNAL", ON)
    DONE = End(
        "the bot's own `Goodbye`, and the end of its last match", "", "DONE", "OK", "are over"
    )
    STRANGER = End("a token that opens nothing", "", "", "UNAUTHENTICATED", ON)
    CROWDED = End("too many streams come in at once", "", "BUSY", "UNAVAILABLE", ON)
    STORELESS = End("the ladder's store is away", "", "BUSY", "UNAVAILABLE", ON)
    FULL = End("the bot has `streams` live ones", "", "BUSY", "RESOURCE_EXHAUSTED", ON)
    HUGE = End("a message over 16 MiB", "", "", "RESOURCE_EXHAUSTED", ON)

    @property
    def waits(self) -> bool:
        """The Goodbye says how long: these bots would come back all at once, or again and again."""
        return self.value.goodbye in ("DRAINING", "BUSY", "SLOW")

    @property
    def again(self) -> bool:
        """The bot is to dial again."""
        end = self.value
        if not end.goodbye:
            return end.status != "UNAUTHENTICATED"
        return end.goodbye not in ("DONE", "REPLACED", "FAULT", "REVOKED")
