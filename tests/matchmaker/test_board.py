"""The ladder's table as people see it."""

from typing import Any

from matchmaker.board import final, render
from matchmaker.output import drawn


def ladder(*bots: tuple[str, str]) -> dict[str, Any]:
    """A table of bots with figures of usual size."""
    rows = [
        {
            "rank": rank, "bot": bot, "author": author, "mu": 31.234, "sigma": 1.5,
            "matches": 12345, "wins": 6000, "draws": 345, "losses": 6000,
        }
        for rank, (bot, author) in enumerate(bots, 1)
    ]  # fmt: skip
    return {
        "game": "stalingrad", "season": "preseason", "table": rows, "endings": {"normal": 7},
        "rated": 7, "unrated": 0, "void": 0,
    }  # fmt: skip


def test_a_usual_table_fits_into_80_columns_uncut() -> None:
    lines = drawn(render(ladder(("stalingrad-best", "warladder"), ("b", "me"))), 80).splitlines()
    assert len(lines) == 5, "a title, two lines of heads, one a bot"
    assert max(map(len, lines)) <= 80
    assert lines[3].split() == [
        "1", "stalingrad-best", "warladder",
        "31.23", "1.50", "26.73", "12345", "6000", "345", "6000",
    ]  # fmt: skip


def test_long_names_are_cut_and_nothing_wraps() -> None:
    lines = drawn(render(ladder(("b" * 32, "a" * 32))), 80).splitlines()
    assert len(lines) == 4
    assert max(map(len, lines)) <= 80
    assert "…" in lines[3]
    assert lines[3].endswith("6000")


def test_where_there_is_no_terminal_nothing_is_cut_and_no_line_ends_in_blanks() -> None:
    text = final(ladder(("b" * 32, "a" * 32)), 3.0)
    assert "b" * 32 in text
    assert "a" * 32 in text
    assert text.splitlines()[-1] == "7 rated, 0 unrated, 0 void (normal 7) in 3.0 s"
    assert [line for line in text.splitlines() if line != line.rstrip()] == []
