"""
Random play with every oracle watching: `warladder fuzz`.

Each match is drawn from its own seed, so a fault comes with a small file that brings it back.
"""

from __future__ import annotations

import json as jsons
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from matchmaker import home
from matchmaker.errors import WrongUse
from matchmaker.tools import oracles, random_matches, twins
from matchmaker.tools.oracles import AnyGame, Fault
from matchmaker.tools.random_matches import TEMPERS, Choice, Chooser, Start, at_random, raised
from referee.engine import State
from referee.games import get

EVERY = 20
"""The dear oracles look at each so-manieth decision."""

REPLAYED = 10
"""Each so-manieth match is played again from its choices."""

CHUNK = 10
"""Matches a process plays before it reports."""


@dataclass
class Found:
    """A fault and all that is needed to see it again."""

    start: Start
    choices: list[Choice]
    law: str
    text: str

    def write(self, folder: Path) -> Path:
        """Keep it as a file named by its content."""
        record = {**self.start._asdict(), "choices": self.choices}
        record |= {"law": self.law, "text": self.text}
        text = jsons.dumps(record, ensure_ascii=False)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.start.game}-{sha256(text.encode()).hexdigest()[:12]}.json"
        path.write_text(text + "\n", "utf-8")
        return path


@dataclass
class Tally(random_matches.Tally):
    """What a run of matches came to."""

    found: list[Found] = field(default_factory=list)
    folder: Path | None = None
    """Where the files of faults go; None is `fuzz` under `WARLADDER_HOME`."""

    @property
    def faults(self) -> int:
        return len(self.found)

    def tell(self) -> Iterator[str]:
        for found in self.found:
            path = found.write(self.folder or home.folder() / "fuzz")
            yield f"fuzz: {found.text} (again: warladder fuzz --replay {path})"

    def add(self, other: Tally) -> None:
        super().add(other)
        self.found += other.found


def run(
    game: str,
    games: int,
    seats: int | None = None,
    options: Mapping[str, Any] | None = None,
    seed: str = "1",
    json: bool = False,
    jobs: int = 1,
    folder: Path | None = None,
) -> int:
    """
    Play matches at random and report what the oracles say.

    Args:
        seats: None plays every number of seats that the game and the options allow, in turn.
        folder: Where the files of faults go; None is `fuzz` under `WARLADDER_HOME`.

    Returns:
        0 without faults, else 1; 130 if interrupted, with the figures until then.
    """
    return random_matches.drive(
        "playing", game, games, seats, options, seed, Tally(), partial(play, folder=folder),
        chunk=CHUNK, jobs=jobs, json=json,
    )  # fmt: skip


def play(starts: Iterable[Start], folder: Path | None = None) -> Tally:
    """Play matches at random under all oracles; a fault ends its match, not the run."""
    tally = Tally(folder=folder)
    for k, start in enumerate(starts):
        rng = Random(f"{start.seed}|choices")
        watched(start, at_random(rng, rng.choice(TEMPERS)), tally, replay=k % REPLAYED == 0)
    return tally


def watched(start: Start, choose: Chooser, tally: Tally, replay: bool = False) -> None:
    """Play one match under all oracles; notes in the tally what came of it."""
    choices: list[Choice] = []
    tally.games += 1
    try:
        _watch(start, choose, choices, tally)
        if replay:
            _play_again(start, choices)
    except Fault as fault:
        tally.found.append(Found(start, choices, fault.law, str(fault)))
    except Exception as fault:  # whatever the rules raise is a find
        tally.found.append(Found(start, choices, "raised", raised(fault)))
    tally.decisions += len(choices)
    tally.longest = max(tally.longest, len(choices))


def _watch(start: Start, choose: Chooser, choices: list[Choice], tally: Tally) -> None:
    game = get(start.game)
    state = start.state(game)
    order = oracles.Order()
    unheard = twins.Unheard(state)
    kept: tuple[State, bytes] | None = None
    phase = Random(f"{start.seed}|phase").randrange(EVERY)
    while state.asked():
        n = len(choices)
        oracles.decision(game, state, order)
        tally.offered(state, n)
        if n % EVERY == phase:
            if kept is not None and kept[0].digest() != kept[1]:
                oracles.fail("clone", f"a clone changed while its original played on, at {n}")
            kept = state.clone(), state.digest()
            tally.twins += dear(game, state, f"{start.seed}|{n}", unheard.secrets)
        choice = choose(state)
        if choice is None:
            dear(game, state, f"{start.seed}|{n}", unheard.secrets)
            return
        choices.append(choice)
        unheard.choose(state, *choice)
    oracles.over(game, state)
    twins.wire_round_trip(game, state)


def dear(game: AnyGame, state: State, key: str, secrets: twins.Secrets) -> int:
    """
    The oracles that cost more than a decision.

    Returns:
        Twins that differed from the position in something hidden.
    """
    oracles.every_option(state)
    oracles.copies(game, state, Random(f"{key}|copies"))
    oracles.sealed(state, Random(f"{key}|sealed"))
    twins.wire_round_trip(game, state)
    return sum(
        twins.twin(game, state, viewer, f"{key}|{viewer}", secrets)
        for viewer in oracles.viewers(state)
    )


def _play_again(start: Start, choices: Sequence[Choice]) -> None:
    """The same choices lead to the same position, whether or not events are recorded."""
    game = get(start.game)
    once, twice = start.state(game), start.state(game, events=False)
    for state in (once, twice):
        for seat, i in choices:
            state.choose(seat, i)
    oracles.same("digest", "the same choices again", once.digest(), twice.digest())
    oracles.same("digest", "the same outcome again", once.outcome(), twice.outcome())


def reproduce(path: Path) -> int:
    """
    Play a fault's file again under all oracles.

    Returns:
        1 if the fault is still there, 0 if not.
    """
    try:
        record = jsons.loads(path.read_text("utf-8"))
        start = Start(*(record[name] for name in Start._fields))
        choices = iter([(int(seat), int(i)) for seat, i in record["choices"]])
    except OSError as fault:
        raise WrongUse(f"{path}: {fault.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise WrongUse(f"{path} is no file of `warladder fuzz`") from None
    tally = Tally()
    watched(start, lambda state: next(choices, None), tally, replay=True)
    for found in tally.found:
        print(f"fuzz: after {len(found.choices)} choices: {found.text}")
    if not tally.found:
        print(f"fuzz: no fault in {tally.decisions} decisions of {path}")
    return 1 if tally.found else 0
