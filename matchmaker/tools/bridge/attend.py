"""
The bridge's side of the conversation with a referee: dials in, asks programs, dials again after a
cut.

A question that was put is answered once: what a program answers while the line is cut is kept and
said when the question comes again.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import grpc

from matchmaker.tools import dialling
from matchmaker.tools.bridge import lines, program
from matchmaker.tools.bridge.lines import Answer, BadLine, Word
from matchmaker.tools.bridge.program import Gone, Guard, Program
from matchmaker.tools.dialling import Referees
from warladder.v1 import referee_pb2 as pb
from warladder.v1.referee_pb2_grpc import RefereeStub

if TYPE_CHECKING:
    from warladder.v1.referee_pb2_grpc import RefereeAsyncStub

LOST_SECONDS = 2.0
"""For the end of a match that a referee does not have, before it is given up."""
OFFLINE_SECONDS = 1.0
"""Between two bad answers that the referee cannot be told."""

DETAIL = {
    "full": pb.DETAIL_FULL,
    "no-labels": pb.DETAIL_NO_LABELS,
    "events": pb.DETAIL_EVENTS,
}
"""As it is asked for on the command line."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What environment and flags say."""

    referee: str
    token: str = field(repr=False)
    seed: str
    games: tuple[str, ...] = ()
    """Empty: all that the referee plays."""
    max_matches: int = 1
    detail: pb.Detail.ValueType = pb.DETAIL_FULL
    version: str = "1"
    instance: str = ""
    credentials: grpc.ChannelCredentials | None = None
    command: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    """Of the programs."""
    per_match: bool = False
    """A program of its own for each match."""
    updates: bool = False
    """Programs are told of events while they are not asked."""


@dataclass(eq=False)
class Question:
    asked: pb.Decide
    is_void: bool = False
    """Nobody waits for its answer any more."""
    is_asking: bool = False
    """The program has it before it."""


@dataclass(eq=False)
class Match:
    started: pb.MatchStarted
    program: Program
    life: int = 0
    """Of the program, when it was told of the match."""
    last_event: int = 0
    receipt: bytes = b""
    events: list[str] = field(default_factory=list)
    """All of the match, for a program that is started anew."""
    told: int = 0
    """How many of them the program has been told."""
    open: int = 0
    """The decision that is unanswered on this stream; 0 for none."""
    question: Question | None = None
    chosen: pb.Choose | None = None
    """The last answer, for the case that it was lost on its way."""


