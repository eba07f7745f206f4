"""What a process says of a store that does not answer: one plain line, without the password."""

from __future__ import annotations

import os

from redis import exceptions

REFUSALS = (exceptions.ResponseError, exceptions.AuthenticationError)


def shown(url: str) -> str:
    """A URL as a message may show it: without its password."""
    head, at, tail = url.rpartition("@")
    return f"{head.partition('://')[0]}://…@{tail}" if at else url


def refuses(fault: BaseException) -> bool:
    """
    Whether the store answered what a client says first, and refused it: a database, a user.

    The asynchronous client wraps that in the error of a lost connection.
    """
    cause: BaseException | None = fault
    while cause is not None:
        if isinstance(cause, REFUSALS):
            return not isinstance(cause, (exceptions.ReadOnlyError, exceptions.OutOfMemoryError))
        cause = cause.__cause__ or cause.__context__
    return False


def why(fault: BaseException) -> str:
    """The system's own word for what went wrong, without the client's wrapping."""
    cause: BaseException | None = fault
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno:
            # A name that is not found has a negative number and words of its own.
            return os.strerror(cause.errno) if cause.errno > 0 else str(cause.strerror)
        cause = cause.__cause__ or cause.__context__
    return str(fault).rstrip(".") or type(fault).__name__


def waits(who: str, url: str, fault: BaseException) -> str:
    return f"{who}: Redis at {shown(url)} does not answer ({why(fault)}); waiting for it"


def goes_on(who: str, url: str) -> str:
    return f"{who}: Redis at {shown(url)} answers; going on"
