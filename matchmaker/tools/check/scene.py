"""One transcript played with one bot: its processes, its streams, and the wait for what it does."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple, TypeVar

from google.protobuf.json_format import MessageToDict, ParseDict

from matchmaker.errors import WrongUse
from matchmaker.supervise import Child, Supervisor, Task
from matchmaker.tools.check import stories
from matchmaker.tools.check.book import Book, Wrong
from matchmaker.tools.check.gate import Gate
from matchmaker.tools.check.scripted import Referee, Stream
from matchmaker.tools.check.stories import Stories
from matchmaker.tools.check.transcripts import Step, Transcript
from matchmaker.tools.check.words import exchanged
from warladder.v1 import referee_pb2 as pb

T = TypeVar("T")

GLANCE_SECONDS = 0.05
"""How often a process is looked at."""

LONGEST_STRETCH = 3.0
TAIL_LINES = 2


class Broken(Exception):
    """A rule was not kept."""

    def __init__(self, rule: str, seen: str) -> None:
        super().__init__(seen)
        self.wrong = Wrong(rule, seen)


class Unfit(Exception):
    """The bot does not take part in what this transcript is about; the text says why."""


class Played(NamedTuple):
    """How a transcript went: with no wrong and no reason to skip it, all its rules were kept."""

    transcript: Transcript
    wrong: Wrong | None = None
    skipped: str = ""


class Cast(NamedTuple):
    """What all scenes share."""

    command: tuple[str, ...]
    supervisor: Supervisor
    folder: Path
    referee: Referee
    described: dict[str, Any]
    games: dict[str, Stories]
    game: str
    """The one to play; empty: the first of the bot's."""
    patience_seconds: float
    keep: Path | None


