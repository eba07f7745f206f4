"""The hunt for leaks: pairs at every decision of random play, some of them carried on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any, NamedTuple

from matchmaker import deals
from matchmaker.tools import oracles, random_matches, twins
from matchmaker.tools.leaks.pair import Carried, carry_on
from matchmaker.tools.oracles import AnyGame, Fault
from matchmaker.tools.random_matches import TEMPERS, Start, at_random, raised
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
class Tally(random_matches.Tally):
    """What a hunt came to."""

    carried: int = 0
    choices: int = 0
    """Choices of all pairs carried on."""
    parted: Counter[str] = field(default_factory=Counter)
    leaks: list[Leak] = field(default_factory=list)

    @property
    def faults(self) -> int:
        return len(self.leaks)

    def tell(self) -> Iterator[str]:
        for leak in self.leaks:
            yield f"leak: match {leak.match} at {leak.decision}: {leak.text}"

    def figures(self) -> dict[str, Any]:
        return {
            "carried": self.carried,
            "mean_carried": round(self.choices / self.carried, 1) if self.carried else 0.0,
            "parted": dict(self.parted.most_common()),
        }

    def add(self, other: Tally) -> None:
        super().add(other)
        self.carried += other.carried
        self.choices += other.choices
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
    return random_matches.drive(
        "hunting", game, matches, seats, options, seed, Tally(), partial(hunt, every=every),
        chunk=1, jobs=jobs, json=json,
    )  # fmt: skip


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
            where = tally.decisions - before
            tally.leaks.append(Leak(start.seed, where, "raised", raised(fault)))
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
            tally.twins += 1
            if rng.random() < CARRIED:
                record = drawn_record(game, start, salts, rng)
                carried = carry_on(game, record, state, viewer, key, unheard.secrets, temper)
                if carried is not None:
                    tally.note(carried)
        tally.offered(state, n)
        choice = choose(state)
        assert choice is not None
        unheard.choose(state, *choice)
        n += 1
        tally.decisions += 1
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
