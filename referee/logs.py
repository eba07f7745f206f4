"""
How the ladder's processes write their logs: one line an event, whatever a text in it holds.

Lines are logfmt (`key=value`), first `timestamp` (UTC), `level` and `event`, then fields. What
libraries say through Python's own logging, warnings and an error that ends the process are events
too. The events are listed in `deploy/README.md`.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
from types import TracebackType
from typing import Any, TextIO

import structlog

LOG_FILE = "WARLADDER_LOG_FILE"
"""The file that this process's outputs go to, if it is to be turned over when it is large."""
MOST_BYTES = 16 << 20
"""Of a log file; some ten thousand matches of a referee."""
FILES_KEPT = 3
"""Earlier ones: `NAME.1` is the last."""


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
    if isinstance(value, tuple | list):
        return ",".join(map(shown, value))
    return harmless(value if isinstance(value, str) else str(value))


class TurnedOver:
    """
    A log file that is put aside when it is large; standard output and error go on in the new one.

    The process turns its own file over, so nothing is lost between two files. Only one process may
    write to a file.
    """

    def __init__(self, path: str) -> None:
        # Every command imports this module for a word of it, and few write a log file.
        from logging.handlers import RotatingFileHandler

        self._handler = RotatingFileHandler(
            path, maxBytes=MOST_BYTES, backupCount=FILES_KEPT, encoding="utf-8"
        )
        self._lock = threading.RLock()

    @property
    def _stream(self) -> TextIO:
        assert self._handler.stream is not None, "closed"
        return self._handler.stream

    def write(self, text: str) -> int:
        with self._lock:
            size = os.fstat(self._stream.fileno()).st_size  # with what others wrote to it
            if size and size + len(text) > MOST_BYTES:
                self._handler.doRollover()
                for output in (1, 2):
                    os.dup2(self._stream.fileno(), output)
            return self._stream.write(text)

    def flush(self) -> None:
        self._stream.flush()

    def close(self) -> None:
        self._handler.close()


KNOWN: list[structlog.typing.Processor] = [
    structlog.processors.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]


def _render() -> list[structlog.typing.Processor]:
    return [
        structlog.processors.format_exc_info,
        escape,
        structlog.processors.LogfmtRenderer(key_order=["timestamp", "level", "event"]),
    ]


def of_process(cache: bool = True) -> None:
    """
    Take over all that this process writes besides its result: for its whole life, called once.

    Args:
        cache: As in `to_stderr`.
    """
    path = os.environ.get(LOG_FILE)
    file: Any = TurnedOver(path) if path else sys.stderr
    to_stderr(cache, file)
    handler = logging.StreamHandler(file)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*KNOWN, structlog.stdlib.add_logger_name, _library],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *_render()],
        )
    )
    handler.addFilter(_hung_up)
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.captureWarnings(True)
    sys.excepthook = _crashed
    threading.excepthook = _thread_crashed


def to_stderr(cache: bool = True, file: TextIO | None = None) -> None:
    """
    Write events on standard error.

    Args:
        cache: Loggers keep what they were given first.
        file: Where else to write them.
    """
    structlog.configure(
        processors=[*KNOWN, *_render()],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.PrintLoggerFactory(file or sys.stderr),
        cache_logger_on_first_use=cache,
    )


def _library(
    logger: Any, name: str, event: structlog.typing.EventDict
) -> structlog.typing.EventDict:
    """A library's sentence is no name of an event."""
    return {**event, "event": "library_message", "text": event["event"]}


def _hung_up(record: logging.LogRecord) -> bool:
    """
    A call that gRPC could not finish, since its other end had gone, is no error of ours.

    gRPC calls it one, with a traceback for each: any client could fill the log by hanging up.
    """
    kind = record.exc_info[0] if record.exc_info else None
    if kind is not None and kind.__name__ == "ExecuteBatchError":
        record.levelno, record.levelname, record.exc_info = logging.WARNING, "WARNING", None
    return True


def _crashed(kind: type[BaseException], fault: BaseException, trace: TracebackType | None) -> None:
    if not issubclass(kind, Exception):  # told to end
        sys.__excepthook__(kind, fault, trace)
        return
    log = structlog.get_logger("warladder")
    log.critical("crashed", fault=repr(fault), exc_info=(kind, fault, trace))


def _thread_crashed(given: threading.ExceptHookArgs) -> None:
    fault = given.exc_value
    if fault is None or not isinstance(fault, Exception):
        return
    log = structlog.get_logger("warladder")
    name = given.thread.name if given.thread else ""
    trace = (given.exc_type, fault, given.exc_traceback)
    log.critical("thread_crashed", thread=name, fault=repr(fault), exc_info=trace)
