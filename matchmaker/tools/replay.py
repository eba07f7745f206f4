"""Read and check the file of a closed match: `warladder replay show` and `replay verify`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from matchmaker import output
from matchmaker.archive import read_replay
from matchmaker.errors import WrongUse
from matchmaker.viewing.course import told
from matchmaker.viewing.plain import plain
from matchmaker.viewing.screen import Screen
from matchmaker.viewing.table import Table, components_of
from referee import games
from referee.match import replay
from referee.match.journal import (
    Begun,
    Choice,
    End,
    Entry,
    Faulted,
    How,
    Left,
    Opened,
    Order,
    Out,
    unpack_journal,
)
from referee.match.record import MatchRecord

HOW = {
    How.ANSWERED: "",
    How.LATE: " (late: the default)",
    How.PLAYED_ON: " (played on)",
    How.STANDING: " (standing order)",
}


def verify(file: Path, json: bool) -> int:
    """
    Play a replay again and compare; without a server.

    Returns:
        0 if every word of it is right, else 1.
    """
    record, entries = read(file)
    found = replay.verify(record, entries, canary_every=1)
    wrong = found.wrong
    if json:
        print(
            output.document(
                "replay verify",
                not wrong,
                match=record.match,
                game=record.game,
                ending=found.ending,
                ranks=found.ranks,
                scores=found.scores,
                reason=found.reason,
                choices=found.choices,
                digest=found.digest.hex(),
                commitment=record.commitment.hex(),
                problems=wrong,
            )
        )
        return 1 if wrong else 0
    print(f"match {record.match} of {record.game}: {summary(record, found.ending, found.ranks)}")
    print(f"seed {record.seed!r} keeps the commitment {record.commitment.hex()}")
    print(f"{found.choices} choices, last state {found.digest.hex()}")
    for k, line in enumerate(wrong):
        print(f"{'also' if k else 'first'} wrong: {output.harmless(line)}")
    print("right" if not wrong else f"{len(wrong)} faults")
    return 1 if wrong else 0


def show(file: Path, seat: int | None, json: bool, tables: bool = False) -> int:
    """
    Tell the course of a match: all of it, or what one seat knew.

    Args:
        tables: Draw the table at each turn, as that seat or the public saw it; not in JSON.
    """
    record, entries = read(file)
    if seat is not None and not 0 <= seat < len(record.seats):
        raise WrongUse(f"--seat {seat}: the match has the seats 0 to {len(record.seats) - 1}")
    replay.check_rules(record)
    lines = course(record, entries, seat)
    if json:
        print(
            output.document(
                "replay show",
                True,
                match=record.match,
                game=record.game,
                seats=[each.bot for each in record.seats],
                lines=list(lines),
            )
        )
    else:
        print(f"match {record.match} of {record.game}")
        for number, each in enumerate(record.seats):
            print(output.harmless(f"seat {number}: {each.bot} {each.version}".rstrip()))
        if tables:
            sys.stdout.flush()
            lines = course(record, entries, seat, draw)
        for line in lines:
            print(output.harmless(line))
    return 0


def draw(table: Table) -> None:
    Screen(output.screen(), table).draw()


def read(file: Path) -> tuple[MatchRecord, list[Entry]]:
    entries = unpack_journal(read_replay(file).journal)
    return replay.read_record(entries), entries


def course(
    record: MatchRecord,
    entries: list[Entry],
    seat: int | None,
    on_turn: Callable[[Table], None] | None = None,
) -> Iterator[str]:
    """
    One line for each thing that happened, as this viewer may know it; None sees all choices.

    Args:
        on_turn: Called where a turn begins, with the table as the viewer sees it.
    """
    state: Any = games.get(record.game).start(
        seats=len(record.seats),
        seed=record.seed,
        setting=record.setting,
        options=record.options,
    )
    viewer = games.PUBLIC if seat is None else seat
    known = record.game, len(record.seats), viewer, components_of(record.game, record.cards)
    table, options = Table(*known), Table(*known)  # the second is never shown a view
    heard, turn = 0, ""
    for entry in entries:
        news = state.events(viewer, heard)
        heard += len(news)
        yield from (f"    {table.tell(told(event))}" for event in news)
        if on_turn is not None:
            before = turn
            table.view, table.asked = plain(state.view(viewer)), state.seen_asked(viewer)
            turn = table.turn()
            if turn != before:
                on_turn(table)
        if isinstance(entry, Choice):
            if seat in (None, entry.seat):
                yield choice(state, entry, options)
                yield from spent(entry)
            state.choose(entry.seat, entry.option)
        else:
            yield from remark(record, entry)


def choice(state: Any, entry: Choice, table: Table) -> str:
    """What was taken, in the game's words; in brackets as programs know it."""
    kind = state.kind(entry.seat)
    text = str(state.options(entry.seat)[entry.option])
    said = table.option(text).line
    option = said if said == text else f"{said} [{text}]"
    note = f" — {entry.note}" if entry.note else ""
    return f"seat {entry.seat} {kind}: {option}{HOW[How(entry.how)]}{note}"


def spent(entry: Choice) -> Iterator[str]:
    """Where a decision's time went, in milliseconds; nothing of a choice that nobody was asked."""
    if entry.how not in (How.ANSWERED, How.LATE):
        return
    ledger = entry.ledger
    parts = [
        f"charged {ledger.charged_ms}",
        f"with the bot {ledger.elapsed_us / 1000:.1f}",
        f"in the referee {ledger.waited_us / 1000:.1f}",
        *([f"without a stream {ledger.away_us / 1000:.1f}"] if ledger.away_us else []),
        f"credited {ledger.delay_us / 1000:.1f} for the referee's delay"
        f" and {ledger.ping_us / 1000:.1f} for the line",
        f"bank {ledger.bank_ms}",
    ]
    yield f"    ms: {', '.join(parts)}"


def remark(record: MatchRecord, entry: Entry) -> Iterator[str]:
    """What a journal says besides choices."""
    match entry:
        case Opened():
            yield f"opened by {entry.referee}"
        case Begun():
            yield "all seats are ready"
        case Order():
            yield f"seat {entry.seat} passes {entry.window}: {'on' if entry.on else 'off'}"
        case Faulted():
            yield f"seat {entry.seat} is told of {entry.code}"
        case Left():
            yield f"seat {entry.seat} {'is back' if entry.back else 'has left'}"
        case Out():
            yield f"seat {entry.seat} is out: {entry.ending} {entry.text}".rstrip()
        case End():
            yield f"end: {summary(record, entry.ending, entry.ranks, entry.reason)}"


def summary(record: MatchRecord, ending: str, ranks: tuple[int, ...], reason: str = "") -> str:
    """How it ended, and who came where."""
    places = ", ".join(
        f"{seat.bot} {rank}." for seat, rank in zip(record.seats, ranks, strict=False)
    )
    return " ".join(word for word in (ending, reason, f"({places})" if places else "") if word)
