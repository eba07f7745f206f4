"""
Folds the results log into ratings and writes the ready tables; keeps checkpoints to go on from.

Everything here can be thrown away: `recompute` builds the same tables from the log alone.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgpack
import redis

from matchmaker import scripts
from matchmaker.archive import Archive, Segment
from matchmaker.entries import BadEntry, Entry, Result, RulesSet, link
from matchmaker.fold import Fold, GameFold, TooLate, whole
from matchmaker.keys import Keys
from matchmaker.leader import Deposed, Term
from matchmaker.log import Log, Logged, Position, chain, places_of
from matchmaker.ratings import RatingRules
from matchmaker.table import head_to_head, render, stored, warm_up
from matchmaker.walk import every
from referee.store.plainly import as_bytes
from referee.store.scripts import packed

SCHEMA = 3
PUBLISH_SECONDS = 0.2
"""Readers see a result at most so much later, on a ladder of usual size."""
CHECKPOINT_SECONDS = 5.0
"""A new leader folds at most so much anew. Who met whom is written as often."""
WORK_SHARE = 0.05
"""What takes long is done less often: tables, and checkpoints too, take at most this share of the
leader's time."""
SLICE = 500
"""Entries folded in one go, so that the term is renewed in between."""
TAIL = 2_000
"""Entries that stay in Redis at least."""
SEGMENT = 2_000
"""Entries that go to the archive in one file."""


class WentBack(Exception):
    """The log has lost what was folded: its store forgot its last second."""


class _Rendered(NamedTuple):
    """A table that was made, and what of."""

    ladder: GameFold
    revisions: tuple[int, ...]
    """Of its season and all before it."""
    table: dict[str, Any]


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
        self._past_met: dict[str, int] = {}
        """And of who met whom in them."""
        self._rendered: dict[str, _Rendered] = {}
        self._took: dict[float, deque[float]] = {}
        """How long the last writings took, by how often they should happen."""
        warm_up()
        self._publish_due = self._checkpoint_due = float("-inf")

    def load(self) -> None:
        """Go on from the last checkpoint, or fold the whole log."""
        stored = as_bytes(self.redis.get(self.keys.fold))
        self._published = self._last = None
        self._past.clear()
        self._past_met.clear()
        self._publish_due = self._checkpoint_due = float("-inf")
        body: dict[str, Any] = msgpack.unpackb(stored, use_list=False) if stored else {"schema": 0}
        if body["schema"] > SCHEMA:
            raise BadEntry(f"a checkpoint of schema {body['schema']}; this program knows {SCHEMA}")
        if body["schema"] < SCHEMA:  # none, or one that another program has left
            self._saved = Position()
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

    def publish(self, *, now: bool = False) -> bool:
        """
        Write tables, checkpoint and who met whom when it is time to, or `now`.

        Returns:
            Whether tables were written.

        Raises:
            Deposed: Another matchmaker leads.
        """
        is_due = self.at != self._published and (now or self.clock() >= self._publish_due)
        if is_due:
            began, past = self.clock(), self._past_revisions()
            tables = {game: stored(self.table(game)) for game in self._names()}
            for game, season in self._changed(past, self._past):
                tables[f"{game}:{season}"] = document(self.fold, game, self.at, season)
            self._write(tables=tables)
            self._published, self._past = self.at, past
            self._publish_due = self._next(began, PUBLISH_SECONDS)
        if self.at != self._saved and (now or self.clock() >= self._checkpoint_due):
            began, past = self.clock(), self._past_revisions()
            meetings = {game: meetings_document(self.fold, game, self.at) for game in self._names()}
            for game, season in self._changed(past, self._past_met):
                meetings[f"{game}:{season}"] = meetings_document(self.fold, game, self.at, season)
            self._write(meetings=meetings, fold=self._checkpoint())
            self._saved, self._past_met = self.at, past
            self._checkpoint_due = self._next(began, CHECKPOINT_SECONDS)
        return is_due

    def table(self, game: str) -> dict[str, Any]:
        """Make the table of a game's running season; anew only if anything in it has changed."""
        ladder = self.fold.games.get(game)
        if ladder is None:
            return render(self.fold, game, self.at.position, self.at.head)
        made = self._rendered.get(game)
        revisions = tuple(season.revision for season in ladder.seasons)
        # A fold that begins anew counts from 0 again, so revisions alone would not do.
        if made is None or made.ladder is not ladder or made.revisions != revisions:
            shown = render(self.fold, game, self.at.position, self.at.head)
            made = self._rendered[game] = _Rendered(ladder, revisions, shown)
        return made.table | {"position": self.at.position, "head": self.at.head.hex()}

    def published(self) -> list[dict[str, Any]]:
        """Give the tables of running seasons as they were written last; none if none were yet."""
        if self._published is None:
            return []
        head = {"position": self._published.position, "head": self._published.head.hex()}
        return [made.table | head for made in self._rendered.values()]

    def _names(self) -> list[str]:
        return sorted({*self.games, *self.fold.games})

    def _changed(self, past: dict[str, int], written: dict[str, int]) -> list[tuple[str, str]]:
        """Game and name of each season that is over and is not as it was written."""
        names = [name for name in past if written.get(name) != past[name]]
        return [(game, season) for game, _, season in (name.partition(":") for name in names)]

    def _next(self, began: float, seconds: float) -> float:
        """When to do again what began then and has just been done."""
        took = self._took.setdefault(seconds, deque(maxlen=3))
        took.append(self.clock() - began)
        # The shortest: a machine that stood still for a moment says nothing of the work.
        return self.clock() + max(seconds, min(took) / WORK_SHARE)

    def _write(
        self,
        tables: Mapping[str, bytes] | None = None,
        meetings: Mapping[str, bytes] | None = None,
        fold: bytes = b"",
    ) -> None:
        blob = packed([tables or {}, meetings or {}, fold])
        if not self.redis.eval(scripts.SAVE, 0, self.keys.prefix, self.term.token, blob):
            raise Deposed("another matchmaker leads; our tables were refused")

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
        places = places_of(entries)
        if places:
            self.archive.put_places(places)
        arguments = (self.term.token, after.position, after.head.hex(), packed(list(places)))
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
        self._past_met.clear()


