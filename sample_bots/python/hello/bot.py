"""The smallest bot: takes option 0 whenever it is asked, in every game there is."""

import asyncio
import os
import signal
import sys

import grpc

from warladder.v1 import referee_pb2 as pb
from warladder.v1.referee_pb2_grpc import RefereeStub

REFEREES = [os.environ.get("WARLADDER_REFEREE") or "localhost:7700"]  # the next to dial first
TOKEN = os.environ.get("WARLADDER_TOKEN", "")
PARENT = os.getppid()
UNWANTED = (pb.GOODBYE_REASON_REPLACED, pb.GOODBYE_REASON_FAULT, pb.GOODBYE_REASON_REVOKED)
wait = 0.2  # seconds, twice as long each time that nobody lets us in


async def attend(stub: RefereeStub) -> None:
    """Play on one stream until it ends."""
    global wait
    games = [each.game for each in (await stub.Describe(pb.DescribeRequest())).games]
    stream = stub.Attend(metadata=[("authorization", f"Bearer {TOKEN}")])
    await stream.write(pb.BotMessage(hello=pb.Hello(version="1", games=games)))
    async for heard in stream:
        kind = heard.WhichOneof("message")
        if kind == "match_started":
            await stream.write(pb.BotMessage(ready=pb.Ready(match=heard.match_started.match)))
        elif kind == "decide":
            asked = heard.decide  # asked.options are on offer, asked.view shows the position
            choose = pb.Choose(match=asked.match, decision=asked.decision, option=0)
            await stream.write(pb.BotMessage(choose=choose))
        elif kind == "ping":
            await stream.write(pb.BotMessage(pong=pb.Pong(number=heard.ping.number)))
        elif kind in ("welcome", "referees"):
            wait = 0.2
            REFEREES.extend({*heard.welcome.referees, *heard.referees.addresses} - {*REFEREES})
            if kind == "welcome":
                print(f"attending as {heard.welcome.bot}", file=sys.stderr)
        elif kind == "fault":
            print(heard.fault.text, file=sys.stderr)
        elif kind == "goodbye":
            if heard.goodbye.reason in (pb.GOODBYE_REASON_DONE, *UNWANTED):
                sys.exit(heard.goodbye.reason in UNWANTED)
            wait = max(wait, heard.goodbye.reconnect_after_ms / 1000)
            break


async def main() -> None:
    global wait
    if not (TOKEN.isascii() and TOKEN.isprintable()):
        sys.exit("WARLADDER_TOKEN is no token: set it to what `warladder bot add` printed")
    while os.getppid() == PARENT:  # nobody's bot ends
        try:
            async with grpc.aio.insecure_channel(REFEREES[0]) as channel:
                await attend(RefereeStub(channel))
        except grpc.aio.AioRpcError as error:
            print(f"{REFEREES[0]}: {error.code().name}: {error.details()}", file=sys.stderr)
            if error.code() == grpc.StatusCode.UNAUTHENTICATED:
                sys.exit(1)
        except asyncio.InvalidStateError:
            print(f"{REFEREES[0]}: the stream ended while we wrote", file=sys.stderr)
        REFEREES.append(REFEREES.pop(0))
        await asyncio.sleep(wait)
        wait = min(2 * wait, 10)


signal.signal(signal.SIGINT, lambda *_: os._exit(130))  # at once: a running match is lost
asyncio.run(main())
