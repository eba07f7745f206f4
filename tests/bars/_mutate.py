"""Messages that no honest bot sends: real ones changed as bytes go wrong, and noise."""

import random
from collections.abc import Callable, Sequence

HUGE = (b"\xff" * 9 + b"\x01", b"\xff" * 10 + b"\x01", b"\xff\xff\xff\xff\x0f", b"\x80" * 12)
"""Varints: the largest, one too long, the largest of 32 bits, one that never ends."""
DEEP = (b"\x0b" * 200, b"\x0a\x7e" * 100, b"\x0b\x0c" * 50)
"""Groups and messages within messages."""

Mutation = Callable[[random.Random, bytes, Sequence[bytes]], bytes]


def flip(chance: random.Random, data: bytes, real: Sequence[bytes]) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 4, 16))):
        if changed:
            changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def truncate(chance: random.Random, data: bytes, real: Sequence[bytes]) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


def lengthen(chance: random.Random, data: bytes, real: Sequence[bytes]) -> bytes:
    return data + chance.randbytes(chance.randrange(1, 64))


def cut_out(chance: random.Random, data: bytes, real: Sequence[bytes]) -> bytes:
    a, b = sorted(chance.randrange(len(data) + 1) for _ in range(2))
    return data[:a] + data[b:]


def repeat(chance: random.Random, data: bytes, real: Sequence[bytes]) -> bytes:
    a, b = sorted(chance.randrange(len(data) + 1) for _ in range(2))
    return data[:b] + data[a:b] * chance.choice((1, 2, 50)) + data[b:]


def wrong_length(chance: random.Random, data: bytes, real: Sequence[bytes]) -> bytes:
    """The second byte of every message says how long its one field is."""
    return data[:1] + bytes((chance.randrange(256),)) + data[2:]


def huge_number(chance: random.Random, data: bytes, real: Sequence[bytes]) -> bytes:
    at = chance.randrange(len(data) + 1)
    return data[:at] + chance.choice(HUGE) + data[at + 1 :]


def huge_number_that_fits(chance: random.Random, data: bytes, real: Sequence[bytes]) -> bytes:
    """At the end of the field, whose length is put right: the match stays, the number is absurd."""
    if len(data) < 3 or data[1] > 100:
        return flip(chance, data, real)
    number = chance.choice((b"\x10", b"\x18")) + chance.choice(HUGE[:3])
    return data[:1] + bytes((data[1] + len(number),)) + data[2:] + number


def other_kind(chance: random.Random, data: bytes, real: Sequence[bytes]) -> bytes:
    """Its content under another message's number."""
    return bytes((chance.randrange(1, 12) << 3 | 2,)) + data[1:]


def swap_fields(chance: random.Random, data: bytes, real: Sequence[bytes]) -> bytes:
    """One message's head with another's content, its length put right where it can be."""
    content = chance.choice(real)[2:]
    return data[:1] + bytes((min(127, len(content)),)) + content


def splice(chance: random.Random, data: bytes, real: Sequence[bytes]) -> bytes:
    other = chance.choice(real)
    return data[: chance.randrange(len(data) + 1)] + other[chance.randrange(len(other) + 1) :]


def both(chance: random.Random, data: bytes, real: Sequence[bytes]) -> bytes:
    """Two messages in one: the last of a choice counts."""
    return data + chance.choice(real)


def nest(chance: random.Random, data: bytes, real: Sequence[bytes]) -> bytes:
    return chance.choice((data, b"")) + chance.choice(DEEP)


def out_of_turn(chance: random.Random, data: bytes, real: Sequence[bytes]) -> bytes:
    """A real message as it is, at a time that is not its own."""
    return data


MUTATIONS: tuple[Mutation, ...] = (
    flip, flip, truncate, lengthen, cut_out, repeat, wrong_length, huge_number,
    huge_number_that_fits, other_kind, swap_fields, splice, both, nest, out_of_turn, out_of_turn,
)  # fmt: skip


def mutated(chance: random.Random, real: Sequence[bytes], data: bytes) -> bytes:
    """A real message, changed once or a few times, perhaps with parts of the other ones."""
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        data = chance.choice(MUTATIONS)(chance, data, real)
    return data


def noise(chance: random.Random) -> bytes:
    """Bytes that mean nothing; one in a thousand larger than a message may be."""
    if chance.random() < 0.001:
        return chance.randbytes(70_000)
    return chance.randbytes(chance.choice((0, 1, 2, 8, 30, 100, 400)))
