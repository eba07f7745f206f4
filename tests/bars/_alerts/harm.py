"""What can be done to a process that is not ours to change."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

ALL_THREADS = 0x40000000  # __WALL of waitpid(2)
SEIZE, INTERRUPT, CONT, DETACH = 0x4206, 0x4207, 7, 17  # requests of ptrace(2)
MOST_TRIES = 50


@contextmanager
def stopped(pid: int) -> Iterator[None]:
    """It stands still."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)


@contextmanager
def starved(pid: int, asleep: float, awake: float) -> Iterator[None]:
    """It runs for a moment and stands still for a moment, in seconds, as on a machine too busy."""
    over = threading.Event()

    def starve() -> None:
        with suppress(ProcessLookupError):
            while not over.is_set():
                os.kill(pid, signal.SIGSTOP)
                time.sleep(asleep)
                os.kill(pid, signal.SIGCONT)
                time.sleep(awake)

    thread = threading.Thread(target=starve, name="starve")
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@contextmanager
def hung(pid: int, serves: Callable[[], bool]) -> Iterator[None]:
    """
    Its main thread waits for ever, as on a disk that does not answer; its others go on.

    Args:
        serves: Whether the others do: a thread that is held up while it holds Python's lock holds
            them all up, and is let go for a moment.
    """
    trace(SEIZE, pid)
    try:
        hold(pid)
        for _ in range(MOST_TRIES):
            if serves():
                break
            trace(CONT, pid)
            time.sleep(0.01)
            hold(pid)
        else:
            raise AssertionError(f"process {pid} never serves while it hangs")
        yield
    finally:
        trace(DETACH, pid)


def hold(pid: int) -> None:
    trace(INTERRUPT, pid)
    os.waitpid(pid, ALL_THREADS)


def trace(request: int, pid: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    libc.ptrace.restype = ctypes.c_long
    if libc.ptrace(request, pid, None, None) != 0:
        raise OSError(ctypes.get_errno(), f"ptrace {request:#x} of process {pid}")


@contextmanager
def few_files(pid: int, most: int) -> Iterator[None]:
    """It may have no more files open than so many."""
    before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (most, before[1]))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_NOFILE, before)
