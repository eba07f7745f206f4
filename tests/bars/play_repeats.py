"""Pairs of runs of `warladder play` with one seed whose output is not the same, byte for byte."""

import os
import subprocess
import sys

from matchmaker import lineup
from tests.bars import Measured

SMALL = 2
USUAL = 20


def measure(small: bool) -> Measured:
    game = lineup.default()
    words = ["play", game, "greedy", "random", "--seed", "1", "--json"]
    words += ["--pairings", str(SMALL if small else USUAL)]
    # A set's order hangs on the hash seed: what must not reach the result.
    outputs = [output(words, seed) for seed in ("0", "1", "1")]
    differing = sum(other != outputs[0] for other in outputs[1:])
    return Measured(
        value=float(differing),
        limit=0.0,
        ok=differing == 0 and len(outputs[0]) > 100,
        notes=f"{len(outputs[0])} bytes each",
    )


def output(words: list[str], hash_seed: str) -> bytes:
    ran = subprocess.run(
        [sys.executable, "-m", "matchmaker", *words],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        timeout=1200,
        check=True,
    )
    return ran.stdout
