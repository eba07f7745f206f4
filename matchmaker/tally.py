"""
What a ladder's rated results add up to, whatever their order: who met whom, from which seats.

Pure. Sums of whole numbers, so that adding results in any order, or taking one out again, gives
the same tally.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import combinations
from operator import add
from typing import Any, NamedTuple, TypeVar

from matchmaker.entries import Seated

PAIR_WINDOW = 5_000
"""Two matches of one pairing count as a pair if their numbers are no further apart: what is older
need not be remembered for a second match that never came."""


class Scored(NamedTuple):
    """What a rated result says to a table; sorts by match number."""

    number: int
    match: str
    seats: tuple[Seated, ...]
    sides: tuple[tuple[int, ...], ...]
    ranks: tuple[int, ...]
    pairing: str

    @property
    def is_duel(self) -> bool:
        return len(self.seats) == 2 and len(self.sides) == 2


class Counts(NamedTuple):
    """How matches came out, as one side sees it."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def matches(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """A draw is half a win."""
        return self.wins + self.draws / 2

    @property
    def turned(self) -> "Counts":
        """The same as the other side sees it."""
        return Counts(self.losses, self.draws, self.wins)


class Meeting(NamedTuple):
    """Two sides of a match that has more than two seats."""

    one: tuple[Seated, ...]
    other: tuple[Seated, ...]
    places: tuple[int, int]
    """Where the two stand among the match's sides, from 0; the lower first."""
    sides: int
    """How many the match has."""


Fives = tuple[int, int, int, int, int]
"""Pairings by points in their two matches: 0, ½, 1, 1½, 2."""
NO_FIVES: Fives = (0, 0, 0, 0, 0)
Key = TypeVar("Key")


class Half(NamedTuple):
    """A match of a duel's pairing; sorts by match number."""

    number: int
    match: str
    seats: tuple[Seated, ...]
    points: int
    """Of seat 0, in halves."""


