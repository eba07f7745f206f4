"""Runs one of the bots: `./bot greedy`, `./bot random`."""

import asyncio
import os
import signal
import sys

import chance
import greedy
import settings
from attend import Attendance

from warladder.v1 import referee_pb2 as pb


def random(asked: pb.Decide, seat: int, seed: str) -> int:
    """Any option, each as likely as the others."""
    return chance.pick(seed, asked.match, asked.decision, len(asked.options))


BOTS = {"greedy": greedy.choose, "random": random}

if __name__ == "__main__":
    # An exception could meet code of gRPC's that swallows it.
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    chosen = settings.read(tuple(BOTS))
    attendance = Attendance(chosen, BOTS[chosen.bot])
    signal.signal(signal.SIGINT, lambda *_: attendance.leave() or os._exit(130))
    sys.exit(asyncio.run(attendance.run()))
