"""What a match is doing when a bot misbehaves, and the match in which either seat gets there."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from functools import cache
from itertools import count
from typing import Any, NamedTuple

from tests.helpers.bots import RawBot
from warladder.v1 import referee_pb2 as pb


class Phase(Enum):
    """When it misbehaves."""

    START = "start"
    """It has its MatchStarted and has not said Ready; all others have."""
    ORDINARY = "ordinary"
    """It is asked, alone, and not in a window: the second question of a Stalingrad set-up."""
    WINDOW = "window"
    """It is asked in a reaction window, whose outcome is paced: Skirmish, `support`."""
    SEALED = "sealed"
    """It is asked in secret together with the other: Skirmish, `name` of the second round."""
    LAST = "last"
    """Its answer is the match's last: Skirmish of one round, the last `support`."""
    BACK = "back"
    """Its line was cut in a window, and it dials in again."""


class Table(NamedTuple):
    """What is played."""

    game: str
    seed: str
    options: Mapping[str, Any]


PACE_MS = (40, 20)
"""Floor and quantum where a question is a window's: an open server holds outcomes back too."""


def table(phase: Phase, seat: int) -> Table:
    if phase is Phase.ORDINARY:
        return Table("stalingrad", "a short siege", {"max_rounds": 2})
    if phase is Phase.LAST:
        return Table("skirmish", last_word(seat), {"rounds": 1})
    return Table("skirmish", "any", {})


@cache
def last_word(seat: int) -> str:
    """A seed that gives this seat the higher of the lowest cards, so that it is asked last."""
    from referee import games  # not needed by a bot's own process

    for seed in map(str, count()):
        state = games.get("skirmish").start(seats=2, seed=seed, options={"rounds": 1})
        if max((0, 1), key=lambda each: min(state.view(each).hand)) == seat:
            return seed
    raise AssertionError("unreachable")


def is_there(phase: Phase, decide: pb.Decide) -> bool:
    """Whether this question is the phase's."""
    if phase is Phase.ORDINARY:
        return decide.decision == 2 and decide.kind == "setup_place"
    if phase is Phase.SEALED:
        return decide.decision > 2 and decide.kind == "name"
    return decide.kind == "support"


async def bring(bot: RawBot, phase: Phase, match: str) -> pb.Decide | None:
    """
    Play on to the phase, always the first option; the line of `BACK` is not cut yet.

    Returns:
        The question that the bot has not answered; None at the start.
    """
    assert (await bot.expect("match_started", 60)).match_started.match == match
    if phase is Phase.START:
        return None
    await bot.say(ready=pb.Ready(match=match))
    while True:
        decide = (await bot.expect("decide", 60)).decide
        if is_there(phase, decide):
            return decide
        await bot.answer(decide)
