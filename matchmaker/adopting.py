"""
Take a whole results log into an empty ladder: from an export, or with all else from a backup.

What is old goes to the archive first, where it is found by its digest alone; then one script puts
everything into Redis or nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any

import redis

from matchmaker import operator_scripts
from matchmaker.archive import Archive, Segment
from matchmaker.entries import BotAdded, Result, RulesSet, Season, Void, digest
from matchmaker.errors import WrongUse
from matchmaker.fold import whole
from matchmaker.keys import Keys
from matchmaker.log import (
    RESULTS_OF_A_BOT,
    Log,
    Logged,
    Position,
    Receipt,
    chain,
    places_of,
)
from matchmaker.rater import SEGMENT, TAIL, documents
from referee.store.scripts import packed

Stored = tuple[str, str, Any]
"""A key as it is stored: its name without the namespace, its type, its value as a flat list."""


class NotEmpty(WrongUse):
    """Something has happened in the ladder that was to take in another one's log."""


def check_empty(connection: redis.Redis, keys: Keys) -> int:
    """
    Tell the position of an empty ladder's log: rating rules may stand in it, nothing else.

    Raises:
        NotEmpty: Something has happened there.
    """
    log = Log(connection, keys)
    is_used = connection.exists(keys.number, keys.bots, keys.log_base, keys.audit)
    entries = log.tail(0)
    if is_used or not all(isinstance(each.entry, RulesSet) for each in entries):
        raise NotEmpty(
            f"the ladder {keys.namespace!r} is not empty; start `warladder up` with a new"
            " WARLADDER_HOME, or set another WARLADDER_NAMESPACE with an archive of its own"
        )
    return log.position()


def adopt(
    connection: redis.Redis,
    keys: Keys,
    archive: Archive,
    entries: Sequence[Logged],
    stored: Iterable[Stored],
    *,
    command: str,
    by: str,
    why: str,
) -> Position:
    """
    Put a log and other keys into an empty ladder, with the tables that follow from the log.

    Returns:
        Where the log ends, with the chain there.

    Raises:
        NotEmpty: Something has happened in the ladder, or its archive has parts of another log.
    """
    expected = check_empty(connection, keys)
    at = chain(Position(), entries)
    cut = max(0, (len(entries) - TAIL) // SEGMENT * SEGMENT)
    base = _put_parts(archive, entries[:cut])
    fold = whole(each.entry for each in entries)
    tail = entries[cut:]
    body = {
        "position": str(at.position),
        "base": [str(base.position), base.head.hex()],
        "tail": [[str(each.position), str(each.at_ms), each.data] for each in tail],
        "receipts": _receipts(tail),
        "tables": documents(fold, at),
        "keys": [list(each) for each in stored],
    }
    arguments = (keys.prefix, expected, command, by, why, packed(body))
    if not connection.eval(operator_scripts.ADOPT, 0, *arguments):
        raise NotEmpty(f"something has happened in the ladder {keys.namespace!r} meanwhile")
    return at


def _put_parts(archive: Archive, entries: Sequence[Logged]) -> Position:
    """
    Put the older part of a log into the archive.

    Raises:
        NotEmpty: There are parts of another log.
    """
    known = dict(archive.segment_names())
    parts, at = {}, Position()
    for begin in range(0, len(entries), SEGMENT):
        some = entries[begin : begin + SEGMENT]
        at = chain(at, some)
        segment = Segment(tuple((e.position, e.at_ms, e.data) for e in some), at.head)
        parts[f"{some[0].position:012}-{some[-1].position:012}"] = segment
    if not known.keys() <= parts.keys():
        raise NotEmpty(
            f"the archive {archive.folder} has parts of another log; set WARLADDER_ARCHIVE to an"
            " empty folder"
        )
    for segment in parts.values():
        archive.put_segment(segment)
        places = places_of(Logged(*row) for row in segment.entries)
        if places:
            archive.put_places(places)
    return at


def _receipts(entries: Iterable[Logged]) -> list[str]:
    flat: list[str] = []
    for logged in entries:
        entry = logged.entry
        if isinstance(entry, Result):
            receipt = Receipt(logged.position, digest(logged.data))
            flat += [entry.match, f"{receipt.position}:{receipt.digest}"]
    return flat


def keys_of(entries: Iterable[Logged]) -> list[Stored]:
    """
    Give what a ladder keeps beside its log, as far as the log says it: for a log that comes alone.

    Match numbers go on behind the last one; names stay their authors', though nobody has a token.
    """
    number = 0
    owners: dict[str, str] = {}
    voids: dict[str, int] = {}
    seasons: dict[str, int] = {}
    results: dict[str, deque[str]] = {}
    for logged in entries:
        entry = logged.entry
        if isinstance(entry, Result):
            number = max(number, entry.number)
            for seat in entry.seats:
                results.setdefault(seat.bot, deque(maxlen=RESULTS_OF_A_BOT)).appendleft(
                    str(logged.position)
                )
        elif isinstance(entry, BotAdded):
            owners[entry.bot] = entry.author
        elif isinstance(entry, Void):
            voids.setdefault(entry.match, logged.position)
        elif isinstance(entry, Season):
            number = max(number, entry.number)
            seasons.setdefault(f"{entry.game} {entry.name}", logged.position)
    found: list[Stored] = [("number", "string", str(number))]
    found += [(f"bot:{bot}", "hash", ["owner", author]) for bot, author in owners.items()]
    found += [(f"results:{bot}", "list", list(some)) for bot, some in results.items()]
    for name, values in (("voids", voids), ("seasons", seasons)):
        if values:
            flat = [text for pair in values.items() for text in map(str, pair)]
            found.append((name, "hash", flat))
    return found
