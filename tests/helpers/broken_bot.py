"""
A bot that is right but for one thing, which its first argument names: `bot check` must find it.

With `nothing` it is right altogether.
"""

import asyncio
import os
import signal
import sys
from typing import Any

import grpc
from google.protobuf.unknown_fields import UnknownFieldSet

from warladder.v1 import referee_pb2 as pb
from warladder.v1.referee_pb2_grpc import RefereeStub

WRONG = sys.argv[1]
TOKEN = os.environ["WARLADDER_TOKEN"]
REFEREES = [os.environ["WARLADDER_REFEREE"]]
ENDS = {
    pb.GOODBYE_REASON_DONE: 0,
    pb.GOODBYE_REASON_REPLACED: 1,
    pb.GOODBYE_REASON_FAULT: 1,
    pb.GOODBYE_REASON_REVOKED: 1,
}
OPTIONS = {
    "pings-too-often": [("grpc.keepalive_time_ms", 1000), ("grpc.http2.max_pings_without_data", 0)],
    "reads-little": [("grpc.max_receive_message_length", 1 << 20)],
}
AGAIN = {
    "fights-for-its-place": pb.GOODBYE_REASON_REPLACED,
    "knows-better": pb.GOODBYE_REASON_FAULT,
    "hopes-for-its-old-token": pb.GOODBYE_REASON_REVOKED,
}
"""The end after which it dials again."""
SILENCE = {"fears-silence": 5.0, "is-in-a-hurry": 3.0}
"""Seconds without a word after which it dials again."""


