"""
The results log as a file for others: JSON Lines, or Parquet where pyarrow is installed.

A file holds the whole log, and can be imported, or the part that concerns a game or a season. Each
entry comes with the digest of its bytes and the chain's head after it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any

from matchmaker.entries import START, BadEntry, BotAdded, Entry, Result, Season, Void, link
from matchmaker.errors import WrongUse
from matchmaker.files import named_file
from matchmaker.fold import PRESEASON
from matchmaker.log import BrokenChain, Logged, Position
from matchmaker.plain import Plain, bytes_of, plain

SCHEMA = 1
WHAT = "warladder results log"
AT_ONCE = 2_000
"""Rows of a Parquet group."""


class Format(StrEnum):
    JSONL = "jsonl"
    PARQUET = "parquet"


@dataclass(frozen=True, kw_only=True)
class Header:
    """What a file says of itself."""

    what: str = WHAT
    schema: int = SCHEMA
    program: str
    part: bool
    """It holds what concerns `game` (and `season`) alone; it can be checked, not imported."""
    game: str | None
    season: str | None
    entries: int
    position: int
    """Of the last entry of the whole log."""
    head: str
    """The chain after that, hex."""


class Part:
    """What of a log concerns a game, or a season of it."""

    def __init__(self, entries: Iterable[Entry], game: str, season: str | None) -> None:
        """
        Raises:
            WrongUse: The log knows no such season.
        """
        self.game = game
        self.matches: set[str] = set()
        self.bots: set[str] = set()
        self.tournaments: set[str] = set()
        all_of_it = list(entries)
        low, high = _numbers(all_of_it, game, season)
        for entry in all_of_it:
            if isinstance(entry, Result):
                if entry.game == game and low < entry.number <= high:
                    self.matches.add(entry.match)
                    self.bots |= {seat.bot for seat in entry.seats}
            elif getattr(entry, "game", None) == game and hasattr(entry, "tournament"):
                self.tournaments.add(entry.tournament)

    def __contains__(self, entry: Entry) -> bool:
        if isinstance(entry, Result | Void):
            return entry.match in self.matches
        if isinstance(entry, BotAdded):
            return entry.bot in self.bots
        if hasattr(entry, "tournament"):
            return entry.tournament in self.tournaments
        return entry.game == self.game


def _numbers(entries: Iterable[Entry], game: str, season: str | None) -> tuple[int, float]:
    """Match numbers of a season: greater than the first, at most the second."""
    if season is None:
        return 0, float("inf")
    begun = [each for each in entries if isinstance(each, Season) and each.game == game]
    starts = [(PRESEASON, 0)] + sorted(
        [(each.name, each.number) for each in begun], key=lambda pair: pair[1]
    )
    for index, (name, number) in enumerate(starts):
        if name == season:
            following = starts[index + 1 :]
            return number, following[0][1] if following else float("inf")
    names = ", ".join(name for name, _ in starts)
    raise WrongUse(f"{game} has no season {season!r}; there are: {names}")


def write(
    path: Path,
    entries: Iterable[Logged],
    at: Position,
    form: Format,
    *,
    part: Part | None = None,
    season: str | None = None,
) -> Header:
    """
    Write a file, wholly or not at all.

    Args:
        entries: The whole log.
        at: Where it ends, with the chain there.
        part: Keep what is in it alone.

    Raises:
        WrongUse: It cannot be written, or pyarrow is missing.
        BadEntry: An entry cannot be shown.
    """
    rows = list(_rows(entries, part))
    header = Header(
        program=version("warladder"),
        part=part is not None,
        game=part.game if part else None,
        season=season,
        entries=len(rows),
        position=at.position,
        head=at.head.hex(),
    )
    if form is Format.PARQUET:
        arrow = pyarrow()
        with named_file(path) as file:
            _write_parquet(arrow, file, header, rows)
    else:
        with named_file(path) as file:
            _write_lines(file, header, rows)
    return header


def _rows(entries: Iterable[Logged], part: Part | None) -> Iterator[Plain]:
    head = START
    for logged in entries:
        head = link(head, logged.at_ms, logged.data)
        if part is None or logged.entry in part:
            yield plain(logged.position, logged.at_ms, logged.data, head)


def _write_lines(file: IO[bytes], header: Header, rows: Iterable[Plain]) -> None:
    file.write(_line(asdict(header)))
    for row in rows:
        file.write(_line(row._asdict()))


def _line(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


# Parquet

COLUMNS = (
    "match", "number", "game", "cause", "standing", "why", "ending", "reason", "bots", "versions",
    "ranks", "scores", "decisions",
)  # fmt: skip
"""Of a result, for those who ask tables questions; empty in other rows."""


def pyarrow() -> Any:
    """
    The package that knows Parquet.

    Raises:
        WrongUse: It is not installed.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise WrongUse(
            "Parquet needs pyarrow: pip install 'warladder[parquet]', or use --format jsonl"
        ) from None
    return pyarrow


