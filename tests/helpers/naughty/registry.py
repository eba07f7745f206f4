"""
What a kind of misbehaviour is, and the table of all of them.

A kind acts once, at its moment. Then the bot plays on as it should if it still can; one that has
hung up or fallen silent does not.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from referee.match.record import Clocks
from tests.helpers.naughty.moment import Moment

PATIENT = Clocks(cap_ms=60_000, startup_ms=60_000, grace_ms=60_000)
"""Nobody is late."""
CAPPED = Clocks(cap_ms=5_000, startup_ms=8_000)
"""One decision can be late."""
ELEVEN = Clocks(cap_ms=1_000, startup_ms=8_000)
"""Eleven can."""
BANKED = Clocks(bank_ms=6_000, cap_ms=60_000, startup_ms=8_000)
"""The bank can be empty."""
GRACE = Clocks(cap_ms=60_000, startup_ms=8_000, grace_ms=3_000)
"""An absence can be too long."""

Act = Callable[[Moment], Awaitable[None]]


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One way to misbehave."""

    name: str
    act: Act
    clocks: Clocks = PATIENT
    relay: bool = False
    """Its line goes through a relay."""
    dials: bool = False
    """It is done by dialling in: while coming back, instead of what is right."""
    plays_before: bool = False
    """It needs a match that has ended."""
    draws_out: bool = False
    """Its victim draws the match out, so that there are eleven more questions."""
    floods: bool = False
    """It needs the machine: only so fast a flood is too fast."""
    signal: str = ""
    """The bot is a process of its own, which gets this signal."""


KINDS: dict[str, Kind] = {}


def kind(
    clocks: Clocks = PATIENT,
    *,
    relay: bool = False,
    dials: bool = False,
    plays_before: bool = False,
    draws_out: bool = False,
    floods: bool = False,
    signal: str = "",
) -> Callable[[Act], Act]:
    def add(act: Act) -> Act:
        name = getattr(act, "__name__", "").replace("_", "-")
        KINDS[name] = Kind(
            name=name, act=act, clocks=clocks, relay=relay, dials=dials,
            plays_before=plays_before, draws_out=draws_out, floods=floods, signal=signal,
        )  # fmt: skip
        return act

    return add
