"""A game's events in words, for any game: its own names, nothing of Python's."""

from __future__ import annotations

import re
from typing import Any

NOBODY = -1
"""Stands for a seat where there is none."""


def told(event: Any) -> str:
    """
    Tell an event: `hill fought: value 3, seat 0`.

    What is empty is left out: it is unknown to this viewer, or there is none.
    """
    name = re.sub(r"(?<!^)(?=[A-Z])", " ", type(event).__name__).lower()
    parts = [
        f"{field.replace('_', ' ')} {_value(field, value)}"
        for field, value in zip(event._fields, event, strict=True)
        if value not in ("", (), None)
    ]
    return f"{name}: {', '.join(parts)}" if parts else name


def _value(field: str, value: Any) -> str:
    if field == "seat" and value == NOBODY:
        return "nobody"
    if hasattr(value, "_fields"):
        return _together(value)
    if isinstance(value, tuple):
        return " ".join(_together(each) for each in value)
    return _word(value)


def _together(value: Any) -> str:
    """A small record inside an event is one word: `R106/3`."""
    return "/".join(map(_together, value)) if isinstance(value, tuple) else _word(value)


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
