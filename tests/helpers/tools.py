"""What the tests need beyond Python, found by name."""

import os
import shutil
import sys
from pathlib import Path

import pytest

PLACES = os.pathsep.join(
    [str(Path(sys.executable).parent), os.environ.get("PATH", ""), "/usr/sbin", "/sbin"]
)

MISSING = "missing tool: "
"""How the reason of a skip for a tool begins; the closing list reads it."""


def all_required() -> bool:
    """Whether a skip counts as a failure (`WARLADDER_REQUIRE=all`)."""
    wanted = os.environ.get("WARLADDER_REQUIRE", "")
    if wanted not in ("", "all"):
        raise pytest.UsageError(f"WARLADDER_REQUIRE={wanted!r}: only 'all' is known")
    return wanted == "all"


def find(*names: str) -> str | None:
    """
    Find an optional tool by any of its names.

    Returns:
        The path of the first one found.
    """
    for name in names:
        path = shutil.which(name, path=PLACES)
        if path:
            return path
    return None


def require(*names: str) -> str:
    """Find an optional tool by any of its names, or skip the test that asks."""
    path = find(*names)
    if path is not None:
        return path
    pytest.skip(MISSING + " or ".join(names))
