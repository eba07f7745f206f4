"""A sample bot is an author's program: it knows gRPC, the generated messages and itself."""

import ast
import sys
from pathlib import Path

import pytest

from tests.sample_bots.table import BOTS

PROGRAMS = sorted(
    path for path in BOTS.rglob("*.py") if "build" not in path.relative_to(BOTS).parts
)

NEIGHBOURS = {"best": ("search",), "tune": ("search", "greedy")}
"""Whose files a program uses beside its own."""
GAMES = ("referee.games", "referee.engine")
SIMULATING = {"search", "tune"}
"""Programs that play on with the rules themselves: they alone may import the games."""


def imported(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: bots are no package"
            names.add(node.module or "")
    return names


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: str(path.relative_to(BOTS)))
def test_it_imports_grpc_the_messages_and_its_own_files(path: Path) -> None:
    program = path.parent.name
    folders = [path.parent, *(BOTS / each for each in NEIGHBOURS.get(program, ()))]
    own = {each.stem for folder in folders for each in folder.glob("*.py")} | {"attend"}
    for name in imported(path):
        top = name.partition(".")[0]
        simulator = program in SIMULATING and name.startswith(GAMES)
        assert top in sys.stdlib_module_names or top == "grpc" or name in own or simulator or (
            top == "warladder" and name.startswith("warladder.v1")
        ), f"{path.name} imports {name}"  # fmt: skip


def test_hello_stands_alone_and_fits_on_a_screen() -> None:
    hello = BOTS / "hello" / "bot.py"
    assert "attend" not in imported(hello)
    assert sum(1 for line in hello.read_text().splitlines() if line.strip()) <= 60


def test_the_authors_page_names_every_bot_and_every_message() -> None:
    from warladder.v1 import referee_pb2

    page = (BOTS / "README.md").read_text()
    for folder in BOTS.iterdir():
        if folder.is_dir() and (folder / "bot.py").exists():
            assert f"[`{folder.name}`]" in page
    for message in ("BotMessage", "RefereeMessage"):
        for field in referee_pb2.DESCRIPTOR.message_types_by_name[message].fields:
            assert f"`{field.message_type.name}`" in page
