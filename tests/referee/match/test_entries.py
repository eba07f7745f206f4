"""The packed entries of a journal read like the list of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.match.entries import Entries


@given(st.lists(st.binary(max_size=300)), st.integers(-9, 9), st.integers(-9, 9))
def test_entries_read_like_a_list(given_entries: list[bytes], first: int, last: int) -> None:
    entries = Entries()
    for entry in given_entries:
        entries.append(entry)
    assert len(entries) == len(given_entries)
    assert bool(entries) == bool(given_entries)
    assert list(entries) == given_entries
    assert entries == given_entries == Entries(given_entries)
    assert entries[first:last] == given_entries[first:last]
    for k in range(-len(given_entries), len(given_entries)):
        assert entries[k] == given_entries[k]
    entries += [b"more"]
    assert entries != given_entries
    assert entries[-1] == b"more"


@pytest.mark.parametrize("at", [1, -2])
def test_an_entry_beyond_the_ends_is_an_index_error(at: int) -> None:
    with pytest.raises(IndexError, match="of 1"):
        Entries([b"only"])[at]
