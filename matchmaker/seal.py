"""
A seal behind packed bytes, so that a byte that changes anywhere is found and its place is named.

It is a skippable frame (RFC 8878, 3.1.2), so any zstd program still unpacks the file: a check sum
of each block, the length of what is packed, and a check sum of these.
"""

from __future__ import annotations

import struct
from zlib import crc32

from referee.engine.errors import WarladderError

BLOCK = 128
"""Bytes under one check sum: a replay has 2 to 6 KiB, its seal 3 % of that."""
SKIPPABLE = 0x184D2A50
HEAD = struct.Struct("<II")
SUM = struct.Struct("<I")
TAIL = struct.Struct("<II")


class BadSeal(WarladderError):
    """Bytes are not as they were sealed; the text says where."""

    def __init__(self, text: str, is_sealed: bool = True) -> None:
        super().__init__(text)
        self.is_sealed = is_sealed
        """They have been sealed once; False if they may be anything."""


def sealed(packed: bytes) -> bytes:
    sums = b"".join(SUM.pack(crc32(packed[at : at + BLOCK])) for at in range(0, len(packed), BLOCK))
    body = sums + SUM.pack(len(packed))
    frame = body + SUM.pack(crc32(body))
    return packed + HEAD.pack(SKIPPABLE, len(frame)) + frame


def opened(data: bytes) -> bytes:
    """
    Take the seal off.

    Raises:
        BadSeal: A byte has changed, or some are missing.
    """
    least = HEAD.size + TAIL.size
    length = TAIL.unpack_from(data, len(data) - TAIL.size)[0] if len(data) >= least else 0
    blocks = -(-length // BLOCK)
    frame = SUM.size * blocks + TAIL.size
    if len(data) < least or len(data) != length + HEAD.size + frame:
        text = f"cut short, or changed in its last {TAIL.size} bytes of {len(data)}"
        raise BadSeal(text, is_sealed=False)
    body = data[length + HEAD.size :]
    if SUM.unpack_from(body, frame - SUM.size)[0] != crc32(body[: -SUM.size]):
        raise BadSeal(f"changed in bytes {length + HEAD.size} to {len(data) - 1}, its check sums")
    if data[length : length + HEAD.size] != HEAD.pack(SKIPPABLE, frame):
        raise BadSeal(f"changed in bytes {length} to {length + HEAD.size - 1}")
    for k in range(blocks):
        at = k * BLOCK
        block = data[at : min(at + BLOCK, length)]
        if crc32(block) != SUM.unpack_from(body, SUM.size * k)[0]:
            raise BadSeal(f"changed in bytes {at} to {at + len(block) - 1}")
    return data[:length]
