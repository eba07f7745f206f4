"""
A bot that writes down all it gets and answers, and thinks for a moment over each answer. Any option
on offer is as good to it as another.

It attends all referees at once, or, as a roamer, one at a time: when that is lost, or does not have
the bot's matches, it goes to the next.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import sys
import time
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import grpc

from matchmaker.tools.chaos.transcript import Transcript, event_hash
from warladder.v1 import referee_pb2 as pb
from warladder.v1.referee_pb2_grpc import RefereeStub

FIRST_WAIT_SECONDS, LONGEST_WAIT_SECONDS = 0.1, 0.5
SEARCH_SECONDS = 60.0
"""A roamer's match that no referee has for so long is over."""
OPTIONS = [
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1_000),
]


class Memory:
    """What the bot knows of its matches, over all its streams."""

    def __init__(
        self, transcript: Transcript, game: str, think_seconds: float, places: int
    ) -> None:
        self.transcript = transcript
        self.game = game
        self.think_seconds = think_seconds
        self.places = places
        self.seen: dict[str, tuple[int, bytes]] = {}
        """Per match: the last event and its receipt."""
        self.search_until = 0.0
        """Until when a roamer looks for its matches; 0 while it misses none."""

    def stays(self, resumed: Sequence[str]) -> bool:
        """Whether a roamer stays at a referee that gave it these matches back."""
        missing = [match for match in self.seen if match not in resumed]
        now = time.monotonic()
        if not missing or (self.search_until and now > self.search_until):
            self.search_until = 0.0
            for match in missing:
                del self.seen[match]
            return True
        self.search_until = self.search_until or now + SEARCH_SECONDS
        return bool(resumed)


class Line:
    """One stream to one referee."""

    def __init__(self, memory: Memory, referee: int, stream: Any, roams: bool) -> None:
        self.memory = memory
        self.roams = roams
        self.referee = referee
        self.stream = stream
        self.writing = asyncio.Lock()
        self.thinking: set[asyncio.Task[None]] = set()
        self.stayed = False
        """The referee has let us in, and we have not gone on to the next."""

    async def say(self, **message: Any) -> None:
        async with self.writing:
            await self.stream.write(pb.BotMessage(**message))

    async def attend(self) -> float:
        """Play until the stream ends; returns how long the referee asks to wait, in seconds."""
        seen = self.memory.seen.items()
        resume = [pb.Resume(match=name, last_event=at, receipt=proof) for name, (at, proof) in seen]
        await self.say(
            hello=pb.Hello(
                version="1", games=[self.memory.game], max_matches=self.memory.places,
                questions_at_once=self.memory.places, detail=pb.DETAIL_EVENTS, resume=resume,
            )
        )  # fmt: skip
        try:
            async for message in self.stream:
                wait = await self.take(message)
                if wait is not None:
                    return wait
        finally:
            for task in self.thinking:
                task.cancel()
        return 0.0

    async def take(self, message: pb.RefereeMessage) -> float | None:
        kind = message.WhichOneof("message")
        if kind == "decide":
            self.note("decide", message.decide, decision=message.decide.decision)
            task = asyncio.ensure_future(self.answer(message.decide))
            self.thinking.add(task)
            task.add_done_callback(self.thinking.discard)
        elif kind == "update":
            self.note("update", message.update)
        elif kind == "match_started":
            await self.started(message.match_started)
        elif kind == "match_ended":
            ended = message.match_ended
            self.note(
                "ended", ended, ending=pb.Ending.Name(ended.ending), text=ended.text,
                ranks=list(ended.outcome.ranks),
            )  # fmt: skip
            self.memory.seen.pop(ended.match, None)
        elif kind == "welcome":
            self.stayed = not self.roams or self.memory.stays(message.welcome.resumed)
            if not self.stayed:
                return 0.0
        elif kind == "ping":
            await self.say(pong=pb.Pong(number=message.ping.number))
        elif kind == "fault":
            fault = message.fault
            self.memory.transcript.note(
                "fault", referee=self.referee, match=fault.match,
                code=pb.FaultCode.Name(fault.code), text=fault.text,
            )  # fmt: skip
        elif kind == "goodbye":
            return message.goodbye.reconnect_after_ms / 1000
        return None

    async def started(self, started: pb.MatchStarted) -> None:
        self.memory.transcript.note(
            "started", referee=self.referee, match=started.match, seat=started.seat,
            resumed=started.resumed,
        )  # fmt: skip
        await self.say(ready=pb.Ready(match=started.match))

    def note(self, what: str, message: Any, **fields: Any) -> None:
        hashes = [event_hash(each.SerializeToString(deterministic=True)) for each in message.events]
        self.memory.transcript.note(
            what, referee=self.referee, match=message.match, last=message.last_event,
            events=hashes, **fields,
        )  # fmt: skip
        if what != "ended":
            self.memory.seen[message.match] = (message.last_event, message.receipt)

    async def answer(self, asked: pb.Decide) -> None:
        await asyncio.sleep(random.uniform(0.0, 2 * self.memory.think_seconds))
        option = random.randrange(len(asked.options))
        self.memory.transcript.note(
            "choose", referee=self.referee, match=asked.match, decision=asked.decision,
            option=option,
        )  # fmt: skip
        try:
            await self.say(
                choose=pb.Choose(match=asked.match, decision=asked.decision, option=option)
            )
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError, grpc.aio.UsageError):
            return  # the stream has ended; the question comes again on the next


async def attend(memory: Memory, referees: Sequence[tuple[int, str]], token: str) -> None:
    """Attend one referee for ever; of several, one at a time."""
    wait = FIRST_WAIT_SECONDS
    where = cycle(referees)
    number, address = next(where)
    while True:
        asked, line = 0.0, None
        try:
            async with grpc.aio.insecure_channel(address, OPTIONS) as channel:
                stream = RefereeStub(channel).Attend(
                    metadata=[("authorization", f"Bearer {token}")]
                )
                line = Line(memory, number, stream, roams=len(referees) > 1)
                asked = await line.attend()
                wait = FIRST_WAIT_SECONDS
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError, grpc.aio.UsageError) as error:
            memory.transcript.note("cut", referee=number, text=str(error)[:200])
            wait = min(2 * wait, LONGEST_WAIT_SECONDS)
        if line is None or not line.stayed:
            number, address = next(where)
        await asyncio.sleep(max(asked, wait))


async def run(arguments: argparse.Namespace) -> None:
    memory = Memory(
        Transcript(arguments.transcript), arguments.game, arguments.think, arguments.max_matches
    )
    memory.transcript.note("life", pid=os.getpid())
    token = os.environ["WARLADDER_TOKEN"]
    referees = list(enumerate(arguments.referees))
    first = arguments.roams_from
    if first is not None:
        await attend(memory, [*referees[first:], *referees[:first]], token)
    async with asyncio.TaskGroup() as group:
        for each in referees:
            group.create_task(attend(memory, [each], token))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--transcript", type=Path, required=True)
    parser.add_argument("--game", required=True)
    parser.add_argument("--think", type=float, default=0.02, help="mean seconds for each answer")
    parser.add_argument("--max-matches", type=int, default=2)
    parser.add_argument(
        "--roams-from", type=int, metavar="N", help="attend one at a time, the Nth first"
    )
    parser.add_argument("referees", nargs="+")
    asyncio.run(run(parser.parse_args()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
