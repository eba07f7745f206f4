"""
Fast bots, all in one process, each on a connection of its own.

Run as `python -m matchmaker.tools.bench.bots attend ADDRESS GAME TOKEN…`, as `… first …` for bots
that always take the first option, or as `… echo ADDRESS TRAFFIC BOTS RATE` for raw round trips, so
many a second or as fast as they go (0). A line on standard input is answered with what they read
and wrote so far, and the CPU of it.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from typing import Any

import grpc

from matchmaker.tools.bench.echo import METHOD, QUESTION, SERVICE, START, Traffic
from matchmaker.tools.bench.processes import answer, cpu_seconds
from referee.server.looptime import loop_factory
from warladder.v1 import referee_pb2 as pb

OWN_CONNECTION = [("grpc.use_local_subchannel_pool", 1)]
MOST_MATCHES = 64
"""At once; how many a bot really has is the bench's business."""
PLACES = 8
"""The same of bots on a ladder, which fills them."""
ATTEND = "/warladder.v1.Referee/Attend"


class Count(Counter[str]):
    """Messages of all bots together by kind, their bytes, and the bytes of what answers them."""

    def add(self, kind: str, data: bytes, reply: bytes = b"") -> bytes:
        self[kind] += 1
        self[f"{kind} bytes"] += len(data)
        self[f"{kind} bytes back"] += len(reply)
        return reply


async def attend(
    address: str, game: str, token: str, count: Count, stride: int = 7, places: int = MOST_MATCHES
) -> None:
    """Answer every question with the option that its number times `stride` names."""
    async with grpc.aio.insecure_channel(address, OWN_CONNECTION) as channel:
        metadata = [("authorization", f"Bearer {token}")]
        call: Any = channel.stream_stream(ATTEND, None, None)(metadata=metadata)
        hello = pb.Hello(version="1", games=[game], max_matches=places)
        await call.write(pb.BotMessage(hello=hello).SerializeToString())
        while True:
            data = await call.read()
            if data is grpc.aio.EOF:
                return
            message = pb.RefereeMessage.FromString(data)
            kind = message.WhichOneof("message")
            match kind:
                case "decide":
                    asked = message.decide
                    option = (stride * asked.decision) % len(asked.options)
                    choose = pb.Choose(match=asked.match, decision=asked.decision, option=option)
                    reply = pb.BotMessage(choose=choose).SerializeToString()
                    await call.write(count.add(kind, data, reply))
                case "match_started":
                    ready = pb.Ready(match=message.match_started.match)
                    reply = pb.BotMessage(ready=ready).SerializeToString()
                    await call.write(count.add(kind, data, reply))
                case "ping":
                    pong = pb.Pong(number=message.ping.number)
                    await call.write(pb.BotMessage(pong=pong).SerializeToString())
                case _:
                    count.add(str(kind), data)


async def echo(address: str, traffic: Traffic, gap: float = 0.0, begin: float = 0.0) -> None:
    """Answer each question: at once, or with so many seconds between two answers."""
    now = asyncio.get_running_loop().time
    due = now() + begin
    async with grpc.aio.insecure_channel(address, OWN_CONNECTION) as channel:
        call: Any = channel.stream_stream(f"/{SERVICE}/{METHOD}", None, None)()
        answers = {QUESTION: bytes(traffic.answer), START: bytes(traffic.ready)}
        while (data := await call.read()) is not grpc.aio.EOF:
            if gap and data[0] == QUESTION:
                due = max(due, now() - gap) + gap  # late once is not late for ever
                await asyncio.sleep(max(0.0, due - now()))
            if (reply := answers.get(data[0])) is not None:
                await call.write(reply)


async def main(what: str, address: str, first: str, *rest: str) -> None:
    count = Count()
    if what == "echo":
        traffic = Traffic(*json.loads(first))
        number, rate = int(rest[0]), float(rest[1])
        gap = number / rate if rate else 0.0
        bots = [echo(address, traffic, gap, gap * k / number) for k in range(number)]
    elif what == "first":
        bots = [attend(address, first, token, count, 0, PLACES) for token in rest]
    else:
        bots = [attend(address, first, token, count) for token in rest]
    tasks = [asyncio.ensure_future(bot) for bot in bots]
    loop = asyncio.get_running_loop()
    while await loop.run_in_executor(None, sys.stdin.readline):
        answer({**count, "cpu": cpu_seconds()})
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        runner.run(main(*sys.argv[1:]))
