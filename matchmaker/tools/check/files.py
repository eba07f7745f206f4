"""Where the transcripts are, and how a line of them is read: nothing here knows the protocol."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import warladder
from matchmaker.errors import WrongUse

SHIPPED = Path(warladder.__file__).parent / "transcripts"
"""Beside the protocol, since they are of use to others without our code."""

GAMES, ALWAYS, DESCRIBE, SUFFIX = "games", "always.json", "describe.json", ".jsonl"


def lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """
    Each object of a file of JSON lines, with where it stands; empty lines are passed over.

    Raises:
        WrongUse: The file cannot be read; the text names file, line and reason.
    """
    for number, line in enumerate(text(path).splitlines(), 1):
        if line.strip():
            yield f"{path}:{number}", document(line, f"{path}:{number}")


def one(path: Path) -> dict[str, Any]:
    """A file that is one JSON object."""
    return document(text(path), str(path))


def text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except OSError as error:
        raise WrongUse(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise WrongUse(f"{path}: no UTF-8 text: {error.reason} at byte {error.start}") from None


def document(words: str, place: str) -> dict[str, Any]:
    try:
        read = json.loads(words)
    except ValueError as error:
        raise WrongUse(f"{place}: no JSON: {error}") from None
    if not isinstance(read, dict):
        raise WrongUse(f"{place}: a JSON object is wanted, not {type(read).__name__}")
    return read
