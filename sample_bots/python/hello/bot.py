"""The smallest bot: takes option 0 whenever it is asked, in every game there is."""

import asyncio
import os
import sys

import grpc

from warladder.v1 import referee_pb2 as pb
from warladder.v1.referee_pb2_grpc import RefereeStub

REFEREE = os.environ.get("WARLADDER_REFEREE", "localhost:7700")
TOKEN = [("authorization", "Bearer " + os.environ.get("WARLADDER_TOKEN", ""))]
PARENT = os.getppid()


async def attend(stub: RefereeStub) -> float:
    """Play on one stream until it ends; returns after how many seconds to dial again."""
    games = [each.game for each in (await stub.Describe(pb.DescribeRequest())).games]
    stream = stub.Attend(metadata=TOKEN)
    await stream.write(pb.BotMessage(hello=pb.Hello(version="1", games=games)))
    async for heard in stream:
        answer = None
        if heard.HasField("match_started"):
            answer = pb.BotMessage(ready=pb.Ready(match=heard.match_started.match))
        elif heard.HasField("decide"):
            asked = heard.decide  # asked.options are on offer, asked.view shows the position
            choose = pb.Choose(match=asked.match, decision=asked.decision, option=0)
            answer = pb.BotMessage(choose=choose)
        elif heard.HasField("ping"):
            answer = pb.BotMessage(pong=pb.Pong(number=heard.ping.number))
        elif heard.HasField("fault"):
            print(heard.fault.text, file=sys.stderr)
        elif heard.HasField("goodbye"):
            if heard.goodbye.reason in (pb.GOODBYE_REASON_REPLACED, pb.GOODBYE_REASON_FAULT):
                sys.exit(1)
            return heard.goodbye.reconnect_after_ms / 1000
        if answer is not None:
            await stream.write(answer)
    return 1.0


async def main() -> None:
    while os.getppid() == PARENT:  # nobody's bot ends
        wait = 1.0
        try:
            async with grpc.aio.insecure_channel(REFEREE) as channel:
                wait = await attend(RefereeStub(channel))
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError) as error:
            if getattr(error, "code", str)() == grpc.StatusCode.UNAUTHENTICATED:
                sys.exit(f"{REFEREE}: {error.details()}")
            print(f"{REFEREE}: {error}".splitlines()[0], file=sys.stderr)
        await asyncio.sleep(wait)


asyncio.run(main())
