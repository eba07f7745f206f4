"""A game lives in its own rooms; no other code, test helper or build file names one."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.helpers.tools import MISSING, require

ROOT = Path(__file__).parent.parent

ROOMS = re.compile(
    r"""
      referee/games/[a-z_]+/        # the game's own folder
    | proto/                        # its messages
    | matchmaker/web/static/drawings/ # how the viewer draws it
    | matchmaker/viewing/drawings/  # and a terminal
    | deploy/                       # line-ups are data
    | sample_bots/
    | tests/
    """,
    re.VERBOSE,
)
PROSE = (".md", ".lock")
"""What is read by people and not run: it may name what it explains."""


def games() -> list[str]:
    folders = (ROOT / "referee" / "games").glob("*/__init__.py")
    return sorted(path.parent.name for path in folders)


def files() -> list[str]:
    """Every file of the tree that is or would be committed."""
    if not (ROOT / ".git").exists():
        pytest.skip(MISSING + "git's own folder: this tree is no clone")
    listed = subprocess.run(
        [require("git"), "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def test_only_a_games_rooms_name_it() -> None:
    if not games():
        return
    names = re.compile("|".join(games()), re.IGNORECASE)
    found = []
    for name in files():
        if ROOMS.match(name) or name.endswith(PROSE):
            continue
        text = (ROOT / name).read_text("utf-8", errors="ignore")
        for number, line in enumerate(text.splitlines(), 1):
            if names.search(line):
                found.append(f"{name}:{number}: {line.strip()}")
    assert not found, "\n".join(found)


def test_no_file_is_too_long_to_fit_in_a_head() -> None:
    long = {}
    for name in files():
        if name.endswith(".py") and not re.search(r"_pb2(_grpc)?\.py$", name):
            lines = len((ROOT / name).read_text("utf-8").splitlines())
            if lines > 600:
                long[name] = lines
    assert not long
