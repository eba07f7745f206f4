"""Is the results log of a ladder whole? Walks its chain and names the first broken place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

import msgpack
import redis

from matchmaker.archive import Archive, BadFile
from matchmaker.entries import BadEntry, Result, digest, link
from matchmaker.keys import Keys
from matchmaker.log import AT_ONCE, BrokenChain, Log, Logged, Position, Receipt, summed
from referee.store.plainly import as_bytes

AGAIN = 3
"""Looks at a log whose older part moves to the archive meanwhile."""
HERE = "the results log"


class Published(NamedTuple):
    """A head of the chain that stands somewhere else too."""

    position: int
    head: str
    by: str


def verify(connection: redis.Redis, keys: Keys, archive: Archive) -> Position:
    """
    Walk the whole log.

    Returns:
        Where it ends, with the chain there.

    Raises:
        BrokenChain: An entry is missing or changed, a part of the archive is damaged, or a
            published head is another.
    """
    log = Log(connection, keys)
    for _ in range(AGAIN):
        base = log.base()
        try:
            return _verify(log, archive, base)
        except BrokenChain:
            if log.base() == base:
                raise
    return _verify(log, archive, log.base())


def _verify(log: Log, archive: Archive, base: Position) -> Position:
    published = _published(log)  # before the position: they never are ahead of the log
    last = log.position()
    at = Position()
    for logged in chain(_archived(archive, base), _tail(log, base, last)):
        if logged.position != at.position + 1:
            what = f"missing: the next is entry {logged.position}"
            raise BrokenChain(HERE, at.position + 1, what)
        at = Position(logged.position, link(at.head, logged.at_ms, logged.data))
        for each in published.get(at.position, ()):
            if each.head != at.head.hex():
                what = (
                    f"wrong head: {each.by} has {each.head[:16]}…, the chain {at.head.hex()[:16]}…"
                )
                raise BrokenChain(HERE, at.position, what)
    if at.position != last:
        raise BrokenChain(HERE, at.position + 1, f"missing: {last} were appended")
    for position in sorted(published):
        if position > at.position:
            what = f"missing: {published[position][0].by} holds for entry {position}"
            raise BrokenChain(HERE, at.position + 1, what)
    return at


def _archived(archive: Archive, base: Position) -> Iterator[Logged]:
    """The entries that are in the archive alone, each part checked by its own head."""
    at = Position()
    for name, digest_ in archive.segment_names():
        if at.position >= base.position:
            return
        where = f"the part {name} of the archive"
        try:
            segment = archive.segment(digest_)
        except BadFile as fault:
            what = f"{where} is missing or damaged: {fault}"
            raise BrokenChain(HERE, at.position + 1, what) from None
        for row in segment.entries:
            logged = Logged(*row)
            if logged.position <= at.position:
                continue  # parts may overlap
            if logged.position > base.position:
                return
            if logged.position == at.position + 1:  # a gap is named by who asks
                at = Position(logged.position, link(at.head, logged.at_ms, logged.data))
            yield logged
        if at.position == segment.entries[-1][0] and at.head != segment.head:
            what = f"wrong head: {where} ends with another than the chain"
            raise BrokenChain(HERE, at.position, what)


def _tail(log: Log, base: Position, last: int) -> Iterator[Logged]:
    """The entries in Redis, each checked by its sum and a result by its receipt."""
    after = base.position
    while after < last:
        rows = as_bytes(log.redis.xrange(log.keys.log, f"{after + 1}-0", f"{last}-0", AT_ONCE))
        if not rows:
            return
        found = [summed(row) for row in rows]
        for logged, is_right in found:
            if not is_right:
                raise BrokenChain(HERE, logged.position, "its bytes are changed: another check sum")
        yield from _with_receipts(log, [logged for logged, _ in found])
        after = found[-1][0].position


def _with_receipts(log: Log, entries: list[Logged]) -> Iterator[Logged]:
    results: dict[str, Logged] = {}
    for logged in entries:
        try:
            entry = logged.entry
        except BadEntry as fault:
            raise BrokenChain(HERE, logged.position, f"cannot be read: {fault}") from None
        if isinstance(entry, Result):
            results[entry.match] = logged
    known = as_bytes(log.redis.hmget(log.keys.receipts, list(results))) if results else []
    for (match, logged), text in zip(results.items(), known):
        receipt = Receipt.read(text) if text else None
        if receipt != Receipt(logged.position, digest(logged.data)):
            what = f"its bytes are changed, or the receipt of match {match} is"
            raise BrokenChain(HERE, logged.position, what)
    yield from entries


def _published(log: Log) -> dict[int, list[Published]]:
    """Every head that was written elsewhere: with tables, the checkpoint and the archived part."""
    keys, connection = log.keys, log.redis
    found = []
    base = log.base()
    if base.position:
        found.append(Published(base.position, base.head.hex(), "the archived part"))
    for name in sorted(as_bytes(connection.smembers(keys.tables))):
        game = name.decode()
        table = json.loads(as_bytes(connection.get(keys.table(game))))
        found.append(Published(table["position"], table["head"], f"the table of {game}"))
        for season in table["seasons"][:-1]:
            text = as_bytes(connection.get(keys.past_table(game, season)))
            if text:
                past, by = json.loads(text), f"the table of {game}, season {season},"
                found.append(Published(past["position"], past["head"], by))
    stored = as_bytes(connection.get(keys.fold))
    if stored:
        body = msgpack.unpackb(stored)
        found.append(Published(body["position"], body["head"].hex(), "the ratings' checkpoint"))
    by_position: dict[int, list[Published]] = {}
    for each in found:
        by_position.setdefault(each.position, []).append(each)
    return by_position
