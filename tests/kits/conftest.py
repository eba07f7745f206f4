"""Kits are built by their own `make`, with the tools of their language."""

import fcntl
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from matchmaker import kits
from tests.helpers.processes import WARLADDER
from tests.helpers.tools import require

HERE = Path(__file__).parent

TOOLS = {
    "cpp": ("cmake", "g++", "protoc", "grpc_cpp_plugin"),
    "go": ("go", "protoc"),
    "java": ("javac", "mvn", "protoc", "grpc_java_plugin"),
    "python": ("protoc", "grpc_python_plugin"),
    "rust": ("cargo", "protoc"),
    "typescript": ("node", "npm", "protoc"),
}
"""What the build of each kit takes for granted."""

EXAMPLES = {"bash": ("bash", "jq"), "c": ("cc",), "perl": ("perl",)}
"""What each example of the bridge takes for granted."""
PROGRAMS = {"bash": "bot.sh", "c": "bot.c", "perl": "bot.pl"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.kits)


@pytest.fixture(scope="session")
def built() -> Callable[[str], Path]:
    """`built("go")`: the folder of a kit whose `make` has nothing left to do."""
    done: set[str] = set()

    def build(language: str) -> Path:
        folder = kits.folders()[language]
        if language not in done:
            for tool in TOOLS[language]:
                require(tool)
            with alone(language):
                make(folder)
            done.add(language)
        return folder

    return build


@pytest.fixture(scope="session")
def command(built: Callable[[str], Path]) -> Callable[..., tuple[str, ...]]:
    """`command("go", matches=8)`: starts the bot of a kit, or of a bridge's example."""

    def start(name: str, matches: int = 1) -> tuple[str, ...]:
        flags = ("--max-matches", str(matches))
        if name in kits.folders():
            return (str(built(name) / "bot"), "greedy", *flags)
        for tool in EXAMPLES[name]:
            require(tool)
        folder = kits.SAMPLES / "bridge" / name
        script = folder / PROGRAMS[name]
        if name == "c":
            script = Path(tempfile.gettempdir()) / f"warladder-bridge-example-{os.getuid()}"
            with alone(name):
                subprocess.run(["cc", "-O2", "-o", str(script), str(folder / "bot.c")], check=True)
        return (*WARLADDER, "bridge", "--game", "stalingrad", *flags, "--", str(script))

    return start


def make(folder: Path) -> None:
    """Build a kit as its author would."""
    ran = subprocess.run(
        ["make", "-C", str(folder)],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-4000:]


@contextmanager
def alone(name: str) -> Iterator[None]:
    """Test processes side by side do not build the same thing at once."""
    path = Path(tempfile.gettempdir()) / f"warladder-build-{name}-{os.getuid()}.lock"
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
