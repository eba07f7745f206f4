"""
Random play with every oracle watching: `warladder fuzz`.

Each match is drawn from its own seed, so a fault comes with a small file that brings it back.
"""

from __future__ import annotations

import json as jsons
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from hashlib import sha256
from multiprocessing import active_children, get_context
from pathlib import Path
from random import Random
from time import perf_counter
from traceback import extract_tb
from typing import Any, NamedTuple, TypeVar

from rich.progress import track

from matchmaker import home
from matchmaker.errors import WrongUse
from matchmaker.interrupts import INTERRUPTED, deaf, raise_again
from matchmaker.output import console, document
from matchmaker.tools import oracles, twins
from matchmaker.tools.oracles import AnyGame, Fault
from referee.engine import State
from referee.engine.errors import BadOption
from referee.games import get

EVERY = 20
"""The dear oracles look at each so-manieth decision."""

REPLAYED = 10
"""Each so-manieth match is played again from its choices."""

LONGEST = 100_000
"""A match of more decisions does not end: the longest real ones have a few thousand."""

CHUNK = 10
"""Matches a process plays before it reports."""

TEMPERS = (0.0, 0.1, 0.2, 0.4, 0.6)
"""
How often a match's players take the default instead of any option.

Players who choose evenly hardly ever end a turn by will; hasty ones reach the late positions.
"""

T = TypeVar("T")
Choice = tuple[int, int]
Chooser = Callable[[State], Choice | None]


class Start(NamedTuple):
    """What a match begins with."""

    game: str
    seats: int
    options: dict[str, Any]
    seed: str

    def state(self, game: AnyGame, events: bool = True) -> State:
        start: State = game.start(self.seats, self.seed, None, self.options, events)
        return start


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
class Tally:
    """What a run of matches came to."""

    games: int = 0
    decisions: int = 0
    twins: int = 0
    longest: int = 0
    most_options: int = 0
    found: list[Found] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        self.games += other.games
        self.decisions += other.decisions
        self.twins += other.twins
        self.longest = max(self.longest, other.longest)
        self.most_options = max(self.most_options, other.most_options)
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
    began = perf_counter()
    starts = [*plan(game, games, seats, dict(options or {}), seed)]
    folder = folder or home.folder() / "fuzz"
    tally = Tally()
    interrupted = False
    screen = console(stderr=True)
    chunks = [starts[k : k + CHUNK] for k in range(0, len(starts), CHUNK)]
    parts = track(
        played(chunks, jobs, play), "playing", len(chunks), console=screen,
        transient=True, disable=not screen.is_terminal,
    )  # fmt: skip
    raise_again()
    try:
        for part in parts:
            tally.add(part)
            for found in part.found:
                path = found.write(folder)
                again = f"warladder fuzz --replay {path}"
                print(f"fuzz: {found.text} (again: {again})", file=sys.stderr)
    except KeyboardInterrupt:
        interrupted = True
        print(f"warladder: interrupted after {tally.games} of {games} games", file=sys.stderr)
    faults = len(tally.found)
    counts = sorted({start.seats for start in starts})
    figures = {
        "game": game,
        "seats": counts[0] if len(counts) == 1 else counts,
        "games": tally.games,
        "decisions": tally.decisions,
        "twins": tally.twins,
        "faults": faults,
        "longest": tally.longest,
        "most_options": tally.most_options,
        "seconds": round(perf_counter() - began, 1),
    }
    if json:
        print(document("fuzz", not faults and not interrupted, **figures))
    else:
        print("\n".join(f"{name:13}{value}" for name, value in figures.items()))
    return INTERRUPTED if interrupted else 1 if faults else 0


def plan(
    game: str, games: int, seats: int | None, options: dict[str, Any], seed: str
) -> Iterator[Start]:
    """The starts of a run; wrong seats or options fail here, before anything is played."""
    counts = get(game).facts.seats if seats is None else (seats,)
    refusals: dict[int, BadOption] = {}
    for count in counts:
        try:
            Start(game, count, options, seed).state(get(game))
        except BadOption as refusal:
            refusals[count] = refusal
    possible = [count for count in counts if count not in refusals]
    if not possible:
        raise refusals[counts[-1]]
    for n in range(games):
        yield Start(game, possible[n % len(possible)], options, f"{seed}/{n}")


def played(
    chunks: Iterable[Sequence[Start]], jobs: int, play: Callable[[Sequence[Start]], T]
) -> Iterator[T]:
    """What playing the chunks came to, in any order."""
    if jobs < 2:
        yield from map(play, chunks)
        return
    with ProcessPoolExecutor(jobs, get_context("spawn"), initializer=deaf) as pool:
        try:
            for done in as_completed([pool.submit(play, chunk) for chunk in chunks]):
                yield done.result()
        except (KeyboardInterrupt, GeneratorExit):
            for process in active_children():
                process.terminate()
            raise


def play(starts: Iterable[Start]) -> Tally:
    """Play matches at random under all oracles; a fault ends its match, not the run."""
    tally = Tally()
    for k, start in enumerate(starts):
        rng = Random(f"{start.seed}|choices")
        watched(start, at_random(rng, rng.choice(TEMPERS)), tally, replay=k % REPLAYED == 0)
    return tally


def at_random(rng: Random, temper: float) -> Chooser:
    def choose(state: State) -> Choice:
        seat = rng.choice(state.asked())
        if rng.random() < temper:
            return seat, state.default(seat)
        return seat, rng.randrange(len(state.options(seat)))

    return choose


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
        place = extract_tb(fault.__traceback__)[-1]
        said = " ".join(f"{type(fault).__name__}: {fault}".splitlines()[:1])
        text = f"{said} in {Path(place.filename).name}:{place.lineno}"
        tally.found.append(Found(start, choices, "raised", f"raised: {text}"))
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
        offered = max(len(state.options(seat)) for seat in state.asked())
        tally.most_options = max(tally.most_options, offered)
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
        if len(choices) > LONGEST:
            oracles.fail("ends", f"no end after {LONGEST} decisions")
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
