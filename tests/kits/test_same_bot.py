"""The kits are one small bot in several languages."""

import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from matchmaker import kits
from tests.helpers.processes import warladder
from tests.kits.conftest import TOOLS, make
from warladder.v1 import referee_pb2

pytestmark = pytest.mark.timeout(700)

REFERENCE = "python"


@functools.cache
def played(language: str) -> list[tuple[Any, ...]]:
    """How its two bots fare against one another: ranks, choices and the digest of each match."""
    ran = warladder(
        "play", "stalingrad", f"{language}/greedy", f"{language}/random",
        "--seed", "kit", "--pairings", "2", "--json", seconds=300,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return [
        (result["ranks"], result["reason"], result["decisions"], result["digest"])
        for result in json.loads(ran.stdout)["results"]
    ]


def test_every_kit_has_its_tools_named() -> None:
    assert set(kits.folders()) <= set(TOOLS)


@pytest.mark.parametrize("language", kits.folders())
def test_it_takes_the_same_options_in_every_language(
    language: str, built: Callable[[str], Path]
) -> None:
    built(REFERENCE)
    built(language)
    matches = played(language)
    assert len(matches) == 4
    assert all(reason not in ("timeout", "illegal", "protocol") for _, reason, *_ in matches)
    assert matches == played(REFERENCE)


@pytest.mark.parametrize("language", kits.folders())
def test_a_new_bot_builds_by_itself_and_plays(
    language: str, built: Callable[[str], Path], tmp_path: Path
) -> None:
    """Outside this repository, with nothing but what `bot new` has laid there."""
    built(language)  # names what is missing
    mine = tmp_path / "mine"
    assert warladder("bot", "new", language, str(mine)).returncode == 0
    make(mine)
    ran = warladder("play", "stalingrad", f"{mine}/bot greedy", "random", "--json")
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["totals"]["bot"]["wins"] == 2


@pytest.mark.parametrize("language", kits.folders())
def test_its_page_names_every_message(language: str) -> None:
    page = (kits.folders()[language] / "README.md").read_text()
    for field in referee_pb2.RefereeMessage.DESCRIPTOR.fields:
        assert f"`{field.message_type.name}`" in page
