"""How the ladder's processes write their logs: one line an event, whatever a text in it holds."""

from __future__ import annotations

import logging
import sys
from typing import Any

import structlog


def harmless(text: str) -> str:
    """Text from elsewhere for a terminal or a log: what cannot be printed is shown as an escape."""
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in text
    )


def escape(logger: Any, name: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """Make every value of an event printable: no line of a log is another's word."""
    return {key: value if isinstance(value, SAFE) else shown(value) for key, value in event.items()}


SAFE = (bool, int, float, type(None))


def shown(value: object) -> str:
    return harmless(value if isinstance(value, str) else str(value))


def to_stderr(cache: bool = True) -> None:
    """
    Write events as `key=value` lines on standard error.

    Args:
        cache: Loggers keep what they were given first.
    """
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            escape,
            structlog.processors.LogfmtRenderer(key_order=["timestamp", "level", "event"]),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=cache,
    )
