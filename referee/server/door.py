"""
The gRPC doors: bots' Attend and Describe, health, reflection, and the ladder's own internal door.

Attend passes bytes both ways, since the messages of every decision are bytes already.
"""

from __future__ import annotations

import asyncio
import hmac
import os
import socket
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple, Protocol

import grpc
import structlog
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from referee.server import frames
from referee.server.describe import describe
from referee.server.hall import Hall
from referee.server.overheard import Listener, Overheard
from referee.server.partings import Parting
from referee.server.stream import Stream
from warladder.v1 import internal_pb2, referee_pb2

log = structlog.get_logger("warladder.referee")

SERVICE = referee_pb2.DESCRIPTOR.services_by_name["Referee"].full_name
INTERNAL = internal_pb2.DESCRIPTOR.services_by_name["Internal"].full_name
SECRET = "x-warladder-secret"
HANDSHAKE_MS = 10_000
STATUS = {code.name: code for code in grpc.StatusCode}


class Known(NamedTuple):
    """Whose token it is."""

    bot: str
    paused: str
    """Why it gets no matches; empty if it does."""
    token: str = ""
    """Its digest, where tokens can be taken back."""


class StoreAway(Exception):
    """Nobody can be told apart now: the store does not answer."""


class BadAddress(Exception):
    """An address that cannot be listened on; the text says why and what to do."""


Authenticate = Callable[[str], Awaitable[Known | None]]


class Attendance:
    """Handles Attend: one call is one stream."""

    def __init__(
        self, hall: Hall, authenticate: Authenticate, listener: Listener | None = None
    ) -> None:
        self.hall = hall
        self.authenticate = authenticate
        self.listener = listener

    async def attend(self, request: Any, context: Any) -> None:
        hall = self.hall
        token = bearer(context)
        if not hall.diallers.admit(token):
            text = "too many streams come in at once"
            await self.refuse(context, Parting.CROWDED, text, linger=False)
        try:
            known = await self.authenticate(token)
        except StoreAway:
            await self.refuse(context, Parting.STORELESS, "the ladder's store is away")
            return
        if known is None:
            await self._heard_once(context)
            await context.abort(
                STATUS[Parting.STRANGER.value.status],
                "no bot has this token; send the metadata `authorization: Bearer TOKEN`",
            )
            return
        hall.diallers.trust(token)
        if hall.draining and not hall.plays(known.bot):
            await self.refuse(context, Parting.DRAINED, "this referee is going away")
        if hall.guests.full(known.bot):
            most = hall.limits.streams
            text = f"{known.bot} has {most} live streams, the most of one bot; end one of them"
            await self.refuse(context, Parting.FULL, text)
        wire = context if self.listener is None else Overheard(context, known.bot, self.listener)
        stream = Stream(hall, known.bot, known.paused, wire, known.token)
        reader = hall.loop.create_task(read(stream, wire))
        writer = hall.loop.create_task(stream.run_writer())
        stream.on_stuck = writer.cancel
        try:
            await asyncio.wait((reader, writer), return_when=asyncio.FIRST_COMPLETED)
            ours = stream.closing
            if ours:
                await asyncio.wait((writer,), timeout=hall.limits.farewell_seconds)
            hall.leave(stream)
            if ours:
                # Some clients drop unread messages when a status comes: give them time to read
                # the last ones, and those that hang up by themselves need not wait.
                await asyncio.wait((reader,), timeout=hall.limits.linger_seconds)
        finally:
            hall.leave(stream)
            reader.cancel()
            writer.cancel()
            # Whatever ended the transport is no news: the stream is over.
            await asyncio.gather(reader, writer, return_exceptions=True)
        if stream.status != "OK":
            await context.abort(STATUS[stream.status], stream.details)

    async def _heard_once(self, context: Any) -> None:
        """Let the bot's first message in: a status under its write is a broken write to some."""
        await self._wait_for(context.read())

    async def _wait_for(self, reading: Awaitable[Any]) -> None:
        waiting = asyncio.ensure_future(reading)
        await asyncio.wait((waiting,), timeout=self.hall.limits.linger_seconds)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)

    async def refuse(
        self,
        context: Any,
        parting: Parting,
        details: str,
        *,
        linger: bool = True,
    ) -> None:
        """
        Send a bot away, with a time to come back; ends the call.

        Args:
            linger: Give it time to read that before the status, which is what some read first.
        """
        end = parting.value
        await context.write(frames.goodbye(end.goodbye, self.hall.reconnect_after_ms()))
        if linger:
            await self._wait_for(hung_up(context))
        await context.abort(STATUS[end.status], details)


async def hung_up(context: Any) -> None:
    while await context.read() is not grpc.aio.EOF:
        pass


async def read(stream: Stream, context: Any) -> None:
    """Ends when the bot hangs up."""
    read, receive = context.read, stream.receive
    while True:
        try:
            data = await read()
        except (grpc.aio.BaseError, grpc.RpcError):
            return  # the call was finished under our hands
        if data is grpc.aio.EOF:
            return
        try:
            receive(data)
        except Exception:  # ours, whatever it is: this stream ends, the others go on
            log.exception("stream_broke", bot=stream.bot, instance=stream.instance)
            stream.ours = True
            stream.close(Parting.OURS, "our fault, not yours; dial again")
            return


def bearer(context: Any) -> str:
    """The call's token; empty if there is none."""
    for key, value in context.invocation_metadata() or ():
        if key == "authorization" and isinstance(value, str):
            scheme, _, token = value.partition(" ")
            return token.strip() if scheme.lower() == "bearer" else ""
    return ""


