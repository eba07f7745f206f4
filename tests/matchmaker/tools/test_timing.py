"""
Windows keep their time: what a bot does with one tells its opponent nothing by when it does it.

Time is counted, so the test is exact: two runs are told apart if any message to the opponent has
another byte or comes at another microsecond. Its power is shown by the same test without a pace.
"""

from typing import Any

import pytest

from matchmaker.tools.leaks.world import World
from referee import games
from referee.match.record import MatchRecord, Pace
from tests.helpers.matches import record
from warladder.v1 import referee_pb2 as pb

PACED = Pace(floor_ms=100, quantum_ms=50)
GAME = "skirmish"
WINDOW = "support"
OPPONENT, BOT = 0, 1
PLAYABLE = 0.060
"""Seconds a bot takes over a window when it has something to play; else it passes at once."""


def at_a_window(seed: str) -> Any:
    """The first position of a match in which the bot alone is asked in a window."""
    state = games.get(GAME).start(2, seed)
    while not (state.asked() == (BOT,) and state.kind(BOT) == WINDOW):
        seat = state.asked()[0]
        state.choose(seat, 0)
    fresh = state.clone(events=True)
    return fresh


def told(pace: Pace, thinking: float, order: bool = False) -> list[tuple[float, bytes]]:
    """What the opponent gets when the bot passes after so long, or by a standing order."""
    match: MatchRecord = record("m1", GAME, pace=pace)
    with World(games.get(GAME), match, at_a_window("timing")) as world:
        if order:
            world.start()
            world.say(BOT, order_of(match.match))
            world.ready()
        else:
            world.begin()
            world.pass_seconds(thinking)
            world.choose(BOT, 0)
        world.pass_seconds(2.0 - world.loop.time())
        return [(round(each.at, 6), each.data) for each in world.heard[OPPONENT]]


def order_of(match: str) -> pb.BotMessage:
    return pb.BotMessage(standing_order=pb.StandingOrder(match=match, window=WINDOW, on=True))


@pytest.mark.parametrize("thinking", [0.0, 0.001, PLAYABLE, 0.099])
def test_under_the_floor_any_thinking_looks_the_same(thinking: float) -> None:
    heard = told(PACED, thinking)
    assert heard == told(PACED, 0.03)
    assert [at for at, _ in heard][-1] >= 0.1


def test_a_standing_order_looks_the_same_as_a_pass_by_hand() -> None:
    assert told(PACED, 0.0, order=True) == told(PACED, PLAYABLE)


def test_over_the_floor_only_the_quantum_shows() -> None:
    assert told(PACED, 0.101) == told(PACED, 0.149)
    assert told(PACED, 0.149) != told(PACED, 0.151)


def test_without_a_pace_the_same_bots_are_told_apart() -> None:
    assert told(Pace(), 0.001) != told(Pace(), PLAYABLE)
