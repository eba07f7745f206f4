"""SPRT duel: is the new version better? It stops as soon as that can be said."""

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
    Row,
    Setting,
    Shown,
    Terms,
    Value,
)
from matchmaker.formats.likelihood import Sequential
from matchmaker.formats.tally import Log, Tally, added, recorded, totals
from matchmaker.pairing import seat_orders


class Sprt:
    name = "sprt"
    about = "two versions play until it can be said whether the first is better"
    settings: Mapping[str, Setting] = {
        "elo0": Setting(0.0, "H0: the first is better by so many Elo", low=-400, high=400),
        "elo1": Setting(40.0, "H1: the first is better by so many Elo", low=-400, high=400),
        "alpha": Setting(0.05, "how often H1 may be taken though H0 holds", low=0.001, high=0.4),
        "beta": Setting(0.05, "how often H0 may be taken though H1 holds", low=0.001, high=0.4),
        "pairings": Setting(1000, "it stops undecided after so many", low=1, high=20_000),
        "at_once": Setting(4, "pairings that are played at the same time", low=1, high=64),
    }

    def check(self, terms: Terms, entrants: Sequence[Entrant]) -> None:
        asked.check_settings(self.name, self.settings, terms.settings)
        asked.check_field(self.name, terms, entrants, seats=(2,), least=2, most=2)
        elo0, elo1 = asked.real(terms, "elo0"), asked.real(terms, "elo1")
        if not elo0 < elo1:
            raise BadTerms(f"{self.name}: elo0 is {elo0:g}, elo1 {elo1:g}; give elo1 the greater")

    def course(self, terms: Terms, entrants: Sequence[Entrant], events: Sequence[Event]) -> Course:
        log = Log(events)
        bots = asked.by_seed(entrants)
        late = [bot for bot in log.entered if bot not in bots]
        asked.check_late(self.name, late, "a duel is between two")
        test, tallies = _walk(terms, bots, log)
        spent = all(tally.over for tally in tallies)
        over = test.verdict != "open" or spent
        return Course(
            wanted=() if over else tuple(each.wanted for each in tallies if not each.over),
            standings=_table(bots, tallies, log),
            shown=tuple(Shown(each.meeting, each.points, each.state) for each in tallies),
            over=over,
            summary=_summary(bots, test, terms),
        )

    def forecast(self, terms: Terms, entrants: Sequence[Entrant]) -> Forecast:
        pairings = asked.whole(terms, "pairings")
        rounds = -(-pairings // asked.whole(terms, "at_once"))
        return Forecast(rounds, 2 * pairings, 2, 2 * pairings)


def _walk(terms: Terms, bots: tuple[str, ...], log: Log) -> tuple[Sequential, list[Tally]]:
    """
    Take the pairings in the order of their numbers, as far as they are all over.

    One that ends early does not count before those that began before it: a win that comes quickly
    would else come in more often than one that takes its time. What was given away is left out.
    """
    test = Sequential(
        elo0=asked.real(terms, "elo0"),
        elo1=asked.real(terms, "elo1"),
        alpha=asked.real(terms, "alpha"),
        beta=asked.real(terms, "beta"),
    )
    at_once = asked.whole(terms, "at_once")
    tallies = []
    waiting = 0
    for number in range(1, asked.whole(terms, "pairings") + 1):
        meeting = Meeting(key=str(number), round=number, bots=bots, orders=seat_orders(2))
        tally = log.tally(meeting, asked.sides_of(terms))
        if waiting == at_once or bots[0] in log.withdrawn or bots[1] in log.withdrawn:
            # What was begun before is still shown; nothing new begins.
            if not tally.played:
                break
        tallies.append(tally)
        waiting += waiting > 0 or not tally.over
        if not waiting and not tally.absent:
            test.add(tally.of(bots[0]))
        if test.verdict != "open":
            break
    return test, tallies


def _table(bots: tuple[str, ...], tallies: Sequence[Tally], log: Log) -> tuple[Row, ...]:
    taken = added(tallies, frozenset())
    points = dict.fromkeys(bots, 0) | totals(tallies, taken)
    record = recorded(tallies, bots, frozenset())
    notes = {bot: f"withdrawn: {reason}" for bot, reason in log.withdrawn.items()}
    return breaks.rank(bots, points, [("wins", breaks.wins(record))], record, notes)


def _summary(bots: tuple[str, ...], test: Sequential, terms: Terms) -> dict[str, Value]:
    elo0, elo1 = asked.real(terms, "elo0"), asked.real(terms, "elo1")
    beats = f"{bots[0]} does better than {bots[1]} by {{:g}} Elo rather than {{:g}}"
    says = {
        "accepted": beats.format(elo1, elo0),
        "rejected": beats.format(elo0, elo1),
        "open": "not conclusive",
    }
    return {
        "says": says[test.verdict],
        "candidate": bots[0],
        "verdict": test.verdict,
        "conclusive": test.verdict != "open",
        "llr": test.llr,
        "lower": test.lower,
        "upper": test.upper,
        "pairings": sum(test.counts),
        "pentanomial": " ".join(map(str, test.counts)),
    }
