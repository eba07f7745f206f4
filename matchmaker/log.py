"""
The results log: append-only, one result per match id, chained by hash.

Its tail is a stream in Redis; what the rater has settled goes to the archive in segments. Appending
takes no lock: the chain is a fold in log order, done by whoever reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from hashlib import sha1
from typing import Any, NamedTuple

import redis

from matchmaker import scripts
from matchmaker.entries import START, Entry, Result, decode, digest, encode, link
from matchmaker.errors import FellShort
from matchmaker.keys import Keys
from referee.store.plainly import as_bytes
from referee.store.scripts import packed

AT_ONCE = 500
"""Entries read in one round trip."""
RESULTS_OF_A_BOT = 200
"""Positions of so many are kept: what its page tells of it, and a few pages more."""


class BrokenChain(FellShort):
    """The results log, or a copy of it, is not what was appended. Names the first broken place."""

    def __init__(self, where: str, position: int, what: str) -> None:
        super().__init__(f"{where}: entry {position}: {what}")
        self.position = position
        self.what = what


class Logged(NamedTuple):
    """An entry in its place."""

    position: int
    at_ms: int
    """When it was appended, by Redis's clock."""
    data: bytes

    @property
    def entry(self) -> Entry:
        return decode(self.data)


class Receipt(NamedTuple):
    """What says that a result is in the log."""

    position: int
    digest: str

    @classmethod
    def read(cls, text: bytes) -> Receipt:
        position, _, name = text.decode().partition(":")
        return cls(int(position), name)


class Closed(IntEnum):
    """What became of an attempt to close a match."""

    NOT_ENDED = 0
    NOW = 1
    BEFORE = 2
    """The same result was there."""
    REFUSED = 3
    """Another result was there; this one is counted and dropped."""


class Aftermath(NamedTuple):
    """What a close does to the bots of a match."""

    bots: tuple[str, ...]
    absent: tuple[str, ...] = ()
    """They did not come: paused, longer each time in a row."""
    waiting: tuple[str, ...] = ()
    """Their opponent did not come: paired first."""
    faulty: tuple[str, ...] = ()
    """They ended their part by a fault: paused after five in a row."""
    sound: tuple[str, ...] = ()
    """They played to the end: both counts begin anew."""
    case: bool = False


class Position(NamedTuple):
    """A place in the log with the chain's head there."""

    position: int = 0
    head: bytes = START


