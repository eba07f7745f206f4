"""What people are shown: text from bots is text."""

from rich.table import Table

from matchmaker import output


def test_a_bots_words_are_no_markup() -> None:
    table = Table("bot", box=None)
    table.add_row("[/red] [bold]x[/] :smile: [link=http://y]")
    assert "[/red] [bold]x[/] :smile: [link=http://y]" in output.drawn(table)


def test_a_note_cannot_move_the_cursor_or_the_line() -> None:
    note = "\x1b[2J\r\nmine\u202e\x07 – ü"
    assert output.harmless(note) == r"\x1b[2J\r\nmine\u202e\x07 – ü"
