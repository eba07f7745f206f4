"""Line-ups are data: read whole or refused with file and reason."""

import sys
from pathlib import Path

import pytest

from matchmaker import lineup
from matchmaker.errors import WrongUse

GOOD = """
game = "chess"
matches = 6
[[bot]]
name = "one"
author = "me"
run = "sh 'my bot'"
[[bot]]
name = "two"
author = "me"
run = "hello"
"""


def read(tmp_path: Path, text: str) -> lineup.Lineup:
    file = tmp_path / "chess.toml"
    file.write_text(text)
    return lineup.read(file)


def test_a_lineup_is_read(tmp_path: Path) -> None:
    found = read(tmp_path, GOOD)
    assert (found.game, found.matches, found.default) == ("chess", 6, False)
    assert found.bots[0].command == ("sh", "my bot")
    assert found.bots[0] == lineup.Entry(
        name="one", author="me", run="sh 'my bot'", games=("chess",)
    )


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('"two"', '"one"', "two bots are called 'one'"),
        ("matches = 6", "", "'matches' is missing"),
        ('"hello"', '"no end', "line"),
        ('run = "hello"', 'runs = "hello"', "'run' is missing"),
        ("matches = 6", 'matches = "many"', "invalid literal"),
    ],
)
def test_a_broken_lineup_is_named_with_its_reason(
    tmp_path: Path, old: str, new: str, reason: str
) -> None:
    with pytest.raises(WrongUse, match=rf"chess\.toml: .*{reason}"):
        read(tmp_path, GOOD.replace(old, new))


def test_a_bot_of_two_lineups_plays_both_games(tmp_path: Path) -> None:
    chess = read(tmp_path, GOOD)
    go = read(tmp_path, GOOD.replace("chess", "go").replace('"two"', '"three"'))
    together = lineup.together([chess, go])
    assert [(bot.name, bot.games) for bot in together] == [
        ("one", ("chess", "go")),
        ("two", ("chess",)),
        ("three", ("go",)),
    ]


def test_a_game_without_lineup_is_refused_with_those_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lineup, "LINEUPS", tmp_path)
    with pytest.raises(WrongUse, match="they come with a clone"):
        lineup.of("chess")
    read(tmp_path, GOOD)
    with pytest.raises(WrongUse, match=r"no line-up for 'go' in .*; there are: chess"):
        lineup.of("go")
    assert lineup.of("chess").matches == 6


def test_a_sample_is_run_by_our_own_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lineup, "SAMPLES", tmp_path)
    script = tmp_path / "python" / "mine" / "bot.py"
    script.parent.mkdir(parents=True)
    script.touch()
    assert lineup.command("mine") == (sys.executable, str(script))
    with pytest.raises(WrongUse, match=r"'other': neither a sample nor a program; .*: mine"):
        lineup.command("other")


def test_what_cannot_be_started_says_what_could(tmp_path: Path) -> None:
    script, program = tmp_path / "bot.py", tmp_path / "bot"
    script.touch()
    program.touch()
    for word, reason in (
        (str(script), f'give "python {script}"'),
        (str(program), "is not executable"),
        (str(tmp_path), "is a folder"),
        ("sh 'open", "No closing quotation"),
    ):
        with pytest.raises(WrongUse, match=reason):
            lineup.command(word)


def test_a_command_is_called_by_its_script_or_program(tmp_path: Path) -> None:
    script = tmp_path / "mine.py"
    script.touch()
    assert lineup.named(["python", str(script), "--fast"]) == "mine"
    assert lineup.named(["python", "-m", "mine"]) == "mine"
    assert lineup.named(["sleep", "200"]) == "sleep"
