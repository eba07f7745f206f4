"""All cells, kind by phase by seat, against one referee process, and what was found in each."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import traceback
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import grpc
import redis as plain

from referee.match.journal import Ending, Entry, unpack_journal
from referee.match.record import Clocks, MatchRecord, Pace
from referee.match.replay import verify
from referee.store.keys import Keys
from referee.store.lifecycle import journal_of
from tests.helpers.bots import RawBot
from tests.helpers.matches import plan, record
from tests.helpers.naughty import judge
from tests.helpers.naughty.kinds import ELEVEN, KINDS, PATIENT
from tests.helpers.naughty.moment import GAMES, Moment, closing
from tests.helpers.naughty.phases import PACE_MS, Phase, bring, table
from tests.helpers.naughty.relay import Relay
from tests.helpers.naughty.verdicts import verdict
from tests.helpers.processes import ROOT, environment
from tests.helpers.referee_process import SECRET, RefereeProcess, register
from warladder.v1 import internal_pb2, internal_pb2_grpc
from warladder.v1 import referee_pb2 as pb

AT_ONCE = 64
"""Cells under way."""
FLOODS_AT_ONCE = 4
PROCESSES_AT_ONCE = 4
"""Bots that are processes of their own, at once on their way to the phase."""
VICTIMS = 16
CELL_SECONDS = 75.0


class Cell(NamedTuple):
    kind: str
    phase: Phase
    seat: int

    def __str__(self) -> str:
        return f"{self.kind}-{self.phase.value}-{self.seat}"


def cells() -> list[Cell]:
    """Every kind in every phase in either seat."""
    return [Cell(kind, phase, seat) for kind in KINDS for phase in Phase for seat in (0, 1)]


@dataclass
class Found:
    """What came of a cell: lines that say what is not as it must be."""

    problems: list[str] = field(default_factory=list)
    notes: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0


class Matrix:
    """One referee, honest bots in a process of their own, naughty ones here."""

    def __init__(self, referee: RefereeProcess, redis: plain.Redis, name: str = "") -> None:
        """
        Args:
            name: Stands before the ids of its matches and the names of its bots.
        """
        self.referee, self.redis, self.keys = referee, redis, Keys()
        self.name = name
        self.found: dict[Cell, Found] = {}
        self.records: dict[str, MatchRecord] = {}
        self.honest: dict[str, Any] = {}
        self.beside: list[str] = []
        """Matches of two honest bots, one after another."""
        self.foreign = f"{name}foreign"
        self.charges: list[int] = []
        """What each answer of an honest bot cost it, in milliseconds."""
        self.untouched: list[str] = []
        """What is wrong with the matches of others."""
        self._names = [f"{name}victim{k}" for k in range(VICTIMS)]
        self._beside = (f"{name}carol", f"{name}dave")
        self._ends: dict[str, asyncio.Event] = {}
        self._enough = False
        self._flooding = asyncio.Semaphore(FLOODS_AT_ONCE)
        self._spawning = asyncio.Semaphore(PROCESSES_AT_ONCE)

    # The run

    async def run(self, wanted: list[Cell]) -> None:
        async with AsyncExitStack() as stack:
            channel = await stack.enter_async_context(
                grpc.aio.insecure_channel(self.referee.internal)
            )
            self._internal = internal_pb2_grpc.InternalStub(channel)
            tokens = register(self.redis, self.keys, *self._names, *self._beside)
            honest = await self._start_honest(stack, tokens)
            poller = asyncio.ensure_future(self._poll())
            left, right = await self._begin_foreign(stack)
            others = asyncio.ensure_future(self._keep_playing())
            room = asyncio.Semaphore(AT_ONCE)

            async def one(cell: Cell, number: int) -> None:
                async with room:
                    self.found[cell] = await self._try(cell, number)

            longest_first = sorted(wanted, key=lambda cell: KINDS[cell.kind].clocks == PATIENT)
            longest_first.sort(key=lambda cell: KINDS[cell.kind].clocks != ELEVEN)
            await asyncio.gather(*(one(cell, k) for k, cell in enumerate(longest_first)))
            self._enough = True
            await others
            await self._end_foreign(left, right)
            poller.cancel()
            await asyncio.gather(poller, return_exceptions=True)
            assert honest.stdin is not None
            assert honest.stdout is not None
            honest.stdin.write(b"\n")
            self.honest = json.loads(await honest.stdout.readline())
            await honest.wait()
        for cell in wanted:
            self.found[cell].problems += self._judge(cell, self.found[cell].notes)
        self.untouched += self._judge_others()

    async def _start_honest(
        self, stack: AsyncExitStack, tokens: dict[str, str]
    ) -> asyncio.subprocess.Process:
        process = await self._spawn("tests.helpers.naughty.honest")
        stack.push_async_callback(ended, process)
        order = {"address": self.referee.address, "bots": tokens}
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(order).encode() + b"\n")
        assert await process.stdout.readline() == b"attending\n"
        return process

    async def _spawn(self, module: str, *words: str) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            sys.executable, "-m", module, *words, cwd=ROOT, env=environment(),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=1 << 26,
        )  # fmt: skip

    async def open(self, planned: MatchRecord) -> None:
        """Plan a match and hand it to the referee; `_end_of` waits for its end."""
        self.records[planned.match] = planned
        self._ends[planned.match] = asyncio.Event()
        plan(self.redis, self.keys, planned)
        while True:
            answer = await self._internal.OpenMatches(
                internal_pb2.OpenMatchesRequest(matches=[planned.match]),
                metadata=(("x-warladder-secret", SECRET),),
            )
            opening = internal_pb2.Opening.Name(answer.openings[0])
            if opening != "OPENING_AWAY":  # the store was slow: a worker would ask again too
                break
            await asyncio.sleep(0.5)
        assert opening == "OPENING_OPENED", f"{planned.match}: {opening}"

    async def _end_of(self, match: str) -> None:
        await self._ends[match].wait()

    async def _poll(self) -> None:
        """Look in the store which matches have ended."""
        while True:
            open_ = [match for match, end in self._ends.items() if not end.is_set()]
            with self.redis.pipeline(transaction=False) as pipe:
                for match in open_:
                    pipe.hget(self.keys.match(match), "status")
                states = pipe.execute()
            for match, status in zip(open_, states, strict=True):
                if status == b"ended":
                    self._ends[match].set()
            await asyncio.sleep(0.1)

    # The matches of others

    async def _begin_foreign(self, stack: AsyncExitStack) -> tuple[RawBot, RawBot]:
        """A match that is under way all the time; nobody in it is in a hurry."""
        names = (f"{self.name}left", f"{self.name}right")
        tokens = register(self.redis, self.keys, *names)
        bots = [
            await stack.enter_async_context(RawBot(self.referee.address, tokens[name]))
            for name in names
        ]
        for bot in bots:
            await bot.greet()
        slow = Clocks(bank_ms=3_600_000, cap_ms=3_600_000)
        await self.open(record(self.foreign, bots=names, clocks=slow))
        for bot in bots:
            await bot.expect("match_started")
            await bot.say(ready=pb.Ready(match=self.foreign))
        self._asked = [(await bot.expect("decide")).decide for bot in bots]
        self._pings = [asyncio.ensure_future(bot.read()) for bot in bots]
        return bots[0], bots[1]

    async def _end_foreign(self, left: RawBot, right: RawBot) -> None:
        for waiting in self._pings:
            if waiting.done():
                self.untouched.append(f"foreign: heard {waiting.result()}")
            waiting.cancel()
        for bot, decide in zip((left, right), self._asked, strict=True):
            await bot.answer(decide)
        await asyncio.wait_for(asyncio.gather(left.play(), right.play()), 30)
        await self._end_of(self.foreign)

    async def _keep_playing(self) -> None:
        """Two honest bots play one match after another."""
        while not self._enough:
            match = f"{self.name}beside-{len(self.beside)}"
            seats = self._beside if len(self.beside) % 2 else self._beside[::-1]
            await self.open(record(match, bots=seats))
            self.beside.append(match)
            await self._end_of(match)

    # A cell

    def match_of(self, cell: Cell) -> str:
        """The match's id; honest bots draw out those with `long-` in it."""
        return f"{self.name}{'long-' if KINDS[cell.kind].draws_out else ''}{cell}"

    async def _try(self, cell: Cell, number: int) -> Found:
        found = Found()
        began = asyncio.get_running_loop().time()
        try:
            if KINDS[cell.kind].signal:
                await self._play_process(cell, number)
            elif KINDS[cell.kind].floods:
                async with self._flooding, asyncio.timeout(CELL_SECONDS):
                    await self._play(cell, number, found)
            else:
                async with asyncio.timeout(CELL_SECONDS):
                    await self._play(cell, number, found)
        except (AssertionError, TimeoutError, OSError, grpc.RpcError) as fault:
            place = "".join(traceback.format_tb(fault.__traceback__)[-2:])
            found.problems.append(f"{type(fault).__name__}: {fault}\n{place}")
        found.seconds = asyncio.get_running_loop().time() - began
        return found

    def _victim(self, number: int) -> str:
        return self._names[number % VICTIMS]

    def _record(self, cell: Cell, number: int) -> MatchRecord:
        kind, played = KINDS[cell.kind], table(cell.phase, cell.seat)
        bots = [self._victim(number), self._victim(number)]
        bots[cell.seat] = f"{self.name}naughty{number}"
        floor, quantum = PACE_MS if cell.phase in (Phase.WINDOW, Phase.BACK) else (0, 0)
        return record(
            self.match_of(cell), game=played.game, bots=bots, seed=played.seed,
            options=played.options, clocks=kind.clocks,
            pace=Pace(floor_ms=floor, quantum_ms=quantum),
        )  # fmt: skip

    async def _play_process(self, cell: Cell, number: int) -> None:
        """The bot is a process: it is stopped or killed when it is there."""
        planned = self._record(cell, number)
        name = f"{self.name}naughty{number}"
        token = register(self.redis, self.keys, name)[name]
        async with self._spawning, asyncio.timeout(CELL_SECONDS):
            process = await self._spawn(
                "tests.helpers.naughty.process",
                self.referee.address, token, planned.match, cell.phase.value,
            )  # fmt: skip
            try:
                assert process.stdout is not None
                assert await process.stdout.readline() == b"attending\n"
                await self.open(planned)
                assert await process.stdout.readline() == b"there\n"
            except BaseException:
                await ended(process)
                raise
        process.send_signal(getattr(signal, KINDS[cell.kind].signal))
        try:
            async with asyncio.timeout(CELL_SECONDS):
                await self._end_of(planned.match)
        finally:
            await ended(process)

    async def _play(self, cell: Cell, number: int, found: Found) -> None:
        kind, name = KINDS[cell.kind], f"{self.name}naughty{number}"
        planned = self._record(cell, number)
        token = register(self.redis, self.keys, name)[name]
        async with AsyncExitStack() as stack:
            relay = None
            address = self.referee.address
            if kind.relay:
                path = self.referee.log.parent / f"{self.name}{number}.sock"
                relay = await stack.enter_async_context(Relay(path, address))
                address = relay.address
            moment = Moment(
                address=address, token=token, phase=cell.phase, match=planned.match,
                clocks=kind.clocks, foreign=self.foreign, before=f"before-{planned.match}",
                bot=RawBot(address, token, games=GAMES, version="1"), relay=relay,
            )  # fmt: skip
            await stack.enter_async_context(closing(moment))
            await moment.bot.greet()
            if kind.plays_before:
                await self.open(
                    record(moment.before, bots=(name, self._victim(number)), options={"rounds": 1})
                )
                await moment.bot.play()
            await self.open(planned)
            moment.decide = await bring(moment.bot, cell.phase, planned.match)
            heard = len(moment.bot.heard)
            if cell.phase is Phase.BACK:
                moment.hang_up()
                if not kind.dials:
                    await moment.come_back()
                    heard = 0
            first = moment.bot
            await kind.act(moment)
            wanted = verdict(cell.kind, cell.phase)
            if cell.phase is Phase.BACK and kind.dials and moment.bot is first:
                if not moment.silent:
                    await moment.come_back()
            if moment.bot is not first:
                heard = 0
            plays_on = wanted.ending is Ending.NORMAL and not moment.silent
            if plays_on and not moment.answered:
                await moment.go_on()
            end = await self._to_the_end(moment, heard, plays_on)
            if wanted.status is not None:
                while await moment.bot.read() is not None:
                    pass
            await self._end_of(planned.match)
            problems = await judge.streams(moment, wanted)
            if end is None:
                end = await self._asked_again(moment)
            found.problems += [*problems, *judge.told(wanted, end)]
            found.notes = moment.notes

    async def _asked_again(self, moment: Moment) -> pb.MatchEnded:
        """One that was gone at the end of its match hears of it when it comes and asks."""
        bot = moment.dial(resume=moment.seen or [pb.Resume(match=moment.match)])
        await bot.greet()
        return (await bot.expect("match_ended", 10)).match_ended

    async def _to_the_end(self, moment: Moment, heard: int, plays_on: bool) -> pb.MatchEnded | None:
        """Read on to the end of the match, or of the stream; answer if it plays on."""
        answered = moment.decision
        bot, over = moment.bot, asyncio.ensure_future(self._end_of(moment.match))
        try:
            while True:
                if heard >= len(bot.heard):
                    reading = asyncio.ensure_future(bot.read())
                    await asyncio.wait((reading, over), return_when=asyncio.FIRST_COMPLETED)
                    if not reading.done():  # the end is safe: what is told of it is on its way
                        await asyncio.wait((reading,), timeout=5.0)
                    if not reading.done() or reading.result() is None:
                        reading.cancel()
                        await asyncio.gather(reading, return_exceptions=True)
                        return None
                    continue  # what was read may have been seen already
                message = bot.heard[heard]
                heard += 1
                kind = message.WhichOneof("message")
                if kind == "match_ended" and message.match_ended.match == moment.match:
                    return message.match_ended
                if kind == "match_started" and plays_on and moment.decide is None:
                    await bot.say(ready=pb.Ready(match=moment.match))
                if kind == "decide" and plays_on and message.decide.decision > answered:
                    answered = message.decide.decision
                    await bot.answer(message.decide)
        finally:
            over.cancel()

    # Judging

    def _entries(self, match: str) -> list[Entry]:
        return unpack_journal(journal_of(self.redis, self.keys, match))

    def _judge(self, cell: Cell, notes: dict[str, Any]) -> Iterator[str]:
        """The journal's word, and what the victim went through."""
        match, victim = self.match_of(cell), 1 - cell.seat
        planned = self.records.get(match)
        if planned is None:
            yield "the match was never planned"
            return
        entries, wanted = self._entries(match), verdict(cell.kind, cell.phase)
        yield from judge.journal(planned, entries, cell.seat, cell.phase, wanted, notes)
        yield from self._judge_honest(planned, victim, entries)

    def _judge_honest(self, planned: MatchRecord, seat: int, entries: list[Entry]) -> Iterator[str]:
        name = planned.seats[seat].bot
        report = self.honest[name]
        return judge.honest(name, report, planned.match, seat, entries, self.charges)

    def _judge_others(self) -> Iterator[str]:
        """The matches that no naughty bot was in, and the streams of honest bots."""
        for name, report in self.honest.items():
            for code, match, text in report["faults"]:
                if code != "FAULT_CODE_STALE":
                    yield f"{name} was told {code} in {match!r}: {text}"
            if not report["over"].startswith("OK"):
                yield f"{name}'s stream ended as {report['over']}"
        for match in (*self.beside, self.foreign):
            planned, entries = self.records[match], self._entries(match)
            found = verify(planned, entries, canary_every=1)
            for problem in (*found.problems, *found.leaks):
                yield f"{match}: {problem}"
            if found.ending != Ending.NORMAL:
                yield f"{match} ended as {found.ending}"
            if match != self.foreign:
                for seat in (0, 1):
                    yield from self._judge_honest(planned, seat, entries)


async def ended(process: asyncio.subprocess.Process) -> None:
    """A process of ours is no longer there, whatever it was doing."""
    if process.returncode is None:
        process.kill()
    await process.wait()
