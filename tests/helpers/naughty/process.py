"""
A naughty bot as a process: `python -m tests.helpers.naughty.process ADDRESS TOKEN MATCH PHASE`.

Brings its match to the phase, says `there`, and then does nothing more but answer pings, until it
is stopped or killed.
"""

from __future__ import annotations

import asyncio
import sys

from tests.helpers.bots import RawBot
from tests.helpers.naughty.phases import Phase, bring
from warladder.v1 import referee_pb2 as pb

GAMES = ["skirmish", "stalingrad"]


async def main(address: str, token: str, match: str, phase: Phase) -> None:
    bot = RawBot(address, token, games=GAMES, version="1")
    await bot.greet()
    print("attending", flush=True)
    decide = await bring(bot, phase, match)
    if phase is Phase.BACK:
        assert decide is not None
        bot.call.cancel()
        seen = pb.Resume(match=match, last_event=decide.last_event, receipt=decide.receipt)
        bot = RawBot(address, token, games=GAMES, version="1", resume=[seen])
        await bot.say(hello=bot.hello)
        await bot.expect("decide")
    print("there", flush=True)
    while await bot.read() is not None:
        pass


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:4], phase=Phase(sys.argv[4])))
