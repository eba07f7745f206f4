"""The search as a bot: its flags, its clock, and the messages it answers."""

import argparse
from collections.abc import Iterable
from random import Random
from typing import Any

import attend
import evaluation
from thinking import Budget, Thinker

from referee.games.stalingrad import wire
from warladder.v1.referee_pb2 import Decide, MatchStarted

SHARE = 150
"""A decision may take this part of what is left in the bank, and what it gives back."""
LONGEST_MS = 600_000
"""The longest decision that may be asked for; no clock of a match has more."""
HASTE_MS = 3_000
"""With less in the bank than this a budget in steps shrinks too: late is worse than unlike."""


def flags(steps: int) -> argparse.ArgumentParser:
    """What a search takes beside the flags of all bots: one budget or the other."""
    parser = argparse.ArgumentParser(add_help=False)
    either = parser.add_mutually_exclusive_group()
    # No default here: a value that is the default would not count as given.
    either.add_argument(
        "--steps", type=attend.count, help=f"playout steps a decision (default {steps})"
    )
    either.add_argument("--ms", type=milliseconds, help="milliseconds a decision, instead")
    return parser


def milliseconds(text: str) -> float:
    """A flag's time, above 0 and up to `LONGEST_MS`."""
    try:
        time = float(text)
    except ValueError:
        time = 0.0
    if not 0 < time <= LONGEST_MS:
        wanted = f"a time above 0 and up to {LONGEST_MS} ms"
        raise argparse.ArgumentTypeError(f"{text!r} is not {wanted}")
    return time


class Searcher:
    """One match as the search plays it."""

    def __init__(self, started: MatchStarted, budget: Budget) -> None:
        self.budget = budget
        self.increment_ms = started.clock.increment_ms
        weights = evaluation.read()[started.seat]
        self.thinker = Thinker(started.seat, weights)

    def told(self, events: Iterable[Any]) -> None:
        """The view holds all that counts."""

    def choose(self, asked: Decide, chance: Random) -> int:
        labels = [option.label for option in asked.options]
        view = wire.read_view(asked.view)
        return self.thinker.choose(view, labels, chance, self.allowed(asked))

    def allowed(self, asked: Decide) -> Budget:
        """
        The budget, cut to what the clock allows.

        In milliseconds a decision never takes more than its share of the bank and a quarter of the
        cap; in steps the clock changes nothing until the bank is all but empty.
        """
        clock = asked.clock
        if not clock.cap_ms:
            return self.budget
        share = clock.bank_ms / SHARE + self.increment_ms
        if self.budget.ms:
            return Budget(ms=min(self.budget.ms, share, clock.cap_ms / 4))
        if clock.bank_ms < HASTE_MS:
            return Budget(steps=self.budget.steps, ms=share)
        return self.budget


def attend_with(says: str, steps: int) -> None:
    """Attend as a search with this many steps unless flags say otherwise."""
    extra = flags(steps)
    own, _ = extra.parse_known_args()
    budget = Budget(ms=own.ms) if own.ms else Budget(steps=own.steps or steps)
    attend.run(says, ("stalingrad",), lambda started: Searcher(started, budget), extra=extra)
