"""
Drawing a round of a Swiss tournament: the choice of pairs, groups, seats and who sits out.

Pairs come from a maximum-weight matching over all possible ones, so what can be avoided is avoided.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations, permutations
from typing import NamedTuple

import rustworkx

LOT_BITS = 40
"""Two best drawings at all are then alike in weight with a chance of less than one in a million."""
WEIGHT_BITS = 120
"""The matching counts in 128 bits and adds a few weights."""


@dataclass(frozen=True, kw_only=True)
class Standing:
    """What a drawing has to know of a bot."""

    bot: str
    points: int
    met: Counter[str]
    """How often it was drawn against whom, given away meetings included."""
    byes: int
    given: int
    """Meetings that it was given because nobody else came."""
    floated: bool
    """In the last round it met a bot of fewer points, or sat out."""
    seats: tuple[int, ...]
    """How often it has had each seat."""
    last_seat: int
    """-1 if it has played nothing."""
    seat_matters: bool
    """Whether a meeting does not give each seat once to each bot."""


class Cost(NamedTuple):
    """What speaks against a pair, the weightiest first."""

    second_bye: int
    repeats: int
    bye_after_gift: int
    seats_hard: int
    """A third seat too many of one kind for one of them."""
    bye_score: int
    """Points above the lowest of who sits out."""
    apart: int
    """Square of the difference of points."""
    floats_again: int
    seats_soft: int
    """Both would want the same seat."""
    order: int
    """Square of the distance from the pair's ideal: top half against bottom half, in order."""
    lot: int


APART = Cost._fields.index("apart")


def draw_pairs(bots: Sequence[Standing], lot: str) -> tuple[list[tuple[str, str]], str]:
    """
    Pair bots two by two.

    As few bots as can be sit out twice, then as few pairs as can be meet again, and so on down
    the costs; each is a sum over all pairs, least over all drawings there are.

    Args:
        bots: Best first.
        lot: Text that decides between drawings that are alike.

    Returns:
        Pairs, best board first, and who sits out; empty if nobody does.
    """
    costs: dict[tuple[int, int], Cost] = {}
    groups = Counter(each.points for each in bots)
    place, places = _places(bots)
    for one, other in combinations(range(len(bots)), 2):
        costs[one, other] = _cost(bots[one], bots[other], place[one], place[other], groups, lot)
    out = len(bots)
    if out % 2:
        lowest = min(each.points for each in bots)
        for index, bot in enumerate(bots):
            costs[index, out] = _bye_cost(bot, lowest, places[bot.points] - place[index], lot)
    pairs: list[tuple[str, str]] = []
    sits = ""
    for one, other in sorted(_match(costs, len(bots) + len(bots) % 2)):
        if other == out:
            sits = bots[one].bot
        else:
            pairs.append((bots[one].bot, bots[other].bot))
    return pairs, sits


def _places(bots: Sequence[Standing]) -> tuple[list[int], dict[int, int]]:
    """Give each bot's place within those of its points, and each such group's last place."""
    seen: Counter[int] = Counter()
    place = []
    for each in bots:
        place.append(seen[each.points])
        seen[each.points] += 1
    return place, {points: size - 1 for points, size in seen.items()}


def _cost(
    one: Standing, other: Standing, place: int, against: int, groups: Counter[int], lot: str
) -> Cost:
    if one.points == other.points:
        # Doubled, so that odd groups keep whole numbers.
        order = (2 * (against - place) - groups[one.points]) ** 2
    else:
        # Who goes down is the last of its group and meets the first of the next.
        order = 4 * ((groups[one.points] - 1 - place) ** 2 + against**2)
    hard, soft = _seat_clash(one, other)
    return Cost(
        second_bye=0,
        repeats=one.met[other.bot],
        bye_after_gift=0,
        seats_hard=hard,
        bye_score=0,
        apart=(one.points - other.points) ** 2,
        floats_again=int(one.points > other.points and one.floated),
        seats_soft=soft,
        order=order,
        lot=_lot(lot, one.bot, other.bot),
    )


def _bye_cost(bot: Standing, lowest: int, above: int, lot: str) -> Cost:
    """Who sits out is of the lowest group, there the last, and has not had a bye."""
    return Cost(
        second_bye=bot.byes,
        repeats=0,
        bye_after_gift=int(bot.given > 0),
        seats_hard=0,
        bye_score=bot.points - lowest,
        apart=0,
        floats_again=int(bot.floated),
        seats_soft=0,
        order=4 * above**2,
        lot=_lot(lot, bot.bot, ""),
    )


def _seat_clash(one: Standing, other: Standing) -> tuple[int, int]:
    """Say whether a single match would leave one of two bots with a third seat too many, or two."""
    if not one.seat_matters:
        return 0, 0
    surplus = one.seats[0] - one.seats[1], other.seats[0] - other.seats[1]
    if surplus[0] * surplus[1] <= 0:
        return 0, 0
    return int(min(map(abs, surplus)) > 1), 1


