"""
Closed matches and old parts of the results log as files, each named by the digest of its content.

The digest is of the content before compression: another version of the compressor writes other
bytes for the same match, and the same result must stay the same result.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgpack
import zstandard

from matchmaker.errors import WrongUse
from matchmaker.seal import BadSeal, opened, sealed
from referee.engine.errors import WarladderError

SCHEMA = 1
LEVEL = 10
"""A match of some hundred decisions takes about a millisecond and 2 to 6 KiB."""
DIGEST = re.compile("[0-9a-f]{64}")
MAGIC = b"\x28\xb5\x2f\xfd"
"""What every zstd file begins with (RFC 8878, 3.1.1)."""
LARGEST_BYTES = 256 * 1024 * 1024
"""No file of ours unpacks to more."""


class BadFile(WarladderError):
    """A file that is not one of the archive's, or whose content is not what its name says."""


class NoFile(BadFile, WrongUse):
    """There is no such file, it may not be read, or it was never one of the archive's."""


@dataclass(frozen=True)
class Replay:
    """A closed match: its journal, whose first entry is the match's record."""

    match: str
    journal: tuple[bytes, ...]


@dataclass(frozen=True)
class Segment:
    """Consecutive entries of the results log: position, time and bytes of each."""

    entries: tuple[tuple[int, int, bytes], ...]
    head: bytes
    """The chain's head after them."""


class Archive:
    """A folder of such files; every process of a ladder that closes or folds sees the same one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put_replay(self, match: str, journal: Sequence[bytes]) -> str:
        """
        Keep a closed match.

        Returns:
            The digest that names it.
        """
        return self._put("replay", {"match": match, "journal": list(journal)})

    def replay(self, digest: str) -> Replay:
        """
        Raises:
            BadFile: There is none of this digest, or it is broken.
        """
        return read_replay(self.path(digest))

    def put_segment(self, segment: Segment) -> str:
        """
        Keep a part of the log.

        Returns:
            The digest that names it; the file `log/FIRST-LAST` holds the same.
        """
        body = {"entries": list(segment.entries), "head": segment.head}
        return self._put_part("log", "segment", body, segment.entries[0][0], segment.entries[-1][0])

    def put_tournament(self, document: bytes) -> str:
        """
        Keep a tournament that is over, as its last document.

        Returns:
            The digest that names it.
        """
        return self._put("tournament", {"document": document})

    def tournament(self, digest: str) -> bytes:
        """
        Raises:
            BadFile: There is none of this digest, or it is broken.
        """
        document = _read(self.path(digest), "tournament")["document"]
        assert isinstance(document, bytes), digest
        return document

    def segments(self, after: int = 0) -> Iterator[Segment]:
        """
        Read the archived log, oldest part first.

        Args:
            after: Leave out the parts that end at this position or before it.

        Raises:
            BadFile: A part is missing or broken.
        """
        for name, digest in self.segment_names():
            if int(name.partition("-")[2]) > after:
                yield self.segment(digest)

    def segment_names(self) -> list[tuple[str, str]]:
        """Name the parts of the archived log (`FIRST-LAST` and digest), oldest first."""
        found = sorted((self.folder / "log").glob("*-*"))
        return [(path.name, path.read_text()) for path in found]

    def segment_with(self, position: int) -> Segment | None:
        """
        Find the part of the log that holds a position; None if there is none.

        Raises:
            BadFile: It is broken.
        """
        for path in (self.folder / "log").glob("*-*"):
            first, _, last = path.name.partition("-")
            if int(first) <= position <= int(last):
                return self.segment(path.read_text())
        return None

    def put_places(self, places: Mapping[str, int]) -> None:
        """Keep where in the log the results of these matches are: of one part of it."""
        rows = sorted(_key(match) + place.to_bytes(8, "big") for match, place in places.items())
        name = f"{min(places.values()):012}-{max(places.values()):012}"
        _write(self.folder / "places" / name, b"".join(rows))

    def place_of(self, match: str) -> int:
        """Tell where in the archived log a match's result may be; 0 if nowhere."""
        key = _key(match)
        for path in sorted((self.folder / "places").glob("*-*"), reverse=True):
            rows = path.read_bytes()
            found = rows.find(key)
            while found >= 0:
                if found % 16 == 0:
                    return int.from_bytes(rows[found + 8 : found + 16], "big")
                found = rows.find(key, found + 1)
        return 0

    def segment(self, digest: str) -> Segment:
        """
        Read one part of the log.

        Raises:
            BadFile: It is missing or broken.
        """
        body = _read(self.path(digest), "segment")
        entries = tuple((position, at, data) for position, at, data in body["entries"])
        return Segment(entries, body["head"])

    def put_acts(self, acts: Sequence[tuple[Any, ...]]) -> str:
        """
        Keep consecutive lines of the audit log; the first value of each is its position.

        Returns:
            The digest that names them; the file `audit/FIRST-LAST` holds the same.
        """
        return self._put_part("audit", "acts", {"acts": list(acts)}, acts[0][0], acts[-1][0])

    def acts(self) -> list[tuple[Any, ...]]:
        """
        Read the archived audit log, oldest line first.

        Raises:
            BadFile: A part is missing or broken.
        """
        found: list[tuple[Any, ...]] = []
        for name in sorted((self.folder / "audit").glob("*-*")):
            found += _read(self.path(name.read_text()), "acts")["acts"]
        return found

    def raw(self, digest: str) -> bytes:
        """
        Give a file as it is, checked.

        Raises:
            BadFile: There is none of this digest, or it is broken.
        """
        path = self.path(digest)
        _content(path, True)
        return path.read_bytes()

    def put_raw(self, digest: str, packed: bytes) -> None:
        """
        Keep a file as another archive has it; `sync` after the last of many.

        Raises:
            BadFile: It is broken.
        """
        path = self.path(digest)
        if not path.exists():
            _write(path, packed, at_once=False)
        _content(path, True)

    def path(self, digest: str) -> Path:
        """
        Raises:
            BadFile: It is no digest, so no file of the archive has this name.
        """
        if not DIGEST.fullmatch(digest):
            raise BadFile(f"{self.folder}: {digest[:80]!r} is no digest of a file in it")
        return self.folder / digest[:2] / f"{digest}.zst"

    def _put_part(self, folder: str, kind: str, body: dict[str, Any], first: int, last: int) -> str:
        digest = self._put(kind, body)
        _write(self.folder / folder / f"{first:012}-{last:012}", digest.encode())
        return digest

    def _put(self, kind: str, body: dict[str, Any]) -> str:
        content = pack(kind, body)
        digest = sha256(content).hexdigest()
        path = self.path(digest)
        if not path.exists():
            _write(path, sealed(zstandard.ZstdCompressor(level=LEVEL).compress(content)))
        return digest


