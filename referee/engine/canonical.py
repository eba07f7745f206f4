"""
One spelling for every value, so that equal states give equal bytes on every machine.

MessagePack without maps and floats is such a spelling: its packer always takes the shortest form.
"""

from __future__ import annotations

from typing import TypeAlias, Union, cast

import msgpack

Value: TypeAlias = Union[bool, int, str, bytes, "tuple[Value, ...]", None]
"""What frames, views and saves are made of."""


def pack(value: object) -> bytes:
    """Spell a value built of None, bool, int, str, bytes, tuples and lists."""
    return msgpack.packb(value, use_bin_type=True)


def unpack(data: bytes) -> Value:
    """
    Read back what `pack` wrote; every sequence comes back as a tuple.

    Raises:
        ValueError: The bytes are not one such value.
    """
    try:
        return cast(Value, msgpack.unpackb(data, use_list=False, raw=False, strict_map_key=True))
    except (msgpack.UnpackException, ValueError, TypeError) as fault:
        raise ValueError(f"not canonical bytes: {fault}") from None
