"""
Folds the results log into ratings and writes the ready tables; keeps checkpoints to go on from.

Everything here can be thrown away: `recompute` builds the same tables from the log alone.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import msgpack
import redis

from matchmaker import scripts
from matchmaker.archive import Archive, Segment
from matchmaker.entries import BadEntry, Entry, Result, RulesSet, link
from matchmaker.fold import Fold, TooLate, whole
from matchmaker.keys import Keys
from matchmaker.leader import Deposed, Term
from matchmaker.log import Log, Logged, Position, chain
from matchmaker.ratings import RatingRules
from matchmaker.table import render
from matchmaker.walk import every
from referee.store.plainly import as_bytes
from referee.store.scripts import packed

SCHEMA = 2
PUBLISH_SECONDS = 0.2
"""Readers see a result at most so much later."""
CHECKPOINT_SECONDS = 5.0
"""A new leader folds at most so much anew."""
SLICE = 500
"""Entries folded in one go, so that the term is renewed in between."""
TAIL = 2_000
"""Entries that stay in Redis at least."""
SEGMENT = 2_000
"""Entries that go to the archive in one file."""


class WentBack(Exception):
    """The log has lost what was folded: its store forgot its last second."""


class Rater:
    """The fold of a leader."""

    def __init__(
        self,
        connection: redis.Redis,
        keys: Keys,
        term: Term,
        archive: Archive,
        games: Iterable[str],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.redis = connection
        self.keys = keys
        self.term = term
        self.archive = archive
        self.log = Log(connection, keys)
        self.games = tuple(games)
        self.clock = clock
        self.fold = Fold()
        self.at = Position()
        self._last: Logged | None = None
        """The entry that was folded last; None if that is not known."""
        self._saved = Position()
        """Up to where the checkpoint in Redis holds."""
        self._published: Position | None = None
        self._past: dict[str, int] = {}
        """Revisions of the tables of seasons that are over, as they were written last."""
        self._publish_due = self._checkpoint_due = float("-inf")

    def load(self) -> None:
        """Go on from the last checkpoint, or fold the whole log."""
        stored = as_bytes(self.redis.get(self.keys.fold))
        self._published = self._last = None
        self._past.clear()
        self._publish_due = self._checkpoint_due = float("-inf")
        body: dict[str, Any] = msgpack.unpackb(stored, use_list=False) if stored else {"schema": 0}
        if body["schema"] > SCHEMA:
            raise BadEntry(f"a checkpoint of schema {body['schema']}; this program knows {SCHEMA}")
        if body["schema"] < SCHEMA:  # none, or one that another program has left
            self._rebuild(self.log.position())
        else:
            self.fold = Fold.load(body["fold"])
            self.at = self._saved = Position(body["position"], body["head"])
        for game in self.games:
            known = self.fold.games.get(game)
            if known is None:
                self.log.note(RulesSet(game=game, rules=RatingRules()))

    def take(self, settled: int) -> bool:
        """
        Fold what is new, up to a slice of it.

        Args:
            settled: Match number up to which nothing can change, as known before the call.

        Returns:
            Whether all there was has been folded.

        Raises:
            WentBack: The log is not the one that was folded: everything must be read anew.
        """
        last = self._last
        new = self.log.tail(self.at.position - (last is not None), SLICE)
        if last is not None:
            if new[:1] != [last]:
                raise WentBack(f"the log has lost entry {last.position}, which was folded")
            new = new[1:]
        for logged in new:
            try:
                self.fold.add(logged.entry)
            except TooLate:
                self._rebuild(logged.position)
            else:
                self.at = chain(self.at, [logged])
            self._last = logged
        self.fold.refresh()
        done = len(new) < SLICE - 1
        if done:
            self.fold.settle(settled)
        return done

    def publish(self, *, now: bool = False) -> None:
        """
        Write tables and checkpoint when it is time to, or `now`.

        Raises:
            Deposed: Another matchmaker leads.
        """
        tables: dict[str, bytes] = {}
        past: dict[str, int] = {}
        if self.at != self._published and (now or self.clock() >= self._publish_due):
            tables = self.tables()
            past = self._past_revisions()
            for name in past.keys() - {n for n in past if self._past.get(n) == past[n]}:
                game, _, season = name.partition(":")
                tables[name] = document(self.fold, game, self.at, season)
        fold = b""
        if tables and (now or self.clock() >= self._checkpoint_due):
            fold = self._checkpoint()
        if not tables:
            return
        blob = packed([tables, fold])
        if not self.redis.eval(scripts.SAVE, 0, self.keys.prefix, self.term.token, blob):
            raise Deposed("another matchmaker leads; our tables were refused")
        self._published = self.at
        self._past = past
        self._publish_due = self.clock() + PUBLISH_SECONDS
        if fold:
            self._saved = self.at
            self._checkpoint_due = self.clock() + CHECKPOINT_SECONDS

    def tables(self) -> dict[str, bytes]:
        """Make every game's table as it is stored."""
        names = sorted({*self.games, *self.fold.games})
        return {name: document(self.fold, name, self.at) for name in names}

    def _past_revisions(self) -> dict[str, int]:
        """Of every season that is over, by `GAME:SEASON`."""
        return {
            f"{name}:{season.name}": season.revision
            for name, game in self.fold.games.items()
            for season in game.earlier
        }

    def trim(self) -> int:
        """
        Move what is old and settled from Redis to the archive.

        Returns:
            How many entries were moved.
        """
        base = self.log.base()
        last = min(self._saved.position, self.log.position() - TAIL)
        if last - base.position < SEGMENT:
            return 0
        entries = self.log.tail(base.position, SEGMENT)
        after = chain(base, entries)
        self.archive.put_segment(
            Segment(tuple((e.position, e.at_ms, e.data) for e in entries), after.head)
        )
        gone = [each.entry.match for each in entries if isinstance(each.entry, Result)]
        arguments = (self.term.token, after.position, after.head.hex(), packed(gone))
        if not self.redis.eval(scripts.TRIM, 0, self.keys.prefix, *arguments):
            raise Deposed("another matchmaker leads; it looks after the log")
        return len(entries)

    def _checkpoint(self) -> bytes:
        body = {"schema": SCHEMA, "position": self.at.position, "head": self.at.head}
        data: bytes | None = msgpack.packb({**body, "fold": self.fold.dump()})
        assert data is not None
        return data

    def _rebuild(self, position: int) -> None:
        """Fold everything up to a position anew: what was settled has changed."""
        entries = list(every(self.log, self.archive, position))
        self.at = chain(Position(), entries)
        self.fold = whole(each.entry for each in entries)
        self._past.clear()


