"""Brackets: nodes whose keys are fixed, and who comes through them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from matchmaker.formats import asked, breaks
from matchmaker.formats.contract import (
    Course,
    Meeting,
    Row,
    Setting,
    Shown,
    Terms,
    Value,
    match_points,
)
from matchmaker.formats.tally import Log, Tally, plus
from matchmaker.pairing import seat_orders

NOBODY = ""
"""In a node's place: a bye, or two bots that both did not come."""
Place = str | None
"""A bot, NOBODY, or None while it is not known."""

SETTINGS: Mapping[str, Setting] = {
    "pairings": asked.PAIRINGS,
    "replays": Setting(2, "how often a drawn meeting is played again", low=0, high=20),
}


class Source(NamedTuple):
    """Where a node gets one of its bots from."""

    seed: int = 0
    winner: str = ""
    loser: str = ""
    """One of the three: a seed, or the key of a node."""


@dataclass(frozen=True, kw_only=True)
class Node:
    """A place of the bracket where two bots meet."""

    key: str
    round: int
    label: str
    sources: tuple[Source, Source]
    stage: float
    """Who goes out here stands above those who went out at a lower stage."""
    consolation: bool = False
    """Its winner goes out too, half a stage above its loser."""
    first_leads: bool = False
    """If nothing decides, the first goes on and not the higher seed."""
    only_if_second_won: str = ""
    """Key of a node: this one is played only if that one's second bot won it."""


class Outcome(NamedTuple):
    """What came of a node."""

    node: Node
    places: tuple[Place, Place]
    tallies: tuple[Tally, ...] = ()
    """The meeting and its replays."""
    state: str = "waiting"
    winner: Place = None
    loser: Place = None


def seeding(size: int) -> tuple[int, ...]:
    """Order the seeds from top to bottom: 1 v 16, 8 v 9, 4 v 13 …; the best can meet last."""
    order: tuple[int, ...] = (1,)
    while len(order) < size:
        total = 2 * len(order) + 1
        order = tuple(each for seed in order for each in (seed, total - seed))
    return order


def orders(terms: Terms) -> tuple[tuple[int, ...], ...]:
    """A meeting's matches: both sides, as often as there are pairings."""
    return seat_orders(2) * asked.whole(terms, "pairings")