@dataclass
class Tally:
    """All sums of one game."""

    duels: dict[tuple[Seated, Seated], Counts] = field(default_factory=dict)
    """By the players in seats 0 and 1, as seat 0 sees it."""
    meetings: dict[Meeting, Counts] = field(default_factory=dict)
    """What matches of more seats say of each two of their sides."""
    seats: dict[tuple[Seated, int], Counts] = field(default_factory=dict)
    """By player and seat."""
    fives: dict[Seated, Fives] = field(default_factory=dict)
    """Duels' pairings of two matches with sides exchanged, by player."""
    halves: dict[str, tuple[Half, ...]] = field(default_factory=dict)
    """By pairing: matches that can still find or lose their other half."""

    def add(self, scored: Scored) -> None:
        self._sum(scored, 1)

    def remove(self, scored: Scored) -> None:
        """Take out what was added, and is not settled."""
        self._sum(scored, -1)

    def settle(self, number: int) -> None:
        """Forget the pairings that no later result can change: all up to a number is known."""
        for pairing, halves in list(self.halves.items()):
            kept = halves
            while kept:
                paired = len(kept) > 1 and _is_pair(kept[0], kept[1])
                known = len(kept) > 1 and kept[1].number <= number
                if not known and (paired or kept[0].number > number - PAIR_WINDOW):
                    break
                kept = kept[2:] if paired else kept[1:]
            if kept:
                self.halves[pairing] = kept
            else:
                del self.halves[pairing]

    def players(self) -> list[Seated]:
        """Everyone who has played, by name."""
        return sorted({player for player, _ in self.seats})

    def head_to_head(self) -> dict[tuple[Seated, Seated], Counts]:
        """Who did better than whom, by pair of players in order of name, as the first sees it."""
        found: dict[tuple[Seated, Seated], Counts] = {}
        for (one, other), counts in self.duels.items():
            _meet(found, one, other, counts)
        for meeting, counts in self.meetings.items():
            for one in meeting.one:
                for other in meeting.other:
                    _meet(found, one, other, counts)
        return dict(sorted(found.items()))

    def _sum(self, scored: Scored, sign: int) -> None:
        ranks = [scored.ranks[side[0]] for side in scored.sides]
        best = min(ranks)
        shared = ranks.count(best) > 1
        for side, rank in zip(scored.sides, ranks):
            won = Counts(
                sign * (rank == best and not shared),
                sign * (rank == best and shared),
                sign * (rank > best),
            )
            for seat in side:
                _change(self.seats, (scored.seats[seat], seat), won)
        if scored.is_duel:
            one, other = scored.seats
            first = scored.ranks[0], scored.ranks[1]
            _change(self.duels, (one, other), _outcome(*first, sign))
            self._pair_up(scored, sign)
            return
        for a, b in combinations(range(len(scored.sides)), 2):
            meeting = Meeting(
                tuple(scored.seats[seat] for seat in scored.sides[a]),
                tuple(scored.seats[seat] for seat in scored.sides[b]),
                (a, b),
                len(scored.sides),
            )
            _change(self.meetings, meeting, _outcome(ranks[a], ranks[b], sign))

    def _pair_up(self, scored: Scored, sign: int) -> None:
        """Take the pairing's pairs out, change its matches, and put its pairs in again."""
        if not scored.pairing:
            return
        before = self.halves.get(scored.pairing, ())
        mine = Half(
            scored.number,
            scored.match,
            scored.seats,
            1 + (scored.ranks[0] < scored.ranks[1]) - (scored.ranks[0] > scored.ranks[1]),
        )
        if sign > 0:
            after = tuple(sorted((*before, mine)))
        else:
            after = tuple(half for half in before if half != mine)
        self._count_pairs(before, -1)
        self._count_pairs(after, 1)
        if after:
            self.halves[scored.pairing] = after
        else:
            self.halves.pop(scored.pairing, None)

    def _count_pairs(self, halves: tuple[Half, ...], sign: int) -> None:
        index = 0
        while index + 1 < len(halves):
            first, second = halves[index], halves[index + 1]
            if not _is_pair(first, second):
                index += 1
                continue
            points = first.points + 2 - second.points
            for player, column in ((first.seats[0], points), (first.seats[1], 4 - points)):
                fives = list(self.fives.get(player, NO_FIVES))
                fives[column] += sign
                if any(fives):
                    self.fives[player] = (fives[0], fives[1], fives[2], fives[3], fives[4])
                else:
                    self.fives.pop(player, None)
            index += 2

    def dump(self) -> dict[str, Any]:
        """Give all of it as plain data; `load` reads it."""
        players = self.players()
        index = {player: number for number, player in enumerate(players)}
        return {
            "players": [tuple(player) for player in players],
            "duels": [
                (index[one], index[other], *counts)
                for (one, other), counts in _in_order(self.duels, index)
            ],
            "meetings": [
                (
                    tuple(index[player] for player in meeting.one),
                    tuple(index[player] for player in meeting.other),
                    meeting.places,
                    meeting.sides,
                    *counts,
                )
                for meeting, counts in sorted(self.meetings.items())
            ],
            "seats": [
                (index[player], seat, *counts)
                for (player, seat), counts in sorted(self.seats.items())
            ],
            "fives": [(index[player], *fives) for player, fives in sorted(self.fives.items())],
            "halves": [
                (
                    pairing,
                    tuple(
                        (half.number, half.match, tuple(index[p] for p in half.seats), half.points)
                        for half in halves
                    ),
                )
                for pairing, halves in sorted(self.halves.items())
            ],
        }

    @classmethod
    def load(cls, data: dict[str, Any]) -> "Tally":
        players = [Seated(*player) for player in data["players"]]
        return cls(
            duels={
                (players[one], players[other]): Counts(*counts)
                for one, other, *counts in data["duels"]
            },
            meetings={
                Meeting(
                    tuple(players[number] for number in one),
                    tuple(players[number] for number in other),
                    tuple(places),
                    sides,
                ): Counts(*counts)
                for one, other, places, sides, *counts in data["meetings"]
            },
            seats={
                (players[number], seat): Counts(*counts) for number, seat, *counts in data["seats"]
            },
            fives={
                players[number]: (zero, half, one, more, two)
                for number, zero, half, one, more, two in data["fives"]
            },
            halves={
                pairing: tuple(
                    Half(number, match, tuple(players[p] for p in seats), points)
                    for number, match, seats, points in halves
                )
                for pairing, halves in data["halves"]
            },
        )


def _outcome(one: int, other: int, sign: int) -> Counts:
    """Two ranks, of which the lower is better, as the first sees it."""
    return Counts(sign * (one < other), sign * (one == other), sign * (one > other))


def _change(sums: dict[Key, Counts], key: Key, counts: Counts) -> None:
    """Add to a sum; one that comes to nothing is as if it had never been."""
    before = sums.get(key)
    after = counts if before is None else Counts(*map(add, before, counts))
    if any(after):
        sums[key] = after
    else:
        sums.pop(key, None)


def _is_pair(first: Half, second: Half) -> bool:
    """Whether two matches are one of each side between the same players."""
    near = second.number - first.number <= PAIR_WINDOW
    return near and first.seats == second.seats[::-1]


def _meet(
    found: dict[tuple[Seated, Seated], Counts], one: Seated, other: Seated, counts: Counts
) -> None:
    if one < other:
        _change(found, (one, other), counts)
    elif other < one:
        _change(found, (other, one), counts.turned)


def _in_order(
    duels: dict[tuple[Seated, Seated], Counts], index: dict[Seated, int]
) -> Iterator[tuple[tuple[Seated, Seated], Counts]]:
    """By number of the players: quicker than comparing their names again and again."""
    keys: Iterable[tuple[Seated, Seated]] = duels
    for key in sorted(keys, key=lambda pair: (index[pair[0]], index[pair[1]])):
        yield key, duels[key]
