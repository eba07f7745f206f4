"""
Runs of random matches, each drawn from its own seed: the driver of `fuzz` and of the leaks' hunt.

Either looks at its matches in its own way; how they are planned, chosen, played in processes,
counted and reported is here.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import active_children, get_context
from pathlib import Path
from random import Random
from time import perf_counter
from traceback import extract_tb
from typing import Any, NamedTuple, Self, TypeVar

from rich.progress import track

from matchmaker.interrupts import INTERRUPTED, deaf, raise_again
from matchmaker.output import console, document
from matchmaker.tools import oracles
from matchmaker.tools.oracles import AnyGame
from referee.engine import State
from referee.engine.errors import BadOption
from referee.games import get

LONGEST = 100_000
"""A match of more decisions does not end: the longest real ones have a few thousand."""

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
class Tally(ABC):
    """What a run of matches came to."""

    games: int = 0
    decisions: int = 0
    twins: int = 0
    """Pairs compared that differed in something hidden."""
    longest: int = 0
    most_options: int = 0

    @property
    @abstractmethod
    def faults(self) -> int:
        """How many were found."""

    @abstractmethod
    def tell(self) -> Iterable[str]:
        """Each fault as a line for people, kept where it is to be kept."""

    def figures(self) -> dict[str, Any]:
        """What this run counts besides, by name."""
        return {}

    def add(self, other: Self) -> None:
        self.games += other.games
        self.decisions += other.decisions
        self.twins += other.twins
        self.longest = max(self.longest, other.longest)
        self.most_options = max(self.most_options, other.most_options)

    def offered(self, state: State, decisions: int) -> None:
        """
        Note a position in which somebody is asked.

        Args:
            decisions: Of the match so far.

        Raises:
            Fault: The match does not end.
        """
        if decisions > LONGEST:
            oracles.fail("ends", f"no end after {LONGEST} decisions")
        most = max(len(state.options(seat)) for seat in state.asked())
        self.most_options = max(self.most_options, most)


R = TypeVar("R", bound=Tally)


def drive(
    doing: str,
    game: str,
    matches: int,
    seats: int | None,
    options: Mapping[str, Any] | None,
    seed: str,
    tally: R,
    play: Callable[[Sequence[Start]], R],
    *,
    chunk: int,
    jobs: int,
    json: bool,
) -> int:
    """
    Play matches, tell faults as they are found, and print the figures.

    Args:
        doing: What the bar says.
        seats: None plays every number of seats that the game and the options allow, in turn.
        tally: Where all is counted.
        play: Plays some of them; must go to another process.
        chunk: So many at a time.
        jobs: So many processes.

    Returns:
        0 without faults, else 1; 130 if interrupted, with the figures until then.
    """
    began = perf_counter()
    starts = [*plan(game, matches, seats, dict(options or {}), seed)]
    interrupted = False
    screen = console(stderr=True)
    chunks = [starts[k : k + chunk] for k in range(0, len(starts), chunk)]
    parts = track(
        played(chunks, jobs, play), doing, len(chunks), console=screen,
        transient=True, disable=not screen.is_terminal,
    )  # fmt: skip
    raise_again()
    try:
        for part in parts:
            tally.add(part)
            for line in part.tell():
                print(line, file=sys.stderr)
    except KeyboardInterrupt:
        interrupted = True
        print(f"warladder: interrupted after {tally.games} of {matches} games", file=sys.stderr)
    counts = sorted({start.seats for start in starts})
    figures = {
        "game": game,
        "seats": counts[0] if len(counts) == 1 else counts,
        "games": tally.games,
        "decisions": tally.decisions,
        "twins": tally.twins,
        **tally.figures(),
        "faults": tally.faults,
        "longest": tally.longest,
        "most_options": tally.most_options,
        "seconds": round(perf_counter() - began, 1),
    }
    if json:
        print(document("fuzz", not tally.faults and not interrupted, **figures))
    else:
        print("\n".join(f"{name:13}{value}" for name, value in figures.items()))
    return INTERRUPTED if interrupted else 1 if tally.faults else 0


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


def at_random(rng: Random, temper: float) -> Chooser:
    def choose(state: State) -> Choice:
        seat = rng.choice(state.asked())
        if rng.random() < temper:
            return seat, state.default(seat)
        return seat, rng.randrange(len(state.options(seat)))

    return choose


def raised(fault: Exception) -> str:
    """An exception and its place, in a line: whatever the rules raise is a find."""
    place = extract_tb(fault.__traceback__)[-1]
    said = " ".join(f"{type(fault).__name__}: {fault}".splitlines()[:1])
    return f"raised: {said} in {Path(place.filename).name}:{place.lineno}"
