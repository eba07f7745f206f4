"""
Raw gRPC: messages of given sizes go out and come back, and nothing is done with them.

The least that a referee on `grpc.aio` could cost: a server with its options sends what the protocol
asks of it, questions and each match's start and end; with a GAME it does that game's own work, too,
a decision for each answer. Run as `python -m matchmaker.tools.bench.echo ADDRESS TRAFFIC [GAME]`; a
line on standard input is answered with the figures so far.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import grpc

from matchmaker.tools.bench import own
from matchmaker.tools.bench.processes import answer, cpu_seconds
from referee.games import get
from referee.server.door import new_server
from referee.server.limits import Limits
from referee.server.looptime import loop_factory

SERVICE, METHOD = "warladder.bench.Echo", "Play"
QUESTION, START, END = 0, 1, 2
"""First byte of a message; an end has no answer."""


class Traffic(NamedTuple):
    """What a stream carries: bytes of each kind of message, and how often a match ends."""

    question: int
    answer: int
    start: int = 0
    ready: int = 0
    end: int = 0
    matches: float = 0.0
    """For one question of a seat: each begins with a start and ends with an end."""


async def serve(address: str, traffic: Traffic, game: str = "") -> None:
    round_trips = streams = 0
    tables: dict[int, Iterator[None]] = {}
    """By number; as many streams play at one as it has seats."""
    question, start, end = (
        bytes([kind]).ljust(size, b"\0")
        for kind, size in ((QUESTION, traffic.question), (START, traffic.start), (END, traffic.end))
    )

    async def play(requests: Any, context: Any) -> None:
        nonlocal round_trips, streams
        if game:
            seats = get(game).facts.seats[0]
            table = tables.setdefault(streams // seats, own.matches(get(game)))
        streams += 1
        due = 0.0
        while True:
            due += traffic.matches
            if due >= 1.0:
                due -= 1.0
                await context.write(end)
                await context.write(start)
                if await context.read() is grpc.aio.EOF:
                    return
            await context.write(question)
            if await context.read() is grpc.aio.EOF:
                return
            round_trips += 1
            if game:
                next(table)

    server = new_server(Limits().received_bytes)
    handler: Any = grpc.stream_stream_rpc_method_handler(play)
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler(SERVICE, {METHOD: handler}),)
    )
    server.add_insecure_port(address)
    await server.start()
    answer("ready")
    loop = asyncio.get_running_loop()
    while await loop.run_in_executor(None, sys.stdin.readline):
        answer({"cpu": cpu_seconds(), "wall": loop.time(), "done": round_trips})
    await server.stop(0)


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        runner.run(serve(sys.argv[1], Traffic(*json.loads(sys.argv[2])), *sys.argv[3:]))
