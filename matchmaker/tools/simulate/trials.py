"""
What may happen to a ladder, in simulation: newcomers, new versions, crashing and absent bots.

Each plays one ladder of a seed and says in numbers what came of it.
"""

from typing import NamedTuple

from matchmaker import estimate
from matchmaker.numeric import Floats, Integers, np
from matchmaker.tools.simulate.field import SPREAD, Field, likeness
from matchmaker.tools.simulate.informed import BATCH, Ladder

BOTS, PAIRINGS = 100, 1_500
"""Of the usual ladder."""


class Usual(NamedTuple):
    """A ladder of 100 bots after 1,500 pairings."""

    likeness: float
    """Of its table to the truth (Spearman)."""
    covered: float
    """Share of bots whose true rank is within the rank interval of the table."""
    least: float
    """Pairings of the bot that had fewest, as a share of the mean."""


def usual(seed: int, bots: int = BOTS, pairings: int = PAIRINGS) -> Usual:
    """Play a ladder to which nothing happens."""
    field = Field(bots, seed)
    ladder = Ladder(field, seed)
    while ladder.begun < pairings:
        ladder.play()
    fit = ladder.refit()
    order = [fit.index[field.player(bot)] for bot in range(bots)]
    covariance = fit.covariance[np.ix_(order, order)]
    intervals = estimate.rank_intervals(fit.strengths[order], covariance)
    truth = true_ranks(field.strengths)
    covered = sum(low <= rank <= high for (low, high), rank in zip(intervals, truth))
    least = min(ladder.seats[bot] for bot in range(bots))
    return Usual(
        likeness(field.strengths, ladder.worth()), covered / bots, least * bots / (2 * pairings)
    )


def crashes(seed: int, crashing: int = 5) -> tuple[float, float]:
    """
    Let some bots lose each match at once.

    Returns:
        Their share of all seats, and how alike the others' table is to the truth.
    """
    field = Field(BOTS, seed)
    field.crashing = frozenset(range(crashing))
    ladder = Ladder(field, seed)
    while ladder.begun < PAIRINGS:
        ladder.play()
    taken = sum(ladder.seats[bot] for bot in field.crashing) / (2 * ladder.begun)
    return taken, likeness(field.strengths[crashing:], ladder.worth()[crashing:])


def newcomers(seed: int, coming: int = 10, most: int = 500) -> list[float]:
    """
    Let newcomers into a settled ladder.

    Returns:
        Their mean error in places after each 25 pairings of the whole ladder.
    """
    field = Field(BOTS - coming, seed)
    ladder = Ladder(field, seed)
    while ladder.begun < PAIRINGS:
        ladder.play()
    field.join(coming)
    return _errors(ladder, np.arange(BOTS - coming, BOTS), most)


def versions(seed: int, changing: int = 10, by: float = 1.5, most: int = 500) -> list[float]:
    """
    Let bots of a settled ladder come with new, stronger versions.

    Args:
        by: How much stronger, in standard deviations of the field.

    Returns:
        Their mean error in places after each 25 pairings of the whole ladder.
    """
    field = Field(BOTS, seed)
    ladder = Ladder(field, seed)
    while ladder.begun < PAIRINGS:
        ladder.play()
    changed = field.chance.choice(BOTS, changing, replace=False)
    for bot in changed.tolist():
        ladder.change(bot, by * SPREAD)
    return _errors(ladder, changed, most)


def absences(seed: int, share: float = 0.1, every: int = 100) -> float:
    """
    Keep a tenth of the bots away, others each hundred pairings.

    Returns:
        The longest that a bot waited while it was there, in pairings of others for each bot there.
    """
    field = Field(BOTS, seed)
    ladder = Ladder(field, seed)
    there, longest = int(BOTS * (1 - share)), 0
    since = dict.fromkeys(range(BOTS), 0)
    away: frozenset[int] = frozenset()
    while ladder.begun < PAIRINGS:
        if ladder.begun % every == 0:
            drawn = field.chance.choice(BOTS, BOTS - there, replace=False)
            since |= dict.fromkeys(away - set(drawn.tolist()), ladder.begun)
            away = frozenset(drawn.tolist())
        begun = ladder.begun
        for number, pair in enumerate(ladder.play(BATCH, away), begun):
            for bot in pair:
                longest = max(longest, number - since[bot])
                since[bot] = number + 1
        waiting = [ladder.begun - since[bot] for bot in range(BOTS) if bot not in away]
        longest = max(longest, *waiting)
    return longest / there


def true_ranks(strengths: Floats) -> list[int]:
    """Ranks from 1, the strongest first."""
    ranks = np.empty(len(strengths), dtype=np.int64)
    ranks[np.argsort(-strengths)] = np.arange(1, len(strengths) + 1)
    found: list[int] = ranks.tolist()
    return found


def _errors(ladder: Ladder, some: Integers, most: int) -> list[float]:
    """Mean error of some bots' ranks in the table, while the ladder goes on."""
    found, begun = [], ladder.begun
    while ladder.begun < begun + most:
        ladder.play()
        truth = np.array(true_ranks(ladder.field.strengths))
        table = np.array(true_ranks(ladder.worth()))
        found.append(float(np.abs(truth - table)[some].mean()))
    return found