def documents(fold: Fold, at: Position) -> dict[str, bytes]:
    """Give all tables as they are stored, by `GAME`, of seasons that are over by `GAME:SEASON`."""
    tables = {name: document(fold, name, at) for name in fold.games}
    for name, game in fold.games.items():
        for season in game.earlier:
            tables[f"{name}:{season.name}"] = document(fold, name, at, season.name)
    return tables


def document(fold: Fold, game: str, at: Position, season: str | None = None) -> bytes:
    """Give a table as it is stored: equal tables are equal bytes."""
    return stored(render(fold, game, at.position, at.head, season))


def meetings_document(fold: Fold, game: str, at: Position, season: str | None = None) -> bytes:
    """Give who met whom as it is stored."""
    return stored(head_to_head(fold, game, at.position, at.head, season))


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
    """Build every ready document anew from the log and compare it, bit for bit."""
    keys = Keys(namespace)
    log = Log(connection, keys)
    current, past, meetings = _stored(connection, keys)
    shown: dict[str, dict[str, Any]] = {name: json.loads(text) for name, text in current.items()}
    shown |= {name: json.loads(text) for name, text in past.items() if text is not None}
    position = max((int(table["position"]) for table in shown.values()), default=0)
    wanted = {int(table["position"]) for table in shown.values()}
    met = {name: int(json.loads(text)["position"]) for name, text in meetings.items()}
    last = max([position, *met.values()])
    wanted |= set(met.values())
    differences: list[str] = []
    found, heads, decoded = Position(), {0: Position()}, list[Entry]()
    for logged in every(log, archive, last):
        if logged.position != found.position + 1:
            differences.append(f"the log has no entry {found.position + 1}")
            break
        found = Position(logged.position, link(found.head, logged.at_ms, logged.data))
        if found.position in wanted:
            heads[found.position] = found
        decoded.append(logged.entry)
    if found.position < last and not differences:
        differences.append(f"the log ends at entry {found.position}, the tables hold for {last}")
    head = heads.get(position, found)
    fold = whole(decoded[:position])
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
    # Who met whom is written more seldom than tables, so it may hold for another entry.
    folds = {head.position: fold}
    for name, text in meetings.items():
        at = heads.get(met[name])
        if at is not None:
            fold = folds.get(met[name]) or folds.setdefault(met[name], whole(decoded[: met[name]]))
            differences += _met_differences(fold, name, text, at)
    return Recomputed(
        position=head.position,
        head=head.head.hex(),
        results=sum(isinstance(entry, Result) for entry in decoded[:position]),
        games=tuple(current),
        differences=tuple(dict.fromkeys(differences)),
    )


def _stored(
    connection: redis.Redis, keys: Keys
) -> tuple[dict[str, bytes], dict[str, bytes | None], dict[str, bytes]]:
    """
    Read all ready documents as of one moment.

    Returns:
        The tables of all games, those of seasons that are over, and who met whom in either.
    """
    games = sorted(name.decode() for name in as_bytes(connection.smembers(keys.tables)))
    past: list[str] = []
    while games:
        every_one = [*games, *past]
        names = [f"{keys.prefix}table:{name}" for name in every_one]
        names += [f"{keys.prefix}head_to_head:{name}" for name in every_one]
        found = as_bytes(connection.mget(names))
        current = dict(zip(games, found))
        needed = [
            f"{game}:{season}"
            for game, text in current.items()
            for season in json.loads(text)["seasons"][:-1]
        ]
        if needed == past:
            met = dict(zip(every_one, found[len(every_one) :]))
            meetings = {name: text for name, text in met.items() if text is not None}
            return current, dict(zip(past, found[len(games) :])), meetings
        past = needed
    return {}, {}, {}


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


def _met_differences(fold: Fold, name: str, text: bytes, at: Position) -> list[str]:
    """Compare who met whom with what the log gives."""
    game, _, season = name.partition(":")
    shown = f"{game}, season {season}" if season else game
    if json.loads(text)["head"] != at.head.hex():
        return [f"{shown}: the chain's head differs: the log was changed"]
    if season and season not in [each.name for each in fold.game(game).earlier]:
        return [f"{shown}: the log does not know it"]
    if meetings_document(fold, game, at, season or None) != text:
        return [f"{shown}: who met whom differs from what the log gives"]
    return []
