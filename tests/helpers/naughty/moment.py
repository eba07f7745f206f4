"""A naughty bot, its match and its question at the moment when it misbehaves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import grpc

from referee.match.record import Clocks
from tests.helpers.bots import RawBot
from tests.helpers.naughty.phases import Phase
from tests.helpers.naughty.relay import Relay
from warladder.v1 import referee_pb2 as pb

GAMES = ["skirmish", "stalingrad"]


@dataclass(kw_only=True)
class Moment:
    """What a kind of misbehaviour acts on."""

    address: str
    token: str
    phase: Phase
    match: str
    clocks: Clocks
    foreign: str
    """A running match in which the bot has no seat."""
    before: str
    """A match of the bot that has ended."""
    bot: RawBot
    decide: pb.Decide | None = None
    """The question before it; None at the start."""
    relay: Relay | None = None
    answered: bool = False
    """The kind has answered the question."""
    silent: bool = False
    """It says nothing more, whatever it is asked."""
    others: list[RawBot] = field(default_factory=list)
    """Streams of the same bot beside its own, or before it."""
    replaced: list[asyncio.Future[tuple[list[str], grpc.StatusCode]]] = field(default_factory=list)
    """Streams that a newer one took the place of: what faults they were told, and their status."""
    notes: dict[str, Any] = field(default_factory=dict)
    """What a kind saw and its verdict asks for."""

    @property
    def decision(self) -> int:
        return 0 if self.decide is None else self.decide.decision

    def choice(self, **changed: Any) -> pb.Choose:
        """The right answer, or something near it; at the start, to the first question to come."""
        right = {"match": self.match, "decision": self.decision or 1, "option": 0}
        return pb.Choose(**{**right, **changed})

    async def choose(self, **changed: Any) -> None:
        await self.bot.say(choose=self.choice(**changed))

    async def go_on(self) -> None:
        """Do what is due: say Ready, or answer the question; a stream that was cut is taken up."""
        if self.decide is None:
            await self.bot.say(ready=pb.Ready(match=self.match))
        else:
            await self.bot.answer(self.decide)
        self.answered = True

    @property
    def seen(self) -> list[pb.Resume]:
        """What a bot that remembers its match names in Hello."""
        if self.decide is None:
            return []
        last = self.decide.last_event
        return [pb.Resume(match=self.match, last_event=last, receipt=self.decide.receipt)]

    def dial(self, token: str | None = None, **hello: Any) -> RawBot:
        """Another stream of the same bot; nothing is said on it yet."""
        fields = {"games": GAMES, "version": "1", **hello}
        bot = RawBot(self.address, self.token if token is None else token, **fields)
        self.others.append(bot)
        return bot

    async def come_back(self, **hello: Any) -> RawBot:
        """Dial in and take this stream for the bot's own; the one before is among the others."""
        new = self.dial(**{"resume": self.seen, **hello})
        self.others.remove(new)
        # Its last words are read as they come: some clients drop them when the status is there.
        self.bot.mute = True
        self.replaced.append(asyncio.ensure_future(sent_away(self.bot)))
        self.others.append(self.bot)
        self.bot = new
        await new.say(hello=new.hello)
        return new

    async def replaced_ends(self) -> list[tuple[list[str], grpc.StatusCode]]:
        """What the streams that were replaced were told, and how they ended."""
        return [await end for end in self.replaced]

    async def asked_again(self) -> None:
        """One that has just come back waits for its question, so that its time runs."""
        if self.phase is Phase.BACK:
            await self.bot.expect("decide")

    def hang_up(self) -> None:
        self.bot.call.cancel()

    async def too_late(self) -> None:
        """Read until the referee says that the default was taken, or that the match is over."""
        async with asyncio.timeout(60):
            while (message := await self.bot.read()) is not None:
                kind = message.WhichOneof("message")
                if kind == "match_ended":
                    return
                if kind in ("decide", "update"):
                    if getattr(message, kind).HasField("default_taken"):
                        return

    async def listen(self, seconds: float) -> None:
        """Read for a while, pings answered."""
        async with self.listening() as reading:
            await asyncio.wait((reading,), timeout=seconds)

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[asyncio.Future[None]]:
        """Read while the body runs."""
        reading = asyncio.ensure_future(self._read_all())
        try:
            yield reading
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)

    async def _read_all(self) -> None:
        while await self.bot.read() is not None:
            pass


async def sent_away(bot: RawBot) -> tuple[list[str], grpc.StatusCode]:
    """Read a stream to its end: the faults told on it, and its status."""
    async with asyncio.timeout(30):
        while await bot.read() is not None:
            pass
        return faults_of(bot), (await bot.status())[0]


def faults_of(bot: RawBot) -> list[str]:
    return [
        pb.FaultCode.Name(message.fault.code).removeprefix("FAULT_CODE_")
        for message in bot.heard
        if message.WhichOneof("message") == "fault"
    ]


@asynccontextmanager
async def closing(moment: Moment) -> AsyncIterator[Moment]:
    try:
        yield moment
    finally:
        for bot in (moment.bot, *moment.others):
            await bot.close()
        await asyncio.gather(*moment.replaced, return_exceptions=True)
