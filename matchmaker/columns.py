"""What the estimate adds to a ladder's table: order, intervals, ties. Pure; needs numpy."""

import math
from collections.abc import Sequence
from typing import Any

from matchmaker import estimate
from matchmaker.entries import Seated
from matchmaker.estimate import Fit
from matchmaker.fold import GameFold
from matchmaker.numeric import Floats, Integers, np
from matchmaker.ratings import RatingRules

DECIMALS = 3
"""Of all published numbers of the estimate: far finer than they are certain."""
SURE = 0.9
"""A player is in the tie group of those above until the group's first is above it so surely."""
LOGIT = 1.702
"""TrueSkill's performances are normal, ours logistic: so many times as wide is nearly the same."""
NORMAL_95 = 1.959964
Row = dict[str, Any]


def fitted(ladder: GameFold) -> Fit | None:
    """Fit a game's results; None if it has too many bots."""
    if ladder.kept is not None and ladder.kept[0] == ladder.revision:
        kept: Fit | None = ladder.kept[1]
        return kept
    players = estimate.players_of(ladder.tally, ladder.now.current)
    made = None
    if players is not None:
        made = estimate.fit(ladder.tally, players, ladder.now.before)
    ladder.kept = ladder.revision, made
    return made


def unit(rules: RatingRules) -> float:
    """One logarithm of odds in TrueSkill's points: 3.46 with its standard constants."""
    return rules.beta * math.sqrt(2) / LOGIT


def fill(fit: Fit, rules: RatingRules, rows: list[Row], earlier: list[Row]) -> None:
    """
    Write the estimate into rows, and sort them by it.

    Args:
        rows: Of the bots' current versions; those alone have ranks.
        earlier: Of versions that play no more.
    """
    field = _indices(fit, rows)
    covariance = fit.covariance
    # Only differences can be known: what is uncertain of all together says nothing of anyone.
    common = covariance[:, field].mean(axis=1)
    centred = covariance.diagonal() - 2 * common + covariance[np.ix_(field, field)].mean()
    deviations: Floats = np.sqrt(np.maximum(centred, 0.0))
    for row in (*rows, *earlier):
        index = fit.index.get(_player(row))
        if index is not None:
            middle = rules.mu + unit(rules) * float(fit.strengths[index])
            wide = NORMAL_95 * unit(rules) * float(deviations[index])
            row |= _interval("estimate", middle, wide)
    for some in (rows, earlier):
        some.sort(key=_by_estimate)
    order = _indices(fit, rows)
    _rank(rows, fit.strengths[order], covariance[np.ix_(order, order)])


def _rank(rows: Sequence[Row], strengths: Floats, covariance: Floats) -> None:
    """Write what rows in order say of their neighbours; strengths and covariance in that order."""
    ranks = estimate.rank_intervals(strengths, covariance)
    group = first = 0
    for number, (row, (low, high)) in enumerate(zip(rows, ranks)):
        if estimate.chance_above(strengths, covariance, first, number) >= SURE:
            group, first = group + 1, number
        row |= {"rank_low": low, "rank_high": high, "tie_group": group + 1}
        row["provisional"] = high - low > len(rows) / 2
        if number + 1 < len(rows):
            above = estimate.chance_above(strengths, covariance, number, number + 1)
            row["above_next"] = round(above, DECIMALS)


def prior(fit: Fit, rules: RatingRules) -> dict[str, float]:
    """What is believed of a bot before its first result, in points."""
    return {"mean": rules.mu, "spread": round(unit(rules) * math.sqrt(fit.variance), DECIMALS)}


def side_effect(fit: Fit, rules: RatingRules) -> list[Row]:
    """What a place among the sides is worth against the mean of the others, in points."""
    found = []
    for (sides, side), (effect, deviation) in estimate.sided(fit).items():
        wide = NORMAL_95 * unit(rules) * deviation
        share = round(1 / (1 + math.exp(-effect)), DECIMALS)
        row = {"sides": sides, "side": side, **_interval("effect", unit(rules) * effect, wide)}
        found.append({**row, "share": share})
    return found


def _interval(name: str, middle: float, wide: float) -> dict[str, float]:
    return {
        name: round(middle, DECIMALS),
        "low": round(middle - wide, DECIMALS),
        "high": round(middle + wide, DECIMALS),
    }


def _player(row: Row) -> Seated:
    return Seated(row["bot"], row["version"])


def _indices(fit: Fit, rows: Sequence[Row]) -> Integers:
    return np.array([fit.index[_player(row)] for row in rows], dtype=np.int64)


def _by_estimate(row: Row) -> tuple[bool, float, str, str]:
    """Best first; versions that were left out of the fit last."""
    known = row["estimate"]
    return known is None, -(known or 0.0), row["bot"], row["version"]
