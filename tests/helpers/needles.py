"""What must not be in any byte a bot gets, in every form it could be hidden in."""

from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterable
from contextlib import suppress
from hashlib import blake2b, md5, sha1, sha256

SHORTEST = 6
"""Bytes of a needle: a shorter one would be found by chance."""


def forms(secret: bytes) -> dict[str, bytes]:
    """A secret as it is, written in other ways, and what it is checked by."""
    made = {
        "itself": secret,
        "reversed": secret[::-1],
        "hex": secret.hex().encode(),
        "HEX": secret.hex().upper().encode(),
    }
    for name, encode in (("base64", b64encode), ("base64url", urlsafe_b64encode)):
        for shift in range(3):  # as a part of something longer
            made[f"{name}+{shift}"] = encode(b"\0" * shift + secret)[shift + bool(shift) : -4]
    for name, digest in (("sha256", sha256), ("sha1", sha1), ("md5", md5), ("blake2b", blake2b)):
        made[name] = digest(secret).digest()
        made[f"{name} in hex"] = digest(secret).hexdigest().encode()
    with suppress(ValueError):
        made["unhexed"] = bytes.fromhex(secret.decode())
    return {name: needle for name, needle in made.items() if len(needle) >= SHORTEST}


def number(value: int) -> dict[str, bytes]:
    """A number as a varint, in fixed widths and in digits."""
    varint, rest = bytearray(), value
    while rest > 127:
        varint.append(rest & 127 | 128)
        rest >>= 7
    varint.append(rest)
    made = {
        "varint": bytes(varint),
        "little": value.to_bytes(4, "little"),
        "big": value.to_bytes(4, "big"),
        "digits": str(value).encode(),
    }
    return {name: needle for name, needle in made.items() if len(needle) >= 4}


def found(heard: Iterable[bytes], needles: dict[str, dict[str, bytes]]) -> list[str]:
    """Which needles are in which message: `NAME as FORM in message K`."""
    return [
        f"{name} as {form} in message {k}"
        for k, data in enumerate(heard)
        for name, made in needles.items()
        for form, needle in made.items()
        if needle in data
    ]
