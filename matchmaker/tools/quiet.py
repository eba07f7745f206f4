"""For tools that run servers' parts in their own process: only faults of ours are logged."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import structlog


@contextmanager
def quiet() -> Iterator[None]:
    """Log errors alone, and to standard error: standard output is the tool's result."""
    before = structlog.get_config()
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    try:
        yield
    finally:
        structlog.configure(**before)