def document(fold: Fold, game: str, at: Position, season: str | None = None) -> bytes:
    """Give a table as it is stored: equal tables are equal bytes."""
    shown = render(fold, game, at.position, at.head, season)
    return json.dumps(shown, ensure_ascii=False, separators=(",", ":")).encode()


@dataclass(frozen=True, kw_only=True)
class Recomputed:
    """What came of building the tables from the log alone."""

    position: int
    head: str
    results: int
    games: tuple[str, ...]
    differences: tuple[str, ...]
    """One line each; empty if all is equal bit for bit."""

    @property
    def ok(self) -> bool:
        return not self.differences


def recompute(
    connection: redis.Redis, archive: Archive, namespace: str = "warladder"
) -> Recomputed:
    """Build every ready table anew from the log and compare it with the stored one, bit for bit."""
    keys = Keys(namespace)
    log = Log(connection, keys)
    current, past = _stored(connection, keys)
    shown: dict[str, dict[str, Any]] = {name: json.loads(text) for name, text in current.items()}
    shown |= {name: json.loads(text) for name, text in past.items() if text is not None}
    position = max((int(table["position"]) for table in shown.values()), default=0)
    wanted = {int(table["position"]) for table in shown.values()}
    differences: list[str] = []
    head, heads, results, decoded = Position(), {0: Position()}, 0, []
    for logged in every(log, archive, position):
        if logged.position != head.position + 1:
            differences.append(f"the log has no entry {head.position + 1}")
            break
        head = Position(logged.position, link(head.head, logged.at_ms, logged.data))
        if head.position in wanted:
            heads[head.position] = head
        entry: Entry = logged.entry
        decoded.append(entry)
        results += isinstance(entry, Result)
    if head.position < position and not differences:
        differences.append(f"the log ends at entry {head.position}, the tables hold for {position}")
    fold = whole(decoded)
    for name, text in current.items():
        table = shown[name]
        if table["position"] != head.position:
            differences.append(f"{name}: the table holds for entry {table['position']}")
        elif table["head"] != head.head.hex():
            differences.append(f"{name}: the chain's head differs: the log was changed")
        elif document(fold, name, head) != text:
            differences.append(f"{name}: the table differs from what the log gives")
    for name, old in past.items():
        differences += _past_differences(fold, name, old, heads)
    return Recomputed(
        position=head.position,
        head=head.head.hex(),
        results=results,
        games=tuple(current),
        differences=tuple(differences),
    )


def _stored(
    connection: redis.Redis, keys: Keys
) -> tuple[dict[str, bytes], dict[str, bytes | None]]:
    """The ready tables of all games, and those of seasons that are over, as of one moment."""
    games = sorted(name.decode() for name in as_bytes(connection.smembers(keys.tables)))
    past: list[str] = []
    while games:
        names = [keys.table(game) for game in games] + [f"{keys.prefix}table:{n}" for n in past]
        found = as_bytes(connection.mget(names))
        current = dict(zip(games, found))
        needed = [
            f"{game}:{season}"
            for game, text in current.items()
            for season in json.loads(text)["seasons"][:-1]
        ]
        if needed == past:
            return current, dict(zip(past, found[len(games) :]))
        past = needed
    return {}, {}


def _past_differences(
    fold: Fold, name: str, text: bytes | None, heads: dict[int, Position]
) -> list[str]:
    """Compare the last table of a season that is over: its head is that of when it was written."""
    game, _, season = name.partition(":")
    shown = f"{game}, season {season}"
    if text is None:
        return [f"{shown}: its table is missing"]
    table = json.loads(text)
    at = heads.get(int(table["position"]))
    if at is None or table["head"] != at.head.hex():
        return [f"{shown}: the chain's head differs: the log was changed"]
    if season not in [each.name for each in fold.game(game).earlier]:
        return [f"{shown}: the log does not know it"]
    if document(fold, game, at, season) != text:
        return [f"{shown}: the table differs from what the log gives"]
    return []
