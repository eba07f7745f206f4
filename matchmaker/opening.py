"""
Hand matches to referees: what `open_match` does.

Matches go to their own referee if it is present, else to the one with most room that all their
bots attend; what one refuses, the next is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple, Protocol

import redis

from matchmaker import scripts
from matchmaker.keys import Keys
from matchmaker.moving import Moving, look
from referee.match.journal import Ending
from referee.store import presence
from referee.store.lifecycle import end_match
from referee.store.records import MatchRecord, Presence, SeatRecord, Status, unpack_record
from referee.store.scripts import packed

LOOK_HOLDS_MS = 30_000
"""A match is looked at every 10 s; after a longer gap, absence is counted from the beginning."""
APART_MS = 10_000
"""So long the bots of a planned match may be found at different referees: bots go from one to
another when theirs is lost, and a referee says within 3 s who attends."""
APART = -1
"""Stands for a seat's number where absence is noted: no bot is absent, but they are apart."""


class Answer(StrEnum):
    """What became of a match that was to be opened; the label of its metric."""

    OPENED = "opened"
    FULL = "full"
    AWAY = "away"
    """The referee is draining or has lost its store."""
    BOT_ABSENT = "bot_absent"
    WRONG_RULES = "wrong_rules"
    NOT_PLANNED = "not_planned"
    UNREACHED = "unreached"
    """The referee did not answer."""


_SETTLED = (Answer.OPENED, Answer.NOT_PLANNED)


class Wanted(NamedTuple):
    """A match to open, and whom to ask, best first."""

    moving: Moving
    record: MatchRecord
    candidates: list[str]


class Referees(Protocol):
    """The way to the referees."""

    def hand(self, referee: Presence, matches: Sequence[str]) -> list[Answer]:
        """Hand matches to one referee; one answer each, in their order."""


class Opener:
    """Opens matches; safe to run twice for any."""

    def __init__(
        self,
        connection: redis.Redis,
        keys: Keys,
        referees: Referees,
        on_answer: Callable[[str, Answer], None] = lambda match, answer: None,
    ) -> None:
        self.redis = connection
        self.keys = keys
        self.referees = referees
        self.on_answer = on_answer

    def open(self, matches: Iterable[str]) -> None:
        """Open what is planned or has lost its owner; leave the rest as it is."""
        there = presence.present(self.redis, self.keys)
        waiting = []
        for each in look(self.redis, self.keys, list(matches), there):
            if needs_owner(each):
                record = unpack_record(each.record)
                if each.status == Status.PLANNED and is_left(record, list(there.values())):
                    self._plan_anew(each, "a bot had said Goodbye before it began")
                    continue
                waiting.append(Wanted(each, record, candidates(each, record, there)))
        while waiting:
            waiting = self._ask(waiting, there)

    def _ask(self, waiting: list[Wanted], there: Mapping[str, Presence]) -> list[Wanted]:
        """Ask each match's next candidate, one call a referee; give back who must ask on."""
        by_referee: dict[str, list[Wanted]] = {}
        for wanted in waiting:
            if wanted.candidates:
                by_referee.setdefault(wanted.candidates.pop(0), []).append(wanted)
            else:
                self._nobody(wanted, there)
        refused = []
        for name, some in by_referee.items():
            answers = self.referees.hand(there[name], [wanted.moving.match for wanted in some])
            for wanted, answer in zip(some, answers):
                self.on_answer(wanted.moving.match, answer)
                if answer not in _SETTLED:
                    refused.append(wanted)
        return refused

    def _nobody(self, wanted: Wanted, there: Mapping[str, Presence]) -> None:
        """
        No referee took it: that is a `no_show` of those found absent for the start-up time.

        Absence counts from when it was first seen while a referee was there: a match may wait for
        minutes because of us, and its bots come back a moment after the referee.
        """
        moving, record = wanted.moving, wanted.record
        able = [each for each in there.values() if plays(each, record)]
        # Without a referee nobody can attend: that is nobody's fault but ours.
        nowhere = homeless(record, able) if able else []
        absent = [number for number, seat in enumerate(record.seats) if seat in nowhere]
        if moving.is_owned:
            return  # it stands still: the sweeper counts how often
        if any(is_full(each) and not missing_at(each, record) for each in able):
            self.on_answer(moving.match, Answer.FULL)  # not asked, since it has said so before
        if are_apart(record, able) and (moving.status == Status.PLAYING or not absent):
            self._part(moving, record)
            return
        if moving.status != Status.PLANNED:
            self._note(moving.match, [])
            return
        waited = self._note(moving.match, absent)
        late = {seat for seat, ms in zip(absent, waited) if ms >= record.clocks.startup_ms}
        if late:
            end_match(
                self.redis,
                self.keys,
                moving.match,
                Ending.NO_SHOW,
                epoch=moving.epoch,
                faults=tuple(
                    str(Ending.NO_SHOW) if number in late else ""
                    for number in range(len(record.seats))
                ),
                text="not at any referee within the start-up time",
            )

    def _plan_anew(self, moving: Moving, text: str) -> None:
        """Nobody is to blame."""
        end_match(
            self.redis,
            self.keys,
            moving.match,
            Ending.CANCELLED,
            epoch=moving.epoch,
            text=text,
        )

    def _part(self, moving: Moving, record: MatchRecord) -> None:
        """
        Its bots attend, but at different referees: nobody is to blame, it is planned anew.

        One that is being played waits for its grace: a line that is lost may come back.
        """
        patience = APART_MS if moving.status == Status.PLANNED else record.clocks.grace_ms
        waited = self._note(moving.match, [APART])
        if waited and waited[0] >= patience:
            self._plan_anew(moving, "its bots attend different referees")

    def _note(self, match: str, absent: Sequence[int]) -> list[int]:
        """Note who is absent now; how long each has been found so, in milliseconds."""
        waited: list[int] = self.redis.eval(
            scripts.ABSENT, 0, self.keys.prefix, match, packed(absent), LOOK_HOLDS_MS
        )
        return waited


