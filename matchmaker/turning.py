"""
Logs of children that know nothing of ours: bounded, with nothing lost where a file is put aside.

Our own processes turn their logs over themselves (`referee.logs`). A bot's outputs are a pipe that
one thread of the parent empties into the file. A program that opens its log anew for each line, as
Redis servers do, writes it itself: it is enough to rename the file under it.
"""

from __future__ import annotations

import os
import selectors
import threading
from contextlib import suppress
from pathlib import Path
from typing import Self

from referee.logs import FILES_KEPT, MOST_BYTES

AT_ONCE = 65_536
"""Bytes read from a pipe in one go: what Linux keeps in one."""
MOST_LEFT = 1 << 20
"""Bytes that a pipe can hold at most."""
LOOK_SECONDS = 1.0
"""How often the size of a file that others write is looked at."""


class File:
    """A log that is written here: never larger than it may be, whole lines wherever they fit."""

    def __init__(self, path: Path, most_bytes: int = MOST_BYTES) -> None:
        self.path = path
        self.most_bytes = most_bytes
        self.lost = 0
        """Bytes that could not be written, as on a full disk, and were not told of yet."""
        self._out = path.open("ab", buffering=0)

    def write(self, data: bytes) -> None:
        """Append; what cannot be written is counted, since its writer must not wait for it."""
        try:
            if self.lost:
                self._append(f"… {self.lost} bytes could not be written\n".encode())
                self.lost = 0
            self._append(data)
        except OSError:
            self.lost += len(data)

    def _append(self, data: bytes) -> None:
        while data:
            room = self.most_bytes - self._out.seek(0, os.SEEK_END)
            part = data if len(data) <= room else data[: data.rfind(b"\n", 0, max(0, room)) + 1]
            if not part and room == self.most_bytes:
                part = data[:room]  # a line that fits into no file
            if part:
                data = data[self._out.write(part) :]
            else:
                turn_over(self.path)
                new = self.path.open("ab", buffering=0)
                self._out.close()
                self._out = new

    def close(self) -> None:
        self._out.close()


def turn_over(path: Path) -> None:
    """Put a log aside as `NAME.1`, the earlier ones one further; the oldest goes."""
    for number in range(FILES_KEPT, 0, -1):
        before = path.with_name(f"{path.name}.{number - 1}") if number > 1 else path
        with suppress(FileNotFoundError):
            before.replace(path.with_name(f"{path.name}.{number}"))


class Scribe:
    """Writes the logs of children: one thread for all of them."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self.most_bytes = most_bytes
        self._pipes = selectors.DefaultSelector()
        self._files: dict[int, File] = {}
        """By the end of a pipe that is read."""
        self._watched: set[Path] = set()
        self._lock = threading.Lock()
        self._wake_read, self._wake_write = os.pipe()
        self._pipes.register(self._wake_read, selectors.EVENT_READ)
        self._thread: threading.Thread | None = None
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def take(self, path: Path) -> tuple[int, int]:
        """
        Open a log for one life of a child.

        Returns:
            The end that the child writes to, to be closed once it has it; and the other, which
            names the life to `finish`.
        """
        file = File(path, self.most_bytes)
        mine, its = os.pipe()
        os.set_blocking(mine, False)
        with self._lock:
            self._files[mine] = file
            self._pipes.register(mine, selectors.EVENT_READ)
        self._begin()
        return its, mine

    def watch(self, path: Path) -> None:
        """Put a file aside when it is large; its writer opens it anew for each line."""
        with self._lock:
            self._watched.add(path)
        self._begin()

    def finish(self, mine: int) -> None:
        """Write what a child has left behind when it ended."""
        with self._lock:
            for _ in range(MOST_LEFT // AT_ONCE):  # whoever it has left behind may write on
                if mine not in self._files or not self._pump(mine):
                    break
            self._forget(mine)

    def close(self) -> None:
        """End the thread; what is in the pipes is written."""
        self._closed = True
        self._wake()
        if self._thread is not None:
            self._thread.join()
        for mine in list(self._files):
            self.finish(mine)
        self._pipes.close()
        for end in (self._wake_read, self._wake_write):
            os.close(end)

    def _begin(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="logs", daemon=True)
            self._thread.start()
        self._wake()

    def _wake(self) -> None:
        os.write(self._wake_write, b"x")

    def _run(self) -> None:
        while not self._closed:
            ready = self._pipes.select(LOOK_SECONDS if self._watched else None)
            with self._lock:
                for key, _ in ready:
                    if key.fd == self._wake_read:
                        os.read(self._wake_read, AT_ONCE)
                    elif key.fd in self._files:
                        self._pump(key.fd)
                for path in self._watched:
                    self._look(path)

    def _pump(self, mine: int) -> bool:
        """Write some of what is in a pipe; whether there was any."""
        try:
            data = os.read(mine, AT_ONCE)
        except BlockingIOError:
            return False
        if data:
            self._files[mine].write(data)
        else:
            self._forget(mine)  # nobody can write to it any more
        return bool(data)

    def _forget(self, mine: int) -> None:
        file = self._files.pop(mine, None)
        if file is not None:
            self._pipes.unregister(mine)
            os.close(mine)
            file.close()

    def _look(self, path: Path) -> None:
        with suppress(OSError):  # looked at again
            if path.stat().st_size > self.most_bytes:
                turn_over(path)
                path.touch()
