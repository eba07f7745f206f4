"""A missing tool is skipped by name, and with `WARLADDER_REQUIRE=all` is a failure."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent

ONE = """
from tests.helpers.tools import require

def test_needs_what_nobody_has():
    require("warladder-no-such-tool")
"""


@pytest.mark.parametrize(
    ("setting", "code", "line"),
    [
        ("", 0, "missing tool: warladder-no-such-tool (1 test)"),
        ("all", 1, "but skipped: missing tool: warladder-no-such-tool"),
        ("some", 4, "WARLADDER_REQUIRE='some': only 'all' is known"),
    ],
)
def test_a_missing_tool_is_named(tmp_path: Path, setting: str, code: int, line: str) -> None:
    (tmp_path / "test_one.py").write_text(ONE)
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-p", "no:cacheprovider",
         "--rootdir", str(tmp_path), "-c", os.devnull, str(tmp_path)],
        cwd=ROOT, env={**os.environ, "WARLADDER_REQUIRE": setting},
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert run.returncode == code
    assert line in run.stdout + run.stderr