class Log:
    """The log of one namespace."""

    def __init__(self, connection: redis.Redis, keys: Keys) -> None:
        self.redis = connection
        self.keys = keys

    def close(self, result: Result, aftermath: Aftermath) -> tuple[Closed, Receipt | None]:
        """Append a match's result and give back all that the match holds, in one step."""
        data = encode(result)
        answer = self.redis.eval(
            scripts.CLOSE,
            0,
            self.keys.prefix,
            result.match,
            data,
            digest(data),
            packed(list(aftermath)),
            RESULTS_OF_A_BOT,
        )
        closed = Closed(answer[0])
        return closed, None if closed is Closed.NOT_ENDED else Receipt.read(answer[1])

    def note(self, entry: Entry) -> int:
        """
        Append an entry that is no result.

        Returns:
            Its position.
        """
        assert not isinstance(entry, Result), "results are appended by `close`"
        return int(self.redis.eval(scripts.NOTE, 0, self.keys.prefix, encode(entry)))

    def position(self) -> int:
        """Where the log ends."""
        return int(as_bytes(self.redis.get(self.keys.log_position)) or 0)

    def base(self) -> Position:
        """Up to where the log is in the archive alone."""
        position, head = as_bytes(self.redis.hmget(self.keys.log_base, ["position", "head"]))
        return Position(int(position), bytes.fromhex(head.decode())) if position else Position()

    def tail(self, after: int, count: int = AT_ONCE) -> list[Logged]:
        """Read entries after a position; those before `base` are in the archive."""
        rows = as_bytes(self.redis.xrange(self.keys.log, f"{after + 1}-0", "+", count=count))
        return [logged(row) for row in rows]

    def before(self, position: int, count: int = AT_ONCE) -> list[Logged]:
        """Read the entries before a position, newest first; older ones are in the archive."""
        rows = as_bytes(self.redis.xrevrange(self.keys.log, f"{position - 1}-0", "-", count=count))
        return [logged(row) for row in rows]

    def some(self, positions: Sequence[int]) -> dict[int, Logged]:
        """Read the entries at these positions; those that are in the archive alone are left out."""
        if not positions:
            return {}
        with self.redis.pipeline(transaction=False) as pipe:
            for position in positions:
                pipe.xrange(self.keys.log, f"{position}-0", f"{position}-0")
            answers = pipe.execute()
        return {each.position: each for rows in answers for each in map(logged, rows)}

    def of_bot(self, bot: str) -> list[int]:
        """Give the positions of a bot's last results, newest first."""
        return [int(each) for each in as_bytes(self.redis.lrange(self.keys.results(bot), 0, -1))]

    def voided(self, matches: Sequence[str]) -> set[str]:
        """Tell which of these an operator took out after they were closed."""
        if not matches:
            return set()
        found = as_bytes(self.redis.hmget(self.keys.voids, list(matches)))
        return {match for match, position in zip(matches, found) if position is not None}

    def whole_tail(self, after: int = 0) -> Iterator[Logged]:
        """Read all entries of the tail after a position."""
        while True:
            some = self.tail(after)
            yield from some
            if len(some) < AT_ONCE:
                return
            after = some[-1].position

    def results(self, matches: Sequence[str]) -> dict[str, Result]:
        """Find the results of these matches in the tail; what is not closed is left out."""
        if not matches:
            return {}
        receipts = as_bytes(self.redis.hmget(self.keys.receipts, list(matches)))
        found = [Receipt.read(text) for text in receipts if text is not None]
        with self.redis.pipeline(transaction=False) as pipe:
            for receipt in found:
                place = f"{receipt.position}-0"
                pipe.xrange(self.keys.log, place, place)
            answers = pipe.execute()
        results = {}
        for rows in answers:
            for row in rows:
                entry = logged(row).entry
                if isinstance(entry, Result):
                    results[entry.match] = entry
        return results

    def receipt(self, match: str) -> Receipt | None:
        """Find a match's receipt, if its result is in the tail."""
        text = as_bytes(self.redis.hget(self.keys.receipts, match))
        return None if text is None else Receipt.read(text)

    def refusals(self) -> int:
        """How many different second results were refused."""
        return int(as_bytes(self.redis.get(self.keys.refusals)) or 0)


def places_of(entries: Iterable[Logged]) -> dict[str, int]:
    """Tell where the results among these are, by match."""
    found = ((each, each.entry) for each in entries)
    return {entry.match: each.position for each, entry in found if isinstance(entry, Result)}


def logged(row: Any) -> Logged:
    """Read a row of the stream."""
    name, fields = row
    return Logged(int(name.partition(b"-")[0]), int(fields[b"at"]), fields[b"entry"])


def summed(row: Any) -> tuple[Logged, bool]:
    """Read a row of the stream, and say whether it is as it was appended."""
    name, fields = row
    text = b"%d:%b:%b" % (int(name.partition(b"-")[0]), fields[b"at"], fields[b"entry"])
    known = fields.get(b"sum")  # rows of an older program have none
    return logged(row), known is None or known == sha1(text).hexdigest()[:16].encode()


def chain(start: Position, entries: Sequence[Logged]) -> Position:
    """
    Take entries into the chain.

    Raises:
        AssertionError: An entry is missing.
    """
    position, head = start
    for each in entries:
        assert each.position == position + 1, (
            f"the results log has no entry {position + 1}, the next is {each.position}"
        )
        position, head = each.position, link(head, each.at_ms, each.data)
    return Position(position, head)
