"""Every sequence diagram of the manual, played against a real referee: the data is the script."""

import asyncio
import tomllib
from collections.abc import AsyncIterator, Callable
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict, ParseDict

from referee import games
from referee.match import flow
from referee.match.journal import unpack_journal
from referee.match.memory import MemoryJournal
from referee.match.record import Clocks
from referee.match.session import Session
from referee.server import frames
from referee.server.local import LocalReferee
from tests.helpers.bots import RawBot
from tests.helpers.matches import record
from warladder.v1 import referee_pb2 as pb

ROOT = Path(__file__).resolve().parents[2]
SITUATIONS = tomllib.loads((ROOT / "proto/situations.toml").read_text("utf-8"))["situation"]
TOKENS = {"token of a": "a", "token of b": "b"}
ANY = "…"
QUIET_SECONDS = 0.05
"""After the last step nothing more comes."""
NEVER_SECONDS = 3600.0


class Play:
    """One situation: parties of the diagram under its control, and an opponent off its stage."""

    def __init__(self, situation: dict[str, Any], referees: dict[str, LocalReferee]) -> None:
        self.clocks = Clocks(cap_ms=situation.get("cap_ms", 60_000))
        self.referees = referees
        self.bots: dict[str, RawBot] = {}
        self.all_bots: list[RawBot] = []
        self.seen: dict[str, pb.Resume] = {}
        """Of the bot, by match, for Hello.resume."""
        self.asked: list[pb.Decide] = []
        """What the opponent has been asked and has not answered."""
        self.sessions: dict[str, Session] = {}
        self.wishes: list[str] = []

    # Before the first step

    async def begin(self, how: str) -> None:
        if how == "":
            return
        await self.dial("bot", "referee", "token of a")
        await self.bots["bot"].greet()
        if how == "greeted":
            return
        await self.act("begin")
        for bot in (self.bots["bot"], self.bots["opponent"]):
            await bot.expect("match_started")
            await bot.say(ready=pb.Ready(match="m1"))
        if how == "both ready":
            self.bots["other"] = self.bots["opponent"]
            return
        assert how == "asked", how
        self.remember((await self.bots["bot"].expect("decide")).decide)
        self.asked.append((await self.bots["opponent"].expect("decide")).decide)

    async def dial(self, party: str, referee: str, token: str) -> None:
        bot = RawBot(self.referees[referee].address, token)
        self.bots[party] = bot
        self.all_bots.append(bot)

    def remember(self, told: pb.Decide | pb.Update) -> None:
        seen = pb.Resume(match=told.match, last_event=told.last_event, receipt=told.receipt)
        self.seen[told.match] = seen

    # Steps

    async def step(self, step: dict[str, Any]) -> None:
        if "over" in step:
            assert step["note"]
            if "act" in step:
                await self.act(step["act"])
        elif "call" in step:
            assert step["call"] == "Attend"
            await self.dial(step["from"], step["to"], "token of a")
        elif "status" in step:
            bot = self.bots[step["to"]]
            assert await bot.read() is None
            assert (await bot.status())[0].name == step["status"]
        elif step["from"].startswith("referee"):
            await self.hear(self.bots[step["to"]], step["message"], step.get("shows", {}))
        else:
            await self.say(self.bots[step["from"]], step["message"], step.get("shows", {}))

    async def say(self, bot: RawBot, name: str, shows: dict[str, Any]) -> None:
        if name == "Pong":  # a raw bot answers by itself
            stream = self.referees["referee"].hall.streams["a", ""]
            while not stream._pings:
                await asyncio.sleep(0.01)
            return
        given = {key: value for key, value in shows.items() if value != ANY}
        message = ParseDict(given, getattr(pb, name)())
        if "resume" in shows:
            message.resume.extend(self.seen.values())
        await bot.say(**{snake(name): message})

    async def hear(self, bot: RawBot, name: str, shows: dict[str, Any]) -> None:
        if name == "Ping":
            reading = asyncio.ensure_future(bot.read())
            while not any(each.HasField("ping") for each in bot.heard):
                await asyncio.sleep(0.01)
            reading.cancel()
            (heard,) = (each for each in bot.heard if each.HasField("ping"))
        else:
            read = await asyncio.wait_for(bot.read(), 10)
            assert read is not None, f"the stream ended before a {name}"
            heard = read
        assert heard.WhichOneof("message") == snake(name)
        told = getattr(heard, snake(name))
        if name in ("Decide", "Update") and bot is self.bots["bot"]:
            self.remember(told)
        shown = MessageToDict(
            told, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
        )
        compare(shown, shows)

    async def act(self, what: str) -> None:
        """What happens outside of the diagram's streams."""
        match what.split():
            case ["begin"]:
                await self.start("m1")
            case ["begin", "two"]:
                await self.start("m1", "m2")
            case ["practise"]:
                while not self.wishes:
                    await asyncio.sleep(0.01)
                await self.start("m1", rated=False)
            case ["opponent", "ready", match]:
                started = (await self.opponent.expect("match_started")).match_started
                assert started.match == match
                await self.opponent.say(ready=pb.Ready(match=match))
            case ["opponent", "answers", count]:
                for _ in range(int(count)):
                    asked = self.asked.pop() if self.asked else await self.opponents_question()
                    # Its highest card: the weaker seat, the bot, is asked first in the window.
                    last = len(asked.options) - 1
                    await self.opponent.answer(asked, last if asked.kind == "name" else 0)
            case ["opponent", "resigns"]:
                await self.opponent.say(resign=pb.Resign(match="m1"))
                await self.opponent.expect("match_ended")
            case ["cut"]:
                await self.bots["bot"].close()
                while ("a", "") in self.here.hall.streams:
                    await asyncio.sleep(0.01)
            case ["too", "much", "unread"]:
                stream = self.here.hall.streams["a", ""]
                before = self.here.hall.limits
                self.here.hall.limits = replace(before, messages_unread=2)
                while not stream.closing:  # the writer waits, as for a bot that does not read
                    stream.send(frames.referees(self.here.hall.addresses))
                self.here.hall.limits = before
            case ["drain"]:
                self.here.hall.drain()
            case ["die"]:
                await self.here.stop(0.0)
            case ["take", "over"]:
                await self.take_over()
            case _:
                raise AssertionError(f"no such act: {what}")

    @property
    def here(self) -> LocalReferee:
        return self.referees["referee"]

    @property
    def opponent(self) -> RawBot:
        return self.bots["opponent"]

    async def opponents_question(self) -> pb.Decide:
        return (await self.opponent.expect("decide")).decide

    async def start(self, *matches: str, rated: bool = True) -> None:
        """What planning and opening matches leads to."""
        await self.dial("opponent", "referee", "token of b")
        await self.opponent.greet()
        for match in matches:
            self.here.begin(record(match, clocks=self.clocks, rated=rated, options={"rounds": 2}))
        self.sessions = dict(self.here.hall.sessions)

    async def take_over(self) -> None:
        """What a referee does with a match that another has left: see `referee.server.ladder`."""
        there, left = self.referees["referee 2"], self.sessions["m1"]
        await self.dial("opponent", "referee 2", "token of b")
        await self.opponent.greet()
        journal = MemoryJournal()
        journal.entries += left.journal.entries
        session = Session(games.get("skirmish"), left.record, journal, there.hall.time)
        journal.owner = session
        for _ in session.restore(unpack_journal(journal.entries)):
            pass
        there.hall.play(session, 2, "r2")