class Bracket:
    """A bracket of some bots, with what the events say of it."""

    def __init__(self, terms: Terms, bots: Sequence[str], nodes: Sequence[Node], log: Log) -> None:
        """
        Args:
            bots: Strongest first.
            nodes: Each after those it gets its bots from.
        """
        self.terms = terms
        self.bots = bots
        self.seeds = {bot: seed for seed, bot in enumerate(bots)}
        self.log = log
        self.outcomes: dict[str, Outcome] = {}
        for node in nodes:
            outcome = self._play(node)
            if outcome is not None:
                self.outcomes[node.key] = outcome
        followed = {s.loser for node in nodes if node.key in self.outcomes for s in node.sources}
        self.ends = {node.key for node in nodes if node.key not in followed}
        """Nodes whose loser is out."""

    def course(self, champion: Place) -> Course:
        """
        Tell how it stands.

        Args:
            champion: Who has won it; None while that is open.
        """
        outcomes = list(self.outcomes.values())
        over = champion is not None and all(each.state != "open" for each in outcomes)
        rows = self._table(champion)
        summary: dict[str, Value] = {"winner": champion} if over and champion else {}
        return Course(
            wanted=tuple(
                tally.wanted
                for each in sorted(outcomes, key=lambda each: each.node.round)
                for tally in each.tallies[-1:]
                if each.state == "open"
            ),
            standings=rows,
            shown=tuple(
                shown
                for each in sorted(outcomes, key=lambda each: each.node.round)
                for shown in self._show(each)
            ),
            over=over,
            summary=summary,
        )

    def place(self, source: Source) -> Place:
        """Say who comes from a source."""
        if source.seed:
            return self.bots[source.seed - 1] if source.seed <= len(self.bots) else NOBODY
        if source.winner:
            return self.outcomes[source.winner].winner
        return self.outcomes[source.loser].loser

    def _play(self, node: Node) -> Outcome | None:
        if node.only_if_second_won:
            before = self.outcomes[node.only_if_second_won]
            if not before.winner or before.winner != before.places[1] or not before.places[0]:
                return None
        first, second = (self.place(source) for source in node.sources)
        places = first, second
        if first is None or second is None:
            return Outcome(node, places)
        if not first or not second:
            return Outcome(node, places, (), "bye", first or second, NOBODY)
        bots = first, second
        if self.seeds[second] < self.seeds[first]:
            bots = second, first
        tallies = []
        for attempt in range(asked.whole(self.terms, "replays") + 1):
            tally, state, winner = self._attempt(node, bots, attempt)
            tallies.append(tally)
            if state != "drawn":
                loser = None if winner is None else NOBODY
                if winner:
                    loser = second if winner == first else first
                return Outcome(node, places, tuple(tallies), state, winner, loser)
        winner = first if node.first_leads else bots[0]
        return Outcome(
            node, places, tuple(tallies), "over", winner, second if winner == first else first
        )

    def _attempt(self, node: Node, bots: tuple[str, str], attempt: int) -> tuple[Tally, str, Place]:
        """Give a meeting or replay of it, its state (`drawn` if it decides nothing) and winner."""
        meeting = Meeting(
            key=f"{node.key}+{attempt}" if attempt else node.key,
            round=node.round,
            bots=bots,
            orders=orders(self.terms),
            label=f"{node.label}, replay {attempt}" if attempt else node.label,
        )
        tally = self.log.tally(meeting, asked.sides_of(self.terms))
        lead = 0
        for match in tally.played:
            points = dict(zip(match.seats, match_points(match)))
            lead += points[bots[0]] - points[bots[1]]
        if abs(lead) > 2 * len(tally.left):
            # Decided: what is left is neither played nor given away.
            decided = replace(meeting, orders=_without(meeting.orders, tally.left))
            tally = self.log.tally(decided, asked.sides_of(self.terms))
            return tally, "over", bots[0] if lead > 0 else bots[1]
        if not tally.left:
            return tally, "drawn", None
        there = [bot for bot in bots if bot not in tally.absent]
        if len(there) == 2:
            return tally, "open", None
        return tally, "forfeit", there[0] if there else NOBODY

    def _show(self, outcome: Outcome) -> list[Shown]:
        node = outcome.node
        if not outcome.tallies:
            bots = tuple(bot for bot in outcome.places if bot)
            if outcome.state == "bye" and not bots:
                return []
            meeting = Meeting(
                key=node.key, round=node.round, bots=bots, orders=(), label=node.label
            )
            return [Shown(meeting, (0,) * len(bots), outcome.state, outcome.winner or "")]
        *before, last = outcome.tallies
        found = [Shown(each.meeting, each.points, "over") for each in before]
        return [*found, Shown(last.meeting, last.points, outcome.state, outcome.winner or "")]

    def _table(self, champion: Place) -> tuple[Row, ...]:
        """Order bots by how far they came; those who are still in stand above."""
        top = max(each.node.stage for each in self.outcomes.values()) + 1
        reached = dict.fromkeys(self.bots, top)
        points = dict.fromkeys(self.bots, 0)
        record = dict.fromkeys(self.bots, (0, 0, 0))
        notes = {}
        for key, outcome in self.outcomes.items():
            for tally in outcome.tallies:
                for bot in tally.meeting.bots:
                    points[bot] += tally.of(bot)
                    record[bot] = plus(record[bot], tally.record[bot])
            if outcome.winner is None:
                continue
            node = outcome.node
            out = [bot for bot in outcome.places if bot and bot != outcome.winner]
            if outcome.winner and key not in self.ends:
                out = []
            for bot in out:
                reached[bot] = node.stage
                notes[bot] = f"out in round {node.round}"
            if node.consolation and outcome.winner:
                reached[outcome.winner] = node.stage + 0.5
        if champion:
            reached[champion] = top
        notes |= {bot: f"withdrawn: {reason}" for bot, reason in self.log.withdrawn.items()}
        rules = [("reached", breaks.fixed(reached))]
        rows = breaks.rank(self.bots, points, rules, record, notes, by_points=False)
        # Nobody came to the last meeting: the first place stays empty.
        vacant = int(champion == NOBODY)
        return tuple(row._replace(place=row.place + vacant) for row in rows)


def lengths(nodes: Sequence[Node], bots: int) -> tuple[int, int]:
    """Count the meetings if everybody comes, and those of a bot that has most."""
    most: dict[tuple[str, bool], int] = {}
    meetings = longest = 0
    for node in nodes:
        here = [
            (0 if source.seed <= bots else -1)
            if source.seed
            else most[source.winner or source.loser, bool(source.winner)]
            for source in node.sources
        ]
        if min(here) < 0:
            most[node.key, True], most[node.key, False] = max(here), -1
            continue
        meetings += 1
        most[node.key, True] = most[node.key, False] = max(here) + 1
        longest = max(longest, max(here) + 1)
    return meetings, longest


def _without(
    orders: Sequence[tuple[int, ...]], left: Sequence[tuple[int, ...]]
) -> tuple[tuple[int, ...], ...]:
    kept = list(orders)
    for order in left:
        kept.remove(order)
    return tuple(kept)
