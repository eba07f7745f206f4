"""Raw gRPC bots for tests: one that plays by number, and one that says what a test tells it."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import grpc

from warladder.v1 import referee_pb2 as pb

Pick = Callable[[pb.Decide], int]


def first(decide: pb.Decide) -> int:
    return 0


class RawBot:
    """A stream under a test's control. Everything the referee says is kept in `heard`."""

    def __init__(self, address: str, token: str, **hello: Any) -> None:
        self.channel = grpc.aio.insecure_channel(
            address, options=[("grpc.use_local_subchannel_pool", 1)]
        )
        attend = self.channel.stream_stream(
            "/warladder.v1.Referee/Attend", None, pb.RefereeMessage.FromString
        )
        self.call = attend(metadata=(("authorization", f"Bearer {token}"),))
        self.hello = pb.Hello(**{"games": ["skirmish"], **hello})
        self.heard: list[pb.RefereeMessage] = []
        self.mute = False
        """Pings are not answered: a write breaks the last words of a stream that is closed."""
        self.lost = False
        """It was told a fatal fault."""
        self._writing = asyncio.Lock()
        self._reading: asyncio.Future[pb.RefereeMessage | None] | None = None

    async def __aenter__(self) -> "RawBot":
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.close()

    async def close(self) -> None:
        self.call.cancel()
        if self._reading is not None:
            await asyncio.gather(self._reading, return_exceptions=True)
        await self.channel.close()

    async def say(self, **message: Any) -> None:
        await self.say_bytes(pb.BotMessage(**message).SerializeToString())

    async def say_bytes(self, data: bytes) -> None:
        """Send bytes as they are; on a stream that has ended, nothing: reading tells."""
        async with self._writing:
            with suppress(asyncio.InvalidStateError, grpc.aio.AioRpcError):
                await self.call.write(data)

    async def greet(self) -> pb.Welcome:
        await self.say(hello=self.hello)
        return (await self.expect("welcome")).welcome

    async def read(self) -> pb.RefereeMessage | None:
        """
        The next message, pings answered; None at the end of the stream.

        May be cancelled: gRPC would end the whole call, so what is read then waits for the next.
        """
        if self._reading is None:
            self._reading = asyncio.ensure_future(self._read())
        reading = self._reading
        message = await asyncio.shield(reading)
        if self._reading is reading:
            self._reading = None
        return message

    async def _read(self) -> pb.RefereeMessage | None:
        while True:
            try:
                message = await self.call.read()
            except grpc.aio.AioRpcError:
                return None  # `status` has the reason
            except asyncio.CancelledError:
                if self.call.cancelled():
                    return None  # the test hung up
                raise
            if message is grpc.aio.EOF:
                return None
            self.heard.append(message)
            if message.WhichOneof("message") != "ping":
                self.lost = self.lost or message.fault.fatal
                return message
            if not self.mute:
                await self.say(pong=pb.Pong(number=message.ping.number))

    async def expect(self, kind: str, seconds: float = 20.0) -> pb.RefereeMessage:
        """Read on to the next message of this kind."""
        async with asyncio.timeout(seconds):
            while True:
                message = await self.read()
                assert message is not None, f"the stream ended before a {kind}: {self.kinds()}"
                if message.WhichOneof("message") == kind:
                    return message

    async def status(self) -> tuple[grpc.StatusCode, str]:
        """How the stream ended."""
        return await self.call.code(), await self.call.details()

    def kinds(self) -> list[str | None]:
        return [message.WhichOneof("message") for message in self.heard]

    async def answer(self, decide: pb.Decide, option: int = 0) -> None:
        choose = pb.Choose(match=decide.match, decision=decide.decision, option=option)
        await self.say(choose=choose)

    async def play(self, matches: int = 1, pick: Pick = first) -> list[pb.MatchEnded]:
        """Play until so many matches have ended."""
        ended: list[pb.MatchEnded] = []
        while len(ended) < matches:
            message = await self.read()
            if message is None:
                break
            kind = message.WhichOneof("message")
            if kind == "match_started":
                await self.say(ready=pb.Ready(match=message.match_started.match))
            elif kind == "decide":
                await self.answer(message.decide, pick(message.decide))
            elif kind == "match_ended":
                ended.append(message.match_ended)
        return ended
