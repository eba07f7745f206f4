"""Wins of the one-ply player over the random one in 100 matches, and in 50 on its worse side."""

import json
import subprocess
import sys

from matchmaker import lineup
from tests.bars import Measured

SMALL = 5
USUAL = 50
AT_LEAST = 0.95
AT_LEAST_A_SIDE = 0.90


def measure(small: bool) -> Measured:
    pairings = SMALL if small else USUAL
    words = ["play", lineup.default(), "greedy", "random", "--seed", "1", "--json"]
    ran = subprocess.run(
        [sys.executable, "-m", "matchmaker", *words, "--pairings", str(pairings)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        timeout=1400,
        check=True,
    )
    results = json.loads(ran.stdout)["results"]
    sides = [0, 0]
    for result in results:
        seat = result["seats"].index("greedy")
        sides[seat] += result["ranks"][seat] == 1 < result["ranks"][1 - seat]
    wins = sum(sides) / len(results)
    worse = min(sides) / pairings
    return Measured(
        value=wins,
        limit=AT_LEAST,
        # So few matches tell less: one may be lost.
        ok=(sum(sides) >= len(results) - 1)
        if small
        else (wins >= AT_LEAST and worse >= AT_LEAST_A_SIDE),
        notes=f"{sides} of {pairings} on each side",
    )
