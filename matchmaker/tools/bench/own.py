"""The game's own part of a match: what no referee can do without."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from random import Random
from typing import Any

from matchmaker.tools.oracles import AnyGame
from referee.match.journal import DIGEST_EVERY

NUMBERS = count(1)
"""Of matches in this process."""


def matches(game: AnyGame) -> Iterator[None]:
    """
    One match after the other as the bench's bots play them; a step is a decision.

    That is start, options, choices and outcome; the view and options of each question and the news
    of every seat up to the end, in wire form and serialised once for all who are told the same; the
    digests that a journal holds.
    """
    while True:
        yield from _match(game, next(NUMBERS))


def _match(game: AnyGame, number: int) -> Iterator[None]:
    wire: Any = game.wire
    state, decisions = game.start(seed=f"bench {number}"), 0
    seen, answers = [0] * state.seats, [0] * state.seats
    told: dict[int, bytes] = {}
    rng = Random(number)

    def tell(seat: int) -> None:
        news = state.events(seat, seen[seat])
        seen[seat] += len(news)
        for event in news:
            if id(event) not in told:  # the state's log keeps each event alive
                told[id(event)] = wire.event(event).SerializeToString()

    while asked := state.asked():
        seat = rng.choice(asked)
        tell(seat)
        answers[seat] += 1
        wire.view(state.view(seat)).SerializeToString()
        options = state.options(seat)
        for option in options:
            wire.option(option).SerializeToString()
        state.choose(seat, (7 * answers[seat]) % len(options))
        decisions += 1
        if decisions % DIGEST_EVERY == 0:
            state.digest()
        if not state.asked():
            for seat in range(state.seats):
                tell(seat)
            state.outcome()
            state.digest()
        yield