def snake(name: str) -> str:
    """`MatchStarted` as the field of its message: `match_started`."""
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")


def compare(told: Any, shows: Any, where: str = "") -> None:
    """What the diagram shows is what was said; it need not show all of it."""
    if shows == ANY:
        assert told, f"{where} is empty"
    elif isinstance(shows, dict):
        for name, value in shows.items():
            compare(told[name], value, f"{where}.{name}")
    else:
        assert told == shows, where


@pytest.fixture
async def referees() -> AsyncIterator[dict[str, LocalReferee]]:
    """Two of one ladder: each knows the other's address, and what it signs the other believes."""
    async with (
        LocalReferee("127.0.0.1:0", TOKENS) as one,
        LocalReferee("127.0.0.1:0", TOKENS) as two,
    ):
        two.hall._key = one.hall._key
        one.hall.addresses = two.hall.addresses = (one.address, two.address)
        yield {"referee": one, "referee 2": two}


async def perform(situation: dict[str, Any], referees: dict[str, LocalReferee]) -> None:
    """
    Raises:
        AssertionError: Something else was said than the diagram shows; the text names the step.
    """
    play = Play(situation, referees)
    play.here.hall._on_practise = lambda stream, game, *wish: play.wishes.append(game)
    try:
        await play.begin(situation.get("begin", ""))
        for number, step in enumerate(situation["steps"], 1):
            try:
                await play.step(step)
            except (AssertionError, KeyError, TimeoutError) as fault:
                raise AssertionError(f"step {number} {step}: {fault!r}") from fault
        await asyncio.sleep(QUIET_SECONDS)
        for party, bot in play.bots.items():
            if party in situation["parties"]:
                reading = asyncio.ensure_future(bot.read())
                await asyncio.wait({reading}, timeout=QUIET_SECONDS)
                more = reading.result() if reading.done() else None
                assert more is None, f"after the last step {party} hears {more}"
    finally:
        for bot in play.all_bots:
            await bot.close()


@pytest.mark.parametrize("situation", SITUATIONS, ids=[each["name"] for each in SITUATIONS])
async def test_messages_come_as_the_diagram_says(
    situation: dict[str, Any],
    referees: dict[str, LocalReferee],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if not any(step.get("message") == "Update" for step in situation["steps"]):
        # On a slow machine news could overtake the question that it travels with.
        monkeypatch.setattr(flow, "UPDATE_AFTER_SECONDS", NEVER_SECONDS)
    await perform(situation, referees)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda steps: steps.pop(2), "step 4 .* 'MatchStarted'"),
        (lambda steps: steps.pop(), "after the last step bot hears"),
        (lambda steps: steps[2]["shows"].update(bot="b"), "step 3 .* 'Welcome'"),
        (lambda steps: steps[-1]["shows"].update(default_taken={"option": 0}), "step 9 "),
        (lambda steps: steps[2].update(message="Referees"), "step 3 "),
    ],
)
async def test_a_diagram_that_is_wrong_is_found(
    change: Callable[[list[dict[str, Any]]], object],
    why: str,
    referees: dict[str, LocalReferee],
) -> None:
    (situation,) = (deepcopy(each) for each in SITUATIONS if each["name"] == "start")
    change(situation["steps"])
    with pytest.raises(AssertionError, match=why):
        await perform(situation, referees)


def test_every_message_and_every_situation_of_a_bots_life_has_a_diagram() -> None:
    shown = {step["message"] for each in SITUATIONS for step in each["steps"] if "message" in step}
    said = {
        field.message_type.name
        for message in (pb.BotMessage.DESCRIPTOR, pb.RefereeMessage.DESCRIPTOR)
        for field in message.fields
    }
    assert said - shown == {"Referees"}, "which comes with a change of the ladder's referees"
    names = [each["name"] for each in SITUATIONS]
    assert len(set(names)) == len(names)
    wanted = {
        "start", "decision", "window", "sealed", "practise", "reconnect", "takeover", "drain",
        "end", "fault", "late",
    }  # fmt: skip
    assert wanted <= set(names)