def bot_handlers(
    hall: Hall, authenticate: Authenticate, listener: Listener | None = None
) -> grpc.GenericRpcHandler:
    """
    Args:
        listener: Gets all that is said on streams; only where the bots are the listener's own.
    """
    attendance = Attendance(hall, authenticate, listener)

    async def answer(request: referee_pb2.DescribeRequest, context: Any) -> Any:
        return describe(hall.games, hall.limits, hall.addresses, hall.card_data(request.cards))

    return grpc.method_handlers_generic_handler(
        SERVICE,
        {
            "Attend": grpc.stream_stream_rpc_method_handler(attendance.attend),
            "Describe": grpc.unary_unary_rpc_method_handler(
                answer,
                request_deserializer=referee_pb2.DescribeRequest.FromString,
                response_serializer=referee_pb2.DescribeResponse.SerializeToString,
            ),
        },
    )


class Internal(Protocol):
    """What the internal door does."""

    async def open_matches(self, matches: Sequence[str]) -> list[int]: ...

    def status(self) -> internal_pb2.StatusResponse: ...


def internal_handlers(internal: Internal, secret: str) -> grpc.GenericRpcHandler:
    async def check(context: Any) -> None:
        given = dict(context.invocation_metadata() or ()).get(SECRET, "")
        if not hmac.compare_digest(str(given).encode(), secret.encode()):
            await context.abort(
                grpc.StatusCode.UNAUTHENTICATED, f"the metadata `{SECRET}` is missing or wrong"
            )

    async def open_matches(request: internal_pb2.OpenMatchesRequest, context: Any) -> Any:
        await check(context)
        openings = await internal.open_matches(request.matches)
        return internal_pb2.OpenMatchesResponse(openings=openings)  # type: ignore[arg-type]

    async def status(request: internal_pb2.StatusRequest, context: Any) -> Any:
        await check(context)
        return internal.status()

    return grpc.method_handlers_generic_handler(
        INTERNAL,
        {
            "OpenMatches": grpc.unary_unary_rpc_method_handler(
                open_matches,
                request_deserializer=internal_pb2.OpenMatchesRequest.FromString,
                response_serializer=internal_pb2.OpenMatchesResponse.SerializeToString,
            ),
            "Status": grpc.unary_unary_rpc_method_handler(
                status,
                request_deserializer=internal_pb2.StatusRequest.FromString,
                response_serializer=internal_pb2.StatusResponse.SerializeToString,
            ),
        },
    )


def new_server(received_bytes: int) -> grpc.aio.Server:
    return grpc.aio.server(
        options=[
            ("grpc.so_reuseport", 0),
            # Pings that look for a wider window: bots send a few bytes at a time.
            ("grpc.http2.bdp_probe", 0),
            ("grpc.max_receive_message_length", received_bytes),
            ("grpc.max_send_message_length", -1),
            # A connection that never says a word of HTTP/2.
            ("grpc.server_handshake_timeout_ms", HANDSHAKE_MS),
            ("grpc.keepalive_time_ms", 10_000),
            ("grpc.keepalive_timeout_ms", 20_000),
            ("grpc.keepalive_permit_without_calls", 1),
            ("grpc.http2.max_pings_without_data", 0),
            ("grpc.http2.min_recv_ping_interval_without_data_ms", 9_000),
        ]
    )


def listen(
    server: grpc.aio.Server, address: str, credentials: grpc.ServerCredentials | None = None
) -> str:
    """
    Open a door.

    Returns:
        Where it is: a port of 0 is replaced by the one found.

    Raises:
        BadAddress: It is taken, or no address at all.
    """
    path = address.removeprefix("unix:")
    if path != address and is_live(path):
        raise BadAddress(f"{address} is in use by another process; choose another address")
    try:
        if credentials is None:
            port = server.add_insecure_port(address)
        else:
            port = server.add_secure_port(address, credentials)
    except RuntimeError:
        port = 0
    if port == 0:
        raise BadAddress(
            f"cannot listen on {address}: it is in use or no address of this machine;"
            " choose another"
        )
    host, colon, given = address.rpartition(":")
    return f"{host}{colon}{port}" if colon and given == "0" else address


def is_live(path: str) -> bool:
    """Whether a process listens on this socket; one left over by a dead process may be taken."""
    if not os.path.exists(path):
        return False
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(path)
        except OSError:
            return False
    return True


class Health:
    """The standard health service, and reflection beside it."""

    def __init__(self, server: grpc.aio.Server, services: Sequence[str]) -> None:
        self.services = ("", *services)
        self.servicer = health.aio.HealthServicer()
        health_pb2_grpc.add_HealthServicer_to_server(self.servicer, server)
        reflection.enable_server_reflection(
            (*services, health.SERVICE_NAME, reflection.SERVICE_NAME), server
        )

    async def serving(self, well: bool) -> None:
        status = health_pb2.HealthCheckResponse
        for name in self.services:
            await self.servicer.set(name, status.SERVING if well else status.NOT_SERVING)


async def calls_done(seconds: float = 1.0) -> None:
    """
    Let the transport finish the calls of servers that have stopped.

    If the loop ends before, their tasks are cancelled and print a traceback each.
    """
    calls = [
        task
        for task in asyncio.all_tasks()
        if getattr(task.get_coro(), "__qualname__", "") == "_schedule_rpc_coro"
    ]
    if calls:
        await asyncio.wait(calls, timeout=seconds)
