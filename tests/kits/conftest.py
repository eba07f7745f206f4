"""Kits are built by their own `make`, with the tools of their language."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from matchmaker import kits
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
            ran = subprocess.run(
                ["make", "-C", str(folder)], capture_output=True, text=True, timeout=600
            )
            assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-4000:]
            done.add(language)
        return folder

    return build
