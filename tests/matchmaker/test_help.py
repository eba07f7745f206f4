"""The help of every command: whole sentences, a text for each option, defaults and names shown."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from typer.core import TyperArgument, TyperOption
from typer.main import get_command

from matchmaker.cli.app import app, run
from matchmaker.errors import WrongUse
from matchmaker.settings import process_config, web_config, worker_config
from referee.server.config import BadSetting, read_config

PLACEHOLDER = re.compile(r"<[a-z \[\]]+>")
"""What Typer writes where an option's value has no name: `<int range>`."""
ENDS = (".", ":")


def walk(command: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield words, command
    for name, each in getattr(command, "commands", {}).items():
        yield from walk(each, (*words, name))


EVERY = dict(walk(get_command(app)))
NAMES = [" ".join(words) or "warladder" for words in EVERY]


def shown(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> str:
    assert run([*words, "--help"]) == 0
    return capsys.readouterr().out


def plain(text: str) -> str:
    """Without the line breaks and columns of the layout."""
    return " ".join(text.split())


@pytest.fixture(autouse=True)
def eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.parametrize("words", EVERY, ids=NAMES)
def test_no_text_is_cut_and_none_is_missing(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    command, text = EVERY[words], shown(words, capsys)
    assert max(map(len, text.splitlines())) <= 80
    sentences = [" ".join(part.split()) for part in command.help.strip().split("\n\n")]
    examples = [part for part in sentences if part.startswith("warladder ")]
    for part in sentences:
        assert part in plain(text), part
        assert part.endswith(ENDS) or part in examples, part
    for each in getattr(command, "commands", {}).values():
        first = " ".join(each.help.strip().split("\n\n")[0].split())
        assert first.endswith("."), first
        assert first in plain(text), f"cut off in the list of {words}: {first}"
    for part in command.params:
        assert part.help, f"{part.opts} has no text"
        assert part.help[0].isupper() or part.help[0] in "`'", part.help
        assert re.search(r"\.( \[default: \w+\])?$", part.help), part.help
        assert plain(part.help) in plain(text), part.help


@pytest.mark.parametrize("words", EVERY, ids=NAMES)
def test_values_have_names_and_defaults_are_shown(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    command, text = EVERY[words], plain(shown(words, capsys))
    for part in command.params:
        takes = isinstance(part, TyperArgument) or not part.is_flag
        if not isinstance(part, TyperOption) or not takes:
            continue
        assert part.metavar, f"{part.opts}: its value has no name"
        if part.default not in (None, "") and not part.required:
            default = getattr(part.default, "value", part.default)
            said = re.search(rf"[\[ ]default: {re.escape(str(default))}", text)
            assert said, f"{part.opts}: no default"
    usage, _, options = text.partition("Options:")
    assert not re.search(r"\[\[|\.\.\.}", usage), "a name in brackets of its own"
    assert not PLACEHOLDER.search(options), PLACEHOLDER.findall(options)


def test_equal_options_are_told_alike() -> None:
    """What means the same in two commands has one text; what does not has another on purpose."""
    for option in ("--json", "--by"):
        texts = {
            part.help
            for command in EVERY.values()
            for part in command.params
            if option in part.opts and part.metavar in (None, "WHO")
        }
        assert len(texts) == 1, (option, texts)
    may_come_again = [
        part
        for command in EVERY.values()
        for part in command.params
        if getattr(part, "multiple", False)
    ]
    assert len(may_come_again) > 5
    for part in may_come_again:
        assert "may be repeated" in part.help, part.opts


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("referee", read_config),
        ("worker", worker_config),
        ("matchmaker", process_config),
        ("web", web_config),
    ],
)
def test_a_process_names_what_it_needs(
    name: str, read: Callable[[dict[str, str]], object], tmp_path: Any
) -> None:
    needed = plain(EVERY[name,].help).partition("Needed are ")[2].partition(";")[0]
    told = re.findall(r"WARLADDER_\w+", needed)
    values = {
        "WARLADDER_REDIS_URL": "redis://127.0.0.1:1/0",
        "WARLADDER_ARCHIVE": str(tmp_path / "archive"),
        "WARLADDER_GAMES": "skirmish",
        "WARLADDER_REFEREE_LISTEN": "127.0.0.1:0",
        "WARLADDER_INTERNAL_LISTEN": "127.0.0.1:0",
    }
    given = {each: values.get(each, "x") for each in told}
    read(given)  # they are enough
    for each in told:
        with pytest.raises((WrongUse, BadSetting), match=f"{each} is not set"):
            read({key: value for key, value in given.items() if key != each})


def test_an_option_goes_before_the_environment(tmp_path: Any) -> None:
    given = {
        "WARLADDER_REDIS_URL": "redis://127.0.0.1:1/0",
        "WARLADDER_ARCHIVE": str(tmp_path / "archive"),
        "WARLADDER_WEB_LISTEN": "127.0.0.1:1",
        "WARLADDER_REFEREE_LISTEN": "127.0.0.1:1",
        "WARLADDER_INTERNAL_LISTEN": "127.0.0.1:0",
        "WARLADDER_INTERNAL_SECRET": "x",
        "WARLADDER_LADDER_KEY": "x",
    }
    assert web_config(given, listen="0.0.0.0:80").port == 80
    assert read_config(given, listen="unix:/tmp/x").listen == "unix:/tmp/x"
    with pytest.raises(WrongUse, match=r"^--listen='80': give it as HOST:PORT"):
        web_config(given, listen="80")
    with pytest.raises(BadSetting, match=r"^--listen='80': unix:PATH or HOST:PORT"):
        read_config(given, listen="80")
