"""
Record the games' messages of the transcripts: `python -m matchmaker.tools.check.record [--check]`.

Real matches of a real referee, each cut down to a *story*: what one seat was told from its
MatchStarted to the end. A story is true whatever the bot under check answers. Of its questions all
but the last have one option, or go on as if the answer had come too late; at the last one the other
side resigns.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import grpc
from google.protobuf.json_format import MessageToDict

from matchmaker.errors import FellShort
from matchmaker.tools.check import files
from matchmaker.tools.quiet import quiet
from referee import games
from referee.match.record import Clocks, MatchRecord, SeatRecord
from referee.server.limits import Limits
from referee.server.local import LocalReferee
from warladder.v1 import referee_pb2 as pb
from warladder.v1.referee_pb2_grpc import RefereeStub

ENOUGH, TRIED = 4, 40
"""Matches that are looked through, and those that are where a story is still missing."""
CLOCKS = Clocks(cap_ms=60_000)
BOTS = ("recorded", "other")


class Place(NamedTuple):
    """Where in which match a story begins and ends."""

    match: int
    seat: int
    first: int
    """Number of its first question."""
    last: int
    """And of the one that is open when the other side resigns."""
    late: bool = False
    """The first one has several options, and its default is taken."""


@dataclass
class Client:
    """A seat that answers at random, the same each time."""

    name: str
    token: str
    seat: int = 0
    heard: list[pb.RefereeMessage] = field(default_factory=list)
    sealed: set[str] = field(default_factory=set)
    """Kinds of questions that were open while others were asked too."""
    stops_at: int = 0
    """The question that it leaves open."""
    cuts_at: int = 0
    """The question at which it hangs up once, to be told all from the beginning."""
    late_at: int = 0
    """The question to which it gives the default answer."""
    late_option: int = 0
    """Which that was."""


def record_of(game: str, number: int) -> MatchRecord:
    facts = games.get(game).facts
    name = sha256(f"{game}|transcript|{number}".encode()).hexdigest()
    return MatchRecord(
        match=name[:16],
        number=number,
        game=game,
        rules=facts.rules,
        cards=facts.cards,
        seats=tuple(SeatRecord(bot=bot, version="1") for bot in BOTS),
        seed=name,
        salt=bytes.fromhex(name)[:16],
        clocks=CLOCKS,
    )


@asynccontextmanager
async def referee_of(folder: Path) -> AsyncIterator[LocalReferee]:
    limits = Limits(silence_seconds=0.0)
    async with LocalReferee(f"unix:{folder}/record.sock", {}, limits=limits) as referee:
        yield referee


async def play(referee: LocalReferee, game: str, number: int, clients: Sequence[Client]) -> None:
    """One match between two clients, to its end."""
    record = record_of(game, number)
    ended = asyncio.Event()
    attending = [
        asyncio.create_task(attend(referee, game, client, clients, ended)) for client in clients
    ]
    missing = await referee.attended(BOTS)
    assert not missing, missing
    await referee.play(record)
    ended.set()
    await asyncio.gather(*attending)


async def attend(
    referee: LocalReferee,
    game: str,
    client: Client,
    clients: Sequence[Client],
    ended: asyncio.Event,
) -> None:
    again = True
    while again:
        async with grpc.aio.insecure_channel(referee.address) as channel:
            token = ("authorization", f"Bearer {client.token}")
            stream = RefereeStub(channel).Attend(metadata=[token])
            again = await talk(referee, game, client, clients, stream)
            stream.cancel()
    await ended.wait()


async def talk(
    referee: LocalReferee, game: str, client: Client, clients: Sequence[Client], stream: Any
) -> bool:
    """One stream; True if it was left to dial again."""

    async def say(**message: Any) -> None:
        await stream.write(pb.BotMessage(**message))

    await say(hello=pb.Hello(version="1", games=[game]))
    async for message in stream:
        kind = message.WhichOneof("message")
        if kind == "match_started":
            client.heard.append(message)
            await say(ready=pb.Ready(match=message.match_started.match))
        elif kind == "update":
            client.heard.append(message)
        elif kind == "decide":
            asked = message.decide
            client.heard.append(message)
            session = referee.hall.sessions.get(asked.match)
            if session is None:  # the other side has resigned
                continue
            state = session.state
            if len(state.asked()) > 1:
                client.sealed.add(asked.kind)
            if asked.decision == client.cuts_at:
                client.cuts_at = 0
                client.heard.clear()
                return True
            if asked.decision == client.stops_at:
                (other,) = (each for each in clients if each is not client)
                session.resign(other.seat)
                continue
            chance = Random(f"{client.name}|{asked.match}|{asked.decision}")
            option = chance.randrange(len(asked.options))
            if asked.decision == client.late_at:
                option = client.late_option = state.default(client.seat)
            await say(choose=pb.Choose(match=asked.match, decision=asked.decision, option=option))
        elif kind == "match_ended":
            client.heard.append(message)
            return False
        elif kind == "ping":
            await say(pong=pb.Pong(number=message.ping.number))
    raise FellShort(f"the stream of {client.name} ended in mid-match")


async def survey(referee: LocalReferee, game: str, number: int) -> list[Client]:
    clients = [Client(bot, referee.token(bot), seat) for seat, bot in enumerate(BOTS)]
    await play(referee, game, number, clients)
    return clients


def questions(client: Client) -> list[pb.Decide]:
    return [each.decide for each in client.heard if each.HasField("decide")]


def pairs(client: Client, number: int, late: bool) -> list[Place]:
    """Two questions with news between them; the second one has several options."""
    asked = questions(client)
    return [
        Place(number, client.seat, one.decision, two.decision, late)
        for one, two in pairwise(asked)
        if (len(one.options) > 1) is late
        and len(two.options) > 1
        and two.last_event > one.last_event
    ]


async def find(referee: LocalReferee, game: str) -> dict[str, Place]:
    """
    Where each story is, the earliest place of the first match that has one.

    `opening`: the match's first question. `window`: a question of one option, then one of several.
    `two`: two questions with news between them. `sealed`: a question that others are asked as well.
    """
    found: dict[str, Place] = {}
    late: list[Place] = []
    sealed: set[str] = set()
    for number in range(TRIED):
        if number >= ENOUGH and {"opening", "two", "window"} <= found.keys():
            break
        clients = await survey(referee, game, number)
        sealed.update(*(client.sealed for client in clients))
        for client in clients:
            asked = questions(client)
            if len(asked[0].options) > 1:
                first = asked[0].decision
                found.setdefault("opening", Place(number, client.seat, first, first))
            for place in pairs(client, number, late=False):
                if found.setdefault("window", place).seat != place.seat:
                    found.setdefault("two", place)
            late += pairs(client, number, late=True)
            for each in asked:
                if each.kind in sealed and len(each.options) > 1:
                    there = Place(number, client.seat, each.decision, each.decision)
                    found.setdefault("sealed", there)
    if "window" in found:
        found.setdefault("two", found["window"])
    elif late:
        found["two"] = late[0]
    if not {"opening", "two"} <= found.keys():
        raise FellShort(f"{game}: no such story in {TRIED} matches; found {sorted(found)}")
    return dict(sorted(found.items()))


async def take(referee: LocalReferee, game: str, place: Place) -> list[pb.RefereeMessage]:
    """The messages of a story."""
    clients = [Client(bot, referee.token(bot), seat) for seat, bot in enumerate(BOTS)]
    recorded = clients[place.seat]
    recorded.stops_at = place.last
    if place.first > 1:
        recorded.cuts_at = place.first
    if place.late:
        recorded.late_at = place.first
    await play(referee, game, place.match, clients)
    if place.late:
        question = recorded.heard[-2].decide
        question.clock.defaults = 1
        question.default_taken.CopyFrom(
            pb.DefaultTaken(
                decision=place.first,
                option=recorded.late_option,
                defaults=1,
                charged_ms=recorded.heard[0].match_started.clock.cap_ms,
            )
        )
    return recorded.heard


def told(messages: Sequence[pb.RefereeMessage], story: str) -> list[dict[str, Any]]:
    """Lines of a story; what hangs on the clock or on a referee's key is made even."""
    clock = messages[0].match_started.clock
    last = max(k for k, message in enumerate(messages) if message.HasField("decide"))
    lines = []
    for k, message in enumerate(messages):
        kind = message.WhichOneof("message")
        assert kind is not None
        name = {"match_started": "started", "match_ended": "ended"}.get(kind, kind)
        if kind == "decide":
            asked = message.decide
            asked.receipt = b""
            asked.clock.bank_ms, asked.clock.cap_ms = clock.bank_ms, clock.cap_ms
            name = "question" if k == last else "first"
        elif kind == "update":
            message.update.receipt = b""
        said = MessageToDict(message, preserving_proto_field_name=True)
        lines.append({"story": story, "name": name, "message": said})
    return lines


