"""
Lines between bots and referees that can be cut or delayed. Unix sockets on both sides.

The lines live on an event loop in a thread of their own; what is called from outside returns at
once.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Self

CHUNK = 1 << 16


class Link:
    """One bot's way to one referee."""

    def __init__(self, door: Path, target: Path) -> None:
        self.door = door
        self.target = target
        self.cut_until = 0.0
        self.slow_until = 0.0
        self.open: set[asyncio.WriteTransport] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if time.monotonic() < self.cut_until:
            writer.transport.abort()
            return
        try:
            there, back = await asyncio.open_unix_connection(str(self.target))
        except OSError:
            writer.transport.abort()
            return
        both = {writer.transport, back.transport}
        self.open |= both
        try:
            ways = {
                asyncio.ensure_future(self._carry(reader, back)),
                asyncio.ensure_future(self._carry(there, writer)),
            }
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            for way in ways:
                way.cancel()
            await asyncio.wait(ways)
        finally:
            self.open -= both
            for transport in both:
                transport.abort()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(CHUNK):
                while (wait := self.slow_until - time.monotonic()) > 0:
                    await asyncio.sleep(min(wait, 0.2))
                writer.write(data)
                await writer.drain()

    def cut(self, seconds: float) -> None:
        self.cut_until = max(self.cut_until, time.monotonic() + seconds)
        for transport in list(self.open):
            transport.abort()

    def delay(self, seconds: float) -> None:
        self.slow_until = max(self.slow_until, time.monotonic() + seconds)


class Proxy:
    """A context in which links carry."""

    def __init__(self, links: Iterable[Link]) -> None:
        self.links = list(links)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="proxy", daemon=True)
        self._up = threading.Event()
        self._servers: list[asyncio.Server] = []

    def __enter__(self) -> Self:
        self._thread.start()
        self._up.wait()
        return self

    def __exit__(self, *fault: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _run(self) -> None:
        self._loop.run_until_complete(self._listen())
        self._up.set()
        self._loop.run_forever()
        self._loop.run_until_complete(self._leave())
        self._loop.close()

    async def _listen(self) -> None:
        for link in self.links:
            self._servers.append(await asyncio.start_unix_server(link.serve, str(link.door)))

    async def _leave(self) -> None:
        """Break every line; what carries it then ends by itself."""
        for server in self._servers:
            server.close()
        for link in self.links:
            link.slow_until = 0.0
            link.cut(1.0)
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        if tasks:
            await asyncio.wait(tasks, timeout=2.0)

    def cut(self, links: Iterable[Link], seconds: float) -> None:
        """Break what is open, and let nothing new through for so long."""
        for link in links:
            self._loop.call_soon_threadsafe(link.cut, seconds)

    def delay(self, links: Iterable[Link], seconds: float) -> None:
        """Hold back whatever is said, for so long."""
        for link in links:
            self._loop.call_soon_threadsafe(link.delay, seconds)

    def lift(self) -> None:
        """Let everything through again."""
        for link in self.links:
            link.cut_until = link.slow_until = 0.0
