"""
Raw gRPC: messages of given sizes go out and come back, and nothing is done with them.

The least that a referee on `grpc.aio` could cost. Run as `python -m matchmaker.tools.bench.echo
ADDRESS BYTES_OUT`; a line on standard input is answered with the figures since the last one.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import grpc

from matchmaker.tools.bench.processes import answer, cpu_seconds

SERVICE, METHOD = "warladder.bench.Echo", "Play"


async def serve(address: str, bytes_out: int) -> None:
    round_trips = 0

    async def play(requests: Any, context: Any) -> None:
        nonlocal round_trips
        message = bytes(bytes_out)
        while True:
            await context.write(message)
            if await context.read() is grpc.aio.EOF:
                return
            round_trips += 1

    server = grpc.aio.server()
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
    asyncio.run(serve(sys.argv[1], int(sys.argv[2])))
