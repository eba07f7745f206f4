"""Who meets whom where all meet all: Berger's tables for two, cyclic designs for three and four."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations

from referee.engine import chance

Block = tuple[int, ...]
"""Players that meet, as numbers from 0."""

TRIES = 6
"""New starts of the search for a design before it takes one block more."""
NEVER = 1_000
"""What a distance that no block holds adds to a design's unevenness: more than any other change."""


def berger(players: int) -> tuple[tuple[tuple[int, int], ...], ...]:
    """
    Give the rounds of Berger's table (FIDE Handbook, C.05, annex 1).

    Of an odd number of players one sits out each round. Whoever is named first has the first seat.

    Returns:
        Pairs of numbers from 0, by round, in the table's order.
    """
    even = players + players % 2
    circle, last = even - 1, even - 1
    rounds = []
    for index in range(circle):
        # The last player's opponents are 1, n/2 + 1, 2, n/2 + 2 …: half the circle on each round.
        apex = index * (even // 2) % circle
        pairs = [(apex, last) if index % 2 == 0 else (last, apex)]
        for step in range(1, even // 2):
            pairs.append(((apex + step) % circle, (apex - step) % circle))
        rounds.append(tuple(pair for pair in pairs if max(pair) < players))
    return tuple(rounds)


@lru_cache(maxsize=64)
def blocks(players: int, size: int) -> tuple[Block, ...]:
    """
    Give groups in which all pairs meet, as equally often as a cyclic design is found to allow.

    A few base blocks are turned through the circle of players: so all have equally many meetings,
    each in every position of its block equally often, and a pair meets as often as its distance on
    the circle occurs in the base blocks. The base blocks are the fewest that hold every distance,
    of those the ones that a search by steepest descent finds most even.
    """
    if players == size:
        return (tuple(range(size)),)
    # A base block holds each of its distances both ways, size × (size - 1) in all.
    least = -(-(players - 1) // (size * (size - 1)))
    for count in range(least, players):
        base = _base(players, size, count)
        if base is not None:
            turned = [
                tuple((number + turn) % players for number in block)
                for turn in range(players)
                for block in base
            ]
            return tuple(turned)
    raise AssertionError(f"no design for {players} players in groups of {size}")


def meetings(found: Sequence[Block]) -> Counter[tuple[int, int]]:
    """Count how often each pair meets."""
    return Counter((min(pair), max(pair)) for block in found for pair in combinations(block, 2))


def in_rounds(found: Sequence[Block]) -> tuple[tuple[Block, ...], ...]:
    """Put groups into rounds, each into the first in which its players are all free."""
    rounds: list[tuple[set[int], list[Block]]] = []
    for block in found:
        for busy, here in rounds:
            if busy.isdisjoint(block):
                busy.update(block)
                here.append(block)
                break
        else:
            rounds.append((set(block), [block]))
    return tuple(tuple(here) for _, here in rounds)


def _base(players: int, size: int, count: int) -> tuple[Block, ...] | None:
    """Search base blocks that hold every distance; None if there are too few of them."""
    best: tuple[int, tuple[Block, ...]] | None = None
    for start in range(TRIES):
        stream = f"{players}|{size}|{count}|{start}"
        base = [_first(players, size, stream, index) for index in range(count)]
        worth = _descend(players, size, base)
        if best is None or worth < best[0]:
            best = worth, tuple(base)
    assert best is not None
    held = _distances(players, best[1])
    return best[1] if all(held[each] for each in range(1, players // 2 + 1)) else None


def _first(players: int, size: int, stream: str, index: int) -> Block:
    rest = chance.shuffled("design", f"{stream}|{index}", [str(n) for n in range(1, players)])
    return (0, *(int(each) for each in rest[: size - 1]))


def _descend(players: int, size: int, base: list[Block]) -> int:
    """Change one number of a base block at a time, the best change first, until none helps."""
    held = _distances(players, base)
    worth = _unevenness(players, held)
    while True:
        best: tuple[int, int, Block] | None = None
        for index, block in enumerate(base):
            without = held - _distances(players, [block])
            for place in range(1, size):
                for number in range(1, players):
                    if number in block:
                        continue
                    changed = (*block[:place], number, *block[place + 1 :])
                    new = _unevenness(players, without + _distances(players, [changed]))
                    if new < (worth if best is None else best[0]):
                        best = new, index, changed
        if best is None:
            return worth
        worth, index, changed = best
        held = held - _distances(players, [base[index]]) + _distances(players, [changed])
        base[index] = changed


def _distances(players: int, base: Sequence[Block]) -> Counter[int]:
    """Count how often a pair at each distance meets; half the circle away, both turns give it."""
    held: Counter[int] = Counter()
    for block in base:
        for one, other in combinations(block, 2):
            apart = min((one - other) % players, (other - one) % players)
            held[apart] += 2 if 2 * apart == players else 1
    return held


def _unevenness(players: int, held: Counter[int]) -> int:
    """Add up squares, weighed by pairs: least where all distances are held equally often."""
    total = 0
    for apart in range(1, players // 2 + 1):
        times = held[apart]
        pairs = 1 if 2 * apart == players else 2
        total += pairs * times * times if times else NEVER
    return total