async def record(game: str, folder: Path, known: dict[str, Place]) -> list[dict[str, Any]]:
    """The lines of a game's file: the stories of these places, or of those that are looked for."""
    async with referee_of(folder) as referee:
        found = known or await find(referee, game)
        lines: list[dict[str, Any]] = [{"places": found}]
        for story, place in found.items():
            lines += told(await take(referee, game, place), story)
        return lines


async def describe(folder: Path) -> dict[str, Any]:
    """What Describe answers, without addresses."""
    async with referee_of(folder) as referee, grpc.aio.insecure_channel(referee.address) as channel:
        described = await RefereeStub(channel).Describe(pb.DescribeRequest())
        described.ClearField("referees")
        return MessageToDict(described, preserving_proto_field_name=True)


def places(game: str) -> dict[str, Place]:
    """Where the stories were recorded that are there now."""
    path = files.SHIPPED / files.GAMES / f"{game}{files.SUFFIX}"
    if not path.is_file():
        return {}
    _, first = next(files.lines(path))
    return {story: Place(*place) for story, place in first["places"].items()}


async def contents(anew: bool) -> dict[str, str]:
    """
    Every recorded file, by its name beside the transcripts.

    Args:
        anew: Look for the stories; else those that are there are recorded again.
    """
    with tempfile.TemporaryDirectory(prefix="wl-") as made:
        folder = Path(made)
        texts = {files.DESCRIBE: json.dumps(await describe(folder), indent=1) + "\n"}
        for game in games.names():
            rows = await record(game, folder, {} if anew else places(game))
            compact = [json.dumps(row, separators=(",", ":")) for row in rows]
            texts[f"{files.GAMES}/{game}{files.SUFFIX}"] = "\n".join(compact) + "\n"
        return texts


def main(words: Sequence[str]) -> int:
    if words not in ([], ["--check"]):
        print("usage: python -m matchmaker.tools.check.record [--check]", file=sys.stderr)
        return 2
    with quiet():
        made = asyncio.run(contents(anew=not words))
    stale = [
        name
        for name, text in made.items()
        if not (files.SHIPPED / name).is_file() or files.text(files.SHIPPED / name) != text
    ]
    if words:
        for name in stale:
            print(f"{files.SHIPPED / name} is not what a referee sends now", file=sys.stderr)
        return 1 if stale else 0
    for name in stale:
        (files.SHIPPED / name).write_text(made[name], "utf-8")
        print(name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
