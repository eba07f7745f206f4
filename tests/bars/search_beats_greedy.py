"""Matches that `search` wins of 200 against `greedy`, hard decisions at about 20 ms of CPU."""

from tests.bars import Measured
from tests.bars._beats import beats

OF_200 = 115
"""More than luck: equal bots win so many once in fifty runs."""


def measure(small: bool) -> Measured:
    if small:
        return beats("search", "greedy", seed="small", pairings=1, at_least=1)
    return beats("search", "greedy", seed="bar", pairings=100, at_least=OF_200)
