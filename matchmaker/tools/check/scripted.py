"""
The scripted referee: a real gRPC server that says what a transcript tells it to say.

One server for all transcripts that are played at a time: the gate of a call says whose it is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import Any, NamedTuple

import grpc
from google.protobuf.message import DecodeError

from matchmaker.tools.check.gate import HOST, Gate
from referee.server import door
from warladder.v1 import referee_pb2 as pb

OPTIONS = [
    ("grpc.so_reuseport", 0),
    ("grpc.max_receive_message_length", 16 << 20),
    ("grpc.max_send_message_length", -1),
    # Pings that come too often are to be counted: not to cost the stream, as they do elsewhere.
    ("grpc.http2.max_ping_strikes", 0),
]
LINGER_SECONDS = 0.5
"""Between a stream's last message and its status, as a referee leaves it."""


class Heard(NamedTuple):
    at: float
    """Monotonic."""
    message: pb.BotMessage


class Stream:
    """One Attend call."""

    def __init__(self, gate: Gate, port: int, context: Any, noticed: Callable[[], None]) -> None:
        self.gate = gate
        self.port = port
        self.token = door.bearer(context)
        self.copy = ""
        """Which running copy of the bot has opened it."""
        self.opened_at = monotonic()
        self.inbox: list[Heard] = []
        """What the bot has said and nobody has asked for yet."""
        self.on_heard: Callable[[Stream, bytes, pb.BotMessage | None], None] = lambda *_: None
        self.over = asyncio.Event()
        self.hung_up = asyncio.Event()
        self.last_sent_at = 0.0
        self.early: list[bytes] = []
        """Read before anybody accepted the stream."""
        self.accepted = False
        self._status = (grpc.StatusCode.OK, "")
        self._context = context
        self._noticed = noticed

    async def send(self, data: bytes) -> None:
        """A bot that has gone is no error here: what is missed is found by what is expected."""
        self.last_sent_at = monotonic()
        with suppress(grpc.aio.BaseError, grpc.RpcError, asyncio.InvalidStateError):
            await self._context.write(data)

    def end(self, status: str, text: str = "") -> None:
        self._status = (door.STATUS[status], text)
        self.over.set()

    async def ended(self) -> None:
        """Wait until the bot has had its time to read what was said."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.hung_up.wait(), 2 * LINGER_SECONDS)

    def cut(self) -> None:
        """Break the connection that it runs on."""
        connection = self.gate.connections.get(self.port)
        if connection is not None:
            connection.cut()
        self.over.set()

    def pings(self) -> list[float]:
        connection = self.gate.connections.get(self.port)
        return [] if connection is None else connection.front.pings.at

    def accept(self, on_heard: Callable[[Stream, bytes, pb.BotMessage | None], None]) -> None:
        self.on_heard = on_heard
        self.accepted = True
        for data in self.early:
            self._heard(data)
        self.early.clear()

    def _heard(self, data: bytes) -> None:
        try:
            message = pb.BotMessage.FromString(data)
        except DecodeError:
            self.on_heard(self, data, None)
        else:
            self.inbox.append(Heard(monotonic(), message))
            self.on_heard(self, data, message)
        self._noticed()

    async def run(self) -> None:
        """Until the transcript or the bot ends it."""
        reader = asyncio.create_task(self._read())
        over = asyncio.create_task(self.over.wait())
        try:
            await asyncio.wait((reader, over), return_when=asyncio.FIRST_COMPLETED)
            if self.over.is_set():
                await asyncio.wait((reader,), timeout=LINGER_SECONDS)
        finally:
            self.hung_up.set()  # first: a call that breaks off now ends the waits below
            self._noticed()
            for task in (reader, over):
                task.cancel()
            await asyncio.gather(reader, over, return_exceptions=True)
        code, text = self._status
        if code is not grpc.StatusCode.OK:
            await self._context.abort(code, text)

    async def _read(self) -> None:
        while True:
            try:
                data = await self._context.read()
            except (grpc.aio.BaseError, grpc.RpcError):
                return
            if data is grpc.aio.EOF:
                return
            if self.accepted:
                self._heard(data)
            else:
                self.early.append(data)


class Referee:
    """The server behind all gates."""

    def __init__(self) -> None:
        self.port = 0
        self._gates: list[tuple[Gate, Any]] = []
        self._server: grpc.aio.Server | None = None

    async def __aenter__(self) -> Referee:
        self._server = grpc.aio.server(options=OPTIONS)
        handlers = {
            "Attend": grpc.stream_stream_rpc_method_handler(self._attend),
            "Describe": grpc.unary_unary_rpc_method_handler(
                self._describe,
                request_deserializer=pb.DescribeRequest.FromString,
                response_serializer=pb.DescribeResponse.SerializeToString,
            ),
        }
        self._server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler(door.SERVICE, handlers),)
        )
        self.port = int(door.listen(self._server, f"{HOST}:0").rpartition(":")[2])
        await self._server.start()
        return self

    async def __aexit__(self, *exception: object) -> None:
        assert self._server is not None
        await self._server.stop(0.2)
        await door.calls_done()

    def add(self, gate: Gate, scene: Any) -> None:
        """From now on what comes through this gate is the scene's."""
        self._gates.append((gate, scene))

    def remove(self, scene: Any) -> None:
        self._gates = [each for each in self._gates if each[1] is not scene]

    def _whose(self, context: Any) -> tuple[Gate, Any, int] | None:
        port = int(context.peer().rpartition(":")[2])
        for gate, scene in self._gates:
            if port in gate.connections:
                return gate, scene, port
        return None

    async def _attend(self, request: Any, context: Any) -> None:
        whose = self._whose(context)
        if whose is None:  # it was cut, or its transcript is over
            return
        gate, scene, port = whose
        stream = Stream(gate, port, context, scene.notice)
        scene.dialled_in(stream)
        await stream.run()

    async def _describe(self, request: Any, context: Any) -> pb.DescribeResponse:
        whose = self._whose(context)
        if whose is None:
            await context.abort(grpc.StatusCode.UNAVAILABLE, "this transcript is over")
            raise AssertionError  # abort raises
        described: pb.DescribeResponse = whose[1].describe()
        return described
