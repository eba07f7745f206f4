"""
Leaks that the hunt finds: pairs at every decision of random play, and pairs carried on.

Enough pairs must have been compared in each game, and the large one's must have gone on long
enough to tell something: a battle takes some twenty choices.
"""

import json
import os
import subprocess
import sys

from referee import games
from tests.bars import Measured

MATCHES = {"skirmish": 950, "stalingrad": 62}
SMALL = {"skirmish": (12, 1), "stalingrad": (2, 40)}
"""Matches, and at one decision in how many."""
AT_REST, CARRIED = 100_000, 20_000
CHOICES = {"skirmish": 3.0, "stalingrad": 15.0}
"""A pair's mean number of choices, at least."""


def measure(small: bool) -> Measured:
    leaks, notes, enough = 0, [], True
    for name in games.names():
        matches, every = SMALL[name] if small else (MATCHES[name], 1)
        found = hunt(name, matches, every)
        leaks += found["faults"]
        rest, on = (20, 4) if small else (AT_REST, CARRIED)
        enough = enough and found["twins"] >= rest and found["carried"] >= on
        enough = enough and (small or found["mean_carried"] >= CHOICES[name])
        notes.append(
            f"{name}: {found['twins']} pairs, {found['carried']} carried on for"
            f" {found['mean_carried']} choices, parted by {found['parted']}"
        )
    return Measured(value=float(leaks), limit=0.0, ok=not leaks and enough, notes="; ".join(notes))


def hunt(game: str, matches: int, every: int) -> dict[str, int]:
    words = ["--leaks", "--games", str(matches), "--every", str(every)]
    jobs = ["--jobs", str(os.cpu_count() or 1)]
    ran = subprocess.run(
        [sys.executable, "-m", "matchmaker", "fuzz", game, *words, *jobs, "--json"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        timeout=1500,
    )
    found: dict[str, int] = json.loads(ran.stdout)
    return found
