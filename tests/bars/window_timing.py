"""
Whether a bot that thinks over its windows can be told from one that passes at once, by the clock.

Two real bots play many matches against a third at a real referee with the pace of an open server.
One passes its windows at once, as with nothing to play; one takes its time over each. The third
takes the time of each match and guesses by it: the figure is how far its guesses are from chance
(|AUC - 1/2| of match durations). The limit is what chance alone exceeds once in a thousand runs
(Mann-Whitney). Its power: the same bots without a pace must be told apart nearly always.
"""

import asyncio
import tempfile
import time
from math import sqrt
from pathlib import Path

import redis as plain

from referee.match.record import Clocks, Pace
from referee.store.keys import Keys
from tests.bars import Measured
from tests.helpers.bots import RawBot
from tests.helpers.matches import plan, record
from tests.helpers.redis_server import redis_server
from tests.helpers.referee_process import RefereeProcess, attending, register
from warladder.v1 import referee_pb2 as pb

PACED = Pace(floor_ms=100, quantum_ms=50)
PACED_SMALL = Pace(floor_ms=300, quantum_ms=50)
"""Beside other work a bot's answer may take longer than the floor, which then tells it."""
BOTS = ("quick", "thoughtful")
THINKING = 0.3
"""Of the floor: what the thoughtful bot takes over each window."""
WINDOW = "support"
CLOCKS = Clocks(startup_ms=60_000, cap_ms=60_000, bank_ms=600_000)
AT_ONCE = 8
"""Matches of a bot; more would wait for one another on one machine."""
DEVIATIONS = 3.29
"""Two-sided, one in a thousand."""
TOLD_APART = 0.4
"""Without a pace; 0.5 is always."""
KEYS = Keys()


def measure(small: bool) -> Measured:
    count = 40 if small else 400
    pace = PACED_SMALL if small else PACED
    thinking = THINKING * pace.floor_ms / 1000
    paced = asyncio.run(advantage(count, pace, thinking))
    bare = asyncio.run(advantage(count, Pace(), thinking))
    limit = DEVIATIONS * sqrt((2 * count + 1) / (12 * count * count))
    return Measured(
        value=round(paced, 3),
        limit=round(limit, 3),
        ok=paced <= limit and bare >= TOLD_APART,
        notes=f"{count} matches each; without a pace {bare:.3f}, at least {TOLD_APART}",
    )


async def advantage(count: int, pace: Pace, thinking: float) -> float:
    """How much better than chance the watcher tells the two bots apart."""
    with (
        tempfile.TemporaryDirectory(prefix="wl-") as folder,
        redis_server() as store,
        plain.Redis.from_url(store.url) as redis,
    ):
        tokens = register(redis, KEYS, "watcher", *BOTS)
        referee = RefereeProcess(Path(folder), store).serving()
        try:
            return await watched(referee, redis, tokens, count, pace, thinking)
        finally:
            referee.stop()


async def watched(
    referee: RefereeProcess,
    redis: plain.Redis,
    tokens: dict[str, str],
    count: int,
    pace: Pace,
    thinking: float,
) -> float:
    matches = {f"{name}-{k}": name for k in range(count) for name in BOTS}
    for match, name in matches.items():
        fields = {"seed": match.partition("-")[2], "clocks": CLOCKS, "pace": pace}
        plan(redis, KEYS, record(match, bots=("watcher", name), **fields))
    took: dict[str, float] = {}
    many = {"max_matches": 2 * AT_ONCE, "questions_at_once": 2 * AT_ONCE}
    async with (
        RawBot(referee.address, tokens["watcher"], version="1", **many) as watcher,
        RawBot(referee.address, tokens["quick"], version="1", **many) as quick,
        RawBot(referee.address, tokens["thoughtful"], version="1", **many) as thoughtful,
    ):
        for bot in (watcher, quick, thoughtful):
            await bot.greet()
        for name in tokens:
            await asyncio.to_thread(attending, redis, KEYS, name)
        waiting = list(matches)
        await referee.open(*[waiting.pop(0) for _ in range(2 * AT_ONCE)])
        playing = [
            asyncio.create_task(play(quick, 0.0)),
            asyncio.create_task(play(thoughtful, thinking)),
        ]
        began: dict[str, float] = {}
        while len(took) < len(matches):
            message = await watcher.read()
            assert message is not None, await watcher.status()
            now = time.perf_counter()
            if message.HasField("match_started"):
                await watcher.say(ready=pb.Ready(match=message.match_started.match))
            elif message.HasField("decide"):
                began.setdefault(message.decide.match, now)
                await watcher.answer(message.decide)
            elif message.HasField("match_ended"):
                ended = message.match_ended
                assert ended.ending == pb.ENDING_NORMAL, ended
                took[ended.match] = now - began[ended.match]
                if waiting:
                    await referee.open(waiting.pop(0))
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
    by_bot = {
        name: [took[match] for match, other in matches.items() if other == name] for name in BOTS
    }
    return abs(auc(by_bot["quick"], by_bot["thoughtful"]) - 0.5)


async def play(bot: RawBot, thinking: float) -> None:
    """First option always; a window's after some time, while the other matches go on."""
    answers: set[asyncio.Task[None]] = set()

    async def answer(decide: pb.Decide) -> None:
        if decide.kind == WINDOW:
            await asyncio.sleep(thinking)
        await bot.answer(decide)

    while (message := await bot.read()) is not None:
        if message.HasField("match_started"):
            await bot.say(ready=pb.Ready(match=message.match_started.match))
        elif message.HasField("decide"):
            task = asyncio.create_task(answer(message.decide))
            answers.add(task)
            task.add_done_callback(answers.discard)


def auc(left: list[float], right: list[float]) -> float:
    """How often one of the right is the greater, ties half."""
    wins = sum((b > a) + (b == a) / 2 for a in left for b in right)
    return wins / (len(left) * len(right))