class Scene:
    def __init__(self, transcript: Transcript, cast: Cast) -> None:
        self.transcript = transcript
        self.cast = cast
        self.token = f"wl_check_{os.urandom(12).hex()}"
        self.gates: dict[str, Gate] = {}
        self.children: dict[str, Child] = {}
        self.books: dict[str, Book] = {}
        """By copy."""
        self.streams: dict[str, Stream] = {}
        self.hello: pb.Hello | None = None
        self.arrived: list[Stream] = []
        self.stream: Stream | None = None
        self.copy = ""
        self._wrong: list[Wrong] = []
        self._changed = asyncio.Event()
        self._begun = monotonic()
        self._said: list[str] = []
        """For `--keep`."""

    # What the referee's server calls

    def notice(self) -> None:
        self._changed.set()

    def dialled_in(self, stream: Stream) -> None:
        self.arrived.append(stream)
        self.notice()

    def describe(self) -> pb.DescribeResponse:
        described = ParseDict(self.cast.described, pb.DescribeResponse())
        described.referees.append(self.gates["a"].address)
        if self.transcript.describe:
            ParseDict(self.transcript.describe, described)
            stories.spread_unknown(described)
        return described

    def _heard(self, stream: Stream, data: bytes, message: pb.BotMessage | None) -> None:
        if message is not None:
            self._note_said("bot", stream, message)
        for wrong in self.books[stream.copy].heard(stream, data, message):
            rule = self.main_rule() if wrong.rule in self.transcript.judges else wrong.rule
            self._wrong.append(Wrong(rule, wrong.seen))
        if message is not None and message.HasField("hello"):
            self.hello = self.hello or message.hello

    def main_rule(self) -> str:
        return next(iter(self.transcript.rules))

    # The play

    async def play(self, perform: Callable[[Scene], Awaitable[None]]) -> Played:
        """
        Play the transcript to its end, or to the first thing that is wrong.

        Args:
            perform: Does the steps.
        """
        names = "abcdefgh"[: self.transcript.gates]
        for name in names:
            gate = self.gates[name] = Gate(name, self.cast.referee.port, self.notice)
            await gate.open()
            self.cast.referee.add(gate, self)
        try:
            self.start("first", "a")
            await perform(self)
            self.look()
        except Broken as broken:
            return Played(self.transcript, broken.wrong)
        except Unfit as unfit:
            return Played(self.transcript, None, str(unfit))
        finally:
            await self._close()
        return Played(self.transcript)

    async def _close(self) -> None:
        self.cast.supervisor.stop_together([child.task.name for child in self.children.values()])
        for stream in (*self.streams.values(), *self.arrived):
            stream.over.set()
        for gate in self.gates.values():
            await gate.close()
        self.cast.referee.remove(self)
        if self.cast.keep is not None:
            name = self.transcript.name
            self.cast.keep.mkdir(parents=True, exist_ok=True)
            (self.cast.keep / f"{name}.jsonl").write_text("".join(self._said), "utf-8")
            for copy, child in self.children.items():
                assert child.task.log is not None
                log = child.task.log.read_bytes()
                (self.cast.keep / f"{name}.{copy}.log").write_bytes(log)

    def start(self, copy: str, gate: str) -> None:
        environment = {
            "WARLADDER_REFEREE": self.gates[gate].address,
            "WARLADDER_TOKEN": self.token,
            "WARLADDER_SEED": "check",
            "WARLADDER_TLS_CA": "",
        }
        name = f"{self.transcript.name}-{copy}-{self.token[-8:]}"
        task = Task(
            name=name,
            command=self.cast.command,
            environment=environment,
            log=self.cast.folder / f"{name}.log",
            stop=signal.SIGKILL,
        )
        self.children[copy] = self.cast.supervisor.start(task)
        self.books[copy] = Book(self.token, tuple(self.cast.games))
        self.copy = copy

    # Waiting

    def look(self) -> None:
        if self._wrong:
            raise Broken(*self._wrong[0])

    def patience(self, step: Step, seconds: float | None = None) -> float:
        """How long to wait: longer where the machine has more to do than it can."""
        wanted = self.cast.patience_seconds if seconds is None else seconds
        if "within_ms" in step.words:
            wanted = step.words["within_ms"] / 1000
        load = os.getloadavg()[0] / (os.cpu_count() or 1)
        return wanted * min(max(1.0, load), LONGEST_STRETCH)

    async def until(
        self,
        what: Callable[[], T | None],
        seconds: float,
        rule: str,
        missing: Callable[[], str],
        lives: bool = True,
    ) -> T:
        """
        Wait until something is there; time in which we were not run ourselves does not count.

        Args:
            missing: What was seen instead when the time is over.
            lives: Whether the bot's end breaks the rule too.
        """
        deadline = monotonic() + seconds
        while True:
            self._changed.clear()
            self.look()
            found = what()
            if found is not None:
                return found
            if lives and (ended := self._ended()):
                raise Broken(rule, ended)
            left = deadline - monotonic()
            if left <= 0:
                raise Broken(rule, missing())
            before = monotonic()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), min(left, GLANCE_SECONDS))
            overslept = monotonic() - before - GLANCE_SECONDS
            if overslept > GLANCE_SECONDS:
                deadline += overslept

    def code(self, copy: str) -> int | None:
        process = self.children[copy].process
        assert process is not None
        return process.poll()

    def _ended(self) -> str:
        """What is to be said of the bot's end; empty while it lives."""
        code = self.code(self.copy)
        if code is None:
            return ""
        log = self.children[self.copy].task.log
        assert log is not None
        lines = log.read_text("utf-8", "replace").strip().splitlines()[-TAIL_LINES:]
        tail = " | ".join(line.strip() for line in lines)
        how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        return f"the bot ended with {how}" + (f": {tail}" if tail else "")

    # Streams and messages

    def stream_of(self, step: Step) -> Stream:
        """The one that the step names, or the last one."""
        name = step.words.get("on")
        stream = self.streams.get(name) if name is not None else self.stream
        if stream is None:
            raise WrongUse(f"{step.place}: no such stream yet; `accept` it first")
        return stream

    def take(self, stream: Stream, name: str, copy: str) -> None:
        """A stream that has come is this copy's, and goes by this name."""
        self.arrived.remove(stream)
        self.copy = stream.copy = copy
        if stream.token != self.token:
            seen = "another token" if stream.token else "no `authorization: Bearer TOKEN`"
            raise Broken("token", f"{seen} in the metadata of Attend")
        self.stream = self.streams[name] = stream
        stream.accept(self._heard)

    async def say(
        self, message: pb.RefereeMessage, step: Step, stream: Stream, plainly: bool = False
    ) -> None:
        """
        Send a message.

        Args:
            plainly: Without what the step changes in it.
        """
        words = {} if plainly else step.words
        if "set" in words:
            message.MergeFrom(stories.referee_message(self.named(words["set"]), step.place))
        self.books[stream.copy].said(message)
        self._note_said("referee", stream, message)
        if words.get("unknown_fields"):
            stories.spread_unknown(message)
        data = message.SerializeToString()
        data += stories.padding(words.get("pad_bytes", 0))
        try:
            await asyncio.wait_for(stream.send(data), self.patience(step))
        except TimeoutError:
            rule = step.words.get("rule", self.main_rule())
            raise Broken(rule, "it does not read what is sent") from None

    def check_needs(self) -> None:
        assert self.hello is not None
        most = max(1, self.hello.max_matches)
        if most < self.transcript.matches:
            raise Unfit(f"its Hello says max_matches {most}; {self.transcript.matches} are wanted")
        at_once = max(1, self.hello.questions_at_once)
        if at_once < self.transcript.questions:
            wanted = self.transcript.questions
            raise Unfit(f"its Hello says questions_at_once {at_once}; {wanted} are wanted")
        if self.transcript.story and self.transcript.story not in self.stories():
            raise Unfit(f"{self.stories().game} has no such question")

    def stories(self) -> Stories:
        """Of the game to play: of the bot's the first that has what this transcript needs."""
        says = self.hello.games if self.hello is not None else ()
        games = [game for game in says if game in self.cast.games]
        if self.cast.game:
            games = [game for game in games if game == self.cast.game]
        if not games:
            told = ", ".join(says) or "none"
            wanted = self.cast.game or ", ".join(self.cast.games)
            raise Broken("hello-fields", f"games {told}; wanted: {wanted}")
        story = self.transcript.prefers
        fit = [game for game in games if not story or story in self.cast.games[game]]
        return self.cast.games[(fit or games)[0]]

    def named(self, said: dict[str, Any]) -> dict[str, Any]:
        """With `$a` for the address of gate a and `$game` for the game."""
        names = {f"${name}": gate.address for name, gate in self.gates.items()}
        if "$game" in json.dumps(said):
            names["$game"] = self.stories().game
        named: dict[str, Any] = exchanged(said, names)
        return named

    def _note_said(self, who: str, stream: Stream, message: Any) -> None:
        name = next((name for name, each in self.streams.items() if each is stream), "")
        said = MessageToDict(message, preserving_proto_field_name=True)
        self.note({"stream": name, "from": who, "message": said})

    def note(self, what: dict[str, Any]) -> None:
        """A line for whoever wants to know how it went."""
        if self.cast.keep is not None:
            line = {"at_ms": round((monotonic() - self._begun) * 1000), **what}
            self._said.append(json.dumps(line, separators=(",", ":")) + "\n")
