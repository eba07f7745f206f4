"""
The honest bots of the matrix, a process of their own: they answer at once and write all down.

Reads one JSON line (`address`, `bots`: token by name), says `attending`, and at the next line says
what it went through, as one JSON line. Matches with `long-` in their id are drawn out: the bot
supports from the second round on as long as it can.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections import deque
from typing import Any

from tests.helpers.bots import RawBot
from warladder.v1 import referee_pb2 as pb

PROBE_SECONDS = 0.01
AT_ONCE = 16


class Lateness:
    """How late this process's own loop was, and when."""

    def __init__(self) -> None:
        self.late: deque[tuple[float, float]] = deque(maxlen=20_000)
        self._due = time.monotonic()

    async def watch(self) -> None:
        while True:
            self._due = time.monotonic() + PROBE_SECONDS
            await asyncio.sleep(PROBE_SECONDS)
            now = time.monotonic()
            if now - self._due > 0.002:
                self.late.append((now, now - self._due))

    def since(self, when: float) -> float:
        """The worst since then, in seconds, the present included."""
        worst = max(0.0, time.monotonic() - self._due)
        for at, late in reversed(self.late):
            if at < when:
                break
            worst = max(worst, late)
        return worst


class Honest:
    """One honest bot."""

    def __init__(self, address: str, name: str, token: str, lateness: Lateness) -> None:
        self.bot = RawBot(
            address, token, games=["skirmish", "stalingrad"], max_matches=64,
            questions_at_once=AT_ONCE, version="1",
        )  # fmt: skip
        self.name = name
        self.lateness = lateness
        self.heard_at: dict[str, float] = {}
        self.report: dict[str, Any] = {
            "ended": {}, "twice": [], "faults": [], "defaults": [], "resumed": [],
            "held": {}, "over": "",
        }  # fmt: skip

    async def play(self) -> None:
        while (message := await self.bot.read()) is not None:
            now = time.monotonic()
            kind = message.WhichOneof("message")
            part = getattr(message, kind or "")
            report = self.report
            if kind == "match_started":
                if part.resumed:
                    report["resumed"].append(part.match)
                self.heard_at[part.match] = now
                await self.bot.say(ready=pb.Ready(match=part.match))
            elif kind in ("decide", "update"):
                if part.HasField("default_taken"):
                    report["defaults"].append(part.match)
                if kind == "decide":
                    await self.bot.answer(part, choice(part))
                    late = self.lateness.since(self.heard_at[part.match])
                    held = time.monotonic() - now
                    report["held"].setdefault(part.match, {})[part.decision] = [
                        round(held * 1000, 1),
                        round(late * 1000, 1),
                    ]
                self.heard_at[part.match] = time.monotonic()
            elif kind == "match_ended":
                if part.match in report["ended"]:
                    report["twice"].append(part.match)
                report["ended"][part.match] = pb.Ending.Name(part.ending)
            elif kind == "fault":
                report["faults"].append([pb.FaultCode.Name(part.code), part.match, part.text])
            self.bot.heard.clear()
        code, details = await self.bot.status()
        self.report["over"] = f"{code.name} {details}"


def choice(decide: pb.Decide) -> int:
    drawn_out = "long-" in decide.match and decide.kind == "support"
    if drawn_out and decide.view.skirmish.round > 1:
        return len(decide.options) - 1
    return 0


async def main() -> None:
    loop = asyncio.get_running_loop()
    order = json.loads(await loop.run_in_executor(None, sys.stdin.readline))
    lateness = Lateness()
    watching = asyncio.ensure_future(lateness.watch())
    bots = [
        Honest(order["address"], name, token, lateness) for name, token in order["bots"].items()
    ]
    for bot in bots:
        await bot.bot.greet()
    print("attending", flush=True)
    playing = [asyncio.ensure_future(bot.play()) for bot in bots]
    await loop.run_in_executor(None, sys.stdin.readline)
    for bot in bots:
        await bot.bot.say(goodbye=pb.Goodbye())
    await asyncio.wait(playing, timeout=20)
    watching.cancel()
    print(json.dumps({bot.name: bot.report for bot in bots}), flush=True)
    for bot in bots:
        await bot.bot.close()


if __name__ == "__main__":
    asyncio.run(main())