def _write_parquet(arrow: Any, file: IO[bytes], header: Header, rows: list[Plain]) -> None:
    texts, counts = arrow.list_(arrow.string()), arrow.list_(arrow.int64())
    schema = arrow.schema(
        [
            ("position", arrow.int64()), ("at_ms", arrow.int64()), ("schema", arrow.int32()),
            ("kind", arrow.string()), ("fields", arrow.string()), ("sha256", arrow.string()),
            ("head", arrow.string()),
            ("match", arrow.string()), ("number", arrow.int64()), ("game", arrow.string()),
            ("cause", arrow.string()), ("standing", arrow.string()), ("why", arrow.string()),
            ("ending", arrow.string()), ("reason", arrow.string()), ("bots", texts),
            ("versions", texts), ("ranks", counts), ("scores", counts),
            ("decisions", arrow.int64()),
        ],
        metadata={"warladder": json.dumps(asdict(header))},
    )  # fmt: skip
    with arrow.parquet.ParquetWriter(
        file, schema, compression="zstd", write_page_checksum=True
    ) as writer:
        for begin in range(0, max(1, len(rows)), AT_ONCE):
            some = [_flat(row) for row in rows[begin : begin + AT_ONCE]]
            writer.write_table(arrow.Table.from_pylist(some, schema=schema))


def _flat(row: Plain) -> dict[str, Any]:
    flat = {**row._asdict(), "fields": json.dumps(row.fields, ensure_ascii=False)}
    if row.kind == Result.kind:
        flat["bots"] = [bot for bot, _ in row.fields["seats"]]
        flat["versions"] = [name for _, name in row.fields["seats"]]
        flat |= {name: row.fields[name] for name in COLUMNS if name not in flat}
    return flat


# Reading

MAGIC = b"PAR1"
"""What every Parquet file begins and ends with."""


def read(path: Path) -> tuple[Header, Iterator[Plain]]:
    """
    Read a file of either format; its entries come as they stand there, not checked.

    Raises:
        WrongUse: It is no export, or of a newer program.
        BrokenChain: One of its lines is none; raised when that is reached.
    """
    try:
        with path.open("rb") as file:
            first = file.readline()
    except OSError as error:
        raise WrongUse(f"{path}: {error.strerror}") from None
    if first.startswith(MAGIC):
        return _read_parquet(path)
    try:
        header = _header(path, json.loads(first))
    except (ValueError, TypeError, KeyError):
        raise WrongUse(f"{path}: not an export of a results log") from None
    return header, _read_lines(path)


def _header(path: Path, fields: Any) -> Header:
    if not isinstance(fields, dict) or fields.get("what") != WHAT:
        raise WrongUse(f"{path}: not an export of a results log")
    if fields["schema"] > SCHEMA:
        raise WrongUse(
            f"{path}: an export of schema {fields['schema']}; this program knows {SCHEMA}:"
            " upgrade it"
        )
    return Header(**fields)


def _read_lines(path: Path) -> Iterator[Plain]:
    position = 0
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if number == 1:
                continue  # the header
            try:
                row = Plain(**json.loads(line))
                if not (type(row.position) is type(row.at_ms) is int and 0 <= row.at_ms < 1 << 63):
                    raise ValueError("no place or time")
                position = row.position
            except (ValueError, TypeError):
                what = f"line {number} cannot be read: cut short or changed"
                raise BrokenChain(str(path), position + 1, what) from None
            yield row


def _read_parquet(path: Path) -> tuple[Header, Iterator[Plain]]:
    arrow = pyarrow()
    try:
        with arrow.parquet.ParquetFile(path) as file:
            stored = (file.schema_arrow.metadata or {}).get(b"warladder", b"{}")
        header = _header(path, json.loads(stored))
    except (arrow.ArrowException, OSError, ValueError, TypeError, KeyError) as error:
        raise WrongUse(f"{path}: not an export of a results log: {_short(error)}") from None

    def rows() -> Iterator[Plain]:
        position = 0
        with arrow.parquet.ParquetFile(path, page_checksum_verification=True) as file:
            try:
                for batch in file.iter_batches(AT_ONCE):
                    for flat in batch.to_pylist():
                        named = {name: flat[name] for name in Plain._fields}
                        row = Plain(**{**named, "fields": json.loads(named["fields"])})
                        if flat != {**dict.fromkeys(flat), **_flat(row)}:
                            raise ValueError(f"the columns of entry {row.position} differ")
                        position = row.position
                        yield row
            except (arrow.ArrowException, OSError, ValueError, TypeError, KeyError) as error:
                what = f"cannot be read: cut short or changed ({_short(error)})"
                raise BrokenChain(str(path), position + 1, what) from None

    return header, rows()


def _short(error: Exception) -> str:
    return str(error).splitlines()[0][:80] if str(error) else type(error).__name__


def followed(path: Path, header: Header, rows: Iterable[Plain]) -> Iterator[Logged]:
    """
    Give a file's entries, each after it has been checked; of a whole log the chain too.

    Raises:
        BrokenChain: Something is missing or changed; the first such place is named.
    """
    where = str(path)
    position, head, count = 0, START, 0
    for row in rows:
        expected = position + 1
        if row.position < expected or (row.position > expected and not header.part):
            raise BrokenChain(where, expected, f"missing: the next is entry {row.position}")
        try:
            data = bytes_of(row)
        except BadEntry as error:
            raise BrokenChain(where, row.position, str(error)) from None
        logged = Logged(row.position, row.at_ms, data)
        shown = plain(row.position, row.at_ms, data, b"")
        if shown.sha256 != row.sha256:
            raise BrokenChain(where, row.position, "its bytes are changed: another SHA-256")
        if not header.part:
            head = link(head, row.at_ms, data)
            if head.hex() != row.head:
                raise BrokenChain(where, row.position, "wrong head: its time or head is changed")
        position, count = row.position, count + 1
        yield logged
    if count != header.entries:
        what = f"missing: the file has {count} entries of {header.entries}"
        raise BrokenChain(where, position + 1, what)
    if not header.part and (position, head.hex()) != (header.position, header.head):
        what = f"wrong head: the file's head is of entry {header.position} or is changed"
        raise BrokenChain(where, position, what)
