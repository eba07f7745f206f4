"""Names become files, each its own, and none outside of its folder."""

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.filenames import LONGEST, file_name

PLAIN = ["greedy", "greedy#2", "a-b", "a.b", "-x", "x" * LONGEST]
ODD = ["", ".", "..", "../../x", "/", "a/", "/a", ".a", "a.", "A", "a+b", "a~b", "a b", "a\nb"]
ODD += ["a\0b", "\x1b[2J", "é", "e\u0301", "x" * 65, "x" * 5000, "x/" * 100 + "x", "a\\b", "a:b"]
ODD += ["\udcff"]


def test_a_plain_name_is_its_files() -> None:
    assert [file_name(name) for name in PLAIN] == PLAIN
    assert file_name("go/greedy") == "go+greedy"


@pytest.mark.parametrize("name", ODD)
def test_an_odd_name_is_a_file_of_the_folder(tmp_path: Path, name: str) -> None:
    file = tmp_path / f"{file_name(name)}.jsonl"
    assert file.resolve().parent == tmp_path.resolve()
    file.write_text("x")
    assert [each.name for each in tmp_path.iterdir()] == [f"{file_name(name)}.jsonl"]


def test_no_two_share_one_even_where_capitals_do_not_count() -> None:
    names = [*PLAIN, *ODD, "a/b", "Greedy", "GREEDY", "a-B", "x" * 66, "x" * 5001, "a.b.", "a\r\nb"]
    assert len({unicodedata.normalize("NFC", file_name(each)).casefold() for each in names}) == len(
        names
    )


@given(st.lists(st.text(alphabet="aAbB/+~.-#é ", max_size=6), unique=True, max_size=40))
def test_names_of_any_kind_have_files_of_their_own(names: list[str]) -> None:
    assert len({file_name(each).casefold() for each in names}) == len(names)
