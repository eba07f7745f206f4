"""
A tournament as the results log leaves it: what was said of it, and the course that follows.

Pure. Entries are taken in log order; nothing here depends on when they are read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from matchmaker import formats
from matchmaker.entries import (
    BotEntered,
    BotWithdrew,
    MeetingForfeited,
    OfTournament,
    Result,
    RoundPaired,
    Standing,
    TournamentBegun,
    TournamentCancelled,
    TournamentEnded,
    Why,
    decode,
    encode,
    tournament_of,
)
from matchmaker.formats.contract import (
    BadTerms,
    Course,
    Entered,
    Entrant,
    Event,
    Forfeited,
    Meeting,
    Paired,
    Played,
    Terms,
    Withdrew,
)
from matchmaker.series import ANEW, OURS

AWAY_TWICE = 2
"""A bot that does not come to so many meetings in a row is taken out."""


class Said(NamedTuple):
    """An event with the match it came from; the match is empty where there was none."""

    match: str
    event: Event


class Contest:
    """One running tournament: its terms, and all events so far in log order."""

    def __init__(self, begun: TournamentBegun) -> None:
        self.begun = begun
        self.terms = Terms(
            format=begun.format,
            game=begun.game,
            seats=begun.seats,
            sides=begun.sides,
            chance=begun.chance,
            settings=begun.settings,
        )
        self.entrants = tuple(Entrant(bot, seed) for bot, seed in begun.entrants)
        self.said: list[Said] = []
        self.matches = 0
        """Matches that count."""
        self.statements = 0
        """Entries that leaders have put into the log for it, its begin left out."""
        self.cancelled = ""
        """An operator's word that ended it."""
        self.last: Course | None = None
        """How it stood when its course was worked out last; None if it never was."""
        self.touched: set[str] = set()
        """Meetings with news since then."""
        self._stale = True
        self._absentees: tuple[str, ...] | None = None

    @property
    def is_stale(self) -> bool:
        """Whether something was said since the course was worked out."""
        return self._stale

    @property
    def course(self) -> Course:
        """How it stands now; worked out once for each change, which a large field makes dear."""
        if self._stale or self.last is None:
            events = [each.event for each in self.said]
            self.last = formats.get(self.terms.format).course(self.terms, self.entrants, events)
            self.touched.clear()
            self._stale = False
        return self.last

    @property
    def bots(self) -> tuple[str, ...]:
        """Who takes part, those that came later included."""
        late = (each.event.bot for each in self.said if isinstance(each.event, Entered))
        return tuple(dict.fromkeys([*(each.bot for each in self.entrants), *late]))

    @property
    def withdrawn(self) -> frozenset[str]:
        return frozenset(e.event.bot for e in self.said if isinstance(e.event, Withdrew))

    @property
    def absentees(self) -> tuple[str, ...]:
        """Who takes part and has not come to its last meetings; worked out once for each change."""
        if self._absentees is None:
            counts: Counter[str] = Counter()
            for each in self.said:
                if isinstance(each.event, Played):
                    for bot in each.event.seats:
                        del counts[bot]
                elif isinstance(each.event, Forfeited):
                    counts.update(each.event.absent)
            away = {bot for bot, count in counts.items() if count >= AWAY_TWICE}
            self._absentees = tuple(sorted(away - self.withdrawn))
        return self._absentees

    def refusal(self, bot: str) -> str:
        """Why a bot cannot take part from now on; empty if it can."""
        if bot in self.bots:
            return f"{bot} takes part already, or has withdrawn"
        events = [*(each.event for each in self.said), Entered(bot)]
        try:
            formats.get(self.terms.format).course(self.terms, self.entrants, events)
        except BadTerms as fault:
            return str(fault)
        return ""

    def add(self, entry: OfTournament) -> None:
        """Take in what the log says of it."""
        if isinstance(entry, TournamentCancelled):
            self.cancelled = self.cancelled or entry.reason
            return
        by_leader = isinstance(entry, RoundPaired | MeetingForfeited | TournamentEnded)
        self.statements += by_leader or (isinstance(entry, BotWithdrew) and not entry.by)
        event = _event(entry)
        if isinstance(event, Entered) and self.refusal(event.bot):
            return
        if event is not None:
            self._say(Said("", event))

    def add_result(self, result: Result) -> None:
        """Take in a closed match of it."""
        found = tournament_of(result.cause)
        assert found is not None, result.cause
        event = _outcome(result, found[1])
        if event is not None:
            self.matches += isinstance(event, Played)
            self._say(Said(result.match, event))

    def void(self, match: str) -> bool:
        """
        Take a match out.

        Returns:
            Whether it was one that counts here.
        """
        kept = [each for each in self.said if each.match != match]
        found = len(kept) < len(self.said)
        if found:
            self.matches -= sum(
                isinstance(each.event, Played) for each in self.said if each.match == match
            )
            self.said, self._stale, self._absentees = kept, True, None
        return found

    def _say(self, said: Said) -> None:
        self.said.append(said)
        self._stale, self._absentees = True, None
        if isinstance(said.event, Played | Forfeited):
            self.touched.add(said.event.meeting)

    def dump(self) -> dict[str, Any]:
        """Give all of it as plain data; `load` reads it."""
        rows = [(each.match, type(each.event).__name__, each.event) for each in self.said]
        return {
            "begun": encode(self.begun),
            "statements": self.statements,
            "cancelled": self.cancelled,
            "said": [(match, kind, _plain(event)) for match, kind, event in rows],
        }

    @classmethod
    def load(cls, data: Mapping[str, Any]) -> Contest:
        begun = decode(data["begun"])
        assert isinstance(begun, TournamentBegun), begun
        contest = cls(begun)
        contest.statements, contest.cancelled = data["statements"], data["cancelled"]
        for match, kind, fields in data["said"]:
            event = _READ[kind](fields)
            contest.matches += isinstance(event, Played)
            contest.said.append(Said(match, event))
        return contest


