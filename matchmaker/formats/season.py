"""Season of a ladder: the ladder pairs, the season counts; only its caps end it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matchmaker.formats import asked, breaks
from matchmaker.formats.contract import (
    Course,
    Entrant,
    Event,
    Forecast,
    Played,
    Setting,
    Terms,
    match_points,
    most_points,
)
from matchmaker.formats.tally import Log, outcomes, plus


class Season:
    name = "season"
    about = "the ladder goes on and its results are counted until a cap ends it"
    settings: Mapping[str, Setting] = {}

    def check(self, terms: Terms, entrants: Sequence[Entrant]) -> None:
        asked.check_settings(self.name, self.settings, terms.settings)
        asked.check_field(self.name, terms, entrants, least=0, most=100_000)

    def course(self, terms: Terms, entrants: Sequence[Entrant], events: Sequence[Event]) -> Course:
        log = Log(events)
        bots = tuple(dict.fromkeys((*asked.by_seed(entrants), *log.entered)))
        points = dict.fromkeys(bots, 0)
        possible = dict.fromkeys(bots, 0)
        record = dict.fromkeys(bots, (0, 0, 0))
        matches = [event for event in events if isinstance(event, Played)]
        for match in matches:
            taken, results = match_points(match), outcomes(match)
            for seat, bot in enumerate(match.seats):
                if bot in points:
                    points[bot] += taken[seat]
                    possible[bot] += most_points(len(match.sides))
                    record[bot] = plus(record[bot], results[bot])
        share = {bot: points[bot] / possible[bot] if possible[bot] else 0.0 for bot in bots}
        notes = {bot: f"withdrawn: {reason}" for bot, reason in log.withdrawn.items()}
        rules = [("share of points", breaks.fixed(share))]
        # Bots play unequally often, so points alone would reward who plays most.
        rows = breaks.rank(bots, points, rules, record, notes, by_points=False)
        return Course(standings=rows, summary={"matches": len(matches)})

    def forecast(self, terms: Terms, entrants: Sequence[Entrant]) -> Forecast:
        return Forecast(0, 0, 0, 0)
