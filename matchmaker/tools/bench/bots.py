"""
Fast bots, all in one process, each on a connection of its own.

Run as `python -m matchmaker.tools.bench.bots attend ADDRESS GAME TOKEN…`, or as `… echo ADDRESS
BYTES_BACK BOTS` for raw round trips. A line on standard input is answered with what they read and
wrote so far.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import grpc

from matchmaker.tools.bench.echo import METHOD, SERVICE
from matchmaker.tools.bench.processes import answer
from warladder.v1 import referee_pb2 as pb

OWN_CONNECTION = [("grpc.use_local_subchannel_pool", 1)]
MOST_MATCHES = 64
"""At once; how many a bot really has is the bench's business."""
ATTEND = "/warladder.v1.Referee/Attend"


class Count:
    """Messages and bytes of all bots together."""

    def __init__(self) -> None:
        self.read = self.read_bytes = self.written = self.written_bytes = 0


async def attend(address: str, game: str, token: str, count: Count) -> None:
    """Answer every question with the option that its number names."""
    async with grpc.aio.insecure_channel(address, OWN_CONNECTION) as channel:
        metadata = [("authorization", f"Bearer {token}")]
        call: Any = channel.stream_stream(ATTEND, None, None)(metadata=metadata)
        hello = pb.Hello(version="1", games=[game], max_matches=MOST_MATCHES)
        await call.write(pb.BotMessage(hello=hello).SerializeToString())
        while True:
            data = await call.read()
            if data is grpc.aio.EOF:
                return
            message = pb.RefereeMessage.FromString(data)
            count.read_bytes += len(data)
            match message.WhichOneof("message"):
                case "decide":
                    asked = message.decide
                    option = (7 * asked.decision) % len(asked.options)
                    choose = pb.Choose(match=asked.match, decision=asked.decision, option=option)
                    reply = pb.BotMessage(choose=choose).SerializeToString()
                    count.read += 1
                    count.written += 1
                    count.written_bytes += len(reply)
                    await call.write(reply)
                case "match_started":
                    ready = pb.Ready(match=message.match_started.match)
                    await call.write(pb.BotMessage(ready=ready).SerializeToString())
                case "ping":
                    pong = pb.Pong(number=message.ping.number)
                    await call.write(pb.BotMessage(pong=pong).SerializeToString())


async def echo(address: str, bytes_back: int, count: Count) -> None:
    async with grpc.aio.insecure_channel(address, OWN_CONNECTION) as channel:
        call: Any = channel.stream_stream(f"/{SERVICE}/{METHOD}", None, None)()
        reply = bytes(bytes_back)
        while await call.read() is not grpc.aio.EOF:
            count.read += 1
            await call.write(reply)


async def main(what: str, address: str, first: str, *rest: str) -> None:
    count = Count()
    if what == "echo":
        bots = [echo(address, int(first), count) for _ in range(int(rest[0]))]
    else:
        bots = [attend(address, first, token, count) for token in rest]
    tasks = [asyncio.ensure_future(bot) for bot in bots]
    loop = asyncio.get_running_loop()
    while await loop.run_in_executor(None, sys.stdin.readline):
        answer(vars(count))
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
