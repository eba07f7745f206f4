"""
Faults that the oracles find in random play of every game, each number of seats, and teams.

Besides, the twins must have compared enough positions that differ in something hidden.
"""

import json
import os
import subprocess
import sys

from referee import games
from tests.bars import Measured

SMALL = 40
USUAL = 600
"""As many as the dearest game plays within a bar's time on two cores."""
TWINS_A_GAME = 2


def measure(small: bool) -> Measured:
    faults, notes = 0, []
    enough = True
    for name in games.names():
        count = SMALL if small else USUAL
        for options in wordings(name):
            found = fuzz(name, count, options)
            faults += found["faults"]
            enough = enough and found["twins"] >= TWINS_A_GAME * count
            notes.append(
                f"{name} {' '.join(options)}: {found['decisions']} decisions,"
                f" {found['twins']} twins, longest {found['longest']},"
                f" most options {found['most_options']}"
            )
    return Measured(
        value=float(faults), limit=0.0, ok=not faults and enough, notes="; ".join(notes)
    )


def wordings(game: str) -> list[list[str]]:
    """Every way to sit down: all numbers of seats in turn, and teams where the game has them."""
    facts = games.get(game).facts
    found: list[list[str]] = [[]]
    if "teams" in facts.options:
        found.append(["--option", "teams=true", "--seats", str(max(facts.seats))])
    return found


def fuzz(game: str, count: int, options: list[str]) -> dict[str, int]:
    words = ["fuzz", game, "--games", str(count), "--jobs", str(os.cpu_count() or 1), "--json"]
    ran = subprocess.run(
        [sys.executable, "-m", "matchmaker", *words, *options],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        timeout=1500,
    )
    found: dict[str, int] = json.loads(ran.stdout)
    return found
