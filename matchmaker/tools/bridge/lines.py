"""
What a program reads and writes: one JSON object a line to it, one answer a line from it.

Messages are in the protocol's own JSON mapping with the names of the `.proto` files, zero values
included; around them stands what a program without a memory needs.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

from warladder.v1 import games_pb2
from warladder.v1 import referee_pb2 as pb

LONGEST = 64 * 1024
"""Bytes of a program's line; of a longer one nothing is read."""
NOTE_BYTES = 512
"""As `Choose.note` has it."""
NOT_AN_OPTION = 0xFFFF_FFFF
"""What the referee is told for an answer that is no number: it counts it as it counts others'."""
SHOWN = 60
"""Characters of a bad line that are told."""
WORDS = ("resign", "standing_order", "practise", "goodbye")


class BadLine(ValueError):
    """A program's line cannot be used; the text says why."""


class Answer(NamedTuple):
    """A choice. Exactly one of `option` and `label` is there."""

    option: int | None = None
    label: str | None = None
    note: str = ""
    match: str | None = None
    decision: int | None = None
    """The question that the program says it answers, if it says so."""


class Word(NamedTuple):
    """Something else that a bot can say."""

    kind: str
    """One of `WORDS`."""
    match: str | None
    message: Message
    """`Resign`, `StandingOrder`, `Practise` or `Goodbye`; the match is still to be filled in."""


# To the program


def plain(message: Message) -> dict[str, Any]:
    """A message as JSON has it."""
    return MessageToDict(
        message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )


def packed(document: Any) -> str:
    return json.dumps(document, separators=(",", ":"))


def events(messages: Iterable[games_pb2.Event]) -> list[str]:
    """Each event as JSON text."""
    return [packed(plain(each)) for each in messages]


def line(document: dict[str, Any], told: Sequence[str] | None = None) -> bytes:
    """One line; `told` are events as JSON text, its last member."""
    text = packed(document)
    if told is not None:
        text = f'{text[:-1]},"events":[{",".join(told)}]}}'
    return text.encode() + b"\n"


def started(message: pb.MatchStarted, resumed: bool) -> bytes:
    return line({"type": "started", **plain(message), "resumed": resumed})


def question(
    asked: pb.Decide, match: pb.MatchStarted, seed: str, problem: str, told: Sequence[str]
) -> bytes:
    """
    The line that asks.

    Args:
        seed: Of the bot's own chance.
        problem: What was wrong with the answer before; empty if this is the first time.
        told: Events that the program has not been told yet.
    """
    document: dict[str, Any] = {
        "type": "decide",
        "match": asked.match,
        "decision": asked.decision,
        "game": match.game,
        "seat": match.seat,
        "kind": asked.kind,
        "options": [{"index": k, **plain(each)} for k, each in enumerate(asked.options)],
        "chance": chance(seed, asked.match, asked.decision),
        "clock": plain(asked.clock),
    }
    if problem:
        document["problem"] = problem
    if asked.HasField("default_taken"):
        document["default_taken"] = plain(asked.default_taken)
    if asked.HasField("view"):
        document["view"] = plain(asked.view)
    return line(document, told)


def update(match: pb.MatchStarted, told: Sequence[str]) -> bytes:
    document = {"type": "update", "match": match.match, "game": match.game, "seat": match.seat}
    return line(document, told)


def ended(message: pb.MatchEnded, match: pb.MatchStarted, told: Sequence[str]) -> bytes:
    document = plain(message)
    for name in ("events", "last_event"):
        document.pop(name, None)
    return line({"type": "ended", "game": match.game, "seat": match.seat, **document}, told)


def chance(seed: str, match: str, decision: int) -> int:
    """
    A number from 0 to 4,294,967,295 that a program may use as its chance: the same for the same
    seed, match and decision (FNV-1a of the three, its bits mixed once more, as in the kits).
    """
    number = 0x811C9DC5
    for byte in f"{seed}|{match}|{decision}".encode():
        number = (number ^ byte) * 0x01000193 & 0xFFFFFFFF
    number ^= number >> 16
    number = number * 0x85EBCA6B & 0xFFFFFFFF
    number ^= number >> 13
    number = number * 0xC2B2AE35 & 0xFFFFFFFF
    return number ^ number >> 16


# From the program


