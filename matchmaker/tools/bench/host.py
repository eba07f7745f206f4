"""
A referee in a process of its own that keeps its bots playing.

Run as `python -m matchmaker.tools.bench.host ADDRESS GAME BOTS [listen]`; says the bots' tokens,
waits for them at the first line on standard input, and answers each later one with the figures so
far, with `listen` what the bots are told and say as well. If the first line is `play`, each table
of bots plays one match after the other. A later line `at once N` plays N matches at the same time,
on a ladder's clocks, to their ends before it is answered. `keep N` keeps N such matches going from
then on; `finish` begins no more, is answered when the last one is over, and says how many decisions
each had, in the order of their deals.
"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from itertools import count
from typing import Any

from matchmaker.tools.bench.processes import answer, cpu_seconds, peak_kib
from matchmaker.tools.quiet import quiet
from referee import games
from referee.match.record import Clocks, MatchRecord, SeatRecord
from referee.server.limits import Limits
from referee.server.local import LocalReferee
from referee.server.looptime import loop_factory, settle_memory
from warladder.v1 import referee_pb2 as pb

CLOCKS = Clocks(bank_ms=3_600_000, cap_ms=300_000)
"""Nobody shall be late in a measured match, however busy the machine is."""

NUMBERS = count(1)
"""Of matches. Their seeds follow from them: to draw secrets is the planner's work."""

ATTEND_SECONDS = 60.0


TOLD = {field.number: field.name for field in pb.RefereeMessage.DESCRIPTOR.fields}
ANSWERS = {
    pb.BotMessage.CHOOSE_FIELD_NUMBER: "decide",
    pb.BotMessage.READY_FIELD_NUMBER: "match_started",
}


class Heard(Counter[str]):
    """Messages of all bots by kind and bytes, in the words of `bots.Count`."""

    def hear(self, bot: str, speaks: bool, data: bytes) -> None:
        """A `Listener`. To parse a message would cost more than to send it: its tag will do."""
        number = data[0] >> 3
        if not speaks:
            self[TOLD[number]] += 1
            self[f"{TOLD[number]} bytes"] += len(data)
        elif number in ANSWERS:
            self[f"{ANSWERS[number]} bytes back"] += len(data)


async def serve(address: str, game: str, bots: int, listen: bool) -> None:
    names = [f"bot-{k}" for k in range(bots)]
    loop = asyncio.get_running_loop()
    heard = Heard()
    async with LocalReferee(
        address,
        {},
        limits=Limits(silence_seconds=0.0),
        listener=heard.hear if listen else None,
    ) as referee:
        settle_memory()
        answer([referee.token(name) for name in names])
        first = await loop.run_in_executor(None, sys.stdin.readline)
        missing = await referee.attended(names, ATTEND_SECONDS)
        ended = Counter[str]()
        seats = games.get(game).facts.seats[0]
        tables = [names[k : k + seats] for k in range(0, bots - seats + 1, seats)]
        playing: list[asyncio.Task[None]] = []
        kept: list[asyncio.Task[None]] = []
        lengths: dict[int, int] = {}
        over = asyncio.Event()

        async def keep(table: list[str]) -> None:
            while not over.is_set():
                number, decisions = await _play(referee, game, table, ended, Clocks())
                lengths[number] = decisions

        if first.strip() == "play":
            playing = [loop.create_task(_keep_playing(referee, game, t, ended)) for t in tables]
        answer({"missing": missing})
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            more: dict[str, Any] = {}
            what, _, number = line.strip().rpartition(" ")
            if what in ("at once", "keep"):
                places = [tables[k % len(tables)] for k in range(int(number))]
                if what == "keep":
                    kept += [loop.create_task(keep(table)) for table in places]
                else:
                    await asyncio.gather(
                        *(_play(referee, game, table, ended, Clocks()) for table in places)
                    )
            elif line.strip() == "finish":
                over.set()
                await asyncio.gather(*kept)
                more["lengths"] = [lengths[number] for number in sorted(lengths)]
            running = sum(session.decisions for session in referee.hall.sessions.values())
            done = ended["decisions"] + running
            answer(
                {
                    "cpu": cpu_seconds(),
                    "wall": loop.time(),
                    "peak_kib": peak_kib(),
                    "done": done,
                    **ended,
                    **heard,
                    **more,
                }
            )
        for task in playing:
            task.cancel()


async def _keep_playing(
    referee: LocalReferee, game: str, bots: list[str], ended: Counter[str]
) -> None:
    while True:
        await _play(referee, game, bots, ended, CLOCKS)


async def _play(
    referee: LocalReferee,
    game: str,
    bots: list[str],
    ended: Counter[str],
    clocks: Clocks,
) -> tuple[int, int]:
    """One match; returns its number and its decisions."""
    facts, number = games.get(game).facts, next(NUMBERS)
    record = MatchRecord(
        match=f"{number:016x}",
        number=number,
        game=game,
        rules=facts.rules,
        cards=facts.cards,
        seats=tuple(SeatRecord(bot=bot) for bot in bots),
        seed=f"bench {number}",
        salt=bytes(16),
        clocks=clocks,
        rated=False,
        cause="bench",
    )
    played = await referee.play(record)
    ended["decisions"] += played.decisions
    ended["matches"] += 1
    ended[f"ending {played.ending}"] += 1
    return number, played.decisions


if __name__ == "__main__":
    with quiet(), asyncio.Runner(loop_factory=loop_factory()) as runner:
        runner.run(serve(sys.argv[1], sys.argv[2], int(sys.argv[3]), "listen" in sys.argv[4:]))
