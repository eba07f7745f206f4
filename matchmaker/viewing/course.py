"""
A match as one viewer watches it: a list of steps, made while its choices are played again.

A step is a position with the question before the viewer, and what brought it about. It is made of
the viewer's view, his events, and his own questions; of what another seat does in secret there is
not even a step.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from matchmaker.viewing.plain import LEFT_OUT, difference, plain
from matchmaker.viewing.table import Table as Words
from matchmaker.viewing.table import components_of
from referee import games
from referee.engine import State
from referee.engine.errors import IllegalChoice
from referee.games import PUBLIC
from referee.match.errors import BadJournal
from referee.match.journal import Choice, End, Entry, How
from referee.match.record import MatchRecord

ALL = -2
"""The viewer who sees what all seats see together: of a match whose deal is told."""
HOW = {
    How.ANSWERED: "answered",
    How.LATE: "late",
    How.PLAYED_ON: "played_on",
    How.STANDING: "standing_order",
}
Json = dict[str, Any]


def viewers(seats: int) -> dict[str, int]:
    """Every viewer of a match that is over, by name."""
    return {"public": PUBLIC, "all": ALL, **{str(seat): seat for seat in range(seats)}}


class Course:
    """A match played again for one viewer; entries are added as they come."""

    def __init__(self, record: MatchRecord, viewer: int) -> None:
        self.record = record
        self.viewer = viewer
        self.game = games.get(record.game)
        self.state: State = self.game.start(
            seats=len(record.seats),
            seed=record.seed,
            setting=record.setting,
            options=record.options,
        )
        names = {number: name for name, number in viewers(len(record.seats)).items()}
        self.name = names[viewer]
        self.end: Json | None = None
        components = components_of(record.game, record.cards)
        # It is never shown a view: what it says of an option holds at every step.
        self._words = Words(record.game, len(record.seats), max(viewer, PUBLIC), components)
        self.texts = Table()
        """Texts of options."""
        self.events = Table()
        """Events as name, fields, and a sentence."""
        self.steps: list[Json] = []
        self._rows: list[tuple[int, int]] = []
        """Rows of the two tables before each step."""
        self._seats = range(len(record.seats))
        self._heard = dict.fromkeys((PUBLIC, *self._seats), 0)
        self._own_fields: set[str] = set()
        """Fields of views that have ever differed from the public's."""
        self._decisions = [0] * len(record.seats)
        self._banks = [record.clocks.bank_ms] * len(record.seats)
        self._open: dict[int, Json] = {}
        """Questions before the viewer, by seat."""
        self._position = self._look()
        self.begin = plain(self._position)
        """The first step's position."""
        self._step(None)

    def add(self, entries: Iterable[Entry]) -> None:
        """
        Go on.

        Raises:
            BadJournal: A choice does not fit these rules.
        """
        for entry in entries:
            if isinstance(entry, Choice):
                self._choice(entry)
            elif isinstance(entry, End):
                self.end = {
                    "ending": entry.ending,
                    "ranks": list(entry.ranks),
                    "scores": list(entry.scores),
                    "reason": entry.reason,
                    "faults": list(entry.faults),
                }

    def is_settled(self, count: int) -> bool:
        """Whether so many steps are there, and the answer to each question in them."""
        if len(self.steps) <= count:
            return False
        return all("taken" in each for each in self.steps[count - 1]["questions"])

    def part(self, after: int = 0, before: int | None = None) -> Json:
        """
        Steps from one on (and before another), with all that they need, in JSON's terms; the same
        for whoever has the steps up to there.

        No name is in it, and no seed.
        """
        texts, events = self._rows_at(after)
        texts_end, events_end = self._rows_at(len(self.steps) if before is None else before)
        return {
            "match": self.record.match,
            "game": self.record.game,
            "cards": self.record.cards,
            "viewer": self.name,
            "steps": self.steps[after:before],
            "texts": self.texts.rows[texts:texts_end],
            "words": [self._words.option(each).line for each in self.texts.rows[texts:texts_end]],
            "events": self.events.rows[events:events_end],
            "end": self.end,
            "begin": None if after else self.begin,
            "seats": [{"bot": ""} for _ in self._seats],
        }

    def _rows_at(self, step: int) -> tuple[int, int]:
        """Rows of the two tables that are there before a step."""
        if step < len(self._rows):
            return self._rows[step]
        return len(self.texts.rows), len(self.events.rows)

    def _knows(self, seat: int) -> bool:
        return self.viewer in (seat, ALL)

    def _choice(self, entry: Choice) -> None:
        seat = entry.seat
        is_asked = entry.how in (How.ANSWERED, How.LATE)
        asked = self._open.pop(seat, None)
        if asked is not None:
            asked["taken"] = entry.option
            asked["how"] = HOW[How(entry.how)]
            if is_asked:
                asked["charged_ms"] = entry.ledger.charged_ms
                asked["left_ms"] = entry.ledger.bank_ms
        if is_asked:
            self._decisions[seat] += 1
            self._banks[seat] = entry.ledger.bank_ms
        try:
            self.state.choose(seat, entry.option)
        except IllegalChoice as fault:
            raise BadJournal(f"match {self.record.match}: {fault}") from None
        before, self._position = self._position, self._look()
        change = difference(before, self._position)
        self._step(change, is_own=self._knows(seat))

    def _step(self, change: Any, is_own: bool = False) -> None:
        rows = len(self.texts.rows), len(self.events.rows)
        news = [self.events.number(event, self._told) for event in self._news()]
        asked = list(self.state.seen_asked(self.viewer))
        if self.steps and not (is_own or news or change):
            if asked == self.steps[-1]["asked"]:
                return  # nothing that this viewer may know
        step: Json = {
            "public": self._heard[PUBLIC],
            "events": news,
            "asked": asked,
            "change": change,
            "questions": [self._question(seat) for seat in self.state.asked() if self._knows(seat)],
        }
        self.steps.append(step)
        self._rows.append(rows)

    def _told(self, event: Any) -> list[Any]:
        name_and_fields = told(event)
        return [*name_and_fields, self._words.tell(name_and_fields)]

    def _question(self, seat: int) -> Json:
        """One dictionary for each question, so that its answer stands in every step that has it."""
        question = self._open.get(seat)
        if question is None:
            state = self.state
            question = self._open[seat] = {
                "seat": seat,
                "decision": self._decisions[seat] + 1,
                "kind": state.kind(seat),
                "options": [self.texts.number(each, str) for each in state.options(seat)],
                "default": state.default(seat),
                "bank_ms": self._banks[seat],
            }
        return question

    # What the viewer sees and hears

    def _look(self) -> Any:
        state = self.state
        if self.viewer != ALL:
            return {"public": state.view(self.viewer)}
        public = state.view(PUBLIC)
        views = [state.view(seat) for seat in self._seats]
        for view in views:
            if view != public:
                pairs = zip(view._fields, view, public, strict=True)
                self._own_fields |= {name for name, own, seen in pairs if own != seen}
        own = [name for name in public._fields if name in self._own_fields]
        return {
            "public": public,
            **{
                str(seat): {name: getattr(view, name) for name in own if name not in LEFT_OUT}
                for seat, view in enumerate(views)
            },
        }

    def _news(self) -> Sequence[Any]:
        heard, state = self._heard, self.state
        news = {viewer: state.events(viewer, n) for viewer, n in heard.items()}
        for viewer, new in news.items():
            heard[viewer] += len(new)
        if self.viewer != ALL:
            return news[self.viewer]
        return together(news.pop(PUBLIC), list(news.values()))


def together(public: Sequence[Any], streams: Sequence[Sequence[Any]]) -> list[Any]:
    """What all seats hear at once: of an event that is told in different words, the fuller ones."""
    if any(len(stream) != len(public) for stream in streams):
        more = dict.fromkeys(each for stream in streams for each in stream if each not in public)
        return [*more, *public]
    found: list[Any] = []
    for told_to_all, *versions in zip(public, *streams, strict=True):
        fuller = dict.fromkeys(each for each in versions if each != told_to_all)
        found += fuller or (told_to_all,)
    return found


def told(event: Any) -> list[Any]:
    """An event as its name and its fields."""
    return [type(event).__name__, plain(event)]


class Table:
    """Things that come again and again, each once."""

    def __init__(self) -> None:
        self.rows: list[Any] = []
        self._numbers: dict[tuple[type, Any], int] = {}

    def number(self, thing: Any, written: Any) -> int:
        key = (type(thing), thing)  # tuples of two kinds may be equal
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.rows)
            self.rows.append(written(thing))
        return number
