"""A table for the players of sample bots without a server: messages as the referee writes them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

from referee import games
from referee.engine import Outcome
from warladder.v1 import referee_pb2 as pb

BOTS = Path(__file__).parents[2] / "sample_bots" / "python"

Make = Callable[[pb.MatchStarted], Any]


@contextmanager
def _path(*folders: Path) -> Iterator[None]:
    before = sys.path.copy()
    sys.path[:0] = map(str, folders)
    try:
        yield
    finally:
        sys.path[:] = before


def bot(name: str) -> ModuleType:
    """A sample bot's program as a module; what it imports from its own folder is its own."""
    before = set(sys.modules)
    with _path(BOTS / name, BOTS):
        module = import_module("bot")
    for each in set(sys.modules) - before:
        if str(getattr(sys.modules[each], "__file__", "")).startswith(str(BOTS)):
            del sys.modules[each]
    return module


def play(
    game: str,
    makers: Sequence[Make],
    seed: str,
    options: dict[str, Any] | None = None,
    details: Sequence[int] = (),
) -> Outcome:
    """One match; each player gets the messages that a referee would send it."""
    library = games.get(game)
    state = library.start(len(makers), seed, None, options or {})
    sides = [k for seat in range(state.seats) for k, side in enumerate(state.sides) if seat in side]
    players = [
        make(pb.MatchStarted(match=seed, game=game, seat=seat, seats=state.seats, sides=sides))
        for seat, make in enumerate(makers)
    ]
    heard, asked = [0] * state.seats, [0] * state.seats
    while state.asked():
        seat = state.asked()[0]
        events = [library.wire.event(event) for event in state.events(seat, heard[seat])]
        heard[seat] += len(events)
        asked[seat] += 1
        lean = bool(details) and details[seat] == pb.DETAIL_EVENTS
        decide = pb.Decide(
            match=seed,
            decision=asked[seat],
            kind=state.kind(seat),
            events=events,
            view=None if lean else library.wire.view(state.view(seat)),
            options=[library.wire.option(option, not lean) for option in state.options(seat)],
        )
        players[seat].told(decide.events)
        state.choose(seat, players[seat].choose(decide, Random(f"{seed}|{seat}|{asked[seat]}")))
    outcome: Outcome | None = state.outcome()
    assert outcome is not None
    return outcome
