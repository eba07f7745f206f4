"""Whatever is typed wrongly is answered by one line on standard error and the exit code 2."""

import pytest

from tests.helpers.processes import warladder


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("no-such", "No such command 'no-such'; see `warladder --help`"),
        ("replay show /no/such/file", "/no/such/file: there is no such file"),
        ("fuzz skirmish --seed \udcff", "is not UTF-8 text"),
        ("play " + 300 * "a" + " hello random", 60 * "a" + "…"),
        ("fuzz chess --games 1", "no game 'chess'; there are: "),
        ("fuzz skirmish --games none", "'--games': Input should be a valid integer"),
        ("fuzz skirmish --games 0", "greater than or equal to 1"),
        ("fuzz skirmish --games 1 --seats 9", "seats"),
        ("fuzz skirmish --games 1 --option rounds", "give it as NAME=VALUE"),
        ("fuzz skirmish --games 1 --option colour=red", "colour"),
        ("fuzz skirmish --games 1 --option rounds=many", "rounds"),
        ("fuzz --replay /no/such/file", "/no/such/file: No such file"),
        ("fuzz --replay /bin/sh", "/bin/sh is no file of `warladder fuzz`"),
        ("fuzz", "name a GAME"),
    ],
)
def test_it_is_one_line_and_exit_2(words: str, line: str) -> None:
    run = warladder(*words.split())
    assert run.returncode == 2, run.stderr
    assert run.stdout == ""
    assert len(run.stderr.splitlines()) == 1, run.stderr
    assert run.stderr.startswith("warladder: ")
    assert line in run.stderr
    assert "Errno" not in run.stderr
    assert len(run.stderr) < 300


@pytest.mark.parametrize(
    ("process", "setting"),
    [
        ("referee", "WARLADDER_REFEREE_LISTEN"),
        ("worker", "WARLADDER_INTERNAL_SECRET"),
        ("matchmaker", "WARLADDER_GAMES"),
    ],
)
def test_a_process_names_the_setting_that_it_lacks(process: str, setting: str) -> None:
    run = warladder(process)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.removeprefix("warladder ") == f"{process}: {setting} is not set\n"


def test_no_command_is_help() -> None:
    run = warladder()
    assert run.returncode == 2
    assert "Usage: warladder" in run.stderr
    assert "Traceback" not in run.stderr


def test_the_version_is_a_result() -> None:
    run = warladder("--version")
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.strip()[0].isdigit()
