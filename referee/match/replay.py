"""
Play a journal again and check every word of it. Pure: what `close_match` asks before it rates.

Also the canary against leaks: real decisions are re-dealt as far as the seat cannot see, and what
would be sent then must look like what was sent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from referee import games
from referee.engine import Outcome
from referee.engine.errors import WarladderError
from referee.match import adjudicate, shown
from referee.match.adjudicate import SeatFault
from referee.match.errors import BadJournal, WrongRules
from referee.match.journal import (
    OURS,
    Choice,
    End,
    Ending,
    Entry,
    How,
    Opened,
    Out,
    Setup,
)
from referee.match.record import MatchRecord, unpack_record

CANARY_EVERY = 16
"""One decision in so many is re-dealt when a match is closed."""


@dataclass(kw_only=True)
class Verified:
    """What a journal says, and everything in it that is not so."""

    ending: str = ""
    outcome: Outcome | None = None
    """By the rules; None if they did not end the match."""
    ranks: tuple[int, ...] = ()
    """Per seat, faults reckoned in; empty if nothing was decided."""
    scores: tuple[int, ...] = ()
    reason: str = ""
    faults: tuple[str, ...] = ()
    """Per seat, empty for none."""
    sides: tuple[tuple[int, ...], ...] = ()
    digest: bytes = b""
    """Of the last state."""
    decisions: int = 0
    """Questions answered by bots."""
    choices: int = 0
    charged_ms: tuple[int, ...] = ()
    """Per seat, over the whole match."""
    defaults: tuple[int, ...] = ()
    """Per seat: late answers."""
    canaries: int = 0
    leaks: list[str] = field(default_factory=list)
    """Canaries that sang, one line each: no reason to doubt the result, but to look at once."""
    problems: list[str] = field(default_factory=list)
    """One line each; empty if the journal is right."""

    wrong: list[str] = field(default_factory=list)
    """Leaks and problems, in the order in which the journal brings them."""

    @property
    def right(self) -> bool:
        return not self.problems

    def problem(self, text: str) -> None:
        self.problems.append(text)
        self.wrong.append(text)

    def leak(self, text: str) -> None:
        self.leaks.append(text)
        self.wrong.append(text)


def read_record(entries: Sequence[Entry]) -> MatchRecord:
    """
    The match's record, from the first entry of its journal.

    Raises:
        BadJournal: The journal does not begin with one.
    """
    if not entries or not isinstance(entries[0], Setup):
        raise BadJournal("the journal does not begin with a set-up")
    return unpack_record(entries[0].record)


def check_rules(record: MatchRecord) -> None:
    """
    Raises:
        UnknownGame: The game is not here.
        WrongRules: It is, with other rules or card data.
    """
    facts = games.get(record.game).facts
    if facts.rules != record.rules:
        raise WrongRules(
            f"match {record.match} is {record.game} rules {record.rules}; here are {facts.rules}"
        )
    if "cards" not in record.options and facts.cards != record.cards:
        raise WrongRules(
            f"match {record.match} is played with card data {record.cards[:12]};"
            f" here is {facts.cards[:12]}"
        )


def verify(
    record: MatchRecord, entries: Sequence[Entry], canary_every: int = CANARY_EVERY
) -> Verified:
    """
    Play a whole journal again and compare.

    Args:
        canary_every: Re-deal one decision in so many; 0: none.

    Raises:
        WrongRules: These rules or card data cannot judge it.
    """
    check_rules(record)
    found = Verified()
    try:
        if read_record(entries) != record:
            found.problem("the set-up is not the record of the match")
        _Judge(record, found, canary_every).read(entries)
    except WarladderError as fault:
        found.problem(f"after {found.choices} choices: {fault}")
    return found


class _Judge:
    """Reads a journal beside a state of its own."""

    def __init__(self, record: MatchRecord, found: Verified, canary_every: int) -> None:
        self.record = record
        self.found = found
        self.canary_every = canary_every
        self.game = games.get(record.game)
        seats = len(record.seats)
        self.state = self.game.start(
            seats=seats,
            seed=record.seed,
            setting=record.setting,
            options=record.options,
            events=False,
        )
        found.sides = self.state.sides
        self.banks = [record.clocks.bank_ms] * seats
        self.charged = [0] * seats
        self.late: Counter[int] = Counter()
        self.faults: list[SeatFault] = []
        self.epoch = 0

    def read(self, entries: Sequence[Entry]) -> None:
        found = self.found
        end: End | None = None
        for number, entry in enumerate(entries):
            if end is not None:
                found.problem(f"entry {number} stands after the end")
                break
            if isinstance(entry, Choice):
                self.choice(entry)
            elif isinstance(entry, Out):
                self.faults.append(SeatFault(entry.seat, Ending(entry.ending)))
            elif isinstance(entry, Opened):
                if entry.epoch <= self.epoch:
                    found.problem(f"epoch {entry.epoch} follows {self.epoch}")
                self.epoch = entry.epoch
            elif isinstance(entry, End):
                end = entry
        found.digest = self.state.digest()
        found.charged_ms = tuple(self.charged)
        found.defaults = tuple(self.late[seat] for seat in range(len(self.banks)))
        if end is None:
            found.problem("the journal has no end")
        else:
            self.end(end)

    def choice(self, entry: Choice) -> None:
        found, state, seat = self.found, self.state, entry.seat
        if entry.digest and entry.digest_at == found.choices and entry.digest != state.digest():
            found.problem(f"digest after {found.choices} choices is another")
        if entry.how != How.ANSWERED and seat in state.asked():
            if entry.option != state.default(seat):
                found.problem(f"choice {found.choices + 1} is not the default")
        if entry.sent and self.canary_every and found.choices % self.canary_every == 0:
            self.canary(entry)
        state.choose(seat, entry.option)
        found.choices += 1
        if entry.how == How.ANSWERED:
            found.decisions += 1
        if entry.how in (How.ANSWERED, How.LATE):
            self.clock(entry)
        self.late[seat] += entry.how == How.LATE

    def clock(self, entry: Choice) -> None:
        ledger, seat = entry.ledger, entry.seat
        self.charged[seat] += ledger.charged_ms
        added = self.record.clocks.increment_ms if entry.how == How.ANSWERED else 0
        bank = max(0, self.banks[seat] - ledger.charged_ms) + added
        if bank != ledger.bank_ms:
            self.found.problem(
                f"choice {self.found.choices}: the bank of seat {seat} has {ledger.bank_ms} ms"
                f" in the journal, {bank} ms by its charges"
            )
        self.banks[seat] = ledger.bank_ms

    def canary(self, entry: Choice) -> None:
        """Re-deal what the seat cannot see: what it is shown must not change."""
        found, state, seat = self.found, self.state, entry.seat
        if seat not in state.asked():
            return
        found.canaries += 1
        if self.shown(state, entry) != entry.sent:
            found.leak(f"choice {found.choices + 1}: what was sent is not what is there")
            return
        chance = sha256(f"{self.record.seed}|canary|{found.choices}".encode()).hexdigest()
        twin = state.redeal(seat, chance)
        if self.shown(twin, entry) != entry.sent:
            found.leak(f"choice {found.choices + 1}: seat {seat} was shown what it cannot know")

    def shown(self, state: Any, entry: Choice) -> bytes:
        wire, seat = self.game.wire, entry.seat
        labels = bool(entry.detail & shown.LABELS)
        view = shown.view_bytes(wire, state.view(seat)) if entry.detail & shown.VIEW else None
        options = [shown.option_bytes(wire, option, labels) for option in state.options(seat)]
        return shown.shown_hash(view, options)

    def end(self, end: End) -> None:
        found = self.found
        found.ending, found.ranks = end.ending, end.ranks
        found.scores, found.reason, found.faults = end.scores, end.reason, end.faults
        ending = Ending(end.ending)
        if ending in OURS or (ending is Ending.NO_SHOW and not end.digest):
            return
        outcome = self.state.outcome()
        found.outcome = outcome if ending is Ending.NORMAL else None
        wanted_ranks: tuple[int, ...] = ()
        wanted_scores: tuple[int, ...] = ()
        wanted_reason = ""
        if ending is Ending.NORMAL:
            if outcome is None:
                found.problem("the end is normal, but the rules have not ended it")
            else:
                wanted_ranks = adjudicate.ranks(found.sides, self.faults, outcome)
                wanted_scores, wanted_reason = outcome.scores, outcome.reason
        elif ending is not Ending.NO_SHOW:
            wanted_ranks = adjudicate.ranks(found.sides, self.faults, None)
        wanted: dict[str, Any] = {
            "ranks": wanted_ranks,
            "scores": wanted_scores,
            "reason": wanted_reason,
            "faults": adjudicate.texts(len(self.banks), self.faults),
            "digest": found.digest,
        }
        for name, value in wanted.items():
            there = getattr(end, name)
            if there != value:
                found.problem(f"the end's {name}: {there!r}, by the rules {value!r}")
