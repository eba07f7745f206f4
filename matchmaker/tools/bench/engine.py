"""What the rules cost: random decisions, copies, views and their wire form, as CPU time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from random import Random
from typing import Any

from matchmaker.tools.bench.figures import Row, cost, cpu_for_one, rate
from matchmaker.tools.oracles import AnyGame
from matchmaker.tools.twins import wire_of
from referee.engine import State
from referee.engine.canonical import pack, unpack
from referee.games import get

POSITIONS = 60
"""So many of a few matches' middles stand for all positions."""


def measure(games: Sequence[str], seconds: float) -> list[Row]:
    """Rows of every game; `seconds` is about the time of one row."""
    return [row for name in games for row in _game(get(name), seconds)]


def _game(game: AnyGame, seconds: float) -> list[Row]:
    name = game.name
    driver = cpu_for_one(_driver, seconds / 4)
    rows = [
        rate(f"{name} decisions", "decisions/s", cpu_for_one(playing(game), seconds), driver),
        rate(
            f"{name} decisions with events",
            "decisions/s",
            cpu_for_one(playing(game, events=True), seconds),
            driver,
        ),
    ]
    middles = positions(game)
    views = [(game, state.view(state.asked()[0])) for state in middles]
    saves = [state.save() for state in middles]
    trees = [unpack(save) for save in saves]

    def one(act: Callable[[Any], object], on: Sequence[Any], share: float = 1.0) -> float:
        return cpu_for_one(each(act, on), seconds * share)

    rows += [
        cost(f"{name} clone", one(lambda s: s.clone(), middles)),
        cost(f"{name} imagine", one(lambda pair: pair[0].imagine(pair[1], "bench"), views)),
        cost(f"{name} view", one(lambda s: s.view(s.asked()[0]), middles)),
        cost(f"{name} save", one(lambda s: s.save(), middles), one(pack, trees, 0.2)),
        cost(f"{name} load", one(game.load, saves), one(unpack, saves, 0.2)),
        cost(f"{name} digest", one(lambda s: s.digest(), middles), one(_hash, saves, 0.2)),
    ]
    wire = wire_of(game)
    if wire is not None:
        seen = [view for _, view in views]
        messages = [wire.view(view) for view in seen]
        rows.append(
            cost(
                f"{name} wire view",
                one(lambda view: wire.view(view).SerializeToString(), seen),
                one(lambda message: message.SerializeToString(), messages, 0.2),
            )
        )
    return rows


def playing(game: AnyGame, events: bool = False) -> Callable[[], int]:
    """Work for `cpu_for_one`: each call plays one random match and returns its decisions."""
    rng = Random(1)
    number = 0

    def work() -> int:
        nonlocal number
        number += 1
        state, decisions = game.start(seed=f"bench {number}", events=events), 0
        while asked := state.asked():
            seat = asked[0]
            state.choose(seat, int(rng.random() * len(state.options(seat))))
            decisions += 1
        return decisions

    return work


def positions(game: AnyGame) -> list[State]:
    """Positions from the middle third of random matches."""
    found: list[State] = []
    number = 0
    while len(found) < POSITIONS:
        number += 1
        rng = Random(number)
        state, all_of_it = game.start(seed=f"bench {number}", events=False), []
        while state.asked():
            all_of_it.append(state.clone())
            seat = rng.choice(state.asked())
            state.choose(seat, rng.randrange(len(state.options(seat))))
        third = len(all_of_it) // 3
        middle = all_of_it[third : 2 * third]
        found += rng.sample(middle, min(len(middle), POSITIONS // 5))
    return found[:POSITIONS]


def _driver() -> int:
    """What random play costs without any rules: the least that a decision could."""
    rng, asked, options = Random(1), (0,), (0, 1, 2, 3, 4)
    for _ in range(1000):
        seat = asked[0]
        _nothing(seat, int(rng.random() * len(options)))
    return 1000


def _nothing(seat: int, option: int) -> None:
    """Stands for `choose`."""


def each(act: Callable[[Any], object], on: Sequence[Any]) -> Callable[[], int]:
    """Work for `cpu_for_one`: does this to every one of these."""

    def work() -> int:
        for one in on:
            act(one)
        return len(on)

    return work


def _hash(data: bytes) -> bytes:
    return sha256(data).digest()