def needs_owner(moving: Moving) -> bool:
    """Whether a match is to be handed to a referee: planned, ownerless or standing still."""
    if moving.status == Status.PLANNED:
        return True
    return moving.status == Status.PLAYING and (not moving.is_owned or moving.is_still)


def plays(referee: Presence, record: MatchRecord) -> bool:
    """Whether a referee plays a match's game by its rules and cards."""
    if referee.games.get(record.game) != record.rules:
        return False
    return "cards" in record.options or referee.cards.get(record.game, record.cards) == record.cards


def is_full(referee: Presence) -> bool:
    """Whether a referee would take matches if it had room for them."""
    return referee.room <= 0 and not referee.draining


def attends(referee: Presence, seat: SeatRecord, game: str) -> bool:
    """Whether the instance that a match was planned for attends there."""
    return any(
        stream.instance == seat.instance and game in stream.games
        for stream in referee.attending.get(seat.bot, ())
    )


def is_left(record: MatchRecord, there: Sequence[Presence]) -> bool:
    """Whether a bot of a match has said Goodbye, and the instance meant attends nowhere else."""
    seats = {(seat.bot, seat.instance) for seat in record.seats}
    stays = {
        (bot, stream.instance)
        for referee in there
        for bot, streams in referee.attending.items()
        for stream in streams
        if not stream.leaving
    }
    return any(seats.intersection(referee.left) - stays for referee in there)


def missing_at(referee: Presence, record: MatchRecord) -> list[SeatRecord]:
    """The seats of a match whose bots do not attend a referee."""
    return [seat for seat in record.seats if not attends(referee, seat, record.game)]


def homeless(record: MatchRecord, able: Iterable[Presence]) -> list[SeatRecord]:
    """The seats of a match whose bots attend none of these referees."""
    left = list(record.seats)
    for referee in able:
        missing = missing_at(referee, record)
        left = [seat for seat in left if seat in missing]
    return left


def are_apart(record: MatchRecord, able: Sequence[Presence]) -> bool:
    """Whether none of these referees has all of a match's bots that attend at all."""
    absent = homeless(record, able)
    return bool(able) and all(missing_at(each, record) != absent for each in able)


def candidates(moving: Moving, record: MatchRecord, there: Mapping[str, Presence]) -> list[str]:
    """
    List whom to ask for a match, best first: its own referee, then those that all bots attend.

    A match that is being played may also go to a referee that a bot does not attend now: the bot's
    grace runs there, and it may come back. Not so if the bot attends another: it would lose where
    it does not know that it is asked.
    """
    able = {name: referee for name, referee in there.items() if plays(referee, record)}
    absent = homeless(record, able.values())
    found: list[tuple[int, int, str]] = []
    for name, referee in able.items():
        missing = missing_at(referee, record)
        if name == moving.referee:
            found.append((0, 0, name))
        elif referee.draining or referee.room <= 0:
            continue
        elif not missing:
            found.append((1, -referee.room, name))
        elif moving.status == Status.PLAYING and missing == absent:
            found.append((2, -referee.room, name))
    return [name for _, _, name in sorted(found)]
