"""Matches that `best` wins of 200 against `greedy`, hard decisions at about 50 ms of CPU."""

from tests.bars import Measured
from tests.bars._beats import beats

OF_200 = 140
"""Seven of ten: a difference that a newcomer sees in an evening."""


def measure(small: bool) -> Measured:
    if small:
        return beats("best", "greedy", seed="small", pairings=1, at_least=1)
    return beats("best", "greedy", seed="bar", pairings=100, at_least=OF_200)