def meetings_of(entry: RoundPaired) -> tuple[Meeting, ...]:
    """Read a round's meetings from its entry."""
    return tuple(
        Meeting(key=key, round=entry.round, bots=bots, orders=orders, label=label)
        for key, bots, orders, label in entry.meetings
    )


def entry_of(tournament: str, paired: Paired) -> RoundPaired:
    """Write a round into an entry."""
    return RoundPaired(
        tournament=tournament,
        round=paired.round,
        meetings=tuple((m.key, m.bots, m.orders, m.label) for m in paired.meetings),
    )


def _event(entry: OfTournament) -> Event | None:
    if isinstance(entry, RoundPaired):
        return Paired(entry.round, meetings_of(entry))
    if isinstance(entry, MeetingForfeited):
        return Forfeited(entry.meeting, entry.absent)
    if isinstance(entry, BotEntered):
        return Entered(entry.bot)
    if isinstance(entry, BotWithdrew):
        return Withdrew(entry.bot, entry.reason)
    return None


def _outcome(result: Result, meeting: str) -> Event | None:
    """
    What a closed match is to its tournament.

    One that we spoilt is played anew a few times; spoilt each time, it is a draw of all, for a
    tournament must go on.
    """
    names = tuple(seat.bot for seat in result.seats)
    if result.ending == "no_show":
        absent = tuple(bot for bot, fault in zip(names, result.faults) if fault)
        return Forfeited(meeting, absent)
    if result.standing is Standing.RATED or result.why is Why.TOURNAMENT:
        ranks = result.ranks
    elif result.why in OURS and result.attempt > ANEW:
        ranks = (1,) * len(names)
    else:
        return None
    return Played(meeting, result.number, names, result.sides, ranks, result.faults)


def _plain(event: Event) -> Any:
    if isinstance(event, Paired):
        return (event.round, [(m.key, m.bots, m.orders, m.label) for m in event.meetings])
    return tuple(event)


def _read_paired(fields: Any) -> Paired:
    round_, meetings = fields
    return Paired(
        round_,
        tuple(
            Meeting(key=key, round=round_, bots=bots, orders=orders, label=label)
            for key, bots, orders, label in meetings
        ),
    )


_READ: Mapping[str, Any] = {
    "Paired": _read_paired,
    "Played": lambda fields: Played(*fields),
    "Forfeited": lambda fields: Forfeited(*fields),
    "Entered": lambda fields: Entered(*fields),
    "Withdrew": lambda fields: Withdrew(*fields),
}