class Attendance:
    """Programs' presence at one ladder, over as many streams as it takes."""

    def __init__(self, settings: Settings, guard: Guard) -> None:
        self.settings = settings
        self.guard = guard
        self.matches: dict[str, Match] = {}
        self.referees = Referees(settings.referee)
        self._leaving = False
        """No new matches are wanted: the program has said so, or there was a Ctrl-C."""
        self._interrupted = False
        self._greeted = False
        """The stream has had its Welcome, and we stay on it."""
        self._stream: Any = None
        self._writing = asyncio.Lock()
        self._programs: dict[asyncio.Task[None], Program] = {}
        self._failed: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._shared: Program | None = None
        self._later: set[asyncio.Task[None]] = set()

    async def run(self) -> int:
        """
        Attend until the bot is no longer wanted; returns the exit code.

        Raises:
            FellShort: The program does not live long enough to answer.
        """
        if not self.settings.per_match:
            self._shared = self._new_program("the program")
            self._shared.put(self._shared.start)
        attending = asyncio.ensure_future(self._run())
        try:
            done, _ = await asyncio.wait(
                (attending, self._failed), return_when=asyncio.FIRST_COMPLETED
            )
            code = done.pop().result()
            if code == 0 and self._programs:
                for each in self._programs.values():
                    each.put(None)  # each reads its last lines and goes
                await asyncio.wait(self._programs, timeout=2 * program.GO_SECONDS)
            return code
        finally:
            attending.cancel()
            for task in [*self._programs, *self._later]:
                task.cancel()
            await asyncio.gather(*(each.end(at_once=True) for each in self._programs.values()))
            self._failed.cancel()

    async def _run(self) -> int:
        while True:
            referee = self.referees.next()
            try:
                async with dialling.dial(referee, self.settings.credentials) as channel:
                    code = await self._attend(RefereeStub(channel))
            except grpc.aio.AioRpcError as error:
                say(f"{referee}: {error.code().name}: {error.details()}")
                code = 1 if error.code() in dialling.HOPELESS else None
            self._cut()
            if code is not None:
                return code
            if self._leaving and not self.matches:
                return 0
            await self.referees.pause()

    def leave(self) -> bool:
        """
        Take no new matches, and end with the last one that runs.

        Returns:
            False if it was called before, or nothing is to be played: then there is nothing to
            wait for.
        """
        if self._interrupted or not (self._greeted or self.matches):
            return False
        self._leaving = self._interrupted = True
        say(f"leaving: no new matches, {len(self.matches)} still run; Ctrl-C again leaves now")
        if self._greeted:  # else Goodbye follows the next Welcome
            self._aside(self._say(goodbye=pb.Goodbye()))
        return True

    def _cut(self) -> None:
        self._stream = None
        self._greeted = False
        for match in self.matches.values():
            match.open = 0

    # The stream

    async def _attend(self, stub: RefereeAsyncStub) -> int | None:
        """One stream; returns the exit code, or None to dial again after a pause."""
        games = self.settings.games
        if not games:
            described = await stub.Describe(pb.DescribeRequest())
            games = tuple(each.game for each in described.games)
        token = ("authorization", f"Bearer {self.settings.token}")
        self._stream = stub.Attend(metadata=(token,))
        await self._say(hello=self._hello(games))
        async for message in self._stream:
            match message.WhichOneof("message"):
                case "welcome":
                    if not self._welcomed(message.welcome):
                        return None
                    self._greeted = True
                    if self._leaving:
                        await self._say(goodbye=pb.Goodbye())
                case "referees":
                    self.referees.know(message.referees.addresses)
                case "match_started":
                    self._started(message.match_started)
                    await self._say(ready=pb.Ready(match=message.match_started.match))
                case "decide":
                    await self._decide(message.decide)
                case "update":
                    self._update(message.update)
                case "match_ended":
                    self._ended(message.match_ended)
                case "ping":
                    await self._say(pong=pb.Pong(number=message.ping.number))
                case "fault":
                    fault = message.fault
                    say(f"{dialling.code_name(fault.code)}: {fault.text}")
                case "goodbye":
                    if message.goodbye.reason == pb.GOODBYE_REASON_REVOKED:
                        say(dialling.REVOKED)
                    return self.referees.parted(message.goodbye)
                case _:
                    pass  # of a newer minor version
        return None

    async def _say(self, **message: Any) -> None:
        """A stream that has ended takes nothing: reading it tells why."""
        stream = self._stream
        if stream is None:
            return
        async with self._writing:
            with suppress(grpc.aio.AioRpcError, grpc.aio.UsageError, asyncio.InvalidStateError):
                await stream.write(pb.BotMessage(**message))

    def _hello(self, games: Sequence[str]) -> pb.Hello:
        settings = self.settings
        return pb.Hello(
            version=settings.version,
            instance=settings.instance,
            games=games,
            max_matches=settings.max_matches,
            questions_at_once=settings.max_matches if settings.per_match else 1,
            detail=settings.detail,
            resume=[
                pb.Resume(match=name, last_event=each.last_event, receipt=each.receipt)
                for name, each in self.matches.items()
            ],
        )

    def _welcomed(self, welcome: pb.Welcome) -> bool:
        """Whether to stay: our matches go on here, or no other referee can have them."""
        say(f"attending as {welcome.bot}")
        self.referees.know(welcome.referees)
        missing = [match for match in self.matches if match not in welcome.resumed]
        stays, given_up = self.referees.settles(bool(missing), bool(welcome.resumed))
        if given_up:  # if it is known here how they ended, it follows
            for match in missing:
                self._soon(LOST_SECONDS, partial(self._lost, self.matches[match], self._stream))
        return stays

    # Matches

    def _started(self, started: pb.MatchStarted) -> None:
        if started.match in self.matches:
            return
        owner = self._shared or self._new_program(f"the program of {started.match}")
        match = self.matches[started.match] = Match(started, owner)
        owner.put(partial(self._introduce, match))

    async def _decide(self, asked: pb.Decide) -> None:
        match = self._seen(asked)
        if match is None:
            return
        if self._shared is not None:
            for other in self.matches.values():  # one question at a time: it has been settled
                if other is not match and other.open:
                    other.open = 0
                    self._void(other)
        match.open = asked.decision
        if match.chosen is not None and match.chosen.decision == asked.decision:
            match.open = 0
            await self._say(choose=match.chosen)
            return
        if match.question is not None:
            if match.question.asked.decision == asked.decision:
                return  # the program is at it
            self._void(match)
        match.question = Question(asked)
        match.program.put(partial(self._ask, match, match.question))

    def _update(self, update: pb.Update) -> None:
        match = self._seen(update)
        if match is None:
            return
        if update.HasField("default_taken") and match.question is not None:
            self._void(match)
        if self.settings.updates:
            match.program.put(partial(self._tell_update, match))

    def _seen(self, message: pb.Decide | pb.Update | pb.MatchEnded) -> Match | None:
        match = self.matches.get(message.match)
        if match is None:
            say(f"{message.match}: a word on a match that is not ours")
            return None
        match.last_event = message.last_event
        if message.events:  # told again from the beginning they are the same
            begin = max(0, message.last_event - len(message.events))
            match.events[begin:] = lines.events(message.events)
        if not isinstance(message, pb.MatchEnded):
            match.receipt = message.receipt
        return match

    def _ended(self, ended: pb.MatchEnded) -> None:
        if ended.match not in self.matches:
            return  # told again
        if ended.text:
            say(f"{ended.match}: {ended.text}")
        match = self._seen(ended)
        assert match is not None
        self._void(match)
        del self.matches[ended.match]
        match.program.put(partial(self._tell_end, match, ended))
        if match.program is not self._shared:
            match.program.put(None)

    def _lost(self, match: Match, stream: object) -> None:
        """Give up a match that no referee has and of whose end nothing is known."""
        if match.started.match in self.matches and stream is self._stream:
            say(f"{match.started.match}: over, while the line was cut")
            self._ended(pb.MatchEnded(match=match.started.match))

    # Programs

    def _new_program(self, name: str) -> Program:
        settings = self.settings
        made = Program(settings.command, settings.environment, self.guard, self._word, say, name)
        task = asyncio.ensure_future(made.run())
        self._programs[task] = made
        task.add_done_callback(self._program_done)
        return made

    def _program_done(self, task: asyncio.Task[None]) -> None:
        if task.cancelled():
            return
        if (fault := task.exception()) is None:
            del self._programs[task]
        elif not self._failed.done():
            self._failed.set_exception(fault)

    async def _introduce(self, match: Match) -> None:
        """Start the program if need be, and tell it of the match unless it knows."""
        owner = match.program
        await owner.start()
        if match.life == owner.life:
            return
        resumed = match.started.resumed or match.life > 0
        match.life, match.told = owner.life, 0
        await owner.tell(lines.started(match.started, resumed))

    async def _ask(self, match: Match, question: Question) -> None:
        """Get an answer out of the program, however often it has to be asked for it."""
        asked, owner, problem = question.asked, match.program, ""
        while not question.is_void:
            try:
                await self._introduce(match)
                told, match.told = match.events[match.told :], len(match.events)
                line = lines.question(asked, match.started, self.settings.seed, problem, told)
                question.is_asking = True
                said = await owner.ask(line, partial(_names, asked))
                if isinstance(said, Answer):
                    await self._answered(match, question, said)
                owner.settled()
                break
            except Gone:
                problem = ""
            except BadLine as bad:
                problem = str(bad)
                say(f"{asked.match}, decision {asked.decision}: {problem}")
                await self._bad(match, question, bad)
            finally:
                question.is_asking = False
        if match.question is question:
            match.question = None

    async def _answered(self, match: Match, question: Question, answer: Answer) -> None:
        """
        Raises:
            BadLine: The answer is not on offer.
        """
        asked = question.asked
        if question.is_void:
            say(f"{asked.match}, decision {asked.decision}: answered too late")
            return
        option = lines.choice(answer, asked.options)
        match.chosen = pb.Choose(
            match=asked.match, decision=asked.decision, option=option, note=answer.note
        )
        if match.open == asked.decision:
            match.open = 0
            await self._say(choose=match.chosen)

    async def _bad(self, match: Match, question: Question, bad: BadLine) -> None:
        """Let the referee count a bad answer as it counts those of other bots."""
        asked = question.asked
        if question.is_void:
            return
        if match.open != asked.decision:
            await asyncio.sleep(OFFLINE_SECONDS)
            return
        asked.clock.bad_answers += 1
        option = lines.NOT_AN_OPTION
        await self._say(choose=pb.Choose(match=asked.match, decision=asked.decision, option=option))
        if asked.clock.bad_answers >= 3:  # the match ends by it: there is nothing more to ask
            question.is_void = True

    def _void(self, match: Match) -> None:
        """Its question needs no answer any more; one that the program has, it may still answer."""
        question, match.question = match.question, None
        if question is None:
            return
        question.is_void = True
        if question.is_asking:
            self._soon(program.OVERDUE_SECONDS, partial(_overdue, question, match.program))

    def _soon(self, seconds: float, act: Callable[[], None]) -> None:
        async def wait() -> None:
            await asyncio.sleep(seconds)
            act()

        self._aside(wait())

    def _aside(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._later.add(task)
        task.add_done_callback(self._later.discard)

    async def _tell_update(self, match: Match) -> None:
        await self._introduce(match)
        told, match.told = match.events[match.told :], len(match.events)
        if told:
            await match.program.tell(lines.update(match.started, told))

    async def _tell_end(self, match: Match, ended: pb.MatchEnded) -> None:
        owner = match.program
        if owner.is_alive and match.life == owner.life:  # no other has heard of the match
            await owner.tell(lines.ended(ended, match.started, match.events[match.told :]))

    def _word(self, owner: Program, word: Word) -> bool:
        """Pass on what a program says besides answers; whether it settles the open question."""
        message: Any = word.message
        match = None
        if word.kind in ("resign", "standing_order"):
            match = self._meant(owner, word)
            if match is None:
                return False
            message.match = match.started.match
        elif word.kind == "goodbye":
            self._leaving = True
        elif self._stream is None:
            say("no referee is there to practise at now")
        self._aside(self._say(**{word.kind: message}))
        if word.kind != "resign" or match is None or match.question is None:
            return False
        match.question.is_void = True
        return match.question.is_asking

    def _meant(self, owner: Program, word: Word) -> Match | None:
        """The match that a word is about: the one it names, that is asked, or the only one."""
        matches = [each for each in self.matches.values() if each.program is owner]
        if word.match is not None:
            for each in matches:
                if each.started.match == word.match:
                    return each
            say(f"{word.kind}: match {word.match[:64]!r} is not ours")
            return None
        asking = [each for each in matches if each.question and each.question.is_asking]
        if len(asking) == 1:
            return asking[0]
        if len(matches) == 1:
            return matches[0]
        say(f'{word.kind}: say of which match, as in {{…, "match": ID}}')
        return None


def _names(asked: pb.Decide, answer: Answer) -> bool:
    """Whether an answer is to this question: it says so, or says nothing."""
    return answer.match in (None, asked.match) and answer.decision in (None, asked.decision)


def _overdue(question: Question, owner: Program) -> None:
    if question.is_asking:
        owner.overdue()


def say(line: str) -> None:
    """A line for the author; what a program wrote may be in it."""
    print(f"bridge: {line}", file=sys.stderr, flush=True)
