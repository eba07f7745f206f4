"""
Judge a run by what it left: the results log, the archive, and what each bot wrote down.

Nothing here asks a process of the run, and no key of a running match is read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from matchmaker.archive import Archive
from matchmaker.closing import result_of
from matchmaker.entries import Result, Standing
from matchmaker.log import Logged
from matchmaker.tools.chaos.faults import BOT, CUT, DELAY, STOP
from matchmaker.tools.chaos.stage import Done
from matchmaker.tools.chaos.transcript import event_hash
from referee import games
from referee.engine.errors import WarladderError
from referee.match import replay
from referee.match.journal import OURS, Choice, Ending, Entry, How, Opened, Out, unpack_journal
from referee.match.record import Clocks, MatchRecord
from referee.match.shown import event_bytes

Lines = Sequence[Mapping[str, Any]]

BY_HARM = frozenset({Ending.DISCONNECTED, Ending.TIMEOUT, Ending.NO_SHOW})
"""What harm to a bot can make of it; no harm makes it answer wrongly or resign."""
RETURN_MS = 3_000
"""So long after its fault a bot has dialled in again: a process starts, and waits twice."""
LOOKS_MS = 30_000
"""An absent bot is looked for each 10 s, from when a referee was there to come to."""
LEAST_RESUMED = 0.95
ENOUGH = 20
"""So many matches must have changed hands before their share says anything."""
FEW = 1
"""Of fewer, so many may fall to what voids a match by intent, as a third referee lost."""


@dataclass(kw_only=True)
class Verdict:
    """What was found; each list has one line for each finding."""

    matches: int = 0
    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    unjust: list[str] = field(default_factory=list)
    unverified: list[str] = field(default_factory=list)
    disagreements: list[str] = field(default_factory=list)
    resumed: int = 0
    """Matches that another owner took over and that went on to their end."""
    restarted: list[str] = field(default_factory=list)
    """Matches that did not: void after a referee had them, by our fault, and played anew."""
    endings: Counter[str] = field(default_factory=Counter)
    voids: list[str] = field(default_factory=list)

    @property
    def is_resumption_enough(self) -> bool:
        """Whether as many matches of lost referees went on as should."""
        handed = self.resumed + len(self.restarted)
        if handed < ENOUGH:
            return len(self.restarted) <= FEW
        return self.resumed >= LEAST_RESUMED * handed

    @property
    def ok(self) -> bool:
        return not self.faults

    @property
    def faults(self) -> list[str]:
        """Everything that is wrong, a line each."""
        not_resumed = [] if self.is_resumption_enough else self.restarted
        return [
            *(f"lost: {line}" for line in self.lost),
            *(f"doubled: {line}" for line in self.doubled),
            *(f"unjust forfeit: {line}" for line in self.unjust),
            *(f"unverified: {line}" for line in self.unverified),
            *(f"transcript: {line}" for line in self.disagreements),
            *(f"not resumed: {line}" for line in not_resumed),
        ]


class Checker:
    """Reads results one after the other."""

    def __init__(
        self,
        archive: Archive,
        transcripts: Mapping[str, Mapping[str, Lines]],
        harm: Iterable[Done],
    ) -> None:
        """
        Args:
            transcripts: By bot, then by match.
            harm: What was done to whom.
        """
        self.archive = archive
        self.transcripts = transcripts
        self.harm = [each for each in harm if each.role == BOT]
        self.found = Verdict()

    def check(self, log: Iterable[Logged], still_open: Iterable[str]) -> Verdict:
        found = self.found
        results: dict[str, Result] = {}
        for logged in log:
            entry = logged.entry
            if not isinstance(entry, Result):
                continue
            if entry.match in results:
                found.doubled.append(f"match {entry.match} has two results")
            results[entry.match] = entry
            found.endings[entry.ending] += 1
            self._result(entry, logged.at_ms)
        found.matches = len(results)
        self._lost(results, still_open)
        return found

    def _lost(self, results: Mapping[str, Result], still_open: Iterable[str]) -> None:
        numbers = Counter(each.number for each in results.values())
        for number in range(1, max(numbers, default=0) + 1):
            if not numbers[number]:
                self.found.lost.append(f"match number {number} has no result")
            elif numbers[number] > 1:
                self.found.doubled.append(f"{numbers[number]} results of match number {number}")
        known = {match for matches in self.transcripts.values() for match in matches}
        for match in sorted({*known, *still_open} - set(results)):
            self.found.lost.append(f"match {match} never ended")

    def _result(self, result: Result, at_ms: int) -> None:
        found, match = self.found, result.match
        try:
            entries = unpack_journal(self.archive.replay(result.archive).journal)
            record = replay.read_record(entries)
            verified = replay.verify(record, entries)
        except WarladderError as fault:
            found.unverified.append(f"match {match}: {fault}")
            return
        problems = [*verified.problems, *verified.leaks]
        if not problems and result_of(record, verified, result.archive) != result:
            problems.append("the result is not what the journal gives")
        if problems:
            found.unverified.append(f"match {match}: {'; '.join(problems[:3])}")
        owners = sum(isinstance(entry, Opened) for entry in entries)
        void = result.standing is Standing.VOID
        if void:
            found.voids.append(
                f"match {match}: {result.ending}, {getattr(entries[-1], 'text', '')}"
            )
        if owners > 1 and not void:
            found.resumed += 1
        elif owners > 1 or (owners and void and result.ending != Ending.STALLED):
            # With one owner too: the sweeper ends a match without another.
            found.restarted.append(found.voids[-1])
        self._agree(result, record, entries)
        self._just(result, record, entries, at_ms)

    # Forfeits

    def _just(
        self, result: Result, record: MatchRecord, entries: Sequence[Entry], at_ms: int
    ) -> None:
        """A seat's fault is just only if what was done to its bot can have led to it."""
        told_ms = [
            line["at_ms"]
            for seat in result.seats
            for line in self._lines(seat.bot, result.match)
            if line["what"] == "ended"
        ]
        ended_ms = min([*told_ms, at_ms])
        for number, (seat, fault) in enumerate(zip(result.seats, result.faults, strict=True)):
            if fault and not any(
                can_lead_to(each, fault, ended_ms, record.clocks)
                for each in self.harm
                if each.name == seat.bot
            ):
                texts = [
                    each.text for each in entries if isinstance(each, Out) and each.seat == number
                ]
                self.found.unjust.append(
                    f"match {result.match}: {seat.bot}: {'; '.join(filter(None, texts)) or fault}"
                )

    # Transcripts

    def _lines(self, bot: str, match: str) -> Lines:
        return self.transcripts.get(bot, {}).get(match, ())

    def _agree(self, result: Result, record: MatchRecord, entries: Sequence[Entry]) -> None:
        """What each bot got and answered is what the journal says."""
        void = Ending(result.ending) in OURS
        streams = told(record, entries)
        for number, seat in enumerate(result.seats):
            lines = self._lines(seat.bot, result.match)
            where = f"match {result.match}, seat {number} ({seat.bot})"
            wrong = [
                *events_differ(lines, streams[number], void),
                *choices_differ(lines, entries, number, void),
                *end_differs(lines, result),
            ]
            self.found.disagreements += [f"{where}: {line}" for line in wrong[:3]]


