"""
The bot's side of the conversation with a referee: dials in, answers, dials again after a cut.

One plain loop reads a message, thinks and writes, however many matches there are: the referee asks
one question at a time, and the next one's clock stands still until it is put.
"""

import asyncio
import os
import random
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import grpc
from settings import Settings

from warladder.v1 import referee_pb2 as pb
from warladder.v1.referee_pb2_grpc import RefereeStub

VERSION = "1"
"""Results are kept by version: raise it when the bot changes."""

FIRST_WAIT, LONGEST_WAIT = 0.2, 10.0
"""Seconds before dialling again: doubled each time that nobody answers."""

SEARCH_SECONDS, SEARCH_WAIT = 60.0, 0.5
"""How long matches that this referee does not have are looked for at the others."""

HOPELESS = (
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.UNIMPLEMENTED,
)
"""Dialling again does not mend these."""

CHANNEL = [("grpc.keepalive_time_ms", 20_000), ("grpc.max_receive_message_length", 16 << 20)]

Choose = Callable[[pb.Decide, int, str], int]
"""The bot itself: question, own seat and seed to the index of an option."""


@dataclass
class Match:
    """What is remembered of a running match, so that it can go on after a cut."""

    seat: int
    last_event: int = 0
    receipt: bytes = b""


@dataclass
class Attendance:
    """A bot's presence on a ladder, over as many streams as it takes."""

    settings: Settings
    choose: Choose
    matches: dict[str, Match] = field(default_factory=dict)
    referees: list[str] = field(default_factory=list)
    """Where to dial, the next one first."""
    wait: float = FIRST_WAIT
    stays: bool = False
    """The referee let us in: after a cut our matches are to be found there first."""
    search_until: float = 0.0
    """Until when missing matches are looked for; 0 while none is missing."""
    stream: Any = None
    """The one that we stay on, once we are welcome there."""
    writing: asyncio.Lock = field(default_factory=asyncio.Lock)
    """A stream takes one message at a time."""
    leaving: bool = False
    parting: asyncio.Future[None] | None = None
    loop: asyncio.AbstractEventLoop | None = None

    async def run(self) -> int:
        """Attend until the bot is no longer wanted; returns the exit code."""
        self.referees = [self.settings.referee]
        self.loop = asyncio.get_running_loop()
        while True:
            referee, self.stays = self.referees[0], False
            try:
                async with self.settings.dial(referee, CHANNEL) as channel:
                    code = await self.attend(RefereeStub(channel))
            except grpc.aio.AioRpcError as error:
                say(f"{referee}: {error.code().name}: {error.details()}")
                code = 1 if error.code() in HOPELESS else None
            self.stream = None
            if code is not None:
                return code
            if self.leaving and not self.matches:
                return 0
            if not self.stays:
                self.referees.append(self.referees.pop(0))
            await asyncio.sleep(self.wait * random.uniform(1.0, 1.5))
            self.wait = min(self.wait * 2, LONGEST_WAIT)

    def leave(self) -> bool:
        """
        Take no new matches, and end with the last one that runs; called by a signal's handler.

        False if there is nothing to wait for: nothing is to be played, or it was called before.
        """
        if self.leaving or not (self.stream or self.matches):
            return False
        self.leaving = True
        count = len(self.matches)
        line = f"leaving: no new matches, {count} still run; Ctrl-C again leaves now\n"
        with suppress(OSError):
            os.write(2, line.encode())  # not `say`, which may be what was interrupted
        if self.loop is not None:
            self.loop.call_soon_threadsafe(self.part)
        return True

    def part(self) -> None:
        if self.stream is not None:  # else Goodbye follows the next Welcome
            self.parting = asyncio.ensure_future(self.write(self.stream, goodbye=pb.Goodbye()))

    async def attend(self, stub: RefereeStub) -> int | None:
        """One stream; returns the exit code, or None to dial again after `self.wait`."""
        token = ("authorization", f"Bearer {self.settings.token}")
        stream = stub.Attend(metadata=[token])
        await self.write(stream, hello=self.hello())
        async for message in stream:
            match message.WhichOneof("message"):
                case "welcome":
                    if not self.welcomed(message.welcome):
                        return None
                    self.stream = stream
                    if self.leaving:
                        await self.write(stream, goodbye=pb.Goodbye())
                case "referees":
                    self.know(message.referees.addresses)
                case "match_started":
                    self.started(message.match_started)
                    await self.write(stream, ready=pb.Ready(match=message.match_started.match))
                case "decide" if message.decide.match in self.matches:
                    await self.write(stream, choose=self.decide(message.decide))
                case "update" if message.update.match in self.matches:
                    self.seen(message.update)
                case "match_ended":
                    self.ended(message.match_ended)
                case "ping":
                    await self.write(stream, pong=pb.Pong(number=message.ping.number))
                case "fault":
                    self.fault(message.fault)
                case "goodbye":
                    return self.parted(message.goodbye)
                case _:
                    pass  # of a newer minor version, or of a match that we have no seat in
        return None

    def hello(self) -> pb.Hello:
        return pb.Hello(
            version=VERSION,
            instance=self.settings.instance,
            games=["stalingrad"],
            max_matches=self.settings.max_matches,
            detail=pb.DETAIL_NO_LABELS,
            resume=[
                pb.Resume(match=name, last_event=each.last_event, receipt=each.receipt)
                for name, each in self.matches.items()
            ],
        )

    def welcomed(self, welcome: pb.Welcome) -> bool:
        """Whether to stay: our matches go on here, or no other referee can have them."""
        say(f"attending as {welcome.bot}")
        self.know(welcome.referees)
        missing = [match for match in self.matches if match not in welcome.resumed]
        now = time.monotonic()
        if not missing or 0 < self.search_until < now:
            self.search_until = 0.0
            for match in missing:  # ended while we were away
                del self.matches[match]
            self.stays = True
        else:
            self.search_until = self.search_until or now + SEARCH_SECONDS
            self.stays = bool(welcome.resumed) or len(self.referees) == 1
        self.wait = FIRST_WAIT if self.stays else SEARCH_WAIT
        return self.stays

    def know(self, referees: Iterable[str]) -> None:
        """Where else to dial when this referee goes."""
        self.referees += [each for each in referees if each not in self.referees]

    def started(self, started: pb.MatchStarted) -> None:
        self.matches.setdefault(started.match, Match(started.seat))

    def decide(self, asked: pb.Decide) -> pb.Choose:
        match = self.seen(asked)
        option = self.choose(asked, match.seat, self.settings.seed)
        return pb.Choose(match=asked.match, decision=asked.decision, option=option)

    def seen(self, message: pb.Decide | pb.Update) -> Match:
        """Note how far we are; `message.events` has what happened, for a bot that wants it."""
        match = self.matches[message.match]
        match.last_event, match.receipt = message.last_event, message.receipt
        return match

    def ended(self, ended: pb.MatchEnded) -> None:
        self.matches.pop(ended.match, None)
        if ended.text:  # what a fault of our own was
            say(f"{ended.match}: {ended.text}")

    def fault(self, fault: pb.Fault) -> None:
        """Say what was wrong; the code of a newer minor version has no name here."""
        known = fault.code in pb.FaultCode.values()
        say(f"{pb.FaultCode.Name(fault.code) if known else fault.code}: {fault.text}")

    def parted(self, goodbye: pb.Goodbye) -> int | None:
        """What a Goodbye means: an exit code, or None to dial again after `self.wait`."""
        match goodbye.reason:
            case pb.GOODBYE_REASON_DONE:
                return 0
            case pb.GOODBYE_REASON_REPLACED | pb.GOODBYE_REASON_FAULT:
                return 1
            case pb.GOODBYE_REASON_REVOKED:
                say("this token opens nothing any more: set WARLADDER_TOKEN to the new one")
                return 1
            case pb.GOODBYE_REASON_DRAINING:
                self.stays = False
        self.wait = max(goodbye.reconnect_after_ms / 1000, FIRST_WAIT)
        return None

    async def write(self, stream: Any, **message: Any) -> None:
        """Say something. A stream that has ended takes nothing: reading it tells why."""
        async with self.writing:
            with suppress(grpc.aio.AioRpcError, grpc.aio.UsageError, asyncio.InvalidStateError):
                await stream.write(pb.BotMessage(**message))


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
