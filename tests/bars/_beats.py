"""Matches of two sample bots over the whole road: referee, gRPC, a process each."""

import json
import subprocess
import sys

from tests.bars import Measured

SECONDS = 1500.0
"""Longest that a bar may take."""


def beats(bot: str, other: str, *, seed: str, pairings: int, at_least: int) -> Measured:
    """How often `bot` wins; every pairing is two matches, so that sides are even."""
    command = ["play", "stalingrad", bot, other]
    flags = ["--pairings", str(pairings), "--seed", seed, "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "matchmaker", *command, *flags],
        check=True,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    totals = json.loads(done.stdout)["totals"]
    wins = totals[bot]["wins"]
    return Measured(value=wins, limit=at_least, ok=wins >= at_least, notes=str(totals))
