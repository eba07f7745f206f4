"""
The connection of the sample bots: dials in, dials again, and hands each match to a player.

A bot brings a function that makes a player for a match; the player chooses. Everything here is
plain use of the protocol: `hello/bot.py` shows the same without any helper.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import secrets
import signal
import ssl
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, NoReturn, Protocol

import grpc

from warladder.v1 import referee_pb2 as pb
from warladder.v1.referee_pb2_grpc import RefereeStub

FIRST_WAIT_SECONDS, LONGEST_WAIT_SECONDS = 0.2, 10.0
"""Back-off when a referee does not answer: doubled each time, with jitter."""

ENDS = {
    pb.GOODBYE_REASON_DONE: 0,
    pb.GOODBYE_REASON_REPLACED: 1,
    pb.GOODBYE_REASON_FAULT: 1,
    pb.GOODBYE_REASON_REVOKED: 1,
}
"""Reasons of a Goodbye that end the bot, with the exit code; after any other it dials again."""

HOPELESS = {
    grpc.StatusCode.UNAUTHENTICATED: 1,
    grpc.StatusCode.PERMISSION_DENIED: 1,
    grpc.StatusCode.INVALID_ARGUMENT: 1,
    grpc.StatusCode.UNIMPLEMENTED: 1,
}
"""Statuses that dialling again does not mend, with the exit code each leads to."""

SEARCH_SECONDS, SEARCH_WAIT_SECONDS = 60.0, 0.5
"""A match that no referee has for so long is over; between two looks passes a moment."""

EVENTS = pb.DETAIL_EVENTS
EVERY: tuple[str, ...] = ()
"""As a bot's games: all that the referee plays."""

MOST = 1_000_000
"""The largest number that a flag takes."""

OPTIONS = [("grpc.keepalive_time_ms", 20_000), ("grpc.max_receive_message_length", 16 << 20)]


CA, CERTIFICATE, KEY = "WARLADDER_TLS_CA", "WARLADDER_TLS_CERTIFICATE", "WARLADDER_TLS_KEY"


class Player(Protocol):
    """
    One match as the bot plays it.

    It may have `orders`: windows that it passes by standing order.
    """

    def choose(self, asked: pb.Decide, chance: Random) -> int:
        """Index of the option taken. `asked.events` have been told already."""

    def told(self, events: Iterable[Any]) -> None:
        """What has happened, each event once, oldest first."""


@dataclass
class Match:
    player: Player
    last_event: int = 0
    receipt: bytes = b""
    decisions: int = 0


@dataclass(frozen=True)
class Settings:
    """What environment and flags say."""

    referee: str
    token: str
    seed: str
    games: tuple[str, ...]
    max_matches: int
    instance: str
    credentials: grpc.ChannelCredentials | None = None
    """For TLS; None where it is not spoken."""


def settings(
    says: str,
    games: Sequence[str],
    arguments: Sequence[str] | None = None,
    extra: argparse.ArgumentParser | None = None,
) -> Settings:
    """
    Read the flags; each that is not given comes from the environment.

    Args:
        extra: Flags of the bot's own, made with `add_help=False`; it reads their values itself.
    """
    env = os.environ
    parser = argparse.ArgumentParser(description=says, parents=[extra] if extra else [])
    parser.add_argument("--referee", default=env.get("WARLADDER_REFEREE") or "localhost:7700")
    parser.add_argument("--token", default=env.get("WARLADDER_TOKEN", ""))
    parser.add_argument("--seed", default=env.get("WARLADDER_SEED"), help="of its own chance")
    parser.add_argument("--game", action="append", choices=games or None, help="only this one")
    parser.add_argument("--max-matches", type=count, default=1, help="how many at once")
    parser.add_argument("--instance", default="", help="tells running copies apart")
    read = parser.parse_args(arguments)
    if not (read.token.isascii() and read.token.isprintable()):
        sys.exit("WARLADDER_TOKEN is no token: set it to what `warladder bot add` printed")
    return Settings(
        referee=read.referee,
        token=read.token,
        seed=read.seed if read.seed is not None else secrets.token_hex(8),
        games=tuple(read.game or games),
        max_matches=read.max_matches,
        instance=read.instance,
        credentials=credentials(),
    )