class Splitter:
    """Bytes as they come, to lines without their ends. Of a line that is too long, only that."""

    def __init__(self, longest: int = LONGEST) -> None:
        self.longest = longest
        self._rest = b""
        self._too_long = False

    def feed(self, data: bytes) -> list[bytes | None]:
        """The lines that are whole now; None for one that was too long."""
        *whole, rest = (self._rest + data).split(b"\n")
        found: list[bytes | None] = []
        for each in whole:
            found.append(None if self._too_long or len(each) > self.longest else each)
            self._too_long = False
        self._too_long = self._too_long or len(rest) > self.longest
        self._rest = b"" if self._too_long else rest
        return found

    def end(self) -> list[bytes | None]:
        """What was written without a line's end before the output was closed."""
        return self.feed(b"\n") if self._rest.strip() or self._too_long else []


def read(raw: bytes | None) -> Answer | Word | None:
    """
    What a program's line says; None if it says nothing.

    Raises:
        BadLine: It cannot be used.
    """
    if raw is None:
        raise BadLine(f"a line of more than {LONGEST} bytes")
    try:
        text = raw.decode().strip("\ufeff \t\r\0")
    except UnicodeDecodeError:
        raise BadLine(f"{raw[:SHOWN]!r} is not UTF-8") from None
    if not text:
        return None
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        raise BadLine(f"{_shown(text)} is neither a number nor JSON") from None
    if isinstance(said, dict):
        return _object(said, text)
    return Answer(option=_number(said, text))


def _object(said: dict[str, Any], text: str) -> Answer | Word:
    wanted = [key for key in ("option", "label", *WORDS) if key in said]
    if len(wanted) != 1:
        names = ", ".join(("option", "label", *WORDS))
        raise BadLine(f"{_shown(text)} must have one of {names}")
    match = None if said.get("match") is None else _text(said, "match")
    (kind,) = wanted
    if kind == "label":
        return Answer(label=_text(said, kind), note=_note(said), match=match)._replace(
            decision=_decision(said, text)
        )
    if kind == "option":
        option = _number(said[kind], text)
        return Answer(option=option, note=_note(said), match=match, decision=_decision(said, text))
    if kind == "standing_order":
        on = _flag(said, "on")
        return Word(kind, match, pb.StandingOrder(window=_text(said, kind), on=on))
    if kind == "practise":
        message = pb.Practise(game=_text(said, kind), opponent=_text(said, "opponent", ""))
        if said.get("seat") is not None:
            seat = _number(said["seat"], text)
            if not 0 <= seat <= NOT_AN_OPTION:
                raise BadLine(f"{_shown(text)}: there is no such seat")
            message.seat = seat
        return Word(kind, None, message)
    if not _flag(said, kind):
        raise BadLine(f"{_shown(text)}: {kind} takes true")
    return Word(kind, match, pb.Resign() if kind == "resign" else pb.Goodbye())


def _decision(said: dict[str, Any], text: str) -> int | None:
    return None if said.get("decision") is None else _number(said["decision"], text)


def _number(value: object, text: str) -> int:
    """A whole number, also where a language writes all numbers alike (`3.0`)."""
    if type(value) is float and value.is_integer():
        value = int(value)
    if type(value) is not int:
        raise BadLine(f"{_shown(text)} has no whole number where one is expected")
    return value


def _text(said: dict[str, Any], key: str, default: str | None = None) -> str:
    value = said.get(key, default)
    if type(value) is not str or not _is_text(value):
        raise BadLine(f"{key} takes a text")
    return value


def _flag(said: dict[str, Any], key: str) -> bool:
    value = said.get(key)
    if type(value) is not bool:
        raise BadLine(f"{key} takes true or false")
    return value


def _note(said: dict[str, Any]) -> str:
    note = _text(said, "note", "")
    return note.encode()[:NOTE_BYTES].decode(errors="ignore")


def _is_text(text: str) -> bool:
    """JSON can name halves of characters, which no message can hold."""
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def _shown(text: str) -> str:
    return repr(text) if len(text) <= SHOWN else repr(text[:SHOWN]) + "…"


def choice(answer: Answer, options: Sequence[games_pb2.Option]) -> int:
    """
    The index that an answer means.

    Raises:
        BadLine: It is not among the options.
    """
    if answer.label is not None:
        for index, option in enumerate(options):
            if option.label == answer.label:
                return index
        raise BadLine(f"no option has the label {_shown(answer.label)}")
    assert answer.option is not None
    if not 0 <= answer.option < len(options):
        raise BadLine(f"option {str(answer.option)[:SHOWN]} is not among 0 to {len(options) - 1}")
    return answer.option
