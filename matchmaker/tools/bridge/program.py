"""
A program that plays: started when there is something to say to it, and started anew when it ends.

It is told lines in order and asked one question at a time. It leads a group of its own, which ends
with the bridge however that ends: see `matchmaker.guard`.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress

from matchmaker.errors import FellShort
from matchmaker.supervise import GUARD, kill_group
from matchmaker.tools.bridge import lines
from matchmaker.tools.bridge.lines import Answer, BadLine, Word

FIRST_DELAY_SECONDS, LONGEST_DELAY_SECONDS = 0.2, 5.0
"""Before a program that has ended is started anew: doubled each time, none at first."""
MOST_DEATHS = 5
"""In a row, without an answer between: then nobody plays here any more."""
OVERDUE_SECONDS = 5.0
"""For a program to answer a question that nobody waits for any more, before it is ended."""
GO_SECONDS, FORCE_SECONDS = 2.0, 1.0
"""For a program to end by itself when its input is closed; and when it is asked to by a signal."""
MOST_TOLD = 20
"""Lines about output that nobody asked for; more of them say nothing new."""

Job = Callable[[], Awaitable[None]]


class Gone(Exception):
    """The program has ended while something was said to it or asked of it."""


class Guard:
    """What ends programs if the bridge itself is killed."""

    def __init__(self) -> None:
        self._watch = subprocess.Popen(
            [sys.executable, "-I", "-S", GUARD, "watch"],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip

    def tell(self, line: str) -> None:
        assert self._watch.stdin is not None
        with suppress(BrokenPipeError):
            self._watch.stdin.write(line.encode() + b"\n")
            self._watch.stdin.flush()

    def close(self) -> None:
        assert self._watch.stdin is not None
        with suppress(BrokenPipeError):
            self._watch.stdin.close()
        self._watch.wait()


class Program:
    """One command, over as many lives as it takes."""

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        guard: Guard,
        on_word: Callable[[Program, Word], bool],
        say: Callable[[str], None],
        name: str = "the program",
    ) -> None:
        """
        Args:
            on_word: Takes what it says besides answers; true if that settles the open question.
            say: Tells the author.
        """
        self.command = command
        self.environment = environment
        self.guard = guard
        self.on_word = on_word
        self.say = say
        self.name = name
        self.life = 0
        """Number of its present or last life, from 1."""
        self.jobs: asyncio.Queue[Job | None] = asyncio.Queue()
        self._process: asyncio.subprocess.Process | None = None
        self._living: asyncio.Task[None] | None = None
        self._answer: asyncio.Future[Answer | Word] | None = None
        self._is_meant: Callable[[Answer], bool] = lambda answer: True
        self._deaths = 0
        self._told = 0

    # What it is to do, in order

    def put(self, job: Job | None) -> None:
        """Take a job; None is the last one."""
        self.jobs.put_nowait(job)

    async def run(self) -> None:
        """
        Do its jobs.

        Raises:
            FellShort: It has ended too often in a row.
        """
        while (job := await self.jobs.get()) is not None:
            try:
                await job()
            except Gone:
                continue  # who asks must ask again by itself
        await self.end()

    @property
    def is_alive(self) -> bool:
        return self._process is not None

    async def start(self) -> None:
        """
        Start it unless it lives.

        Raises:
            FellShort: It has ended too often in a row.
        """
        if self._process is not None:
            return
        if self._deaths >= MOST_DEATHS:
            raise FellShort(
                f"{self.name} ended {self._deaths} times in a row without an answer: "
                "mend it and start again"
            )
        if self._deaths:
            delay = FIRST_DELAY_SECONDS * 2 ** (self._deaths - 1)
            await asyncio.sleep(min(delay, LONGEST_DELAY_SECONDS))
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-I", "-S", GUARD, "run", str(os.getpid()), str(int(signal.SIGKILL)),
            *self.command,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(self.environment),
            start_new_session=True,
        )  # fmt: skip
        self.guard.tell(f"+ {process.pid} {int(signal.SIGTERM)}")
        self._process = process
        self.life += 1
        self._living = asyncio.ensure_future(self._live(process))

    async def tell(self, line: bytes) -> None:
        """
        Write a line.

        Raises:
            Gone: It does not live.
        """
        if self._process is None:
            raise Gone
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line)
            await self._process.stdin.drain()
        except (BrokenPipeError, ConnectionResetError):
            raise Gone from None

    async def ask(self, line: bytes, is_meant: Callable[[Answer], bool]) -> Answer | Word:
        """
        Write a line and wait for what answers it.

        Args:
            is_meant: Whether an answer is to this question; those that name another are passed
                over.

        Raises:
            BadLine: Its next line is no answer.
            Gone: It ended before.
        """
        for _ in range(2):  # what it wrote before it was asked answers nothing
            await asyncio.sleep(0)
        if self._process is None:
            raise Gone
        self._answer = asyncio.get_running_loop().create_future()
        self._is_meant = is_meant
        try:
            await self.tell(line)
            return await self._answer
        except Gone:
            if self._living is not None:
                await asyncio.wait({self._living}, timeout=FORCE_SECONDS)
            raise
        finally:
            self._answer = None

    def settled(self) -> None:
        """It has answered as it should: earlier deaths are forgotten."""
        self._deaths = 0

    def overdue(self) -> None:
        """It has not answered in all the time it was given: end this life."""
        if self._process is not None:
            self.say(f"{self.name} does not answer: it is ended and started anew")
            kill_group(self._process.pid, signal.SIGKILL)

    # What it says

    async def _live(self, process: asyncio.subprocess.Process) -> None:
        """Listen until it has ended."""
        listening = asyncio.ensure_future(self._listen(process))
        exiting = asyncio.ensure_future(process.wait())
        try:
            await asyncio.wait({listening, exiting}, return_when=asyncio.FIRST_COMPLETED)
            # Its output may end a moment before or after itself; a child of its own may hold it.
            await asyncio.wait({listening, exiting}, timeout=FORCE_SECONDS)
        finally:
            kill_group(process.pid, signal.SIGKILL)
            listening.cancel()
            code = await exiting
            self.guard.tell(f"- {process.pid}")
            self._process = None
            self._deaths += 1
            asked = self._answer is not None and not self._answer.done()
            self.say(f"{self.name} ended with {_cause(code)}{', asked' if asked else ''}")
            if self._answer is not None and not self._answer.done():
                self._answer.set_exception(Gone())

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        splitter = lines.Splitter()
        while data := await process.stdout.read(1 << 16):
            for each in splitter.feed(data):
                self._heard(each)
        for each in splitter.end():
            self._heard(each)

    def _heard(self, raw: bytes | None) -> None:
        waiting = self._answer
        if waiting is not None and waiting.done():
            waiting = None
        try:
            said = lines.read(raw)
        except BadLine as bad:
            if waiting is None:
                self._unasked(str(bad))
            else:
                waiting.set_exception(bad)
            return
        if isinstance(said, Word):
            if self.on_word(self, said) and waiting is not None:
                waiting.set_result(said)
        elif isinstance(said, Answer):
            if waiting is None or not self._is_meant(said):
                self._unasked(f"{said.option if said.label is None else said.label!r}")
            else:
                waiting.set_result(said)

    def _unasked(self, what: str) -> None:
        self._told += 1
        if self._told <= MOST_TOLD:
            more = "; further lines of this kind are not told" if self._told == MOST_TOLD else ""
            self.say(f"{self.name} said something that nobody asked for: {what}{more}")

    # The end

    async def end(self, at_once: bool = False) -> None:
        """Close its input and let it go; with `at_once`, or if it stays, by signals."""
        process, living = self._process, self._living
        if process is None or living is None:
            return
        self.say_nothing()
        if process.stdin is not None:
            process.stdin.close()
        if not at_once and (await asyncio.wait({living}, timeout=GO_SECONDS))[0]:
            return
        kill_group(process.pid, signal.SIGTERM)
        if not (await asyncio.wait({living}, timeout=FORCE_SECONDS))[0]:
            kill_group(process.pid, signal.SIGKILL)
            await asyncio.wait({living})

    def say_nothing(self) -> None:
        """From now on how it ends is of no interest."""
        self.say = lambda text: None


def _cause(code: int) -> str:
    if code < 0:
        with suppress(ValueError):
            return f"signal {signal.Signals(-code).name}"
    return f"exit code {code}"