def credentials() -> grpc.ChannelCredentials | None:
    """
    TLS as the environment wants it.

    `WARLADDER_TLS_CA` is the authority whose referees are trusted, `WARLADDER_TLS_CERTIFICATE` and
    `WARLADDER_TLS_KEY` the bot's own certificate where referees ask for one. All are PEM files, and
    looked at here: what is wrong with them gRPC would find only when it dials, and dial again.
    """
    authority, certificate, key = (os.environ.get(each) or "" for each in (CA, CERTIFICATE, KEY))
    if not authority:
        return None
    if bool(certificate) != bool(key):
        refuse(f"{CERTIFICATE} and {KEY} go together: set both")
    look = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    with right(CA, authority, "no certificate in PEM"):
        look.load_verify_locations(authority)
    if not key:
        return grpc.ssl_channel_credentials(Path(authority).read_bytes())
    with right(CERTIFICATE, certificate, "no certificate in PEM"):
        look.load_verify_locations(certificate)
    makes = f"`openssl pkcs8 -topk8 -nocrypt -in {key}` makes one"
    with right(KEY, key, f"no private key in PEM without a password; {makes}"):
        look.load_cert_chain(certificate, key, password=lambda: "")  # else OpenSSL asks for it
    files = (authority, key, certificate)
    return grpc.ssl_channel_credentials(*(Path(file).read_bytes() for file in files))


@contextmanager
def right(name: str, file: str, wrong: str) -> Iterator[None]:
    """Looks at a file of TLS: what is wrong with it ends the bot."""
    try:
        yield
    except ssl.SSLError as fault:
        differ = "MISMATCH" in (fault.reason or "")
        refuse(f"{name}: {file}: {'not the key of the certificate' if differ else wrong}")
    except OSError as fault:
        refuse(f"{name}: {file}: {fault.strerror}")


def refuse(line: str) -> NoReturn:
    say(line)
    sys.exit(2)


def count(text: str) -> int:
    """A flag's whole number from 1 to `MOST`."""
    number = int(text) if text.isdecimal() and len(text) <= len(str(MOST)) else 0
    if not 1 <= number <= MOST:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 to {MOST}")
    return number


