"""Chance: the same in any language, forever."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256

from referee.engine import chance
from referee.engine.canonical import pack, unpack


def test_a_shuffle_sorts_by_the_hash_of_seed_stream_and_id() -> None:
    ids = ["a", "b", "c", "d"]
    expected = sorted(ids, key=lambda i: sha256(f"seed|deck|{i}".encode()).hexdigest())
    assert chance.shuffled("seed", "deck", ids) == expected
    assert chance.shuffled("seed", "deck", reversed(ids)) == expected


def test_a_number_is_the_hash_of_seed_stream_and_count() -> None:
    digest = sha256(b"seed|dice|7").digest()
    assert chance.number("seed", "dice", 7, 6) == int.from_bytes(digest, "big") % 6


def test_streams_and_counts_are_independent_and_even() -> None:
    faces = Counter(chance.number("s", "dice", k, 6) for k in range(6000))
    assert set(faces) == set(range(6))
    assert all(850 <= n <= 1150 for n in faces.values())
    assert chance.shuffled("s", "a", "abcdefgh") != chance.shuffled("s", "b", "abcdefgh")


def test_canonical_bytes_read_back_as_tuples() -> None:
    value = (None, True, -3, "Öl", b"\x00", ((), (1, (2,))))
    assert unpack(pack(value)) == value
    assert pack([1, [2]]) == pack((1, (2,)))
