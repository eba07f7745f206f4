"""Files that are written wholly or not at all, also over a power cut."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from matchmaker.errors import WrongUse


@contextmanager
def named_file(path: Path) -> Iterator[IO[bytes]]:
    """
    Write a file that the caller of a command has named; it appears when the `with` ends well.

    Raises:
        WrongUse: It cannot be written.
    """
    try:
        with _whole_file(path) as file:
            yield file
            os.fchmod(file.fileno(), 0o666 & ~_umask())  # as any program leaves its results
    except OSError as error:
        raise WrongUse(f"{path}: {error.strerror}") from None


@contextmanager
def _whole_file(path: Path) -> Iterator[IO[bytes]]:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".draft-")
    try:
        with os.fdopen(handle, "w+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
