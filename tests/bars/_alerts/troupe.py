"""
Bots of all manners in one process: `python -m tests.bars._alerts.troupe FILE` with a list of them.

They take any option on offer after thinking for a while, dial again when a stream ends, and differ
in what they do when they are asked.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import grpc

from tests.helpers.bots import RawBot
from warladder.v1 import referee_pb2 as pb

DIAL_AGAIN_SECONDS = 0.3
AWAY_SECONDS = 3.0
NO_OPTION = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Member:
    """One bot. The fields are those of the file."""

    name: str
    address: str
    token: str
    game: str
    places: int = 1
    think: float = 0.0
    """Mean seconds for each answer."""
    manner: str = "sound"
    """`illegal`: answers with no option on offer; `silent`: not at all; `leaves`: hangs up."""
    views: bool = False
    """Whether it is sent views; they cost the referee most of its work."""


async def attend(member: Member) -> None:
    """Play for ever."""
    while True:
        left = False
        with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError, grpc.aio.UsageError):
            async with RawBot(
                member.address, member.token, games=[member.game], version="1",
                max_matches=member.places, questions_at_once=member.places,
                detail=pb.DETAIL_UNSPECIFIED if member.views else pb.DETAIL_EVENTS,
            ) as bot:  # fmt: skip
                await bot.say(hello=bot.hello)
                left = await play(bot, member)
        await asyncio.sleep(AWAY_SECONDS if left else DIAL_AGAIN_SECONDS)


async def play(bot: RawBot, member: Member) -> bool:
    """
    Play until the stream ends.

    Returns:
        Whether the bot hung up.
    """
    thinking: set[asyncio.Task[None]] = set()
    try:
        while (message := await bot.read()) is not None:
            bot.heard.clear()
            kind = message.WhichOneof("message")
            if kind == "match_started":
                await bot.say(ready=pb.Ready(match=message.match_started.match))
            elif kind == "decide":
                if member.manner == "leaves":
                    return True
                if member.manner != "silent":
                    task = asyncio.ensure_future(answer(bot, member, message.decide))
                    thinking.add(task)
                    task.add_done_callback(thinking.discard)
    finally:
        for task in thinking:
            task.cancel()
    return False


async def answer(bot: RawBot, member: Member, asked: pb.Decide) -> None:
    await asyncio.sleep(member.think * random.uniform(0.5, 1.5))
    if member.manner == "illegal":
        for _ in range(3):
            await bot.answer(asked, NO_OPTION)
    else:
        await bot.answer(asked, random.randrange(len(asked.options)))


async def main(file: Path) -> None:
    async with asyncio.TaskGroup() as group:
        for fields in json.loads(file.read_text()):
            group.create_task(attend(Member(**fields)))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