class Bot:
    def __init__(self) -> None:
        self.wait = 0.2
        self.told_to_wait = 0.0
        self.remembered: dict[str, pb.Resume] = {}
        self.last_started = ""
        self.last_answer = pb.Choose()
        self.answered: set[tuple[str, int]] = set()
        self.asked = 0
        self.goes_on = False
        """To the next referee."""
        self.here: dict[str, int] = {}
        """On which stream a match was started."""
        self.dials = 0
        self.started = 0
        self.ended = 0
        self.leaving = False
        self.writing = asyncio.Lock()
        """A stream takes one write at a time, and a signal comes in the middle of another."""

    async def run(self) -> None:
        while True:
            self.goes_on = True
            self.dials += 1
            code: Any = None
            try:
                async with grpc.aio.insecure_channel(REFEREES[0], OPTIONS.get(WRONG)) as channel:
                    await self.attend(RefereeStub(channel))
            except (grpc.aio.AioRpcError, asyncio.InvalidStateError) as error:
                code = error.code() if isinstance(error, grpc.aio.AioRpcError) else None
            except TimeoutError:
                print("it has grown so still", file=sys.stderr)
            else:
                code = grpc.StatusCode.OK
            if code is not None:
                print(code, file=sys.stderr, flush=True)
                if code is grpc.StatusCode.UNAUTHENTICATED and WRONG != "dials-without-a-token":
                    sys.exit(1)
            if WRONG == "stays-away":
                sys.exit(1)
            if WRONG == "comes-back-after-a-cut-alone" and code is not grpc.StatusCode.UNAVAILABLE:
                sys.exit(1)
            if self.goes_on and WRONG != "stays-where-it-was":
                REFEREES.append(REFEREES.pop(0))
            if WRONG == "loses-heart" and self.wait > 2:
                await asyncio.sleep(3600)
            if WRONG == "hammers":
                self.wait = 0.02
            await asyncio.sleep(max(self.wait, self.told_to_wait))
            self.wait, self.told_to_wait = min(2 * self.wait, 5.0), 0.0

    async def attend(self, stub: Any) -> None:
        metadata = [] if WRONG == "no-token" else [("authorization", f"Bearer {TOKEN}")]
        self.stream = stub.Attend(metadata=metadata)
        if WRONG == "begins-with-a-pong":
            await self.say(pong=pb.Pong(number=1))
        await self.say(hello=self.hello())
        while True:
            message = await asyncio.wait_for(self.stream.read(), SILENCE.get(WRONG))
            if message is grpc.aio.EOF:
                await self.stream.code()
                return
            if WRONG == "knows-every-field" and len(UnknownFieldSet(message)):
                raise ValueError(f"what is in {message!r}?")
            kind = message.WhichOneof("message")
            if kind is None:
                if WRONG == "wants-to-know-every-message":
                    raise ValueError(f"what is {message!r}?")
                continue
            if await getattr(self, kind)(getattr(message, kind)):
                return

    async def say(self, **message: Any) -> None:
        async with self.writing:
            await self.stream.write(pb.BotMessage(**message))

    def hello(self) -> pb.Hello:
        versions = {
            "tells-its-token": TOKEN,
            "no-version-to-print": "1\n2",
            "changes-its-version": str(self.dials),
        }
        return pb.Hello(
            version=versions.get(WRONG, "1"),
            games=["skirmish", "stalingrad"],
            max_matches=50,
            questions_at_once=2,
            detail=pb.DETAIL_EVENTS,
            resume=list(self.remembered.values()),
        )

    async def welcome(self, welcome: pb.Welcome) -> None:
        self.goes_on, self.wait = False, 0.2
        if self.leaving:
            await self.say(goodbye=pb.Goodbye())
        self.know(welcome.referees)
        if WRONG == "says-nothing-at-all":
            await self.say()
        if WRONG == "takes-any-match":
            await self.say(ready=pb.Ready(match="somebody's"))
        if WRONG == "misses-what-is-over" and {*self.remembered} - {*welcome.resumed}:
            raise ValueError("where is my match?")

    async def referees(self, referees: pb.Referees) -> None:
        if WRONG != "reads-welcome-alone":
            self.know(referees.addresses)

    def know(self, addresses: Any) -> None:
        REFEREES.extend(each for each in addresses if each not in REFEREES)

    async def match_started(self, started: pb.MatchStarted) -> None:
        self.last_started = started.match
        self.started += 1
        known = started.match in self.remembered
        if WRONG == "plays-one-match" and self.ended:
            return
        if WRONG == "plays-what-it-began" and started.resumed and not known:
            return
        if WRONG == "starts-once" and self.here.get(started.match) == self.dials:
            raise ValueError("this match has started already")
        self.here[started.match] = self.dials
        if WRONG == "counts-to-thirty" and self.started > 30:
            sys.exit(1)
        if WRONG == "is-ready-once" and known:
            return
        self.remembered.setdefault(started.match, pb.Resume(match=started.match))
        if WRONG != "is-never-ready":
            await self.say(ready=pb.Ready(match=started.match))

    async def decide(self, asked: pb.Decide) -> None:
        self.note(asked)
        if WRONG == "stops-playing-when-it-leaves" and self.leaving:
            return
        which = (asked.match, asked.decision)
        if WRONG == "answers-once-and-for-all" and which in self.answered:
            return
        self.answered.add(which)
        self.asked += 1
        if WRONG == "hears-every-other-question" and self.asked % 2 == 0:
            return
        if WRONG == "thinks-for-ever" and len(asked.options) > 1:
            return
        if WRONG == "gives-up-when-late" and asked.HasField("default_taken"):
            return
        if WRONG == "skips-what-leaves-no-choice" and len(asked.options) == 1:
            return
        if WRONG == "knows-every-event" and not all(
            event.WhichOneof("game") for event in asked.events
        ):
            raise ValueError("what is this event?")
        answer = pb.Choose(match=asked.match, decision=asked.decision, option=0)
        if WRONG == "counts-from-nought":
            answer.decision -= 1
        if WRONG == "counts-options-from-one":
            answer.option = len(asked.options)
        if WRONG == "thinks-of-one-match":
            answer.match = self.last_started
        self.last_answer = answer
        for _ in range(2 if WRONG == "says-it-twice" else 1):
            await self.say(choose=answer)
        if WRONG == "insists":
            await self.say(ready=pb.Ready(match=asked.match))

    async def update(self, update: pb.Update) -> None:
        self.note(update)
        if WRONG == "thanks-for-news":
            await self.say(ready=pb.Ready(match=update.match))
        if WRONG == "reads-slowly":
            await asyncio.sleep(2)

    def note(self, told: Any) -> None:
        known = self.remembered[told.match]
        known.last_event = told.last_event
        if WRONG != "keeps-its-first-receipt" or not known.receipt:
            known.receipt = told.receipt

    async def match_ended(self, ended: pb.MatchEnded) -> None:
        self.ended += 1
        if WRONG != "forgets-nothing":
            self.remembered.pop(ended.match, None)

    async def fault(self, fault: pb.Fault) -> None:
        if WRONG == "argues" and fault.code == pb.FAULT_CODE_STALE:
            await self.say(choose=self.last_answer)
        if WRONG == "takes-faults-to-heart":
            sys.exit(1)
        if WRONG == "takes-fatal-for-final" and fault.fatal:
            sys.exit(1)
        if WRONG == "knows-every-fault":
            print(pb.FaultCode.Name(fault.code), file=sys.stderr)

    async def ping(self, ping: pb.Ping) -> None:
        if WRONG != "leaves-pings-unanswered":
            await self.say(pong=pb.Pong(number=ping.number))

    async def goodbye(self, goodbye: pb.Goodbye) -> bool:
        reason = goodbye.reason
        if AGAIN.get(WRONG) == reason:
            return True
        if reason in ENDS:
            sys.exit(1 if WRONG == "fails-when-done" else ENDS[reason])
        if WRONG != "cannot-wait":
            self.told_to_wait = goodbye.reconnect_after_ms / 1000
        self.goes_on = reason == pb.GOODBYE_REASON_DRAINING
        return True

    def leave(self) -> None:
        """Of a SIGINT the first; the next one ends it at once."""
        if self.leaving:
            if WRONG != "hears-one-int":
                os._exit(130)
            return
        if WRONG == "leaves-its-match" or not self.remembered:
            os._exit(130)
        self.leaving = True
        if WRONG != "leaves-without-a-word":
            self.parting = asyncio.ensure_future(self.say(goodbye=pb.Goodbye()))


async def main() -> None:
    bot = Bot()
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, bot.leave)
    await bot.run()


signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
if WRONG == "hears-no-term":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if WRONG == "is-no-bot":
    sys.exit(0)
asyncio.run(main())
