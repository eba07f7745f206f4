"""The smallest bot: takes option 0 whenever it is asked, in every game there is."""

import asyncio
import os
import sys

import grpc

from warladder.v1 import referee_pb2 as pb
from warladder.v1.referee_pb2_grpc import RefereeStub

REFEREE = os.environ.get("WARLADDER_REFEREE") or "localhost:7700"
TOKEN = os.environ.get("WARLADDER_TOKEN", "")
PARENT = os.getppid()


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


async def attend(stub: RefereeStub) -> float:
    """Play on one stream until it ends; returns after how many seconds to dial again."""
    games = [each.game for each in (await stub.Describe(pb.DescribeRequest())).games]
    stream = stub.Attend(metadata=[("authorization", f"Bearer {TOKEN}")])
    await stream.write(pb.BotMessage(hello=pb.Hello(version="1", games=games)))
    async for heard in stream:
        answer = None
        if heard.HasField("welcome"):
            say(f"attending as {heard.welcome.bot}")
        elif heard.HasField("match_started"):
            answer = pb.BotMessage(ready=pb.Ready(match=heard.match_started.match))
        elif heard.HasField("decide"):
            asked = heard.decide  # asked.options are on offer, asked.view shows the position
            choose = pb.Choose(match=asked.match, decision=asked.decision, option=0)
            answer = pb.BotMessage(choose=choose)
        elif heard.HasField("ping"):
            answer = pb.BotMessage(pong=pb.Pong(number=heard.ping.number))
        elif heard.HasField("fault"):
            say(heard.fault.text)
        elif heard.HasField("goodbye"):
            if heard.goodbye.reason in (pb.GOODBYE_REASON_REPLACED, pb.GOODBYE_REASON_FAULT):
                sys.exit(1)
            return heard.goodbye.reconnect_after_ms / 1000
        if answer is not None:
            await stream.write(answer)
    return 1.0


async def main() -> None:
    if not (TOKEN.isascii() and TOKEN.isprintable()):
        sys.exit("WARLADDER_TOKEN is no token: set it to what `warladder bot add` printed")
    while os.getppid() == PARENT:  # nobody's bot ends
        wait = 1.0
        try:
            async with grpc.aio.insecure_channel(REFEREE) as channel:
                wait = await attend(RefereeStub(channel))
        except grpc.aio.AioRpcError as error:
            say(f"{REFEREE}: {error.code().name}: {error.details()}")
            if error.code() == grpc.StatusCode.UNAUTHENTICATED:
                sys.exit(1)
        except asyncio.InvalidStateError:
            say(f"{REFEREE}: the stream ended while we wrote")
        await asyncio.sleep(wait)


try:
    asyncio.run(main())
except KeyboardInterrupt:
    sys.exit(130)
