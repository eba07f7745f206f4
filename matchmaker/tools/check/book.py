"""
What has been said between a bot and the scripted referee, and what of it was wrong.

The rules looked after here hold in every transcript, whatever it is about (`always.json`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from matchmaker.tools.check.scripted import Stream
from matchmaker.tools.check.stories import Stories, receipt
from referee.server.hello import BadHello, check
from referee.server.limits import Limits
from warladder.v1 import referee_pb2 as pb

LIMITS = Limits()


class Wrong(NamedTuple):
    """A rule that was broken, and how."""

    rule: str
    seen: str


@dataclass
class Question:
    options: int
    put: int = 0
    """How often it was put on the present stream."""
    answered: int = 0
    """How often it was answered there."""


@dataclass
class Match:
    told: int = 0
    """Number of the last event told on the present stream."""
    receipts: dict[int, bytes] = field(default_factory=lambda: {0: b""})
    """By last_event."""
    surely_read: int = 0
    """The last_event of the last question that was answered."""
    questions: dict[int, Question] = field(default_factory=dict)
    last_events: dict[int, int] = field(default_factory=dict)
    """By number of the question."""
    ended: bool = False
    end_read: bool = False
    resumable: bool = False
    """Started on an earlier stream."""


class Book:
    """One running copy of the bot, over all its streams."""

    def __init__(self, token: str, games: tuple[str, ...]) -> None:
        self.token = token
        self.games = games
        """Those that are played here."""
        self.matches: dict[str, Match] = {}
        self.hello: pb.Hello | None = None
        self.pings: set[int] = set()
        self._greeted: Stream | None = None

    # What the referee says

    def fill(self, recorded: str, match: str, stories: Stories) -> pb.RefereeMessage:
        """
        A recorded message for this match: with the events after the last one told on this stream.
        """
        story, message = stories.find(recorded)
        kind = message.WhichOneof("message")
        assert kind is not None
        body = getattr(message, kind)
        body.match = match
        if kind != "match_started":
            known = self.matches.setdefault(match, Match())
            del body.events[:]
            body.events.extend(story.events[known.told : body.last_event])
            if kind == "decide" and self.hello is not None:
                cut_down(body, self.hello.detail)
            if kind != "match_ended":
                body.receipt = receipt(match, body.last_event)
        return message

    def one_by_one(self, recorded: str, match: str, stories: Stories) -> Iterator[pb.Update]:
        """The events that a recorded message would tell, each in an Update of its own."""
        told = self.matches[match].told if match in self.matches else 0
        message = self.fill(recorded, match, stories)
        kind = message.WhichOneof("message")
        assert kind is not None
        for number, event in enumerate(getattr(message, kind).events, told + 1):
            update = pb.Update(match=match, events=[event], last_event=number)
            update.receipt = receipt(match, number)
            yield update

    def said(self, message: pb.RefereeMessage) -> None:
        """Note what goes out now."""
        kind = message.WhichOneof("message")
        if kind == "ping":
            self.pings.add(message.ping.number)
        if kind not in ("match_started", "decide", "update", "match_ended"):
            return
        body = getattr(message, kind)
        match = self.matches.setdefault(body.match, Match())
        if kind == "match_ended":
            match.ended = True
            return
        if kind == "match_started":
            return
        match.told = body.last_event
        match.receipts[body.last_event] = body.receipt
        if kind == "decide":
            question = match.questions.setdefault(body.decision, Question(len(body.options)))
            question.options = len(body.options)
            question.put += 1
            match.last_events[body.decision] = body.last_event

    def all_read(self) -> None:
        """A Ping was answered: what was sent before it has been read."""
        for match in self.matches.values():
            match.end_read = match.ended

    # What the bot says

    def heard(self, stream: Stream, data: bytes, message: pb.BotMessage | None) -> list[Wrong]:
        """What is wrong with a message of the bot."""
        wrong: list[Wrong] = []
        if self.token.encode() in data:
            wrong.append(Wrong("token-stays-out", "the token stands in a message"))
        if message is None:
            return [*wrong, Wrong("readable", f"{len(data)} bytes that are no BotMessage")]
        if len(data) > LIMITS.message_bytes:
            wrong.append(Wrong("readable", f"a message of {len(data)} bytes"))
        kind = message.WhichOneof("message")
        if kind is None:
            return [*wrong, Wrong("readable", "a BotMessage with nothing in it")]
        if (kind == "hello") is (self._greeted is stream):
            seen = "a second Hello on a stream" if kind == "hello" else f"{kind} before Hello"
            return [*wrong, Wrong("hello-first", seen)]
        if kind == "hello":
            self._greeted = stream
            return wrong + self._hello(message.hello)
        if kind == "choose":
            return wrong + self._choose(message.choose)
        if kind == "pong":
            if message.pong.number not in self.pings:
                return [*wrong, Wrong("ping", f"Pong {message.pong.number}, which was no Ping")]
            return wrong
        if kind in ("ready", "standing_order", "resign"):
            match = getattr(message, kind).match
            if match not in self.matches:
                wrong.append(Wrong("own-matches", f"{kind} for match {match!r}, never started"))
        return wrong

    def _hello(self, hello: pb.Hello) -> list[Wrong]:
        wrong = []
        try:
            check(hello, LIMITS.text_bytes, self.games)
        except BadHello as bad:
            wrong.append(Wrong("hello-fields", str(bad)))
        if hello.detail not in pb.Detail.values():
            wrong.append(Wrong("hello-fields", f"detail {hello.detail}, which there is not"))
        first = self.hello
        if first is None:
            self.hello = hello
        else:
            for name in ("version", "instance", "games", "max_matches"):
                before, now = getattr(first, name), getattr(hello, name)
                if before != now:
                    wrong.append(Wrong("hello-stays", f"{name} {now!r} after {before!r}"))
        wrong += self._resume(hello)
        return wrong

    def _resume(self, hello: pb.Hello) -> list[Wrong]:
        """Look at what it remembers, and go on from there."""
        wrong = []
        named = {each.match: each for each in hello.resume}
        if len(named) < len(hello.resume):
            wrong.append(Wrong("resume", "a match named twice"))
        for name, each in named.items():
            known = self.matches.get(name)
            if known is None:
                wrong.append(Wrong("resume", f"match {name!r}, never started"))
            elif known.end_read:
                wrong.append(Wrong("ended-is-forgotten", f"match {name!r}, told to be over"))
            elif each.last_event < known.surely_read:
                seen = f"last_event {each.last_event} of {name!r}, had answered {known.surely_read}"
                wrong.append(Wrong("resume", seen))
            elif known.receipts.get(each.last_event) != each.receipt:
                seen = f"last_event {each.last_event} of {name!r} with a receipt of something else"
                wrong.append(Wrong("resume", seen))
        for name, match in self.matches.items():
            match.told = named[name].last_event if name in named and not wrong else 0
            for question in match.questions.values():
                question.put = question.answered = 0
        return wrong

    def _choose(self, choose: pb.Choose) -> list[Wrong]:
        match = self.matches.get(choose.match)
        if match is None:
            return [Wrong("own-matches", f"choose for match {choose.match!r}, never started")]
        which = f"decision {choose.decision} of {choose.match!r}"
        question = match.questions.get(choose.decision)
        if question is None:
            return [Wrong("answers-what-is-asked", f"an answer to {which}, never asked")]
        if choose.option >= question.options:
            seen = f"option {choose.option} of {question.options} for {which}"
            return [Wrong("option-on-offer", seen)]
        question.answered += 1
        match.surely_read = max(match.surely_read, match.last_events[choose.decision])
        if question.answered > max(1, question.put):
            return [Wrong("one-answer", f"{question.answered} answers to {which}")]
        return []


def cut_down(asked: pb.Decide, detail: int) -> None:
    """Leave out what the bot's Hello does not want."""
    if detail == pb.DETAIL_EVENTS:
        asked.ClearField("view")
    if detail in (pb.DETAIL_EVENTS, pb.DETAIL_NO_LABELS):
        for option in asked.options:
            option.ClearField("label")
