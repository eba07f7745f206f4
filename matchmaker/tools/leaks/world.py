"""
One world: a referee's hall in which a single match stands at a given position.

Everything between a bot's bytes and the rules is the referee's own: hall, streams, session,
journal. Only the transport is missing, and the time is counted.
"""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Any, NamedTuple

import structlog
from prometheus_client import generate_latest
from structlog.testing import LogCapture

from matchmaker.tools.leaks.clockwork import ClockworkLoop
from referee.engine import Game, State
from referee.match.memory import MemoryJournal
from referee.match.record import MatchRecord
from referee.match.session import Session
from referee.metrics import Metrics
from referee.server.hall import Hall
from referee.server.stream import Line, Stream
from warladder.v1 import referee_pb2 as pb

NAME = "world"
KEY = b"the same in both worlds"


class Heard(NamedTuple):
    """A message as a bot got it."""

    at: float
    """Seconds since the world began."""
    data: bytes


class Ear:
    """A stream's transport: writes down what the bot would get."""

    def __init__(self, loop: ClockworkLoop, heard: list[Heard]) -> None:
        self.loop, self.heard = loop, heard

    async def write(self, data: bytes) -> None:
        self.heard.append(Heard(self.loop.clock, data))


class World:
    """A match at a referee, with a bot's ear for each seat."""

    def __init__(self, game: Game[Any, Any], record: MatchRecord, state: State) -> None:
        """
        Args:
            state: The position, recording events; it belongs to the world from now on.
        """
        self.record = record
        self.loop = ClockworkLoop()
        self.logged = LogCapture()
        self.metrics = Metrics()
        self.heard: list[list[Heard]] = [[] for _ in record.seats]
        self.streams: list[Stream | None] = [None for _ in record.seats]
        self.writers: list[asyncio.Task[None] | None] = [None for _ in record.seats]
        self.loop.run(self._open(game, state))

    async def _open(self, game: Game[Any, Any], state: State) -> None:
        self.hall = Hall(metrics=self.metrics, ladder_key=KEY, clock=self.loop.time)
        journal = MemoryJournal()
        self.session = Session(game, self.record, journal, self.hall.time, on_end=self.hall.ended)
        self.session.state = state
        journal.owner = self.session

    def begin(self) -> None:
        """All bots come in and are ready."""
        self.start()
        self.ready()

    def start(self) -> None:
        """All bots come in and are told of the match."""
        with self._listening():
            for seat in range(len(self.heard)):
                self._come(seat)
            self.hall.play(self.session, 1, NAME)

    def ready(self) -> None:
        """All bots are ready, so the first questions are put."""
        with self._listening():
            for seat in range(len(self.heard)):
                self._say(seat, pb.BotMessage(ready=pb.Ready(match=self.record.match)))
            self.loop.pass_seconds(0)

    @property
    def state(self) -> State:
        state: State = self.session.state
        return state

    def pass_seconds(self, seconds: float) -> None:
        with self._listening():
            self.loop.pass_seconds(seconds)

    def asked(self) -> list[int]:
        """Seats that have a question before them."""
        return [seat for seat in range(len(self.heard)) if self.line(seat) is not None]

    def line(self, seat: int) -> Line | None:
        """A seat's line with its open question."""
        stream = self.streams[seat]
        line = None if stream is None else stream.lines.get(self.record.match)
        return line if line is not None and line.open else None

    # What bots do

    def choose(self, seat: int, option: int, ago: int = 0) -> None:
        """Answer the open question, or the one so many before."""
        line = self.line(seat)
        assert line is not None, f"seat {seat} is not asked"
        chosen = pb.Choose(
            match=self.record.match, decision=max(0, line.decision - ago), option=option
        )
        self.say(seat, pb.BotMessage(choose=chosen))

    def say(self, seat: int, message: pb.BotMessage) -> None:
        with self._listening():
            self._say(seat, message)

    def babble(self, seat: int, data: bytes) -> None:
        """Bytes that are no message."""
        stream = self.streams[seat]
        if stream is not None:
            with self._listening():
                stream.receive(data)

    def come_back(self, seat: int) -> None:
        """The bot's stream breaks, and it comes back remembering nothing."""
        stream = self.streams[seat]
        if stream is not None:
            with self._listening():
                self.hall.leave(stream)
                writer = self.writers[seat]
                if writer is not None:
                    writer.cancel()
                self._come(seat)

    def _come(self, seat: int) -> None:
        ear = Ear(self.loop, self.heard[seat])
        stream = Stream(self.hall, self.record.seats[seat].bot, "", ear)
        self.streams[seat] = stream
        self.writers[seat] = self.loop.create_task(stream.run_writer())
        hello = pb.Hello(version="1", games=[self.record.game])
        self._say(seat, pb.BotMessage(hello=hello))

    def _say(self, seat: int, message: pb.BotMessage) -> None:
        stream = self.streams[seat]
        if stream is not None:
            stream.receive(message.SerializeToString())

    # What others see

    def figures(self) -> bytes:
        """The referee's metrics, apart from the process's own and from when they were made."""
        lines = generate_latest(self.metrics.registry).splitlines()
        ours = (line for line in lines if line.startswith(b"warladder_"))
        return b"\n".join(line for line in ours if b"_created" not in line)

    def _listening(self) -> _Listening:
        return _Listening(self.logged)

    def close(self) -> None:
        with self._listening(), self.loop:
            self.hall.close()
            for stream in self.streams:
                if stream is not None:
                    stream.ended()

    def __enter__(self) -> World:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class _Listening:
    """While a world goes on, its log lines are its own."""

    def __init__(self, capture: LogCapture) -> None:
        self.capture = capture

    def __enter__(self) -> None:
        self.before = structlog.get_config()["processors"]
        structlog.configure(processors=[self.capture])

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        structlog.configure(processors=self.before)
