"""
200,000 messages that no honest bot sends, at the door of a real referee where others play.

Half are real messages changed, half noise, over many streams of many bots, most of them in matches.
The value is by how many per cent the referee's memory after the last message is above that after
the first quarter. A crash, an error in the log, or an honest bot that is touched fails the bar.
"""

import asyncio
import json
import random
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import suppress

import grpc
import psutil
import redis as plain

from referee.match.journal import Choice, Ending, How, Out, unpack_journal
from referee.match.record import Clocks, MatchRecord
from referee.match.replay import verify
from referee.store.keys import Keys
from referee.store.lifecycle import journal_of
from tests.bars import Measured
from tests.bars._mutate import mutated, noise
from tests.helpers.bots import RawBot
from tests.helpers.matches import plan, record
from tests.helpers.processes import ROOT, environment
from tests.helpers.redis_server import redis_server
from tests.helpers.referee_process import RefereeProcess, register
from warladder.v1 import internal_pb2
from warladder.v1 import referee_pb2 as pb

AT_MOST_PER_CENT = 5.0
MESSAGES, SMALL = 200_000, 6_000
BOTS, AT_ONCE = 192, 12
STREAMS_A_CHANNEL, AHEAD = 40, 4
"""Messages are sent before it is looked whether the stream is still there."""
GREETS, IN_MATCH = 0.9, 0.3
"""How often a stream begins with a Hello, and its bot is given a match if it has none."""
CLOCKS = Clocks(startup_ms=10_000, cap_ms=20_000, grace_ms=2_000)
GAMES = ("skirmish", "skirmish", "skirmish", "stalingrad")
OURS = {Ending.REFEREE_FAULT, Ending.STALLED, Ending.CANCELLED}
KEYS = Keys()
ID = "r{:07d}"
HERE = ID.format(0).encode()
"""Stands in real messages for the match that they are about."""
KINDS = ("choose",) * 6 + ("choose", "ready", "standing_order", "practise", "hello", "pong") * 3 + (
    "resign", "goodbye",
)  # fmt: skip
"""Of the real messages that are changed; those that end a match or a stream are rare."""


def measure(small: bool) -> Measured:
    with redis_server() as store, plain.Redis.from_url(store.url, socket_timeout=60) as redis:
        referee = RefereeProcess(store.folder, store, WARLADDER_REFEREE_ROOM="1000").serving()
        try:
            fuzz = Fuzz(referee, redis, SMALL if small else MESSAGES)
            asyncio.run(fuzz.run())
            problems = list(fuzz.problems())
            assert referee.process is not None
            if referee.process.poll() is not None:
                problems.append(f"the referee ended with {referee.process.returncode}")
        finally:
            referee.stop()
    before, after = fuzz.memory
    growth = round(100 * (after - before) / before, 2)
    return Measured(
        value=growth,
        limit=AT_MOST_PER_CENT,
        ok=growth <= AT_MOST_PER_CENT and not problems,
        notes=f"{fuzz.sent} messages in {fuzz.streams} streams, {dict(fuzz.told)} told,"
        f" {len(fuzz.records)} matches of which {len(fuzz.beside)} beside,"
        f" MiB {before / 2**20:.1f} to {after / 2**20:.1f}, problems {problems[:10]}",
    )


