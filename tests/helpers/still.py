"""A TCP line between a bot and its referee that can fall still: open, and nothing comes through."""

from __future__ import annotations

import asyncio
from contextlib import suppress

CHUNK = 1 << 16


class StillLine:
    """Passes bytes on, both ways, until told to stop; neither end is told that it has."""

    def __init__(self, referee: str) -> None:
        """
        Args:
            referee: `HOST:PORT`.
        """
        host, _, port = referee.rpartition(":")
        self._referee = host, int(port)
        self._server: asyncio.Server | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._writers: list[asyncio.StreamWriter] = []
        self.address = ""
        self.still = False

    async def __aenter__(self) -> StillLine:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        host, port = self._server.sockets[0].getsockname()
        self.address = f"{host}:{port}"
        return self

    async def __aexit__(self, *exception: object) -> None:
        assert self._server is not None
        self._server.close()
        for writer in self._writers:
            writer.transport.abort()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _connected(self, bot: asyncio.StreamReader, to_bot: asyncio.StreamWriter) -> None:
        referee, to_referee = await asyncio.open_connection(*self._referee)
        self._writers += [to_bot, to_referee]
        self._tasks += [
            asyncio.ensure_future(self._pass_on(bot, to_referee)),
            asyncio.ensure_future(self._pass_on(referee, to_bot)),
        ]

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(CHUNK):
                if self.still:
                    continue  # taken off the line, as by a wire that leads nowhere
                writer.write(data)
                await writer.drain()
