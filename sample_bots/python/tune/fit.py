"""
Weights from outcomes: logistic regression of who won on the positions of self-play.

Few matches say little about a hundred weights, so the fit is held to the weights before it: each
weight may move as far as the outcomes pay for it (ridge regression towards the old weights, every
feature in units of its own spread).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, sqrt
from operator import mul

ROUNDS = 300
LEAST_SPREAD = 0.15
"""Features that hardly vary are not blown up."""


def fit(
    rows: Sequence[Sequence[float]], won: Sequence[float], prior: Sequence[float], hold: float
) -> list[float]:
    """
    New weights, one for each column.

    Args:
        rows: Features of each position.
        won: 1, 0.5 or 0 for each.
        prior: Weights before.
        hold: How strongly they are held, in positions.
    """
    count, width = len(rows), len(prior)
    means = [sum(column) / count for column in zip(*rows)]
    spreads = [
        max(sqrt(sum((x - mean) ** 2 for x in column) / count), LEAST_SPREAD)
        for column, mean in zip(zip(*rows), means)
    ]
    scaled = [[x / spread for x, spread in zip(row, spreads)] for row in rows]
    base = [sum(map(mul, row, prior)) for row in rows]
    change, bias = [0.0] * width, 0.0
    # No steeper than this anywhere: a quarter of the sum of squares, and the hold.
    speed = 1.0 / (0.25 * sum(1.0 + sum(map(mul, row, row)) for row in scaled) + hold)
    momentum, drift = [0.0] * width, 0.0
    for _ in range(ROUNDS):
        slope, tilt = [hold * each for each in change], 0.0
        for row, start, outcome in zip(scaled, base, won):
            odds = start + bias + sum(map(mul, row, change))
            missed = 1.0 / (1.0 + exp(-max(-30.0, min(30.0, odds)))) - outcome
            tilt += missed
            slope = [each + missed * x for each, x in zip(slope, row)]
        momentum = [0.9 * m - speed * g for m, g in zip(momentum, slope)]
        drift = 0.9 * drift - speed * tilt
        change = [each + m for each, m in zip(change, momentum)]
        bias += drift
    return [old + each / spread for old, each, spread in zip(prior, change, spreads)]
