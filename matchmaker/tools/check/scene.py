"""One transcript played with one bot: each line is a step, the first that fails ends it."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import signal
from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple, TypeVar

from google.protobuf.json_format import MessageToDict, ParseDict

from matchmaker.errors import WrongUse
from matchmaker.supervise import Child, Supervisor, Task, kill_group
from matchmaker.tools.check import stories
from matchmaker.tools.check.book import Book, Wrong
from matchmaker.tools.check.gate import Gate
from matchmaker.tools.check.scripted import Referee, Stream
from matchmaker.tools.check.stories import Stories
from matchmaker.tools.check.transcripts import Step, Transcript
from matchmaker.tools.check.transcripts import step as read_step
from matchmaker.tools.check.words import exchanged, replaced, shown, within
from warladder.v1 import referee_pb2 as pb

T = TypeVar("T")

START_SECONDS = 60.0
"""For a program to come up and dial: virtual machines and searches are slow to load."""

GLANCE_SECONDS = 0.05
"""How often a process is looked at."""

EARLY_SECONDS = 0.05
"""A timer of the bot's may end so much before its time."""

SETTLED_SECONDS = 1.5
"""After the last message: pings that measure the line are over."""

FEW_DIALS, GROWN = 3, 2.0
"""More dials than these few come after waits that grow to so many times the shortest."""

LONGEST_STRETCH = 3.0
TAIL_LINES = 2
FAREWELL_SECONDS = 2.0
"""From the end of a stream to the end of the process that is the reason."""