class Attendance:
    """A bot's presence at one referee, over as many streams as it takes."""

    def __init__(
        self,
        chosen: Settings,
        make: Callable[[pb.MatchStarted], Player],
        version: str,
        detail: pb.Detail.ValueType,
    ) -> None:
        self.settings = chosen
        self.make = make
        self.version = version
        self.detail = detail
        self.matches: dict[str, Match] = {}
        self.wait = FIRST_WAIT_SECONDS
        self.told_to_wait = 0.0
        """By the last Goodbye; no earlier dial is welcome."""
        self.referees = [chosen.referee]
        """Where to dial, the next one first."""
        self._stream: Any = None
        self._writing = asyncio.Lock()
        """A stream takes one message at a time."""
        self._greeted = False
        """The stream has had its Welcome, and we stay on it."""
        self._leaving = False
        self._parting: asyncio.Future[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stays = False
        """This referee let us in, so after a cut our matches are to be found here first."""
        self._search_until = 0.0
        """Until when matches that were not found are looked for; 0 while none is missing."""

    async def run(self) -> int:
        """Attend until the bot is no longer wanted; returns the exit code."""
        self._loop = asyncio.get_running_loop()
        while True:
            referee, self._stays = self.referees[0], False
            try:
                async with self._dial(referee) as channel:
                    code = await self._attend(RefereeStub(channel))
            except (grpc.aio.AioRpcError, asyncio.InvalidStateError) as error:
                status, details = await self._why(error)
                say(f"{referee}: {status.name}: {details}")
                code = HOPELESS.get(status)
            self._greeted = False
            if code is not None:
                return code
            if self._leaving and not self.matches:
                return 0
            if not self._stays:
                self.referees = [each for each in self.referees if each != referee] + [referee]
            jitter = self.wait * (0.5 + secrets.randbelow(1000) / 1000)
            await asyncio.sleep(max(self.told_to_wait, jitter))
            self.told_to_wait = 0.0
            self.wait = min(self.wait * 2, LONGEST_WAIT_SECONDS)

    def leave(self) -> bool:
        """
        Take no new matches, and end with the last one that runs.

        It is called by a signal's handler, at any moment.

        Returns:
            False if it was called before, or nothing is to be played: then there is nothing to
            wait for.
        """
        if self._leaving or not (self._greeted or self.matches):
            return False
        self._leaving = True
        count = len(self.matches)
        line = f"leaving: no new matches, {count} still run; Ctrl-C again leaves now\n"
        with suppress(OSError):
            os.write(2, line.encode())  # not `say`, which may be what was interrupted
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._part)
        return True

    def _part(self) -> None:
        if self._greeted:  # else Goodbye follows the next Welcome
            self._parting = asyncio.ensure_future(self._goodbye())

    async def _goodbye(self) -> None:
        """A stream that has ended takes nothing; the next one is told."""
        with suppress(grpc.aio.AioRpcError, grpc.aio.UsageError, asyncio.InvalidStateError):
            await self._say(goodbye=pb.Goodbye())

    def _dial(self, referee: str) -> grpc.aio.Channel:
        if self.settings.credentials is None:
            return grpc.aio.insecure_channel(referee, OPTIONS)
        return grpc.aio.secure_channel(referee, self.settings.credentials, OPTIONS)

    async def _why(self, error: Exception) -> tuple[grpc.StatusCode, str]:
        """Why a stream ended: a write that failed knows less than the stream itself."""
        if self._stream is not None and self._stream.done():
            return await self._stream.code(), await self._stream.details()
        if isinstance(error, grpc.aio.AioRpcError):
            return error.code(), error.details() or ""
        return grpc.StatusCode.UNKNOWN, str(error)

    async def _attend(self, stub: RefereeStub) -> int | None:
        """One stream; returns the exit code, or None to dial again after `self.wait`."""
        games = self.settings.games
        if not games:
            described = await stub.Describe(pb.DescribeRequest())
            games = tuple(each.game for each in described.games)
        token = ("authorization", f"Bearer {self.settings.token}")
        self._stream = stub.Attend(metadata=[token])
        await self._say(hello=self._hello(games))
        async for message in self._stream:
            match message.WhichOneof("message"):
                case "decide":
                    await self._decide(message.decide)
                case "update":
                    self._told(message.update)
                case "match_started":
                    await self._started(message.match_started)
                case "match_ended":
                    self._ended(message.match_ended)
                case "ping":
                    await self._say(pong=pb.Pong(number=message.ping.number))
                case "welcome":
                    self.wait = FIRST_WAIT_SECONDS
                    self._know(message.welcome.referees)
                    self._stays = self._greeted = self._found(message.welcome.resumed)
                    # The line comes when a Ctrl-C will say Goodbye.
                    say(f"attending as {message.welcome.bot}")
                    if not self._stays:
                        self.wait = SEARCH_WAIT_SECONDS
                        return None
                    if self._leaving:  # twice is as good as once
                        await self._say(goodbye=pb.Goodbye())
                case "referees":
                    self._know(message.referees.addresses)
                case "fault":
                    say(f"{code_name(message.fault.code)}: {message.fault.text}")
                case "goodbye":
                    if message.goodbye.reason == pb.GOODBYE_REASON_REVOKED:
                        say("this token opens nothing any more: set WARLADDER_TOKEN to the new one")
                    if message.goodbye.reason in ENDS:
                        return ENDS[message.goodbye.reason]
                    self.told_to_wait = message.goodbye.reconnect_after_ms / 1000
                    self._stays = message.goodbye.reason != pb.GOODBYE_REASON_DRAINING
                    return None
        return None

    def _know(self, referees: Iterable[str]) -> None:
        """Where else the bot may dial when this referee goes."""
        self.referees += [each for each in referees if each not in self.referees]

    def _found(self, resumed: Sequence[str]) -> bool:
        """Whether to stay: our matches go on here, or no other referee can have them."""
        missing = [match for match in self.matches if match not in resumed]
        now = time.monotonic()
        if not missing or (self._search_until and now > self._search_until):
            self._search_until = 0.0
            for match in missing:  # ended while we were away
                del self.matches[match]
            return True
        self._search_until = self._search_until or now + SEARCH_SECONDS
        return bool(resumed) or len(self.referees) == 1

    def _hello(self, games: Sequence[str]) -> pb.Hello:
        return pb.Hello(
            version=self.version,
            instance=self.settings.instance,
            games=games,
            max_matches=self.settings.max_matches,
            detail=self.detail,
            resume=[
                pb.Resume(match=name, last_event=match.last_event, receipt=match.receipt)
                for name, match in self.matches.items()
            ],
        )

    async def _say(self, **message: Any) -> None:
        async with self._writing:
            await self._stream.write(pb.BotMessage(**message))

    async def _started(self, started: pb.MatchStarted) -> None:
        if started.match not in self.matches:
            self.matches[started.match] = Match(self.make(started))
        await self._say(ready=pb.Ready(match=started.match))
        for window in getattr(self.matches[started.match].player, "orders", ()):
            order = pb.StandingOrder(match=started.match, window=window, on=True)
            await self._say(standing_order=order)

    async def _decide(self, asked: pb.Decide) -> None:
        match = self._told(asked)
        # Chance hangs on seed, match and decision alone: not on what else this process plays.
        chance = Random(f"{self.settings.seed}|{asked.match}|{asked.decision}")
        option = match.player.choose(asked, chance)
        await self._say(choose=pb.Choose(match=asked.match, decision=asked.decision, option=option))

    def _told(self, message: pb.Decide | pb.Update) -> Match:
        match = self.matches[message.match]
        if message.events:
            match.player.told(message.events)
        match.last_event, match.receipt = message.last_event, message.receipt
        return match

    def _ended(self, ended: pb.MatchEnded) -> None:
        self.matches.pop(ended.match, None)
        if ended.text:
            say(f"{ended.match}: {ended.text}")


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def code_name(code: pb.FaultCode.ValueType) -> str:
    """A code of a later minor version has a number and no name."""
    return pb.FaultCode.Name(code) if code in pb.FaultCode.values() else f"fault {code}"


