"""The processes of a bench: each in a Python of its own, driven by lines on its pipes."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from matchmaker.errors import FellShort

PLACE = "matchmaker.tools.bench"


def cpu_seconds() -> float:
    """Of this process so far, its threads and the kernel's part among it."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def peak_kib() -> int:
    """The most memory that this process has had resident."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


class Helper:
    """A process that answers each line with a line of JSON, and ends when its input does."""

    def __init__(self, module: str, *words: str) -> None:
        self.module = module
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", f"{PLACE}.{module}", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, line: str) -> Any:
        """
        Send a line and wait for the answer.

        Raises:
            FellShort: The process has ended.
        """
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # the missing answer says so
        return self.hear()

    def hear(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise FellShort(f"bench: {self.module} ended with exit code {self._process.wait()}")
        return json.loads(line)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def answer(value: object) -> None:
    """What a helper says."""
    print(json.dumps(value), flush=True)


@contextmanager
def socket_folder() -> Iterator[Path]:
    """A folder whose path is short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="wl-bench-", dir="/tmp") as folder:
        yield Path(folder)
