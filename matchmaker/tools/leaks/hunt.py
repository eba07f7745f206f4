"""The hunt for leaks: pairs at every decision of random play, some of them carried on."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from time import perf_counter
from traceback import extract_tb
from typing import Any, NamedTuple

from rich.progress import track

from matchmaker import deals
from matchmaker.interrupts import INTERRUPTED, raise_again
from matchmaker.output import console, document
from matchmaker.tools import oracles, twins
from matchmaker.tools.fuzz import LONGEST, TEMPERS, Start, at_random, plan, played
from matchmaker.tools.leaks.pair import Carried, carry_on
from matchmaker.tools.oracles import AnyGame, Fault
from referee.games import get
from referee.match.record import MatchRecord, Pace, SeatRecord

CARRIED = 0.21
"""Share of pairs that are carried on."""
PACES = (Pace(), Pace(floor_ms=100, quantum_ms=50))


class Leak(NamedTuple):
    """A fault, and where it was seen."""

    match: str
    """Seed of the random match."""
    decision: int
    law: str
    text: str


@dataclass
class Tally:
    """What a hunt came to."""

    games: int = 0
    decisions: int = 0
    at_rest: int = 0
    """Pairs compared that differed in something hidden."""
    carried: int = 0
    choices: int = 0
    """Choices of all pairs carried on."""
    longest: int = 0
    most_options: int = 0
    parted: Counter[str] = field(default_factory=Counter)
    leaks: list[Leak] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        self.games += other.games
        self.decisions += other.decisions
        self.at_rest += other.at_rest
        self.carried += other.carried
        self.choices += other.choices
        self.longest = max(self.longest, other.longest)
        self.most_options = max(self.most_options, other.most_options)
        self.parted += other.parted
        self.leaks += other.leaks

    def note(self, carried: Carried) -> None:
        self.carried += 1
        self.choices += carried.choices
        self.parted[carried.parted] += 1


def run(
    game: str,
    matches: int,
    seats: int | None = None,
    options: Mapping[str, Any] | None = None,
    seed: str = "1",
    json: bool = False,
    jobs: int = 1,
    every: int = 1,
) -> int:
    """
    Hunt in random matches and report.

    Args:
        every: Look at one decision in so many.

    Returns:
        0 without leaks, else 1; 130 if interrupted, with the figures until then.
    """
    began = perf_counter()
    starts = [*plan(game, matches, seats, dict(options or {}), seed)]
    tally = Tally()
    interrupted = False
    screen = console(stderr=True)
    played_in = played([[start] for start in starts], jobs, partial(hunt, every=every))
    parts = track(
        played_in, "hunting", len(starts),
        console=screen, transient=True, disable=not screen.is_terminal,
    )  # fmt: skip
    raise_again()
    try:
        for part in parts:
            tally.add(part)
            for leak in part.leaks:
                print(f"leak: match {leak.match} at {leak.decision}: {leak.text}", file=sys.stderr)
    except KeyboardInterrupt:
        interrupted = True
        print(f"warladder: interrupted after {tally.games} of {matches} games", file=sys.stderr)
    faults = len(tally.leaks)
    counts = sorted({start.seats for start in starts})
    figures = {
        "game": game,
        "seats": counts[0] if len(counts) == 1 else counts,
        "games": tally.games,
        "decisions": tally.decisions,
        "twins": tally.at_rest,
        "carried": tally.carried,
        "mean_carried": round(tally.choices / tally.carried, 1) if tally.carried else 0.0,
        "parted": dict(tally.parted.most_common()),
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


def hunt(starts: Iterable[Start], every: int = 1) -> Tally:
    """
    Play random matches and look for leaks; one ends its match, not the hunt.

    Args:
        every: Look at one decision in so many.
    """
    tally = Tally()
    salts: set[bytes] = set()
    for start in starts:
        tally.games += 1
        before = tally.decisions
        try:
            _hunt(start, tally, salts, every)
        except Fault as fault:
            where = tally.decisions - before
            tally.leaks.append(Leak(start.seed, where, fault.law, str(fault)))
        except Exception as fault:  # whatever breaks on the way is a find
            place = extract_tb(fault.__traceback__)[-1]
            said = " ".join(f"{type(fault).__name__}: {fault}".splitlines()[:1])
            text = f"raised: {said} in {Path(place.filename).name}:{place.lineno}"
            tally.leaks.append(Leak(start.seed, tally.decisions - before, "raised", text))
    return tally


def _hunt(start: Start, tally: Tally, salts: set[bytes], every: int) -> None:
    game = get(start.game)
    rng = Random(f"{start.seed}|leaks")
    temper = rng.choice(TEMPERS)
    choose = at_random(rng, temper)
    state = start.state(game)
    unheard = twins.Unheard(state)
    n = 0
    while state.asked():
        for viewer in oracles.viewers(state) if n % every == 0 else ():
            key = f"{start.seed}|{n}|{viewer}"
            _, differs = twins.at_rest(game, state, viewer, key)
            if not differs:
                continue
            tally.at_rest += 1
            if rng.random() < CARRIED:
                record = drawn_record(game, start, salts, rng)
                carried = carry_on(game, record, state, viewer, key, unheard.secrets, temper)
                if carried is not None:
                    tally.note(carried)
        offered = max(len(state.options(seat)) for seat in state.asked())
        tally.most_options = max(tally.most_options, offered)
        choice = choose(state)
        assert choice is not None
        unheard.choose(state, *choice)
        n += 1
        tally.decisions += 1
        if n > LONGEST:
            oracles.fail("ends", f"no end after {LONGEST} decisions")
    tally.longest = max(tally.longest, n)


def drawn_record(game: AnyGame, start: Start, salts: set[bytes], rng: Random) -> MatchRecord:
    """The record of a match as the ladder draws it, whose salt must be its own."""
    deal = deals.fresh()
    if len(deal.salt) < deals.SALT_BYTES or deal.salt in salts:
        oracles.fail("salt", f"the salt {deal.salt.hex()} is short, or has been used before")
    salts.add(deal.salt)
    return MatchRecord(
        match=deal.match,
        number=1,
        game=game.name,
        rules=game.facts.rules,
        cards=game.facts.cards,
        seats=tuple(SeatRecord(bot=f"bot-{seat}") for seat in range(start.seats)),
        seed=deal.seed,
        salt=deal.salt,
        options=game.read_options(start.options),
        pace=rng.choice(PACES),
        reveal=rng.random() < 0.5,
    )
