"""
Entries of the results log as plain values that JSON can hold, and back to their very bytes.

Pure. The README beside this file says how others check the chain from these.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any, NamedTuple

import msgpack

from matchmaker.entries import BadEntry, link

BYTES = "digest"
"""The only field of an entry that is no text, number or list of such; hex digits here."""


class Plain(NamedTuple):
    """One entry in its place, as an export has it."""

    position: int
    at_ms: int
    schema: int
    kind: str
    fields: dict[str, Any]
    """In the order of the entry's bytes."""
    sha256: str
    """Of the entry's bytes, hex."""
    head: str
    """The chain after it, hex."""


def plain(position: int, at_ms: int, data: bytes, head: bytes) -> Plain:
    """
    Show an entry; `head` is the chain after it.

    Raises:
        BadEntry: It is none, or would not come back as it is.
    """
    try:
        body = msgpack.unpackb(data)
        schema, kind = body.pop("schema"), body.pop("kind")
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise BadEntry(f"entry {position} of the results log is none: {error}") from None
    if isinstance(body.get(BYTES), bytes):
        body[BYTES] = body[BYTES].hex()
    shown = Plain(position, at_ms, schema, kind, body, sha256(data).hexdigest(), head.hex())
    if bytes_of(shown) != data:
        raise BadEntry(f"entry {position} of the results log is not in its canonical form")
    return shown


def bytes_of(shown: Plain) -> bytes:
    """
    Give an entry's bytes: a MessagePack map of `schema`, `kind` and the fields in their order.

    Raises:
        BadEntry: These fields are of no entry.
    """
    try:
        body = {"schema": shown.schema, "kind": shown.kind, **shown.fields}
        if isinstance(body.get(BYTES), str):
            body[BYTES] = bytes.fromhex(body[BYTES])
        data: bytes = msgpack.packb(body)
    except (ValueError, TypeError, OverflowError) as error:
        raise BadEntry(f"fields that are no entry's: {error}") from None
    return data


def after(head: bytes, shown: Plain) -> bytes:
    """Take an entry into the chain."""
    return link(head, shown.at_ms, bytes_of(shown))
