"""
Matches of the search in one process, without a referee: quick enough to tune by.

A pairing is two matches with sides exchanged and the same Locations; its deals are fresh. All hangs
on the seed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, Protocol

BOTS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(BOTS / "search"), str(BOTS / "greedy"), str(BOTS)]

from stalingrad import Greedy as GreedyPlayer  # noqa: E402  # the paths above come first
from thinking import Budget, Thinker  # noqa: E402

from referee.games import get  # noqa: E402
from warladder.v1 import referee_pb2 as pb  # noqa: E402

GAME = get("stalingrad")
SAMPLED = 0.3
"""Share of the questions of ACTIONS whose positions are kept."""

Weights = tuple[dict[str, float], dict[str, float]]


class Played(NamedTuple):
    """One match."""

    score: float
    """Of seat 0: 1, 0.5 or 0."""
    positions: tuple[Any, ...]
    """Some positions of it, as they were."""


class Mind(Protocol):
    def choose(self, s: Any, seat: int, chance: Random) -> int: ...


class Searching:
    """The search with some weights."""

    def __init__(self, weights: Weights, seat: int, steps: int) -> None:
        self.thinker = Thinker(seat, weights[seat])
        self.budget = Budget(steps=steps)

    def choose(self, s: Any, seat: int, chance: Random) -> int:
        labels = [str(option) for option in s.options(seat)]
        return self.thinker.choose(s.view(seat), labels, chance, self.budget)


class Greedy:
    """The sample `greedy`, handed the messages that it would get."""

    def __init__(self, seat: int) -> None:
        self.player = GreedyPlayer(seat, [0, 1])

    def choose(self, s: Any, seat: int, chance: Random) -> int:
        wire = GAME.wire
        offered = [wire.option(option) for option in s.options(seat)]
        view = wire.view(s.view(seat))
        asked = pb.Decide(kind=s.kind(seat), view=view, options=offered)
        return int(self.player.choose(asked, chance))


Maker = Callable[[int], Mind]
"""Makes a mind for a seat."""


def play(
    makers: tuple[Maker, Maker], seed: str, setting: str, keep: bool = False, cards: str = ""
) -> Played:
    """One match; makers by seat. `cards` is a folder of component data, or those shipped."""
    s = GAME.start(2, seed, setting, {"cards": cards}, False)
    minds = [make(seat) for seat, make in enumerate(makers)]
    chances = [Random(f"{seed}|{seat}") for seat in (0, 1)]
    sampling = Random(f"{seed}|kept")
    kept = []
    while s.asked():
        (seat,) = s.asked()
        if keep and s.kind(seat) == "main" and sampling.random() < SAMPLED:
            kept.append(s.clone())
        few = len(s.options(seat)) == 1
        s.choose(seat, 0 if few else minds[seat].choose(s, seat, chances[seat]))
    ranks = s.outcome().ranks
    score = 0.5 if ranks[0] == ranks[1] else float(ranks[0] == 1)
    return Played(score, tuple(kept))


def series(
    one: Maker, other: Maker, seed: str, keep: bool = False, cards: str = ""
) -> Iterator[tuple[int, Played]]:
    """Matches without end, sides exchanged in turn; each with the seat of `one`."""
    n = 0
    while True:
        for side in (0, 1):
            makers = (one, other) if side == 0 else (other, one)
            yield side, play(makers, f"{seed}|{n}|{side}", f"{seed}|{n}", keep, cards)
        n += 1
