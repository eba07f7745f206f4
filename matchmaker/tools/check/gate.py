"""
What stands between a bot and the scripted referee: it can be cut, shut, and says who dialled when.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import monotonic

PREFACE_BYTES = 24
HEADER_BYTES = 9
PING, ACK = 6, 1
HOST = "127.0.0.1"
MOMENT_SECONDS = 1.0


class Pings:
    """Looks for the pings of HTTP/2 in what a client sends."""

    def __init__(self) -> None:
        self.at: list[float] = []
        """Monotonic times."""
        self._skip = PREFACE_BYTES
        self._header = b""

    def read(self, data: bytes, now: float) -> None:
        while data:
            if self._skip:
                step = min(self._skip, len(data))
                self._skip -= step
                data = data[step:]
                continue
            wanted = HEADER_BYTES - len(self._header)
            self._header += data[:wanted]
            data = data[wanted:]
            if len(self._header) == HEADER_BYTES:
                self._skip = int.from_bytes(self._header[:3], "big")
                if self._header[3] == PING and not self._header[4] & ACK:
                    self.at.append(now)
                self._header = b""


class Gate:
    """One address that bots dial; each connection goes on to the referee behind it."""

    def __init__(self, name: str, behind: int, noticed: Callable[[], None]) -> None:
        """
        Args:
            behind: Port of the referee.
            noticed: Called when something has happened.
        """
        self.name = name
        self.address = ""
        self.dials: list[float] = []
        """Monotonic times of connections, those that were refused too."""
        self.shut = False
        self.connections: dict[int, Connection] = {}
        """By the port that the referee sees."""
        self._behind = behind
        self._noticed = noticed
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: Front(self), HOST, 0)
        self.address = f"{HOST}:{self._server.sockets[0].getsockname()[1]}"

    async def close(self) -> None:
        assert self._server is not None
        self._server.close()
        for connection in list(self.connections.values()):
            connection.cut()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def refuse(self) -> None:
        """Break every connection from now on; those that are open have a moment to end."""
        self.shut = True
        deadline = monotonic() + MOMENT_SECONDS
        while self.connections and monotonic() < deadline:
            await asyncio.sleep(MOMENT_SECONDS / 20)
        for connection in list(self.connections.values()):
            connection.cut()

    def dialled(self, front: Front) -> None:
        self.dials.append(monotonic())
        self._noticed()
        if self.shut:
            front.transport.abort()
            return
        task = asyncio.get_running_loop().create_task(self._connect(front))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _connect(self, front: Front) -> None:
        loop = asyncio.get_running_loop()
        _, back = await loop.create_connection(lambda: Back(front), HOST, self._behind)
        connection = Connection(self, front, back)
        self.connections[connection.port] = connection
        front.connected(connection)


class Connection:
    def __init__(self, gate: Gate, front: Front, back: Back) -> None:
        self.gate, self.front, self.back = gate, front, back
        self.port: int = back.transport.get_extra_info("sockname")[1]

    def cut(self) -> None:
        self.front.transport.abort()
        self.back.transport.abort()
        self.gate.connections.pop(self.port, None)


class Front(asyncio.Protocol):
    """The bot's side of a connection."""

    transport: asyncio.Transport

    def __init__(self, gate: Gate) -> None:
        self.gate = gate
        self.pings = Pings()
        self._early: list[bytes] = []
        self._connection: Connection | None = None
        self._lost = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.gate.dialled(self)

    def connected(self, connection: Connection) -> None:
        self._connection = connection
        if self._lost:
            connection.cut()
            return
        for data in self._early:
            connection.back.transport.write(data)
        self._early.clear()

    def data_received(self, data: bytes) -> None:
        self.pings.read(data, monotonic())
        if self._connection is None:
            self._early.append(data)
        else:
            self._connection.back.transport.write(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._lost = True
        if self._connection is not None:
            self._connection.cut()


class Back(asyncio.Protocol):
    """The referee's side."""

    transport: asyncio.Transport

    def __init__(self, front: Front) -> None:
        self._front = front

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self._front.transport.write(data)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self._front.transport.is_closing():
            self._front.transport.close()
