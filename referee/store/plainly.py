"""The client's answers as what they are here: its types allow text, since it can decode."""

from __future__ import annotations

from typing import Any


def as_bytes(answer: Any) -> Any:
    """An answer of a client without `decode_responses`; a place for this remark, nothing more."""
    return answer
