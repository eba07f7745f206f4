"""Bots that attend a running ladder from without, each with a way of its own to win or to lose."""

from __future__ import annotations

import asyncio
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

from tests.helpers.bots import RawBot
from warladder.v1 import referee_pb2 as pb

MARKUP = "<img src=x onerror=alert(1)><script>alert(2)</script>\"'&"
"""A version may hold it: every letter of it can be printed."""
NOTE = f"{MARKUP}\u202eright to left\n\u2066</li></pre>\x1b[31m"
"""A note may hold anything at all."""
BENT = "ישראל <b>x</b> ] 1.2"
"""A version that reads from right to left, and would turn round what stands beside it."""
WIDE = "W" * 64
"""A version as wide as one may be."""
PACE_SECONDS = 0.12
"""Between two answers of the one that is slow: less than its increment, so its bank lasts."""


HELD_AT = 15
"""The question at which the slow one waits to be let go: the first after its set-up of 14."""


class Visitor:
    """A stream that is kept up; the ways to play are subclasses."""

    version = "1"

    def __init__(self, address: str, token: str, game: str) -> None:
        self.bot = RawBot(address, token, games=[game], version=self.version, instance=MARKUP)
        self.welcome = threading.Event()
        """It attends: from now on it may ask and be asked."""

    async def attend(self) -> None:
        """Play whatever comes, until the stream ends."""
        await self.bot.greet()
        self.welcome.set()
        while (message := await self.bot.read()) is not None:
            kind = message.WhichOneof("message")
            if kind == "match_started":
                await self.started(message.match_started.match)
            elif kind == "decide":
                await self.decide(message.decide)

    async def started(self, match: str) -> None:
        await self.bot.say(ready=pb.Ready(match=match))

    async def decide(self, asked: pb.Decide) -> None:
        await self.choose(asked, len(asked.options) // 2)

    async def choose(self, asked: pb.Decide, option: int, note: str = "") -> None:
        choose = pb.Choose(match=asked.match, decision=asked.decision, option=option, note=note)
        await self.bot.say(choose=choose)


class Writer(Visitor):
    """Writes markup wherever it may write."""

    version = MARKUP

    async def decide(self, asked: pb.Decide) -> None:
        await self.choose(asked, 0, NOTE)


class Bent(Visitor):
    version = BENT


class Wide(Visitor):
    version = WIDE


class OnceAtFault(Visitor, ABC):
    """Commits its fault in its first match, at its third question, and plays well ever after."""

    FAULT_AT = 3

    def __init__(self, address: str, token: str, game: str) -> None:
        super().__init__(address, token, game)
        self.fault_in = ""

    async def decide(self, asked: pb.Decide) -> None:
        self.fault_in = self.fault_in or asked.match
        if asked.match != self.fault_in or asked.decision < self.FAULT_AT:
            await self.choose(asked, 0)
        elif asked.decision == self.FAULT_AT:
            await self.fault(asked)

    @abstractmethod
    async def fault(self, asked: pb.Decide) -> None: ...


class Sleeper(OnceAtFault):
    async def fault(self, asked: pb.Decide) -> None:
        """Say nothing until the bank is empty."""


class Liar(OnceAtFault):
    async def fault(self, asked: pb.Decide) -> None:
        for _ in range(3):
            await self.choose(asked, len(asked.options) + 7)


class Quitter(OnceAtFault):
    async def fault(self, asked: pb.Decide) -> None:
        await self.bot.say(resign=pb.Resign(match=asked.match))


class Leaver(OnceAtFault):
    """Hangs up, and is back when the match is lost."""

    def __init__(self, address: str, token: str, game: str) -> None:
        super().__init__(address, token, game)
        self.dial = lambda: RawBot(
            address, token, games=[game], version=self.version, instance=MARKUP
        )

    async def attend(self) -> None:
        await super().attend()
        await self.bot.close()
        await asyncio.sleep(3)  # longer than the grace
        self.bot = self.dial()
        await super().attend()

    async def fault(self, asked: pb.Decide) -> None:
        self.bot.call.cancel()


class Slow(Visitor):
    """Practises against a house bot when told to, and makes the match last until it is let go."""

    def __init__(self, address: str, token: str, game: str) -> None:
        super().__init__(address, token, game)
        self.game = game
        self.match: Future[str] = Future()
        """The match that was asked for, as soon as it is known."""
        self.ended: Future[pb.MatchEnded] = Future()
        self.views: list[pb.Decide] = []
        self.free = asyncio.Event()
        """Until then it does not say that it is ready."""
        self.going = asyncio.Event()
        """While it is clear, no question is answered; its bank lasts for some seconds of that."""
        self.going.set()
        self.hasty = asyncio.Event()
        """From then on it answers at once."""

    async def practise(self, opponent: str) -> None:
        self.match, self.ended, self.views = Future(), Future(), []
        self.free.clear()
        self.hasty.clear()
        await self.bot.say(practise=pb.Practise(game=self.game, opponent=opponent, seat=0))

    async def attend(self) -> None:
        await self.bot.greet()
        self.welcome.set()
        while (message := await self.bot.read()) is not None:
            kind = message.WhichOneof("message")
            if kind == "match_started":
                self.match.set_result(message.match_started.match)
                await self.free.wait()
                await self.started(message.match_started.match)
            elif kind == "decide":
                self.views.append(message.decide)
                if len(self.views) == HELD_AT:
                    self.going.clear()
                await self.going.wait()
                if not self.hasty.is_set():
                    await asyncio.sleep(PACE_SECONDS)
                await self.decide(message.decide)
            elif kind == "match_ended":
                self.ended.set_result(message.match_ended)


class Visitors:
    """An event loop in a thread of its own, as the browser's driver needs the main one."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, name="visitors")
        self.thread.start()
        self.attending: list[tuple[Visitor, Future[None]]] = []

    def run(self, what: Coroutine[Any, Any, Any]) -> Future[Any]:
        return asyncio.run_coroutine_threadsafe(what, self.loop)

    def call(self, what: Callable[[], object]) -> None:
        self.loop.call_soon_threadsafe(what)

    def come(self, kind: type[Visitor], address: str, token: str, game: str) -> Any:
        """Let one attend for the rest of the time."""

        async def make() -> Visitor:
            return kind(address, token, game)

        visitor = self.run(make()).result(20)
        self.attending.append((visitor, self.run(visitor.attend())))
        assert visitor.welcome.wait(30), "it was not let in"
        return visitor

    def leave(self) -> None:
        """All hang up; who failed meanwhile fails the test."""

        async def close() -> None:
            for visitor, _ in self.attending:
                if isinstance(visitor, Slow):
                    visitor.free.set()
                    visitor.going.set()
                await visitor.bot.close()

        self.run(close()).result(20)
        ends = [attendance.exception(20) for _, attendance in self.attending]
        with suppress(RuntimeError):
            self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(20)
        self.loop.close()
        assert [end for end in ends if end is not None] == []
