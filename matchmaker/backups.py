"""
A whole ladder in one file, and back: log, registry, tournaments, audit log, replays.

The file is a zip, so anybody can look into it; its comment is the SHA-256 of all before it, so that
any changed byte is found.
"""

from __future__ import annotations

import hashlib
import json
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any

import msgpack
import redis

from matchmaker import operator_scripts
from matchmaker.adopting import Stored, adopt, check_empty
from matchmaker.archive import Archive, sync
from matchmaker.audit import PART
from matchmaker.errors import FellShort, WrongUse
from matchmaker.files import named_file
from matchmaker.keys import KEPT, Keys
from matchmaker.log import Log, Logged, Position, chain
from matchmaker.walk import every
from referee.store.plainly import as_bytes

SCHEMA = 1
WHAT = "warladder backup"
HEADER, ENTRIES, STORED, ACTS, FILES = "backup.json", "log", "keys", "acts", "archive/"
DIGITS = 64
"""Of the comment: a SHA-256 in hex."""
BLOCK = 1 << 20
DAMAGE = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, RuntimeError, ValueError,
    OverflowError, KeyError, AttributeError,
)  # fmt: skip
"""What a changed byte of a zip can lead to."""


class BadBackup(FellShort):
    """A backup is damaged; the text names the place."""


@dataclass(frozen=True, kw_only=True)
class Header:
    """What a backup says of itself."""

    what: str = WHAT
    schema: int = SCHEMA
    program: str
    namespace: str
    made_ms: int
    """By the store's clock."""
    position: int
    head: str
    """Of the log, hex."""
    files: int
    """Of the archive: replays and tournaments' documents; 0 if they were left out."""


# Making one


def make(
    connection: redis.Redis, keys: Keys, archive: Archive, path: Path, *, files: bool = True
) -> Header:
    """
    Write a backup of a ladder, which may be running.

    All keys are read in one step; the log is taken up to where it ended at that moment, and the
    files are those that it names, which never change.

    Args:
        files: With the replays and tournaments' documents.

    Raises:
        WrongUse: It cannot be written.
        BadFile: A file that the log names is missing or damaged.
    """
    seconds, _ = as_bytes(connection.time())
    last, rows = connection.eval(operator_scripts.SNAPSHOT, 0, keys.prefix, *KEPT)
    entries = list(every(Log(connection, keys), archive, int(last)))
    at = chain(Position(), entries)
    names = sorted(set(_named(entries))) if files else []
    header = Header(
        program=version("warladder"),
        namespace=keys.namespace,
        made_ms=int(seconds) * 1000,
        position=at.position,
        head=at.head.hex(),
        files=len(names),
    )
    with named_file(path) as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr(HEADER, json.dumps(asdict(header), indent=1))
            packed.writestr(ENTRIES, _pack([tuple(each) for each in entries]))
            packed.writestr(STORED, _pack(_plain(rows)))
            packed.writestr(ACTS, _pack(archive.acts()))
            for digest in names:
                packed.writestr(FILES + digest, archive.raw(digest), zipfile.ZIP_STORED)
            packed.comment = b"0" * DIGITS
        _sign(file)
    return header


def _named(entries: Iterable[Logged]) -> Iterator[str]:
    for logged in entries:
        digest = getattr(logged.entry, "archive", "")
        if digest:
            yield digest


def _plain(rows: Iterable[tuple[bytes, bytes, Any]]) -> list[tuple[str, str, Any]]:
    """Streams come as rows of name and fields, all else as flat lists or bytes."""
    found = []
    for name, kind, value in rows:
        found.append((name.decode(), kind.decode(), value))
    return sorted(found, key=lambda each: each[0])


def _pack(value: Any) -> bytes:
    data: bytes = msgpack.packb(value)
    return data


def _sign(file: IO[bytes]) -> None:
    """Put the digest of all before it into the comment, which is the last of the file."""
    file.flush()
    size = file.seek(0, 2)
    digest = _digest(file, size - DIGITS)
    file.seek(size - DIGITS)
    file.write(digest.encode())


def _digest(file: IO[bytes], size: int) -> str:
    file.seek(0)
    found = hashlib.sha256()
    while size > 0 and (block := file.read(min(BLOCK, size))):
        found.update(block)
        size -= len(block)
    return found.hexdigest()


# Reading one


def read_header(path: Path) -> Header:
    """
    Check a whole backup and read what it says of itself.

    Raises:
        WrongUse: It is none, or of a newer program.
        BadBackup: It is damaged.
    """
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - DIGITS))
            said = file.read(DIGITS)
            is_whole = size > DIGITS and _digest(file, size - DIGITS).encode() == said
    except OSError as error:
        raise WrongUse(f"{path}: {error.strerror}") from None
    try:
        with zipfile.ZipFile(path) as packed:
            if HEADER not in packed.namelist() and (is_whole or not _begins_like_one(path)):
                raise WrongUse(f"{path}: not a backup of a ladder")
            if not is_whole:
                raise BadBackup(f"{path}: damaged: {_place(packed)}; take it from a copy")
            fields = json.loads(packed.read(HEADER))
    except DAMAGE as error:
        if not is_whole and _begins_like_one(path):
            text = f"cut short, or changed in the directory at its end ({error})"
            raise BadBackup(f"{path}: damaged: {text}; take it from a copy") from None
        raise WrongUse(f"{path}: not a backup of a ladder") from None
    if fields.get("what") != WHAT:
        raise WrongUse(f"{path}: not a backup of a ladder")
    if fields["schema"] > SCHEMA:
        text = f"of schema {fields['schema']}; this program knows {SCHEMA}: upgrade it"
        raise WrongUse(f"{path}: a backup {text}")
    return Header(**fields)


def _begins_like_one(path: Path) -> bool:
    with path.open("rb") as file:
        return HEADER.encode() in file.read(64)


def _place(packed: zipfile.ZipFile) -> str:
    """Name the first member that cannot be read as it was written."""
    for member in packed.infolist():
        try:
            with packed.open(member) as file:
                while file.read(BLOCK):
                    pass
        except DAMAGE:
            return f"{member.filename!r}, at byte {member.header_offset}, is changed"
    return "changed in the heads of its parts or in the directory at its end"


def restore(
    connection: redis.Redis, keys: Keys, archive: Archive, path: Path, *, by: str, why: str
) -> Header:
    """
    Bring a ladder back into an empty one.

    Raises:
        WrongUse: The file is no backup, or the ladder is not empty.
        BadBackup: It is damaged.
    """
    header = read_header(path)
    check_empty(connection, keys)
    with zipfile.ZipFile(path) as packed:
        entries = [Logged(*row) for row in _unpack(packed, ENTRIES)]
        at = chain(Position(), entries)
        if (at.position, at.head.hex()) != (header.position, header.head):
            raise BadBackup(f"{path}: the log's head differs: the backup was put together anew")
        stored: list[Stored] = [tuple(row) for row in _unpack(packed, STORED)]
        for member in packed.namelist():
            if member.startswith(FILES):
                archive.put_raw(member.removeprefix(FILES), packed.read(member))
        acts = _unpack(packed, ACTS)
        for begin in range(0, len(acts), PART):
            archive.put_acts(acts[begin : begin + PART])
    sync()
    adopt(connection, keys, archive, entries, stored, command="restore", by=by, why=why)
    return header


def _unpack(packed: zipfile.ZipFile, name: str) -> Sequence[Any]:
    found: Sequence[Any] = msgpack.unpackb(packed.read(name), raw=False, use_list=False)
    return found
