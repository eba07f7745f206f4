"""Swiss: in each round bots of near scores meet, nobody the same twice."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from matchmaker.formats import asked, breaks, pairs
from matchmaker.formats.breaks import Kind, Turn
from matchmaker.formats.contract import (
    Course,
    Entrant,
    Event,
    Forecast,
    Meeting,
    Paired,
    Row,
    Setting,
    Shown,
    Terms,
)
from matchmaker.formats.tally import Log, Tally, recorded

BYES = {"win": 2, "draw": 1, "none": 0}
"""What a bye is worth, in halves of all that is to be had."""


MOST = 512
"""Drawing a round among so many takes a few seconds, among twice as many ten times as long."""


class Swiss:
    name = "swiss"
    about = "bots of near scores meet, round by round, nobody the same twice"
    settings: Mapping[str, Setting] = {
        "rounds": Setting(0, "rounds; 0: as many as part one winner", low=0, high=50),
        "pairings": asked.PAIRINGS,
        "orders": asked.ORDERS,
        "bye": Setting("win", "what sitting out is worth", among=tuple(BYES)),
    }

    def check(self, terms: Terms, entrants: Sequence[Entrant]) -> None:
        asked.check_settings(self.name, self.settings, terms.settings)
        asked.check_field(self.name, terms, entrants, most=MOST)

    def course(self, terms: Terms, entrants: Sequence[Entrant], events: Sequence[Event]) -> Course:
        return _Swiss(terms, entrants, events).course()

    def forecast(self, terms: Terms, entrants: Sequence[Entrant]) -> Forecast:
        rounds, bots = rounds_of(terms, len(entrants)), len(entrants)
        each = len(asked.orders_of(terms))
        out = bots % terms.seats
        # Nobody sits out twice, so somebody plays every round unless all have sat out once.
        fewest = rounds - (1 if out else 0)
        most = rounds - (1 if out * rounds == bots else 0)
        return Forecast(rounds, rounds * (bots // terms.seats) * each, fewest * each, most * each)


def rounds_of(terms: Terms, bots: int) -> int:
    """
    Give the rounds to play: as set, or as many as a knock-out of so many bots would have.

    No more than can be without anybody meeting somebody twice (in duels) or sitting out twice: who
    is entered and who is there at the start are not always the same.
    """
    out = bots % terms.seats
    most = bots - 1 + out if terms.seats == 2 else bots // out if out else bots
    wanted = asked.whole(terms, "rounds") or max(1, (bots - 1).bit_length())
    return max(1, min(wanted, most)) if terms.seats == 2 or out else wanted


class _Swiss:
    """One Swiss tournament as the events leave it."""

    def __init__(self, terms: Terms, entrants: Sequence[Entrant], events: Sequence[Event]) -> None:
        self.terms = terms
        self.log = Log(events)
        early = asked.by_seed(entrants)
        self.bots = tuple(dict.fromkeys((*early, *self.log.entered)))
        self.rounds = rounds_of(terms, len(early))
        late = [b for b, drawn in self.log.entered.items() if drawn >= self.rounds]
        asked.check_late("swiss", [b for b in late if b not in early], "its last round is drawn")
        self.orders = asked.orders_of(terms)
        self.most = 2 * (len(asked.sides_of(terms)) - 1) * len(self.orders)
        """Half points that a meeting can give one bot."""
        sides = asked.sides_of(terms)
        self.drawn: list[list[Tally]] = []
        """Tallies of each round's meetings, by round."""
        while (number := len(self.drawn) + 1) in self.log.rounds:
            meetings = self.log.rounds[number]
            self.drawn.append([self.log.tally(meeting, sides) for meeting in meetings])
        self.of = [
            {bot: tally for tally in here for bot in tally.meeting.bots} for here in self.drawn
        ]
        """Each bot's tally, by round."""
        self.turns = {bot: [self._turn(bot, here) for here in self.of] for bot in self.bots}
        self.points = {bot: round(sum(t.points for t in self.turns[bot])) for bot in self.bots}

    def course(self) -> Course:
        tallies = [tally for here in self.drawn for tally in here]
        settled = all(tally.over for tally in tallies)
        active = [bot for bot in self.bots if bot not in self.log.withdrawn]
        more = len(self.drawn) < self.rounds and len(active) >= self.terms.seats
        over = settled and not more
        rows = self._table()
        return Course(
            wanted=tuple(tally.wanted for tally in tallies if not tally.over),
            pair=self._draw(active, rows) if settled and more else None,
            standings=rows,
            shown=tuple(self._show(tally) for tally in tallies),
            over=over,
            summary={
                "round": len(self.drawn),
                "rounds": self.rounds,
                **(breaks.winner(rows) if over else {}),
            },
        )

    def _turn(self, bot: str, here: Mapping[str, Tally]) -> Turn:
        tally = here.get(bot)
        if tally is None:
            return Turn(Kind.MISSED, 0)
        if len(tally.meeting.bots) == 1:
            missed = self._missed(tally)
            return Turn(Kind.MISSED, 0) if missed else Turn(Kind.GIVEN, self._bye())
        if tally.played or not tally.absent:
            met = tuple(
                (other, tally.taken.get((bot, other), 0.0))
                for other in tally.meeting.bots
                if other != bot and tally.played
            )
            return Turn(Kind.PLAYED, tally.of(bot), met)
        return Turn(Kind.MISSED if bot in tally.absent else Kind.GIVEN, tally.of(bot))

    def _missed(self, bye: Tally) -> bool:
        """Whether the bot that sat out was not there, and would have been absent from a meeting."""
        return bye.meeting.bots[0] in self.log.absent.get(bye.meeting.key, ())

    def _bye(self) -> int:
        return self.most * BYES[str(self.terms.settings["bye"])] // 2

    def _table(self) -> tuple[Row, ...]:
        opponents = breaks.Opponents(self.turns, drawn=self.most // 2, width=self.terms.seats - 1)
        met: defaultdict[tuple[str, str], float] = defaultdict(float)
        for bot, turns in self.turns.items():
            for turn in turns:
                for other, part in turn.met:
                    met[bot, other] += part
        tallies = [tally for here in self.drawn for tally in here]
        record = recorded(tallies, self.bots, frozenset())
        rules = [
            ("Buchholz cut 1", breaks.fixed(opponents.buchholz_cut())),
            ("Buchholz", breaks.fixed(opponents.buchholz())),
            ("Sonneborn–Berger", breaks.fixed(opponents.sonneborn_berger())),
            ("direct encounter", breaks.direct_encounter(met, 2 * len(self.orders))),
            ("wins", breaks.wins(record)),
        ]
        return breaks.rank(self.bots, self.points, rules, record, self._notes())

    def _notes(self) -> dict[str, str]:
        notes: dict[str, str] = {}
        for number, here in enumerate(self.drawn, 1):
            for tally in here:
                if len(tally.meeting.bots) == 1 and not self._missed(tally):
                    bot = tally.meeting.bots[0]
                    before = f"{notes[bot]}, " if bot in notes else "bye in round "
                    notes[bot] = f"{before}{number}"
        notes |= {bot: f"withdrawn: {reason}" for bot, reason in self.log.withdrawn.items()}
        return notes

    def _show(self, tally: Tally) -> Shown:
        if len(tally.meeting.bots) == 1:
            if self._missed(tally):
                return Shown(tally.meeting, (0,), "forfeit")
            return Shown(tally.meeting, (self._bye(),), "bye", tally.meeting.bots[0])
        return Shown(tally.meeting, tally.points, tally.state)

    def _draw(self, active: Sequence[str], rows: Sequence[Row]) -> Paired:
        """Draw the next round among those that take part."""
        number = len(self.drawn) + 1
        seeds = {bot: seed for seed, bot in enumerate(self.bots)}
        # Points, then seeds: tie-breaks say little before the end.
        order = sorted(active, key=lambda bot: (-self.points[bot], seeds[bot]))
        standings = {bot: self._standing(bot) for bot in order}
        lot = f"{self.terms.chance}|swiss|{number}"
        bots = [standings[bot] for bot in order]
        groups: Sequence[tuple[str, ...]]
        if self.terms.seats == 2:
            groups, sits = pairs.draw_pairs(bots, lot)
            out: Sequence[str] = [sits] if sits else []
        else:
            groups, out = pairs.draw_groups(bots, self.terms.seats, lot)
        meetings = []
        for board, group in enumerate(groups, 1):
            if self.terms.settings["orders"] == "one":
                group = pairs.seat([standings[bot] for bot in group], f"{lot}|{board}")
            meetings.append(
                Meeting(key=f"{number}-{board}", round=number, bots=group, orders=self.orders)
            )
        for place, bot in enumerate(out, 1):
            key = f"{number}-bye" if len(out) == 1 else f"{number}-bye-{place}"
            meetings.append(Meeting(key=key, round=number, bots=(bot,), orders=(), label="bye"))
        return Paired(number, tuple(meetings))

    def _standing(self, bot: str) -> pairs.Standing:
        met: Counter[str] = Counter()
        seats = [0] * self.terms.seats
        byes = given = 0
        last_seat = -1
        for here, turn in zip(self.of, self.turns[bot]):
            tally = here.get(bot)
            if tally is None:
                continue
            others = [other for other in tally.meeting.bots if other != bot]
            met.update(others)
            byes += not others
            given += bool(others) and turn.kind is Kind.GIVEN
            for match in tally.played:
                last_seat = match.seats.index(bot)
                seats[last_seat] += 1
        return pairs.Standing(
            bot=bot,
            points=self.points[bot],
            met=met,
            byes=byes,
            given=given,
            floated=self._floated(bot),
            seats=tuple(seats),
            last_seat=last_seat,
            seat_matters=self.terms.settings["orders"] == "one",
        )

    def _floated(self, bot: str) -> bool:
        """Say whether it sat out in the last round or met a bot that had fewer points before it."""
        tally = self.of[-1].get(bot) if self.of else None
        if tally is None:
            return False
        before = {
            each: self.points[each] - self.turns[each][-1].points for each in tally.meeting.bots
        }
        return len(before) == 1 or before[bot] > min(before.values())
