"""Gauntlet: one or several challengers meet each bot of a field; the field does not meet itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matchmaker.formats import asked, breaks
from matchmaker.formats.contract import (
    BadTerms,
    Course,
    Entrant,
    Event,
    Forecast,
    Meeting,
    Setting,
    Shown,
    Terms,
)
from matchmaker.formats.round_robin import table
from matchmaker.formats.tally import Log, annulled


class Gauntlet:
    name = "gauntlet"
    about = "challengers meet each bot of a field"
    settings: Mapping[str, Setting] = {
        "challengers": Setting(1, "so many first seeds are challengers", low=1, high=100),
        "pairings": asked.PAIRINGS,
        "orders": asked.ORDERS,
    }

    def check(self, terms: Terms, entrants: Sequence[Entrant]) -> None:
        asked.check_settings(self.name, self.settings, terms.settings)
        asked.check_field(self.name, terms, entrants, seats=(2,))
        challengers = asked.whole(terms, "challengers")
        if challengers >= len(entrants):
            raise BadTerms(
                f"{self.name}: setting 'challengers' is {challengers} of {len(entrants)} bots;"
                " leave at least one for the field"
            )

    def course(self, terms: Terms, entrants: Sequence[Entrant], events: Sequence[Event]) -> Course:
        log = Log(events)
        bots = asked.by_seed(entrants)
        late = [bot for bot in log.entered if bot not in bots]
        asked.check_late(self.name, late, "challengers and field are fixed")
        tallies = [log.tally(each, asked.sides_of(terms)) for each in _meetings(terms, bots)]
        over = all(tally.over for tally in tallies)
        without = annulled(tallies, log.withdrawn)
        most = 2 * len(asked.orders_of(terms))
        first = asked.whole(terms, "challengers")
        # Challengers have met the field and the field the challengers: one table would mix them.
        rows = table(bots[:first], tallies, log, without, met_most=most)
        field = table(bots[first:], tallies, log, without, met_most=most)
        field = tuple(
            row._replace(place=row.place + first, note=row.note or "field") for row in field
        )
        return Course(
            wanted=tuple(tally.wanted for tally in tallies if not tally.over),
            standings=rows + field,
            shown=tuple(Shown(each.meeting, each.points, each.state) for each in tallies),
            over=over,
            summary=breaks.winner(rows) if over else {},
        )

    def forecast(self, terms: Terms, entrants: Sequence[Entrant]) -> Forecast:
        each = len(asked.orders_of(terms))
        challengers = asked.whole(terms, "challengers")
        field = len(entrants) - challengers
        counts = each * challengers, each * field
        return Forecast(1, each * challengers * field, min(counts), max(counts))


def _meetings(terms: Terms, bots: Sequence[str]) -> list[Meeting]:
    """List all meetings, by round: in each, every bot has at most one."""
    first = asked.whole(terms, "challengers")
    challengers, field = bots[:first], bots[first:]
    rounds = max(len(challengers), len(field))
    orders = asked.orders_of(terms)
    meetings = []
    for round in range(rounds):
        for one, challenger in enumerate(challengers):
            other = (round + one) % rounds
            if other < len(field):
                pair = challenger, field[other]
                # Single matches: each side half of the time, for challengers and field alike.
                seated = pair if (one + other) % 2 == 0 else pair[::-1]
                key = f"c{one + 1}-f{other + 1}"
                meetings.append(Meeting(key=key, round=round + 1, bots=seated, orders=orders))
    return meetings
