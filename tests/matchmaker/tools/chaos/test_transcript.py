"""What bots of a chaos run write down."""

from pathlib import Path

from matchmaker.tools.chaos.transcript import Transcript, by_match, read


def test_lines_come_back_by_match_and_a_torn_one_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "bot.jsonl"
    for option in range(2):  # two lives of one bot
        Transcript(file).note("choose", match="m1", decision=option + 1, option=option)
    Transcript(file).note("life", pid=1)
    with file.open("ab") as torn:
        torn.write(b'{"what":"choo')
    found = by_match(read(file))
    assert [line["decision"] for line in found["m1"]] == [1, 2]
    assert list(found) == ["m1"]


def test_a_bot_that_never_came_has_written_nothing(tmp_path: Path) -> None:
    assert list(read(tmp_path / "none.jsonl")) == []