async def until_orphaned(parent: int) -> int:
    """A bot without its parent is nobody's: it ends within a second."""
    while os.getppid() == parent:
        await asyncio.sleep(1.0)
    return 1


async def _main(attendance: Attendance) -> int:
    running = asyncio.ensure_future(attendance.run())
    orphaned = asyncio.ensure_future(until_orphaned(os.getppid()))
    done, rest = await asyncio.wait({running, orphaned}, return_when=asyncio.FIRST_COMPLETED)
    for each in rest:
        each.cancel()
    return done.pop().result()


def run(
    says: str,
    games: Sequence[str],
    make: Callable[[pb.MatchStarted], Player],
    version: str = "1",
    detail: pb.Detail.ValueType = pb.DETAIL_FULL,
    extra: argparse.ArgumentParser | None = None,
) -> None:
    """
    Attend with a bot until it is no longer wanted, and leave the process.

    Args:
        says: One line on the bot, for `--help`.
        games: The games it can play.
        make: Makes the player of a match.
        extra: Flags of the bot's own, as in `settings`.
    """
    # An exception could meet code of gRPC's that swallows it.
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    attendance = Attendance(settings(says, games, extra=extra), make, version, detail)
    signal.signal(signal.SIGINT, lambda *_: attendance.leave() or os._exit(130))
    sys.exit(asyncio.run(_main(attendance)))