def _key(match: str) -> bytes:
    """Eight bytes that stand for a match's id; whoever finds them looks whether it is the one."""
    return sha256(match.encode()).digest()[:8]


def pack(kind: str, body: dict[str, Any]) -> bytes:
    """Give the content of a file before compression."""
    content: bytes | None = msgpack.packb({"schema": SCHEMA, "kind": kind, **body})
    assert content is not None
    return content


def read_replay(path: Path) -> Replay:
    """
    Read a replay from anywhere. A name that is a digest must be its own; any other is free.

    Raises:
        NoFile: It cannot be read.
        BadFile: It is damaged, or not what its name says.
    """
    body = _read(path, "replay", DIGEST.fullmatch(path.name.partition(".")[0]) is not None)
    return Replay(body["match"], tuple(body["journal"]))


def _content(path: Path, check_name: bool) -> bytes:
    """What is in a file, before compression."""
    try:
        packed = path.read_bytes()
    except FileNotFoundError:
        raise NoFile(f"{path}: there is no such file") from None
    except OSError as error:
        raise NoFile(f"{path}: {error.strerror}") from None
    is_packed = packed.startswith(MAGIC) or MAGIC.startswith(packed)
    try:
        packed = opened(packed)
    except BadSeal as fault:
        if not is_packed and not fault.is_sealed:
            raise NoFile(f"{path}: not a file of the archive") from None
        raise BadFile(f"{path}: damaged: {fault}; take it from a copy") from None
    try:
        content = zstandard.ZstdDecompressor().decompress(packed, max_output_size=LARGEST_BYTES)
    except zstandard.ZstdError:
        raise BadFile(f"{path}: damaged or cut short; take another copy") from None
    digest = sha256(content).hexdigest()
    if check_name and digest != path.name.partition(".")[0]:
        raise BadFile(
            f"{path}: the content is not what the name says: changed, or renamed from {digest}.zst"
        )
    return content


def _read(path: Path, kind: str, check_name: bool = True) -> dict[str, Any]:
    content = _content(path, check_name)
    try:
        body = msgpack.unpackb(content, use_list=False)
        schema, found = body.pop("schema"), body.pop("kind")
    except (ValueError, TypeError, KeyError, AttributeError, msgpack.UnpackException):
        raise BadFile(f"{path}: not a file of the archive") from None
    if schema > SCHEMA:
        raise BadFile(f"{path}: of schema {schema}; this program knows {SCHEMA}: upgrade it")
    if found != kind:
        raise BadFile(f"{path}: a {found}, not a {kind}")
    return dict(body)


def sync() -> None:
    """Wait until all that was written is on the disk."""
    os.sync()


def _write(path: Path, content: bytes, *, at_once: bool = True) -> None:
    """Write a file so that it is there wholly or not at all, also after a power cut."""
    draft = path.with_name(f".draft-{secrets.token_hex(8)}")
    try:
        handle = _new(draft)
    except FileNotFoundError:  # the first of its folder
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = _new(draft)
    try:
        with os.fdopen(handle, "wb", buffering=0) as file:
            left = memoryview(content)
            while left:
                left = left[file.write(left) :]
            if at_once:
                os.fsync(handle)
        os.replace(draft, path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _new(path: Path) -> int:
    """Open a file that is not there yet, for its owner alone."""
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
