"""What people are shown: text from bots is text."""

import json

import pytest
import structlog
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families
from rich.table import Table

from matchmaker import output
from referee import logs
from referee.metrics import Metrics


def test_a_bots_words_are_no_markup() -> None:
    table = Table("bot", box=None)
    table.add_row("[/red] [bold]x[/] :smile: [link=http://y]")
    assert "[/red] [bold]x[/] :smile: [link=http://y]" in output.drawn(table)


def test_a_note_cannot_move_the_cursor_or_the_line() -> None:
    note = "\x1b[2J\r\nmine\u202e\x07 – ü"
    assert output.harmless(note) == r"\x1b[2J\r\nmine\u202e\x07 – ü"


def test_json_for_a_terminal_means_what_it_meant() -> None:
    words = "\x9b31m\u202e\x7f\u2028 \U000e0001 ü"
    text = output.document("x", True, words=words)
    assert text.isprintable()
    assert "ü" in text
    assert json.loads(text)["words"] == words


def test_a_table_has_no_letter_that_cannot_be_printed() -> None:
    table = Table("bot", box=None)
    table.add_row("\x1b[31mred\x9b0m")
    assert output.drawn(table).splitlines()[1].strip() == r"\x1b[31mred\x9b0m"


def test_a_log_line_is_one_line_and_its_fields_are_ours(
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = structlog.get_config()
    try:
        logs.to_stderr(cache=False)
        log = structlog.get_logger("test")
        log.info("said", text='x" level=error\r\n\x1b[2Jtimestamp=1\u2028', games=("\n", "b"))
        try:
            raise ValueError("\x1b[2J\r\ntimestamp=2 level=error")
        except ValueError:
            log.exception("broke")
    finally:
        structlog.configure(**before)
    lines = capsys.readouterr().err.removesuffix("\n").split("\n")
    assert len(lines) == 2
    assert all(line.isprintable() and line.startswith("timestamp=") for line in lines)
    assert " level=info event=said " in lines[0]
    assert r'text="x\" level=error\\r\\n\\x1b[2Jtimestamp=1\\u2028"' in lines[0]
    assert "Traceback" in lines[1]


def test_a_label_of_a_metric_cannot_make_another() -> None:
    metrics = Metrics()
    nasty = 'a"} 9\nwarladder_referee_matches_total{game="b'
    metrics.matches.labels(nasty, "normal").inc()
    (family,) = [
        each
        for each in text_string_to_metric_families(generate_latest(metrics.registry).decode())
        if each.name == "warladder_referee_matches"
    ]
    totals = [sample for sample in family.samples if sample.name.endswith("_total")]
    assert [sample.labels["game"] for sample in totals] == [nasty]