UNASKED = ("pong", "standing_order", "practise")
"""What a bot may say of its own accord."""


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
        self._arrived: list[Stream] = []
        self._stream: Stream | None = None
        self._copy = ""
        self._copy_of: dict[int, str] = {}
        self._wrong: list[Wrong] = []
        self._changed = asyncio.Event()
        self._begun = monotonic()
        self._said: list[str] = []
        """For `--keep`."""

    # What the referee's server calls

    def notice(self) -> None:
        self._changed.set()

    def dialled_in(self, stream: Stream) -> None:
        self._arrived.append(stream)
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
            self._note("bot", stream, message)
        for wrong in self._book_of(stream).heard(stream, data, message):
            rule = self._main_rule() if wrong.rule in self.transcript.judges else wrong.rule
            self._wrong.append(Wrong(rule, wrong.seen))
        if message is not None and message.HasField("hello"):
            self.hello = self.hello or message.hello

    def _book_of(self, stream: Stream) -> Book:
        return self.books[self._copy_of[id(stream)]]

    def _main_rule(self) -> str:
        return next(iter(self.transcript.rules))

    # The play

    async def play(self) -> Played:
        """Play the transcript to its end, or to the first thing that is wrong."""
        names = "abcdefgh"[: self.transcript.gates]
        for name in names:
            gate = self.gates[name] = Gate(name, self.cast.referee.port, self.notice)
            await gate.open()
            self.cast.referee.add(gate, self)
        try:
            self._start("first", "a")
            await self._steps(self.transcript.steps, {})
            self._look()
        except Broken as broken:
            return Played(self.transcript, broken.wrong)
        except Unfit as unfit:
            return Played(self.transcript, None, str(unfit))
        finally:
            await self._close()
        return Played(self.transcript)

    async def _close(self) -> None:
        self.cast.supervisor.stop_together([child.task.name for child in self.children.values()])
        for stream in (*self.streams.values(), *self._arrived):
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

    def _start(self, copy: str, gate: str) -> None:
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
        self._copy = copy

    async def _steps(self, steps: Iterable[Step], names: dict[str, str]) -> None:
        for step in steps:
            self._look()
            words = replaced(step.words, names) if names else step.words
            await getattr(self, f"_do_{step.what}")(words, step)

    # Waiting

    def _look(self) -> None:
        if self._wrong:
            raise Broken(*self._wrong[0])

    def _patience(self, words: dict[str, Any], seconds: float | None = None) -> float:
        """How long to wait: longer where the machine has more to do than it can."""
        wanted = self.cast.patience_seconds if seconds is None else seconds
        if "within_ms" in words:
            wanted = words["within_ms"] / 1000
        load = os.getloadavg()[0] / (os.cpu_count() or 1)
        return wanted * min(max(1.0, load), LONGEST_STRETCH)

    async def _until(
        self,
        what: Callable[[], T | None],
        seconds: float,
        rule: str,
        missing: Callable[[], str],
        lives: bool = True,
    ) -> T:
        """
        Wait until something is there.

        Args:
            missing: What was seen instead when the time is over.
            lives: Whether the bot's end breaks the rule too.
        """
        deadline = monotonic() + seconds
        while True:
            self._changed.clear()
            self._look()
            found = what()
            if found is not None:
                return found
            if lives and (ended := self._ended()):
                raise Broken(rule, ended)
            left = deadline - monotonic()
            if left <= 0:
                raise Broken(rule, missing())
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), min(left, GLANCE_SECONDS))

    def _code(self, copy: str) -> int | None:
        process = self.children[copy].process
        assert process is not None
        return process.poll()

    def _ended(self) -> str:
        """What is to be said of the bot's end; empty while it lives."""
        code = self._code(self._copy)
        if code is None:
            return ""
        log = self.children[self._copy].task.log
        assert log is not None
        lines = log.read_text("utf-8", "replace").strip().splitlines()[-TAIL_LINES:]
        tail = " | ".join(line.strip() for line in lines)
        how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        return f"the bot ended with {how}" + (f": {tail}" if tail else "")

    def _on(self, words: dict[str, Any], step: Step) -> Stream:
        stream = self.streams.get(words["on"]) if "on" in words else self._stream
        if stream is None:
            raise WrongUse(f"{step.place}: no such stream yet; `accept` it first")
        return stream

    # Streams

    async def _do_accept(self, words: dict[str, Any], step: Step) -> None:
        """Wait for the bot to dial, and take the stream."""
        again = bool(self.streams)
        rule = words.get("rule", "dials-again" if again else "starts")
        gate = self.gates[words.get("at", "a")]

        def there() -> Stream | None:
            return next((each for each in self._arrived if each.gate is gate), None)

        def missing() -> str:
            return f"no Attend call within {seconds:.0f} s; {len(gate.dials)} connections"

        copy = words.get("of", self._copy)
        self._copy = copy
        seconds = self._patience(words, None if again else START_SECONDS)
        last = self._stream
        stream = await self._until(there, seconds, rule, missing)
        self._arrived.remove(stream)
        if "not_before_ms" in words and last is not None:
            waited = (stream.opened_at - last.last_sent_at) * 1000
            if waited < words["not_before_ms"] - EARLY_SECONDS * 1000:
                raise Broken(rule, f"it dialled after {waited:.0f} ms")
        if stream.token != self.token:
            seen = "another token" if stream.token else "no `authorization: Bearer TOKEN`"
            raise Broken("token", f"{seen} in the metadata of Attend")
        self._stream = self.streams[words["accept"]] = stream
        self._copy_of[id(stream)] = copy
        stream.accept(self._heard)

    async def _do_cut(self, words: dict[str, Any], step: Step) -> None:
        self._on(words, step).cut()

    async def _do_end(self, words: dict[str, Any], step: Step) -> None:
        self._on(words, step).end(words["end"], words.get("text", ""))

    async def _do_refuse(self, words: dict[str, Any], step: Step) -> None:
        gate = self.gates[words["refuse"]]
        gate.shut = True
        gate.cut()

    async def _do_listen(self, words: dict[str, Any], step: Step) -> None:
        self.gates[words["listen"]].shut = False

    # Messages

    async def _do_send(self, words: dict[str, Any], step: Step) -> None:
        await self._say(
            stories.referee_message(self._named(words["send"]), step.place), words, step
        )

    async def _do_recorded(self, words: dict[str, Any], step: Step) -> None:
        stream, recorded, match = self._on(words, step), words["recorded"], words["match"]
        book = self._book_of(stream)
        if words.get("split"):
            known = book.matches.get(match)
            message = book.fill(recorded, match, self._stories())
            told = known.told if known is not None else 0
            kind = message.WhichOneof("message")
            for k, event in enumerate(getattr(message, kind or "").events, 1):
                number = told + k
                update = pb.Update(match=match, events=[event], last_event=number)
                update.receipt = stories.receipt(match, number)
                await self._say(pb.RefereeMessage(update=update), {}, step, stream)
        message = book.fill(recorded, match, self._stories())
        if "late" in words:
            _, missed = self._stories().find(words["late"])
            taken = message.decide.default_taken
            taken.decision, taken.defaults = missed.decide.decision, 1
            message.decide.clock.defaults = 1
            taken.charged_ms = message.decide.clock.cap_ms
        await self._say(message, words, step, stream)

    async def _do_raw(self, words: dict[str, Any], step: Step) -> None:
        await self._on(words, step).send(base64.b64decode(words["raw"]))

    async def _do_ping(self, words: dict[str, Any], step: Step) -> None:
        """A Ping and its Pong: what was sent before has been read then."""
        number, stream = words["ping"], self._on(words, step)
        await self._say(pb.RefereeMessage(ping=pb.Ping(number=number)), {}, step, stream)
        await self._expected({"pong": {"number": number}}, words, step, stream)
        self._book_of(stream).all_read()

    async def _say(
        self,
        message: pb.RefereeMessage,
        words: dict[str, Any],
        step: Step,
        on: Stream | None = None,
    ) -> None:
        stream = on or self._on(words, step)
        if "set" in words:
            message.MergeFrom(stories.referee_message(self._named(words["set"]), step.place))
        self._book_of(stream).said(message)
        self._note("referee", stream, message)
        if words.get("unknown_fields"):
            stories.spread_unknown(message)
        await stream.send(message.SerializeToString())

    async def _do_expect(self, words: dict[str, Any], step: Step) -> None:
        await self._expected(self._named(words["expect"]), words, step, self._on(words, step))
        self._check_needs()

    async def _expected(
        self, wanted: dict[str, Any], words: dict[str, Any], step: Step, stream: Stream
    ) -> None:
        (kind,) = wanted
        rule = words.get("rule", self._main_rule())
        if "answers" in words:
            _, message = self._stories().find(words["answers"])
            wanted = {kind: {**wanted[kind], "decision": message.decide.decision}}

        gone = 0.0

        def there() -> bool | None:
            nonlocal gone
            for heard in stream.inbox:
                if heard.message.WhichOneof("message") == kind and within(wanted, heard.message):
                    stream.inbox.remove(heard)
                    return True
            if stream.hung_up.is_set():
                gone = gone or monotonic() + FAREWELL_SECONDS
                if monotonic() > gone:
                    raise Broken(rule, f"it ended the stream, with no {shown(wanted)}")
            return None

        seconds = self._patience(words)
        await self._until(
            there, seconds, rule, lambda: f"no {shown(wanted)} within {seconds:.0f} s"
        )

    def _check_needs(self) -> None:
        assert self.hello is not None
        most = max(1, self.hello.max_matches)
        if most < self.transcript.matches:
            raise Unfit(f"its Hello says max_matches {most}; {self.transcript.matches} are wanted")
        if self.transcript.story and self.transcript.story not in self._stories():
            raise Unfit(f"{self._stories().game} has no such question")

    def _stories(self) -> Stories:
        """Of the game to play: of the bot's the first that has what this transcript needs."""
        games = [
            game for game in (self.hello.games if self.hello else ()) if game in self.cast.games
        ]
        if self.cast.game:
            games = [game for game in games if game == self.cast.game]
        if not games:
            told = ", ".join(self.hello.games if self.hello else ()) or "none"
            wanted = self.cast.game or ", ".join(self.cast.games)
            raise Broken("hello-fields", f"games {told}; wanted: {wanted}")
        needed = self.transcript.story
        fit = [game for game in games if not needed or needed in self.cast.games[game]]
        return self.cast.games[(fit or games)[0]]

    # Time, and the process

    async def _do_quiet_ms(self, words: dict[str, Any], step: Step) -> None:
        """Nothing is said that needs a question, nobody dials or hangs up."""
        rule = words.get("rule", self._main_rule())
        known = {id(heard) for stream in self.streams.values() for heard in stream.inbox}
        until = monotonic() + words["quiet_ms"] / 1000

        def over() -> bool | None:
            for stream in self.streams.values():
                for heard in stream.inbox:
                    kind = heard.message.WhichOneof("message")
                    if id(heard) not in known and kind not in UNASKED:
                        raise Broken(rule, f"{kind} while nothing was asked")
            if self._arrived:
                raise Broken(rule, "it dialled again")
            if self._stream is not None and self._stream.hung_up.is_set():
                if not self._stream.over.is_set():
                    raise Broken(rule, "it ended the stream")
            return True if monotonic() >= until else None

        await self._until(over, words["quiet_ms"] / 1000 + 60, rule, lambda: "")

    async def _do_keepalive_apart_ms(self, words: dict[str, Any], step: Step) -> None:
        """Pings of HTTP/2 since the last message that was sent, apart from those that measure."""
        stream = self._on(words, step)
        at = [each for each in stream.pings() if each > stream.last_sent_at + SETTLED_SECONDS]
        gaps = [(later - sooner) * 1000 for sooner, later in pairwise(at)]
        if gaps and min(gaps) < words["keepalive_apart_ms"]:
            seen = f"{len(at)} pings, {min(gaps):.0f} ms apart"
            raise Broken(words.get("rule", self._main_rule()), seen)

    async def _do_back_off_ms(self, words: dict[str, Any], step: Step) -> None:
        """How often it dials a gate that is shut: not many times, and after growing waits."""
        rule = words.get("rule", self._main_rule())
        (gate,) = (each for each in self.gates.values() if each.shut)
        before, begun = len(gate.dials), monotonic()
        most, seconds = words["at_most"], words["back_off_ms"] / 1000

        def over() -> bool | None:
            if len(gate.dials) - before > most:
                raise Broken(rule, f"{most + 1} dials within {monotonic() - begun:.1f} s")
            return True if monotonic() >= begun + seconds else None

        await self._until(over, seconds + START_SECONDS, rule, lambda: "")
        waits = [later - sooner for sooner, later in pairwise([*gate.dials[before:], monotonic()])]
        if len(waits) > FEW_DIALS and max(waits) < GROWN * min(waits[:-1]):
            told = ", ".join(f"{wait:.1f}" for wait in waits[:-1])
            raise Broken(rule, f"it dialled again after {told} s")

    async def _do_signal(self, words: dict[str, Any], step: Step) -> None:
        process = self.children[self._copy].process
        assert process is not None
        kill_group(process.pid, signal.Signals[f"SIG{words['signal']}"])

    async def _do_exit(self, words: dict[str, Any], step: Step) -> None:
        """It ends, and does not dial again before. Its Goodbye is answered by one."""
        rule, copy, wanted = words.get("rule", self._main_rule()), words.get("of", self._copy), ""
        gate = self.streams[words["on"]].gate if "on" in words else None

        def over() -> int | None:
            if any(gate is None or each.gate is gate for each in self._arrived):
                raise Broken(rule, "it dialled again")
            return self._code(copy)

        def leaving() -> Stream | int | None:
            for stream in self.streams.values():
                if any(heard.message.HasField("goodbye") for heard in stream.inbox):
                    if not stream.over.is_set():
                        return stream
            return over()

        def missing() -> str:
            return f"it still runs after {seconds:.0f} s"

        seconds = self._patience(words)
        code = await self._until(leaving, seconds, rule, missing, lives=False)
        if isinstance(code, Stream):
            done = pb.Goodbye(reason=pb.GOODBYE_REASON_DONE)
            await self._say(pb.RefereeMessage(goodbye=done), {}, step, code)
            code.end("OK")
            code = await self._until(over, seconds, rule, missing, lives=False)
        wanted = words["exit"]
        if wanted != "any" and code != wanted:
            raise Broken(rule, f"exit code {code}, not {wanted}")

    async def _do_start(self, words: dict[str, Any], step: Step) -> None:
        self._start(words["start"], words.get("at", "a"))

    # More than one step

    async def _do_repeat(self, words: dict[str, Any], step: Step) -> None:
        times = words["repeat"]
        if words.get("at_most") == "max_matches":
            assert self.hello is not None
            times = min(times, max(1, self.hello.max_matches))
        steps = [read_step(step.place, each) for each in words["steps"]]
        for k in range(1, times + 1):
            await self._steps(steps, {words["as"]: str(k)})

    async def _do_if(self, words: dict[str, Any], step: Step) -> None:
        if words["if"] != "same_instance":
            raise WrongUse(f"{step.place}: no such condition: {words['if']}")
        instances = {book.hello.instance for book in self.books.values() if book.hello is not None}
        chosen = words["then" if len(instances) == 1 else "else"]
        await self._steps([read_step(step.place, each) for each in chosen], {})

    # Words

    def _named(self, said: dict[str, Any]) -> dict[str, Any]:
        """With `$a` for the address of gate a and `$game` for the game."""
        names = {f"${name}": gate.address for name, gate in self.gates.items()}
        if "$game" in json.dumps(said):
            names["$game"] = self._stories().game
        named: dict[str, Any] = exchanged(said, names)
        return named

    def _note(self, who: str, stream: Stream, message: Any) -> None:
        if self.cast.keep is None:
            return
        name = next((name for name, each in self.streams.items() if each is stream), "")
        line = {
            "at_ms": round((monotonic() - self._begun) * 1000),
            "stream": name,
            "from": who,
            "message": MessageToDict(message, preserving_proto_field_name=True),
        }
        self._said.append(json.dumps(line, separators=(",", ":")) + "\n")
