"""Round robin: everybody meets everybody, by Berger's tables or a cyclic design."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matchmaker.formats import asked, breaks, designs
from matchmaker.formats.contract import (
    BadTerms,
    Course,
    Entrant,
    Event,
    Forecast,
    Meeting,
    Row,
    Setting,
    Shown,
    Terms,
    Value,
)
from matchmaker.formats.tally import Log, Tally, added, annulled, recorded, totals
from referee.engine import chance

MOST_IN_GROUPS = 64
"""Search for a design takes two seconds there and grows fast; a Swiss tournament serves more."""


class RoundRobin:
    name = "round_robin"
    about = "everybody meets everybody equally often"
    settings: Mapping[str, Setting] = {
        "cycles": Setting(1, "how often everybody meets everybody", low=1, high=20),
        "pairings": asked.PAIRINGS,
        "orders": asked.ORDERS,
        "numbers": Setting(
            "lots", "how bots get their numbers in the table", among=("lots", "seeds")
        ),
    }

    def check(self, terms: Terms, entrants: Sequence[Entrant]) -> None:
        asked.check_settings(self.name, self.settings, terms.settings)
        asked.check_field(self.name, terms, entrants, most=200)
        if terms.seats > 2 and len(entrants) > MOST_IN_GROUPS:
            raise BadTerms(
                f"{self.name}: {len(entrants)} bots entered; with {terms.seats} seats it takes"
                f" {MOST_IN_GROUPS}, so hold a swiss"
            )

    def course(self, terms: Terms, entrants: Sequence[Entrant], events: Sequence[Event]) -> Course:
        log = Log(events)
        bots = asked.by_seed(entrants)
        late = [bot for bot in log.entered if bot not in bots]
        asked.check_late(self.name, late, "its table is fixed")
        sides = asked.sides_of(terms)
        tallies = [log.tally(each, sides) for each in _schedule(terms, bots)]
        over = all(tally.over for tally in tallies)
        without = frozenset() if terms.sides else annulled(tallies, log.withdrawn)
        rows = table(bots, tallies, log, without, met_most=_most(terms))
        return Course(
            wanted=tuple(tally.wanted for tally in tallies if not tally.over),
            standings=rows,
            shown=tuple(Shown(each.meeting, each.points, each.state) for each in tallies),
            over=over,
            summary={**_spread(terms, len(bots)), **(breaks.winner(rows) if over else {})},
        )

    def forecast(self, terms: Terms, entrants: Sequence[Entrant]) -> Forecast:
        meetings = _schedule(terms, asked.by_seed(entrants))
        each = len(asked.orders_of(terms))
        counts = [sum(e.bot in meeting.bots for meeting in meetings) for e in entrants]
        return Forecast(1, each * len(meetings), each * min(counts), each * max(counts))


def table(
    bots: Sequence[str],
    tallies: Sequence[Tally],
    log: Log,
    without: frozenset[str],
    *,
    met_most: int,
) -> tuple[Row, ...]:
    """Order bots by points, direct encounter, Sonneborn–Berger and wins; annulled bots are last."""
    taken = added(tallies, without)
    points = totals(tallies, taken)
    record = recorded(tallies, bots, without)
    notes = {
        bot: f"withdrawn: {reason}" + ("; its results do not count" if bot in without else "")
        for bot, reason in log.withdrawn.items()
    }
    rules = [
        ("direct encounter", breaks.direct_encounter(taken, met_most)),
        ("Sonneborn–Berger", breaks.fixed(breaks.sonneborn_berger(bots, points, taken))),
        ("wins", breaks.wins(record)),
    ]
    return breaks.rank(bots, points, rules, record, notes, last=without)


def _schedule(terms: Terms, bots: Sequence[str]) -> list[Meeting]:
    """List all meetings, by round."""
    if terms.settings["numbers"] == "lots":
        bots = chance.shuffled(terms.chance, "round_robin|numbers", bots)
    orders = asked.orders_of(terms)
    rounds: Sequence[Sequence[Sequence[int]]] = (
        designs.berger(len(bots))
        if terms.seats == 2
        else designs.in_rounds(designs.blocks(len(bots), terms.seats))
    )
    meetings = []
    for cycle in range(asked.whole(terms, "cycles")):
        for index, groups in enumerate(rounds):
            round = cycle * len(rounds) + index + 1
            for place, group in enumerate(groups, 1):
                # Each further cycle turns the seats.
                turn = cycle % len(group)
                seated = tuple(bots[number] for number in (*group[turn:], *group[:turn]))
                key = f"{round}-{place}"
                meetings.append(Meeting(key=key, round=round, bots=seated, orders=orders))
    return meetings


def _most(terms: Terms) -> int:
    return 2 * len(asked.orders_of(terms)) * asked.whole(terms, "cycles")


def _spread(terms: Terms, players: int) -> dict[str, Value]:
    """Say how often a pair meets in a cycle, where no design has all pairs meet equally often."""
    if terms.seats == 2:
        return {}
    counts = designs.meetings(designs.blocks(players, terms.seats)).values()
    return {"pair_meets_fewest": min(counts), "pair_meets_most": max(counts)}
