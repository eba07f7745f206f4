"""
How often an SPRT duel errs, in simulated duels with side advantage and draws.

Half of the duels are between bots whose difference is exactly elo0 (an error is to accept), half
between bots whose difference is elo1 (an error is to reject). Both matches of a pairing share a
public setting that suits one side, so they are not two matches by themselves. The test is the
format's own; it sees scores of pairings, as from a log.
"""

from __future__ import annotations

from math import sqrt
from random import Random

from matchmaker.formats.likelihood import Sequential, expected
from tests.bars import Measured

SMALL = 100
USUAL = 2_000
ALPHA = BETA = 0.05
BOUNDS = ((0.0, 40.0), (-20.0, 20.0))
"""Pairs of elo0 and elo1; the second asks that a change does no harm."""
SETTINGS = (-150.0, 0.0, 250.0)
"""Elo by which a public setting favours the first side, each as likely."""
DRAWS = 120.0
"""Half the width, in Elo, of the differences that end in a draw: about a third of even matches."""
MOST = 20_000
"""No duel of these bounds needs so many pairings."""


def measure(small: bool) -> Measured:
    duels = SMALL if small else USUAL
    worst, fine, notes = 0.0, True, []
    for elo0, elo1 in BOUNDS:
        for truth, wrong, stated in ((elo0, "accepted", ALPHA), (elo1, "rejected", BETA)):
            bots = Duel(truth, Random(f"{elo0} {elo1} {truth}"))
            errors = pairings = 0
            for _ in range(duels):
                test = Sequential(elo0=elo0, elo1=elo1, alpha=ALPHA, beta=BETA)
                while test.verdict == "open" and sum(test.counts) < MOST:
                    test.add(bots.pairing())
                errors += test.verdict in (wrong, "open")
                pairings += sum(test.counts)
            rate = errors / duels
            low, high = interval(errors, duels)
            worst = max(worst, rate)
            # So few duels tell little: the stated rate must be possible.
            fine = fine and (low if small else rate) <= stated
            notes.append(
                f"[{elo0:g}, {elo1:g}] at {truth:g}: {errors} of {duels} {wrong},"
                f" {rate:.4f} ({low:.4f}–{high:.4f}), {pairings / duels:.0f} pairings each"
            )
    return Measured(value=worst, limit=max(ALPHA, BETA), ok=fine, notes="; ".join(notes))


class Duel:
    """Two bots of which the first scores as one that is `elo` better should, over both sides."""

    def __init__(self, elo: float, chance: Random) -> None:
        self.chance = chance
        low, high = elo - 1_000, elo + 1_000
        for _ in range(60):
            # Draws flatten the curve, so the strength that gives this score is sought.
            middle = (low + high) / 2
            low, high = (middle, high) if self._score(middle) < expected(elo) else (low, middle)
        self.strength = (low + high) / 2

    def _score(self, strength: float) -> float:
        """Give the mean score of a match, over sides and settings."""
        matches = [strength + side * lead for lead in SETTINGS for side in (1, -1)]
        return sum((expected(each - DRAWS) + expected(each + DRAWS)) / 2 for each in matches) / len(
            matches
        )

    def pairing(self) -> int:
        """Play both matches; give the first bot's half points."""
        lead = self.chance.choice(SETTINGS)
        return self._match(self.strength + lead) + self._match(self.strength - lead)

    def _match(self, better: float) -> int:
        """Give 2 for a win, 1 for a draw: how far a logistic difference is from even."""
        toss = self.chance.random()
        return (toss < expected(better - DRAWS)) + (toss < expected(better + DRAWS))


def interval(errors: int, duels: int, z: float = 1.96) -> tuple[float, float]:
    """Give Wilson's 95 % interval of a rate."""
    rate, spread = errors / duels, z * z / duels
    middle = (rate + spread / 2) / (1 + spread)
    half = z * sqrt(rate * (1 - rate) / duels + spread / (4 * duels)) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)
