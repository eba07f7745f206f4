"""What a ladder promises about pairings, as figures. Pure."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from matchmaker.entries import Seated
from matchmaker.tally import Tally

WINDOW = 10
"""Recent are so many pairings for each bot that is there."""
FEW_MATCHES = 8
"""Of a bot that has played less than so often sides say nothing."""


def spread(recent: Sequence[tuple[str, ...]], bots: Collection[str]) -> float:
    """
    Say how unevenly the bots that are there had recent pairings.

    Args:
        recent: Bots of the ladder's last pairings, oldest first.

    Returns:
        The Gini coefficient: 0 if all had as many, near 1 if one had all.
    """
    window = recent[-WINDOW * max(1, len(bots)) :]
    counts = Counter(bot for group in window for bot in group)
    ordered = sorted(counts[bot] for bot in bots)
    total = sum(ordered)
    if not total:
        return 0.0
    count = len(ordered)
    weighted = sum((2 * place - count - 1) * each for place, each in enumerate(ordered, 1))
    return weighted / (count * total)


def repeats(recent: Sequence[tuple[str, ...]], bots: int) -> float:
    """
    Say how often bots met whom they had just met.

    Args:
        bots: How many are there.

    Returns:
        The share of recent pairings before which at least one of the bots had met just the others.
    """
    window = recent[-WINDOW * max(1, bots) :]
    last: dict[str, frozenset[str]] = {}
    again = 0
    for group in window:
        met = frozenset(group)
        again += any(last.get(bot) == met for bot in group)
        last |= dict.fromkeys(group, met)
    return again / len(window) if window else 0.0


def imbalance(tally: Tally, current: Mapping[str, str], bots: Collection[str]) -> float:
    """
    Say how far from even the seats of the bots that are there are.

    Args:
        current: Each bot's version that plays now.

    Returns:
        The largest difference, over bots and seats, between the share of its matches that a bot
        had in a seat and an even share. Bots with few matches do not count.
    """
    seats = 1 + max((seat for _, seat in tally.seats), default=0)
    counts: dict[Seated, list[int]] = {}
    for (player, seat), each in tally.seats.items():
        if player.bot in bots and current.get(player.bot) == player.version:
            counts.setdefault(player, [0] * seats)[seat] += each.matches
    return max(
        (
            abs(count / sum(mine) - 1 / seats)
            for mine in counts.values()
            if sum(mine) >= FEW_MATCHES
            for count in mine
        ),
        default=0.0,
    )