def can_lead_to(done: Done, fault: str, at_ms: int, clocks: Clocks) -> bool:
    """
    Tell whether what was done to a bot can have brought a fault about.

    It acts from its beginning until the bot is back and the clocks that ran are over: the grace
    and the cap of one question, or the start-up time of one that did not come.

    Args:
        at_ms: When the seat was charged with the fault.
    """
    if fault not in BY_HARM:
        return False
    lasted_ms = done.end_ms - done.begin_ms
    if done.kind == STOP and lasted_ms < clocks.cap_ms:
        return False  # a pause within the cap passes no limit
    if done.kind in (CUT, DELAY) and lasted_ms <= clocks.grace_ms:
        return False
    if fault == Ending.NO_SHOW:
        limit_ms = clocks.startup_ms + LOOKS_MS
    else:
        limit_ms = clocks.grace_ms + clocks.cap_ms
    return done.begin_ms <= at_ms <= done.end_ms + RETURN_MS + limit_ms


def told(record: MatchRecord, entries: Sequence[Entry]) -> list[list[str]]:
    """Per seat, a hash of each event that it may know of, by the journal."""
    game = games.get(record.game)
    state: Any = game.start(
        seats=len(record.seats),
        seed=record.seed,
        setting=record.setting,
        options=record.options,
        events=True,
    )
    for entry in entries:
        if isinstance(entry, Choice):
            state.choose(entry.seat, entry.option)
    return [
        [event_hash(event_bytes(game.wire, event)) for event in state.events(seat, 0)]
        for seat in range(len(record.seats))
    ]


def events_differ(lines: Lines, stream: Sequence[str], void: bool) -> Iterable[str]:
    for line in lines:
        hashes = line.get("events") or []
        first = line.get("last", 0) - len(hashes)
        for number, hashed in enumerate(hashes, first):
            if number >= len(stream):
                if not void:
                    yield f"event {number + 1} was shown, the journal has {len(stream)}"
            elif stream[number] != hashed:
                yield f"event {number + 1} was another than the journal gives"


def choices_differ(lines: Lines, entries: Sequence[Entry], seat: int, void: bool) -> Iterable[str]:
    answers: dict[int, set[int]] = {}
    asked = 0
    for line in lines:
        if line["what"] == "choose":
            answers.setdefault(line["decision"], set()).add(line["option"])
        elif line["what"] == "decide":
            asked = max(asked, line["decision"])
    number = 0
    for entry in entries:
        if not isinstance(entry, Choice) or entry.seat != seat:
            continue
        if entry.how not in (How.ANSWERED, How.LATE):
            continue
        number += 1
        if entry.how == How.ANSWERED and entry.option not in answers.get(number, ()):
            said = sorted(answers.get(number, ()))
            yield f"decision {number} is {entry.option} in the journal, the bot said {said}"
    if asked > number + 1 and not void:
        yield f"decision {asked} was put, the journal has {number}"


def end_differs(lines: Lines, result: Result) -> Iterable[str]:
    for line in lines:
        if line["what"] != "ended":
            continue
        ending = line["ending"].removeprefix("ENDING_").lower()
        if ending != result.ending:
            yield f"told of the end {ending}, the result says {result.ending}"
        elif line["ranks"] and tuple(line["ranks"]) != result.ranks:
            yield f"told of the ranks {line['ranks']}, the result says {list(result.ranks)}"
