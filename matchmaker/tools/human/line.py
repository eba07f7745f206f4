"""The way to a referee: one stream, dialled again while there is hope."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import grpc
from rich.console import Console

from matchmaker import output
from matchmaker.errors import FellShort, WrongUse
from matchmaker.interrupts import INTERRUPTED
from matchmaker.tools import dialling
from matchmaker.tools.dialling import Referees
from matchmaker.tools.human.keyboard import Keyboard
from matchmaker.tools.human.sitting import Sitting
from matchmaker.viewing.closed import cards, components
from referee import games
from warladder.v1 import referee_pb2 as pb
from warladder.v1.referee_pb2_grpc import RefereeStub


class Line:
    """A person's presence at one referee, over as many streams as it takes."""

    def __init__(
        self, referee: str, token: str, wanted: Sequence[str], console: Console, keyboard: Keyboard
    ) -> None:
        """
        Args:
            wanted: Games to play; all if empty.
        """
        self.referees = Referees(referee)
        self.token = token
        self.wanted = tuple(wanted)
        self.console = console
        self.keyboard = keyboard
        self.sitting: Sitting | None = None
        self.said = ""
        self.leaving = False
        """No match is wanted after the one that is being played."""
        self.parting: asyncio.Future[None] | None = None
        self.attending: asyncio.Task[Any]
        self.stub: Any = None
        self.stream: Any = None
        self.writing = asyncio.Lock()
        """A stream takes one message at a time: a pong must wait for an answer on its way."""
        self.orders: dict[str, set[str]] = {}
        """By game, the kinds of decision that take standing orders."""

    async def attend(self) -> int:
        """
        Attend until nobody is wanted any more.

        Returns:
            The exit code.

        Raises:
            FellShort: The referee will not have us.
        """
        this = asyncio.current_task()
        assert this is not None
        self.attending = this
        while True:
            referee = self.referees.next()
            try:
                async with dialling.dial(referee, dialling.credentials()) as channel:
                    self.stub = RefereeStub(channel)
                    code = await self.one_stream()
            except (grpc.aio.AioRpcError, asyncio.InvalidStateError) as fault:
                code = None
                status, details = await self.why(fault)
                if status in dialling.HOPELESS:
                    raise FellShort(f"{referee}: {status.name}: {details}") from None
                self.once(f"{referee} does not answer ({status.name}: {details}); dialling")
            if code is not None:
                return code
            if self.leaving and self.sitting is None:
                return 0
            await self.referees.pause()

    async def why(self, fault: Exception) -> tuple[grpc.StatusCode, str]:
        """Why a stream ended: a write that failed knows less than the stream itself."""
        if self.stream is not None and self.stream.done():
            return await self.stream.code(), await self.stream.details()
        if isinstance(fault, grpc.aio.AioRpcError):
            return fault.code(), fault.details() or ""
        return grpc.StatusCode.UNKNOWN, str(fault)

    def once(self, text: str) -> None:
        """Say it, unless it was said last."""
        if text != self.said:
            self.said = text
            self.say(text)

    def say(self, text: str) -> None:
        self.console.print(output.harmless(text), style="dim")

    async def send(self, **message: Any) -> None:
        try:
            async with self.writing:
                await self.stream.write(pb.BotMessage(**message))
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
            self.say("the answer did not get through; it is asked again")

    def leave(self) -> None:
        """Let no match follow the one that is being played."""
        self.leaving = True
        self.parting = asyncio.ensure_future(self.goodbye())

    async def goodbye(self) -> None:
        """A stream that has ended takes nothing; the next one is told."""
        with suppress(grpc.aio.AioRpcError, grpc.aio.UsageError, asyncio.InvalidStateError):
            async with self.writing:
                await self.stream.write(pb.BotMessage(goodbye=pb.Goodbye()))

    async def one_stream(self) -> int | None:
        """One stream; returns the exit code, or None to dial again."""
        described = await self.stub.Describe(pb.DescribeRequest())
        self.orders = {
            each.game: {kind.name for kind in each.kinds if kind.standing_order}
            for each in described.games
        }
        names = tuple(name for name in self.orders if name in games.names())
        missing = [name for name in self.wanted if name not in names]
        if missing:
            raise WrongUse(f"{', '.join(missing)}: not played at {self.referees.addresses[0]}")
        token = ("authorization", f"Bearer {self.token}")
        stream = self.stub.Attend(metadata=[token])
        sitting = self.sitting
        resume = [
            pb.Resume(match=each.match, last_event=each.last_event, receipt=each.receipt)
            for each in ([sitting] if sitting else [])
        ]
        hello = pb.Hello(
            version="1", games=self.wanted or names, detail=pb.DETAIL_FULL, resume=resume
        )
        async with self.writing:  # an answer to the stream before must not come first
            self.stream = stream
            await stream.write(pb.BotMessage(hello=hello))
        async for message in stream:
            kind = message.WhichOneof("message")
            if kind == "goodbye":
                if message.goodbye.reason == pb.GOODBYE_REASON_REVOKED:
                    self.say(dialling.REVOKED)
                return self.referees.parted(message.goodbye)
            if kind == "welcome":
                if not await self.welcomed(message.welcome):
                    return None
                if self.leaving:
                    await self.goodbye()
            elif kind is not None:
                await self.heard(kind, getattr(message, kind))
        return None

    async def welcomed(self, welcome: pb.Welcome) -> bool:
        """Whether to stay: the match goes on here, or no other referee can have it."""
        self.referees.know(welcome.referees)
        sitting = self.sitting
        missing = sitting is not None and sitting.match not in welcome.resumed
        stays, given_up = self.referees.settles(missing, bool(welcome.resumed))
        if sitting is not None and missing:
            await sitting.drop_question()
        if given_up:
            self.say("the match has ended while the line was down")
            self.sitting = None
        elif missing and stays:
            self.say("your match is not here now: it has ended, or comes back")
        if stays:
            waits = "; waiting for a match" if self.sitting is None else ""
            self.once(f"you attend as {welcome.bot}{waits}")
        return stays

    async def heard(self, kind: str, what: Any) -> None:
        sitting = self.sitting
        if kind == "ping":
            await self.send(pong=pb.Pong(number=what.number))
        elif kind == "referees":
            self.referees.know(what.addresses)
        elif kind == "match_started":
            await self.started(what)
        elif kind == "fault":
            self.say(f"{dialling.code_name(what.code)}: {what.text}")
        elif sitting is not None and getattr(what, "match", "") == sitting.match:
            if kind == "decide":
                await sitting.decide(what)
            elif kind == "update":
                await sitting.update(what)
            elif kind == "match_ended":
                await sitting.end(what)
                self.sitting = None

    async def started(self, started: pb.MatchStarted) -> None:
        if self.sitting is None or self.sitting.match != started.match:
            shipped = started.cards == cards(started.game)
            data = components(started.game) if shipped else await self.card_data(started.cards)
            self.sitting = Sitting(
                started, data, self.orders.get(started.game, ()), self.console, self.keyboard,
                self.send, self.attending.cancel,
            )  # fmt: skip
        await self.send(ready=pb.Ready(match=started.match))

    async def card_data(self, digest: str) -> bytes:
        """The component data of another set than ours, if the referee gives it."""
        described = await self.stub.Describe(pb.DescribeRequest(cards=digest))
        data: bytes = described.card_data
        return data


async def sit(referee: str, token: str, wanted: Sequence[str]) -> int:
    """Sit down at a referee until a signal, or the referee, ends it; returns the exit code."""
    console = output.console(file=sys.stderr)
    keyboard = Keyboard()
    keyboard.start()
    line = Line(referee, token, wanted, console, keyboard)
    attending = asyncio.ensure_future(line.attend())
    codes: list[int] = []

    def leave(code: int) -> None:
        if code == INTERRUPTED and line.sitting is not None and not codes:
            codes.append(code)
            line.leave()
            console.print(
                "\nYou are in a match, and no other follows it."
                " Ctrl-C again leaves it, and it is lost; r resigns."
            )
            return
        codes.append(code)
        attending.cancel()

    loop = asyncio.get_running_loop()
    for number, code in ((signal.SIGINT, INTERRUPTED), (signal.SIGTERM, 0), (signal.SIGHUP, 0)):
        loop.add_signal_handler(number, leave, code)
    try:
        return await attending
    except asyncio.CancelledError:
        console.print()
        if line.sitting is not None and line.sitting.broken:
            raise line.sitting.broken[0] from None
        if not codes:
            raise FellShort(f"{referee}: the line broke") from None
        return codes[-1]
