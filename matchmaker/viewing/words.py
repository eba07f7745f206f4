"""Names of ours as plain words."""

from __future__ import annotations

import re


def words(name: str) -> str:
    """`HillFought` and `on_card` as `hill fought`, `on card`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).replace("_", " ").lower()


def signed(number: int) -> str:
    return f"+{number}" if number > 0 else f"−{-number}" if number < 0 else "0"
