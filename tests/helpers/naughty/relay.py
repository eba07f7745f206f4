"""A line between a bot and its referee that can be cut, slowed down and held up."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

PIECE_SECONDS = 0.01
"""Between two bytes of a slow line."""


class Relay:
    """Passes bytes on, both ways. What it does to those of the bot can be changed at any time."""

    def __init__(self, listen: Path, referee: str) -> None:
        """
        Args:
            referee: `unix:PATH`.
        """
        self.address = f"unix:{listen}"
        self._listen, self._referee = listen, referee.removeprefix("unix:")
        self._writers: list[asyncio.StreamWriter] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._server: asyncio.Server | None = None
        self.slow = False
        """Byte by byte."""
        self._left: int | None = None
        """So many bytes are let through before the line is held up; None: all."""
        self._go_on = asyncio.Event()
        self._go_on.set()

    async def __aenter__(self) -> Relay:
        self._server = await asyncio.start_unix_server(self._connected, self._listen)
        return self

    async def __aexit__(self, *exception: object) -> None:
        assert self._server is not None
        self._server.close()
        self.cut()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def hold_after(self, size: int) -> None:
        """Let so many more bytes of the bot through, then none."""
        self._left = size
        self._go_on.clear()

    def let_go(self) -> None:
        self._left = None
        self._go_on.set()

    def cut(self) -> None:
        """Both ends find the line broken, without a word."""
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()

    async def _connected(self, bot: asyncio.StreamReader, to_bot: asyncio.StreamWriter) -> None:
        referee, to_referee = await asyncio.open_unix_connection(self._referee)
        self._writers += [to_bot, to_referee]
        self._tasks += [
            asyncio.ensure_future(self._pass_on(bot, to_referee)),
            asyncio.ensure_future(self._pass_back(referee, to_bot)),
        ]

    async def _pass_on(self, bot: asyncio.StreamReader, to_referee: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await bot.read(1 if self.slow else 65_536):
                if self._left is not None:
                    to_referee.write(data[: self._left])
                    data = data[self._left :]
                    self._left = 0
                    await self._go_on.wait()
                to_referee.write(data)
                await to_referee.drain()
                if self.slow:
                    await asyncio.sleep(PIECE_SECONDS)
        to_referee.close()

    async def _pass_back(self, referee: asyncio.StreamReader, to_bot: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await referee.read(65_536):
                to_bot.write(data)
                await to_bot.drain()
        to_bot.close()
