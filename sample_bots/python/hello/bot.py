"""The smallest bot: takes option 0 whenever it is asked, in every game there is."""

import asyncio
import os

import grpc

from warladder.v1.referee_pb2 import BotMessage, Choose, DescribeRequest, Hello, Pong, Ready
from warladder.v1.referee_pb2_grpc import RefereeStub

REFEREE = os.environ.get("WARLADDER_REFEREE", "localhost:7700")
TOKEN = os.environ.get("WARLADDER_TOKEN", "")
PARENT = os.getppid()


async def attend(stub: RefereeStub) -> float | None:
    """Play until the stream ends; returns after how many seconds to dial again, None for never."""
    games = [each.game for each in (await stub.Describe(DescribeRequest())).games]
    stream = stub.Attend(metadata=[("authorization", f"Bearer {TOKEN}")])
    await stream.write(BotMessage(hello=Hello(version="1", games=games)))
    async for message in stream:
        match message.WhichOneof("message"):
            case "match_started":
                await stream.write(BotMessage(ready=Ready(match=message.match_started.match)))
            case "decide":
                asked = message.decide  # asked.options are on offer; asked.view shows the position
                choice = Choose(match=asked.match, decision=asked.decision, option=0)
                await stream.write(BotMessage(choose=choice))
            case "match_ended":
                ranks = list(message.match_ended.outcome.ranks)
                print(f"{message.match_ended.match}: ranks by seat {ranks}", flush=True)
            case "ping":
                await stream.write(BotMessage(pong=Pong(number=message.ping.number)))
            case "fault":
                print(f"fault: {message.fault.text}", flush=True)
            case "goodbye":
                wait = message.goodbye.reconnect_after_ms
                return wait / 1000 if message.goodbye.reason in (2, 5, 6) else None
    return 1.0


async def main() -> None:
    wait: float | None = 0.0
    while wait is not None and os.getppid() == PARENT:
        await asyncio.sleep(wait)
        try:
            async with grpc.aio.insecure_channel(REFEREE) as channel:
                wait = await attend(RefereeStub(channel))
        except grpc.aio.AioRpcError as error:
            print(f"{REFEREE}: {error.details()}", flush=True)
            wait = 1.0 if error.code() == grpc.StatusCode.UNAVAILABLE else None


asyncio.run(main())
