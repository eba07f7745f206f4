"""The ladder's table as people see it."""

from typing import Any

from matchmaker.board import final, render
from matchmaker.output import drawn


def ladder(*bots: tuple[str, str], order: str = "estimate") -> dict[str, Any]:
    """A table of bots with figures of usual size."""
    rows = [
        {
            "rank": rank, "bot": bot, "author": author, "mu": 31.234, "sigma": 1.5,
            "matches": 12345, "wins": 6000, "draws": 345, "losses": 6000,
            "estimate": 31.234, "low": 28.456, "high": 33.963, "rank_low": 1, "rank_high": 12,
            "tie_group": rank // 2, "provisional": rank > 1,
        }
        for rank, (bot, author) in enumerate(bots, 1)
    ]  # fmt: skip
    return {
        "game": "stalingrad", "season": "preseason", "table": rows, "endings": {"normal": 7},
        "order": order,
        "rated": 7, "unrated": 0, "void": 0,
    }  # fmt: skip


def test_a_usual_table_fits_into_80_columns_uncut() -> None:
    shown = ladder(("stalingrad-best", "warladder"), ("b", "me"), ("c", "me"))
    lines = drawn(render(shown), 80).splitlines()
    assert len(lines) == 5, "a title, a line of heads, one a bot"
    assert max(map(len, lines)) <= 80
    assert lines[1].split() == [
        "rank", "bot", "author", "estimate,", "95", "%", "ranks", "matches", "wins", "draws",
        "losses",
    ]  # fmt: skip
    assert lines[2].split() == [
        "1", "stalingrad-best", "warladder",
        "31.2", "28.5–34.0", "1–12", "12345", "6000", "345", "6000",
    ]  # fmt: skip
    assert [line.split()[0] for line in lines[2:]] == ["1", "2", "3="]
    assert lines[3].split()[5] == "1–12?"


def test_its_signs_are_explained() -> None:
    lines = final(ladder(("a", "me"), ("b", "me"), ("c", "me"))).splitlines()
    assert lines[-2] == "= tied with the one above; ? ranks not known well yet"
    assert len(final(ladder(("a", "me"))).splitlines()) == 4, "without signs no line on them"


def test_sigma_is_not_shown_as_an_interval() -> None:
    for order in ("estimate", "trueskill"):
        text = final(ladder(("a", "me"), order=order))
        assert "1.5" not in text
        assert "26.7" not in text


def test_without_an_estimate_it_says_what_it_goes_by() -> None:
    lines = final(ladder(("a", "me"), order="trueskill")).splitlines()
    assert lines[-3].split() == ["1", "a", "me", "31.23", "12345", "6000", "345", "6000"]
    assert lines[-2].startswith("ordered by mu - 3 sigma")


def test_long_names_are_cut_and_nothing_wraps() -> None:
    lines = drawn(render(ladder(("b" * 32, "a" * 32))), 80).splitlines()
    assert len(lines) == 3
    assert max(map(len, lines)) <= 80
    assert "…" in lines[2]
    assert lines[2].endswith("6000")


def test_where_there_is_no_terminal_nothing_is_cut_and_no_line_ends_in_blanks() -> None:
    text = final(ladder(("b" * 32, "a" * 32)), 3.0)
    assert "b" * 32 in text
    assert "a" * 32 in text
    assert text.splitlines()[-1] == "7 rated, 0 unrated, 0 void (normal 7) in 3.0 s"
    assert [line for line in text.splitlines() if line != line.rstrip()] == []