class Fuzz:
    """Naughty bots here, honest ones in a process of their own."""

    def __init__(self, referee: RefereeProcess, redis: plain.Redis, messages: int) -> None:
        self.referee, self.redis, self.messages = referee, redis, messages
        self.sent = self.streams = 0
        self.told: Counter[str] = Counter()
        self.memory = (0, 0)
        self.records: dict[str, MatchRecord] = {}
        self.beside: list[str] = []
        self.honest: dict[str, dict[str, object]] = {}
        self.real: dict[str, list[bytes]] = {}
        """What an honest bot said in two whole matches, one of each game, by kind."""
        self.tokens = register(redis, KEYS, *(f"fuzz{k}" for k in range(BOTS)))
        self._foils = [f"foil{k}" for k in range(8)]
        self._pair = ("carol", "dave")

    # The run

    async def run(self) -> None:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tests.helpers.naughty.honest", cwd=ROOT, env=environment(),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=1 << 28,
        )  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            order = {
                "address": self.referee.address,
                "bots": register(self.redis, KEYS, *self._foils, *self._pair),
            }
            process.stdin.write(json.dumps(order).encode() + b"\n")
            assert await process.stdout.readline() == b"attending\n"
            await self._record()
            beside = asyncio.ensure_future(self._keep_playing())
            bots = list(self.tokens)
            await asyncio.gather(*(self._worker(k, bots[k::AT_ONCE]) for k in range(AT_ONCE)))
            self.memory = (self.memory[0], self._rss())
            beside.cancel()
            await asyncio.gather(beside, return_exceptions=True)
            await self._all_ended()
            process.stdin.write(b"\n")
            self.honest = json.loads(await process.stdout.readline())
            await process.wait()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()

    def _rss(self) -> int:
        assert self.referee.process is not None
        return int(psutil.Process(self.referee.process.pid).memory_info().rss)

    async def _open(self, game: str, *bots: str) -> str:
        match = ID.format(len(self.records))
        planned = record(match, game, bots=bots, clocks=CLOCKS)
        self.records[match] = planned
        plan(self.redis, KEYS, planned)
        while True:
            (opening,) = await self.referee.open(match)
            if opening != internal_pb2.OPENING_AWAY:  # the store was slow: a worker asks again, too
                break
            await asyncio.sleep(0.5)
        if opening != internal_pb2.OPENING_OPENED:  # its bot has gone meanwhile
            del self.records[match]
            self.redis.delete(KEYS.match(match))
            self.redis.zrem(KEYS.planned, match)
            return ""
        return match

    async def _record(self) -> None:
        """Play as an honest bot would, and keep what it says: every kind of message."""
        async with Recorder(self.referee.address, self.tokens["fuzz0"]) as bot:
            await bot.greet()
            await bot.say(practise=pb.Practise(game="skirmish", seat=1))
            for game in ("skirmish", "stalingrad"):
                await self._open(game, "fuzz0", self._foils[0])
                order = pb.StandingOrder(match=ID.format(0), window="support", on=True)
                await bot.say(standing_order=order)
                await bot.play()
            await bot.say(pong=pb.Pong(number=1))
            await bot.say(resign=pb.Resign(match=ID.format(0)))
            await bot.say(goodbye=pb.Goodbye())
        for data in bot.said:
            kind = pb.BotMessage.FromString(data).WhichOneof("message") or ""
            self.real.setdefault(kind, []).append(data.replace(ID.format(1).encode(), HERE))
        assert set(self.real) == {field.name for field in pb.BotMessage.DESCRIPTOR.fields}

    async def _keep_playing(self) -> None:
        """Honest bots play one match after another."""
        while True:
            match = await self._open("skirmish", *self._pair)
            assert match, "an honest bot has gone"
            self.beside.append(match)
            while match in self._playing():
                await asyncio.sleep(0.1)

    def _playing(self) -> set[str]:
        found = self.redis.zrange(KEYS.playing, 0, -1)
        assert isinstance(found, list)
        return {match.decode() for match in found}

    async def _all_ended(self) -> None:
        deadline = time.monotonic() + 60
        while self._playing():
            assert time.monotonic() < deadline, f"still playing: {sorted(self._playing())}"
            await asyncio.sleep(0.2)

    async def _worker(self, number: int, bots: list[str]) -> None:
        """One stream after another, of one bot after another."""
        chance = random.Random(number)
        turn = 0
        while self.sent < self.messages:
            async with grpc.aio.insecure_channel(
                self.referee.address, options=[("grpc.use_local_subchannel_pool", 1)]
            ) as channel:
                for _ in range(STREAMS_A_CHANNEL):
                    if self.sent >= self.messages:
                        break
                    self.streams += 1
                    turn += 1
                    await Naughty(self, channel, bots[turn % len(bots)], chance).speak()

    def count(self) -> None:
        self.sent += 1
        if self.sent == self.messages // 4:
            self.memory = (self._rss(), 0)

    # Judging

    def problems(self) -> Iterator[str]:
        for line in self.referee.text().splitlines():
            if not line.startswith("timestamp=") or " level=error " in line or "Traceback" in line:
                yield f"log: {line}"
        for name, report in self.honest.items():
            for what in ("faults", "twice", "resumed", "defaults"):
                wrong = [each for each in report[what] if "STALE" not in str(each)]  # type: ignore[attr-defined]
                if wrong:
                    yield f"{name}: {what} {wrong[:3]}"
            if not str(report["over"]).startswith("OK"):
                yield f"{name}'s stream ended as {report['over']}"
        for match, planned in self.records.items():
            entries = unpack_journal(journal_of(self.redis, KEYS, match))
            found = verify(planned, entries, canary_every=100)
            ending = found.ending
            if found.problems or found.leaks:
                yield f"{match}: {(found.problems + found.leaks)[:3]}"
            if ending in OURS or (match in self.beside and ending != Ending.NORMAL):
                yield f"{match} ended as {ending}"
            for entry in entries:
                late = isinstance(entry, Choice) and entry.how == How.LATE
                if (late or isinstance(entry, Out)) and not self._is_naughty(planned, entry.seat):
                    yield f"{match}: an honest bot bears {entry}"

    def _is_naughty(self, planned: MatchRecord, seat: int) -> bool:
        return planned.seats[seat].bot in self.tokens


