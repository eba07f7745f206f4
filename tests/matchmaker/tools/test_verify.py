"""A replay in which something was changed: the first difference is named."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from matchmaker.archive import Archive
from matchmaker.cli.app import app
from referee.match.journal import Choice, End, Entry, pack_entry, unpack_journal
from tests.helpers.matches import record
from tests.helpers.sessions import Table


@pytest.fixture(scope="module")
def entries() -> list[Entry]:
    """The journal of a whole match."""
    table = Table(record("m1", "skirmish"))
    table.play()
    return unpack_journal(table.journal.entries)


def verified(folder: Path, changed: list[Entry]) -> tuple[int, str]:
    """What the command says of a match with this journal."""
    kept = Archive(folder)
    path = kept.path(kept.put_replay("m1", [pack_entry(entry) for entry in changed]))
    ran = CliRunner().invoke(app, ["replay", "verify", str(path)], standalone_mode=False)
    return int(ran.return_value), ran.stdout


def test_a_whole_replay_is_right(tmp_path: Path, entries: list[Entry]) -> None:
    code, said = verified(tmp_path, entries)
    assert (code, said.splitlines()[-1]) == (0, "right")


def test_any_other_choice_is_noticed_at_the_next_question_or_before(
    tmp_path: Path, entries: list[Entry]
) -> None:
    places = [k for k, entry in enumerate(entries) if isinstance(entry, Choice)]
    assert len(places) > 5
    for number, k in enumerate(places, 1):
        entry = entries[k]
        assert isinstance(entry, Choice)
        other = entry._replace(option=entry.option + 1 if entry.option == 0 else 0)
        code, said = verified(tmp_path, [*entries[:k], other, *entries[k + 1 :]])
        assert code == 1, said
        first = re.search(r"first wrong: (?:after|choice) (\d+)|first wrong: the end", said)
        assert first is not None, said
        if first[1]:
            assert number <= int(first[1]) <= number + 3, said
        else:
            assert number > len(places) - 4, said


def test_another_end_is_named(tmp_path: Path, entries: list[Entry]) -> None:
    end = entries[-1]
    assert isinstance(end, End)
    for name, value in {
        "ranks": end.ranks[::-1] if end.ranks[0] != end.ranks[1] else (1, 2),
        "scores": tuple(score + 1 for score in end.scores),
        "reason": "another",
        "digest": bytes(32),
    }.items():
        code, said = verified(tmp_path, [*entries[:-1], end._replace(**{name: value})])
        assert code == 1
        assert f"first wrong: the end's {name}" in said


def test_a_missing_end_and_a_missing_choice_are_named(tmp_path: Path, entries: list[Entry]) -> None:
    assert "first wrong: the journal has no end" in verified(tmp_path, entries[:-1])[1]
    k = next(k for k, entry in enumerate(entries) if isinstance(entry, Choice))
    assert "first wrong: " in verified(tmp_path, [*entries[:k], *entries[k + 1 :]])[1]
