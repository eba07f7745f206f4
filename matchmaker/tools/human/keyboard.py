"""Lines that a person types, for a program that listens to a referee at the same time."""

from __future__ import annotations

import asyncio
import os
import termios
import threading


class Keyboard:
    """Standard input, a line at a time; read by a thread, as some files cannot be waited for."""

    def __init__(self, file: int = 0) -> None:
        self.file = file
        self.is_terminal = os.isatty(file)
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._is_open = True

    def start(self) -> None:
        """Begin to read; the thread ends with the process."""
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, args=(loop,), daemon=True).start()

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        rest = b""
        while True:
            try:
                some = os.read(self.file, 4096)
            except OSError:  # the terminal is gone
                some = b""
            *lines, rest = (rest + some).split(b"\n")
            if not some and rest:
                lines, rest = [rest], b""
            for line in lines:
                self._put(loop, line.decode("utf-8", "replace").strip())
            if not some:  # Ctrl-D ends a line of a terminal, not the terminal
                self.is_terminal = self.is_terminal and os.isatty(self.file)
                self._put(loop, None)
                if not self.is_terminal:
                    return

    def _put(self, loop: asyncio.AbstractEventLoop, line: str | None) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(self._lines.put_nowait, line)

    def forget(self) -> None:
        """Drop what was typed before anything was asked; a file's lines are all answers."""
        if not self.is_terminal:
            return
        termios.tcflush(self.file, termios.TCIFLUSH)
        while not self._lines.empty():
            self._lines.get_nowait()

    async def line(self) -> str | None:
        """The next line; None where the input has ended (for now, if it is a terminal)."""
        if not self._is_open:
            return None
        line = await self._lines.get()
        self._is_open = line is not None or self.is_terminal
        return line