class Recorder(RawBot):
    """Keeps what it says."""

    def __init__(self, address: str, token: str) -> None:
        super().__init__(address, token, games=["skirmish", "stalingrad"], version="1")
        self.said: list[bytes] = []

    async def say_bytes(self, data: bytes) -> None:
        self.said.append(data)
        await super().say_bytes(data)


class Naughty:
    """One stream of one bot."""

    def __init__(
        self, fuzz: Fuzz, channel: grpc.aio.Channel, bot: str, chance: random.Random
    ) -> None:
        self.fuzz, self.bot, self.chance = fuzz, bot, chance
        attend = channel.stream_stream("/warladder.v1.Referee/Attend", None, None)
        token = fuzz.tokens[bot]
        self.call = attend(metadata=(("authorization", f"Bearer {token}"),))
        self.match = ""
        self.welcomed = self.over = False
        self.answers = 0
        self.said: deque[bytes] = deque(maxlen=AHEAD)
        self.heard: deque[str] = deque(maxlen=2 * AHEAD)
        self.woken = asyncio.Event()
        self.fresh: list[bytes] = []
        """What an honest bot would say now, in this match."""

    async def speak(self) -> None:
        reading = asyncio.ensure_future(self._read())
        try:
            with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
                if self.chance.random() < GREETS:
                    await self._greet()
                while not self.over and self.fuzz.sent < self.fuzz.messages:
                    for _ in range(AHEAD):
                        self.said.append(self._message())
                        await self.call.write(self.said[-1])
                        self.fuzz.count()
                    if self.chance.random() < 0.02:
                        break  # hangs up in the middle of everything
                    await self._heard_out()
        finally:
            self.call.cancel()
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)

    async def _heard_out(self) -> None:
        """Wait until the referee has read all that was said: a stale word is answered in turn."""
        heard = self.answers
        await self.call.write(
            pb.BotMessage(choose=pb.Choose(match=HERE.decode())).SerializeToString()
        )
        await self._until(lambda: self.answers > heard)

    async def _until(self, true: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 60
        while not true() and not self.over:
            said = [data[:80].hex() for data in self.said]
            assert time.monotonic() < deadline, f"no answer to {said} but {list(self.heard)}"
            self.woken.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(1.0):
                    await self.woken.wait()

    async def _greet(self) -> None:
        hello = pb.Hello(
            version="1", games=["skirmish", "stalingrad"], max_matches=4,
            questions_at_once=self.chance.choice((1, 4)), resume=[pb.Resume(match=ID.format(0))],
        )  # fmt: skip
        await self.call.write(pb.BotMessage(hello=hello).SerializeToString())
        await self._until(lambda: self.welcomed)
        if not self.match and self.chance.random() < IN_MATCH:
            foil = self.chance.choice(self.fuzz._foils)
            self.match = await self.fuzz._open(self.chance.choice(GAMES), self.bot, foil)

    def _message(self) -> bytes:
        chance = self.chance
        if chance.random() < 0.5:
            return noise(chance)
        if self.fresh and chance.random() < 0.3:
            return self.fresh.pop()
        match = self.match or ID.format(chance.randrange(len(self.fuzz.records)))
        real = self.fuzz.real[chance.choice(KINDS)]
        data = mutated(chance, self.fuzz.real["choose"], chance.choice(real))
        return data.replace(HERE, match.encode())

    async def _read(self) -> None:
        try:
            while (data := await self.call.read()) is not grpc.aio.EOF:
                self._hear(pb.RefereeMessage.FromString(data))
        except (grpc.aio.AioRpcError, asyncio.CancelledError):
            return
        finally:
            self.over = True
            self.woken.set()

    def _hear(self, message: pb.RefereeMessage) -> None:
        kind = message.WhichOneof("message")
        said = pb.BotMessage()
        self.woken.set()
        self.heard.append(str(message)[:200])
        if kind == "fault":
            too_fast = message.fault.code == pb.FAULT_CODE_TOO_FAST
            about = message.fault.match + message.fault.text
            self.answers += too_fast or HERE.decode() in about
            self.fuzz.told[pb.FaultCode.Name(message.fault.code).removeprefix("FAULT_CODE_")] += 1
        elif kind == "goodbye":
            self.over = True
            self.fuzz.told[pb.GoodbyeReason.Name(message.goodbye.reason)] += 1
        elif kind == "welcome":
            self.welcomed = True
            self.match = next(iter(message.welcome.resumed), "")
        elif kind == "ping":
            said.pong.number = message.ping.number
        elif kind == "match_started":
            self.match = said.ready.match = message.match_started.match
        elif kind == "decide":
            said.choose.match, said.choose.decision = message.decide.match, message.decide.decision
        elif kind == "match_ended" and message.match_ended.match == self.match:
            self.match = ""
        if said.WhichOneof("message"):
            self.fresh.append(said.SerializeToString())
