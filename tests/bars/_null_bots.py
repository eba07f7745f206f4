"""
Bots that answer at once and note when: `python -m tests.bars._null_bots FILE ADDRESS GAME TOKEN…`.

A line for each answer: match, seat, decision, when its question was read, when it was handed over.
Times are of the machine's monotonic clock, which all its processes share.
"""

import asyncio
import sys
import time
from typing import Any, TextIO

import grpc

from warladder.v1 import referee_pb2 as pb

ATTEND = "/warladder.v1.Referee/Attend"


async def attend(address: str, game: str, token: str, out: TextIO) -> None:
    options = [("grpc.use_local_subchannel_pool", 1)]
    async with grpc.aio.insecure_channel(address, options) as channel:
        metadata = [("authorization", f"Bearer {token}")]
        call: Any = channel.stream_stream(ATTEND, None, None)(metadata=metadata)

        async def say(**message: Any) -> None:
            await call.write(pb.BotMessage(**message).SerializeToString())

        await say(hello=pb.Hello(version="1", games=[game]))
        seats: dict[str, int] = {}
        while True:
            data = await call.read()
            if data is grpc.aio.EOF:
                return
            read = time.monotonic()
            message = pb.RefereeMessage.FromString(data)
            if message.HasField("decide"):
                asked = message.decide
                option = (7 * asked.decision) % len(asked.options)
                await say(
                    choose=pb.Choose(match=asked.match, decision=asked.decision, option=option)
                )
                seat, handed = seats[asked.match], time.monotonic()
                out.write(f"{asked.match} {seat} {asked.decision} {read} {handed}\n")
            elif message.HasField("match_started"):
                started = message.match_started
                seats[started.match] = started.seat
                await say(ready=pb.Ready(match=started.match))
            elif message.HasField("ping"):
                await say(pong=pb.Pong(number=message.ping.number))


async def main() -> None:
    file, address, game, *tokens = sys.argv[1:]
    with open(file, "w", buffering=1) as out:
        streams = [asyncio.ensure_future(attend(address, game, each, out)) for each in tokens]
        await asyncio.gather(*streams, return_exceptions=True)


if __name__ == "__main__":
    asyncio.run(main())
