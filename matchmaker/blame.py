"""
What happened to a bot: how each match of it ended and through whom, every fault, late answer and
absence in it, and every change of its entry. From the results log, the archive and the registry.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from matchmaker import closed, registry
from matchmaker.archive import Archive
from matchmaker.connection import Ladder
from matchmaker.entries import Result, Standing, Void, Why
from matchmaker.log import Logged
from referee.engine.errors import WarladderError
from referee.match.journal import Choice, End, Entry, Faulted, How, Left, Out, unpack_journal
from referee.match.record import MatchRecord
from referee.match.replay import read_record

OURS = frozenset({Why.REFEREE_FAULT, Why.STALLED, Why.CANCELLED, Why.UNVERIFIED})


@dataclass(frozen=True, kw_only=True)
class Happening:
    """One line of a bot's log."""

    at_ms: int
    """When it was written down, by the store's clock."""
    what: str
    """`match`, or what was done to the bot's entry: `added`, `paused`, `resumed`, ..."""
    text: str
    match: str = ""
    ending: str = ""
    blame: str = ""
    """Of a match: `you`, `another`, `server`, or empty if nobody is to blame."""
    details: tuple[str, ...] = ()
    """What led to it: faults, late answers, absences, with limit and use."""

    @property
    def when(self) -> str:
        return datetime.fromtimestamp(self.at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")


def of(ladder: Ladder, bot: str, matches: int) -> list[Happening]:
    """
    Tell a bot's last matches and what was done to its entry, oldest first.

    Raises:
        WrongUse: There was never such a bot.
    """
    changes = registry.history(ladder.redis, bot, namespace=ladder.namespace)
    if not changes:
        registry.find(ladder.redis, bot, namespace=ladder.namespace)
    archive = closed.archive_of(ladder)
    found = [
        Happening(
            at_ms=int(each["at_ms"]),
            what=str(each["what"]),
            text=": ".join(filter(None, (str(each["what"]), str(each.get("text") or "")))),
        )
        for each in changes
    ]
    for logged, result in last_of(ladder, bot, matches):
        found.append(told(logged.at_ms, result, bot, archive))
    return sorted(found, key=lambda each: each.at_ms)


def last_of(ladder: Ladder, bot: str, matches: int) -> Sequence[tuple[Logged, Result]]:
    """The last results of a bot as they count now; without an archive, those of the log's tail."""
    found, voided = [], set()
    for logged in closed.log_of(ladder):
        entry = logged.entry
        if isinstance(entry, Void):
            voided.add(entry.match)
        elif isinstance(entry, Result) and any(seat.bot == bot for seat in entry.seats):
            found.append((logged, entry))
    return [
        (logged, taken_out(result) if result.match in voided else result)
        for logged, result in found[-matches:]
    ]


def taken_out(result: Result) -> Result:
    """A result as it counts after an operator's word."""
    return replace(result, standing=Standing.VOID, why=Why.OPERATOR)


def told(at_ms: int, result: Result, bot: str, archive: Archive | None) -> Happening:
    """One match as its bot's author reads it."""
    own = [number for number, seat in enumerate(result.seats) if seat.bot == bot]
    others = ", ".join(seat.bot for seat in result.seats if seat.bot != bot)
    words = [f"{result.game} as seat {own[0]} against {others}: {result.ending}"]
    if result.reason:
        words.append(f"({result.reason})")
    if result.ranks:
        words.append(f"rank {result.ranks[own[0]]} of {len(result.seats)}")
    if result.standing is not Standing.RATED:
        words.append(f"{result.standing.value}: {result.why.value}")
    if result.attempt > 1:
        words.append(f"played anew for the {result.attempt - 1}. time")
    if any(result.faults[seat] for seat in own):
        blame = "you"
    elif any(result.faults):
        blame = "another"
    else:
        blame = "server" if result.why in OURS else ""
    return Happening(
        at_ms=at_ms,
        what="match",
        text=", ".join(words).replace(", (", " ("),
        match=result.match,
        ending=result.ending,
        blame=blame,
        details=tuple(details(result, own, archive)),
    )


def details(result: Result, own: Sequence[int], archive: Archive | None) -> Iterator[str]:
    """What the match's journal says of these seats beside their choices."""
    if archive is None or not result.archive:
        return
    try:
        entries = unpack_journal(archive.replay(result.archive).journal)
        record = read_record(entries)
    except WarladderError as fault:
        yield f"its replay cannot be read: {fault}"
        return
    decisions = dict.fromkeys(own, 0)
    lates = dict.fromkeys(own, 0)
    for entry in entries:
        if isinstance(entry, End):
            if entry.text:
                yield f"the server: {entry.text}"
        elif isinstance(entry, Choice | Faulted | Left | Out) and entry.seat in decisions:
            if isinstance(entry, Choice) and entry.how in (How.ANSWERED, How.LATE):
                decisions[entry.seat] += 1
                lates[entry.seat] += entry.how == How.LATE
            yield from detail(record, entry, decisions[entry.seat], lates[entry.seat])


def detail(record: MatchRecord, entry: Entry, decision: int, lates: int) -> Iterator[str]:
    clocks = record.clocks
    match entry:
        case Choice(how=How.LATE):
            yield (
                f"decision {decision}: late, {entry.ledger.elapsed_us // 1000} ms since it was"
                f" sent, cap {clocks.cap_ms} ms, bank {entry.ledger.bank_ms} ms left;"
                f" the default was taken, the {lates}. of 10"
            )
        case Faulted():
            open_ = f"decision {entry.decision}: " if entry.decision else ""
            yield f"{open_}told of {entry.code} (after {decision} decisions)"
        case Left(back=False):
            yield f"the stream was lost after decision {decision}, grace {clocks.grace_ms} ms"
        case Left(back=True):
            yield f"back after decision {decision}"
        case Out():
            yield f"out: {entry.text or entry.ending}"


def fields(happening: Happening) -> dict[str, Any]:
    """As JSON shows it."""
    return {
        "at_ms": happening.at_ms,
        "what": happening.what,
        "text": happening.text,
        "match": happening.match,
        "ending": happening.ending,
        "blame": happening.blame,
        "details": list(happening.details),
    }
