"""
A Ctrl-C before there is anything to clean up.

An exception out of nowhere cannot be trusted while modules are read: class creation turns it into
another, callbacks swallow it. So a command ends at once until it says that it looks after itself;
a `Supervisor` does so by its own handlers.
"""

import os
import signal
from types import FrameType

INTERRUPTED = 130
"""Exit code after a Ctrl-C, as shells have it."""


def end_at_once() -> None:
    """From now on a Ctrl-C ends the process, unless it was to be ignored."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


def raise_again() -> None:
    """From now on a Ctrl-C is a KeyboardInterrupt, for those who report what they have."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def deaf() -> None:
    """A Ctrl-C in the terminal is the parent's business: it ends the others and reports."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _end(number: int, frame: FrameType | None) -> None:
    os._exit(INTERRUPTED)