def _lot(lot: str, one: str, other: str) -> int:
    first, second = sorted((one, other))
    digest = sha256(f"{lot}|{first}|{second}".encode()).digest()
    return int.from_bytes(digest, "big") % (1 << LOT_BITS)


def _match(costs: Mapping[tuple[int, int], Cost], nodes: int) -> set[tuple[int, int]]:
    """Choose edges that cover all nodes, least in the sum of the first cost, then the next …"""
    if not costs:
        return set()
    columns = [list(column) for column in zip(*costs.values())]
    scales, scale = _scales(columns, nodes)
    while scale >= 1 << WEIGHT_BITS:
        # Hundreds of matches a meeting: points are told apart more coarsely.
        columns[APART] = [each >> 1 for each in columns[APART]]
        scales, scale = _scales(columns, nodes)
    graph: rustworkx.PyGraph[None, int] = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from([None] * nodes)
    graph.add_edges_from(
        [
            (one, other, scale - sum(map(int.__mul__, cost, scales)))
            for (one, other), *cost in zip(costs, *columns)
        ]
    )
    found = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=lambda w: w)
    assert 2 * len(found) == nodes, (len(found), nodes)
    return {(min(pair), max(pair)) for pair in found}


def _scales(columns: Sequence[Sequence[int]], nodes: int) -> tuple[list[int], int]:
    """Weigh each cost so that one of it is more than all that a drawing can have of those below."""
    scale, scales = 1, []
    for column in reversed(columns):
        scales.append(scale)
        scale *= max(column) * (nodes // 2) + 1
    return scales[::-1], scale


def draw_groups(
    bots: Sequence[Standing], size: int, lot: str
) -> tuple[list[tuple[str, ...]], tuple[str, ...]]:
    """
    Put bots into groups of neighbours, and let those sit out for whom there is no group.

    Who sits out has had the fewest byes, then the fewest gifts, then the fewest points, then is
    the last. Groups begin as neighbours in the table; then two bots of near groups change places
    as long as fewer have met before, or else points in the groups lie closer.

    Args:
        bots: Best first.

    Returns:
        Groups, best first, and who sits out.
    """
    surplus = len(bots) % size
    order = {each.bot: index for index, each in enumerate(bots)}
    lowly = sorted(bots, key=lambda each: (each.byes, each.given, each.points, -order[each.bot]))
    out = {each.bot for each in lowly[:surplus]}
    playing = [each for each in bots if each.bot not in out]
    groups = [playing[first : first + size] for first in range(0, len(playing), size)]
    worth = [_group_cost(group) for group in groups]
    better = True
    while better:
        better = False
        for one, other in combinations(range(len(groups)), 2):
            better = _swap(groups, worth, one, other) or better
    found = [tuple(sorted((each.bot for each in group), key=order.get)) for group in groups]  # type: ignore[arg-type]
    return found, tuple(sorted(out, key=lambda bot: order[bot]))


def _swap(groups: list[list[Standing]], worth: list[tuple[int, int]], one: int, other: int) -> bool:
    """Let the two bots of two groups change places for which it is best, if it helps at all."""
    before = _both(worth[one], worth[other])
    if not before[0] and groups[one][-1].points >= groups[other][0].points:
        return False
    best = None
    for mine in range(len(groups[one])):
        for theirs in range(len(groups[other])):
            left, right = list(groups[one]), list(groups[other])
            left[mine], right[theirs] = right[theirs], left[mine]
            after = _group_cost(left), _group_cost(right)
            if _both(*after) < (before if best is None else _both(*best[0])):
                best = after, left, right
    if best is None:
        return False
    (worth[one], worth[other]), groups[one], groups[other] = best
    return True


def _both(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    return one[0] + other[0], one[1] + other[1]


def _group_cost(group: Sequence[Standing]) -> tuple[int, int]:
    """Count meetings between its bots before, and the spread of their points."""
    repeats = spread = 0
    for one, other in combinations(group, 2):
        repeats += one.met[other.bot] ** 2
        spread += (one.points - other.points) ** 2
    return repeats, spread


def seat(bots: Sequence[Standing], lot: str) -> tuple[str, ...]:
    """
    Seat a single match: as even as can be in how often each has had each seat.

    Of equal ways the one that gives fewer bots the seat they had last; then the lot decides.
    """
    ways = []
    for way in permutations(bots):
        uneven = sum(each.seats[seat] for seat, each in enumerate(way))
        again = sum(each.last_seat == seat for seat, each in enumerate(way))
        names = tuple(each.bot for each in way)
        toss = sha256(f"{lot}|{'|'.join(names)}".encode()).digest()
        ways.append((uneven, again, toss, names))
    return min(ways)[3]
