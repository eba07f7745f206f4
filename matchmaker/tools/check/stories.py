"""The recorded messages of a game, made anew for the match and the stream they are sent to."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.json_format import ParseDict, ParseError
from google.protobuf.message import Message

from matchmaker.errors import WrongUse
from matchmaker.tools.check import files
from warladder.v1 import referee_pb2 as pb

UNKNOWN_FIELDS = bytes.fromhex("f8fa0101 fafa0103616263 fdfa0101020304 f9fa010102030405060708")
"""Field 4015 as a varint, as bytes, as four and as eight fixed ones: every type on the wire."""

PADDING_TAG = UNKNOWN_FIELDS[4:7]


def referee_message(said: dict[str, Any], place: str) -> pb.RefereeMessage:
    """
    Raises:
        WrongUse: It is no RefereeMessage; the text names the place.
    """
    try:
        return ParseDict(said, pb.RefereeMessage())
    except ParseError as error:
        raise WrongUse(f"{place}: {error}") from None


def receipt(match: str, last_event: int) -> bytes:
    """What stands for the referee's keyed hash: bots take it as it comes."""
    return sha256(f"{match}|{last_event}".encode()).digest()[:8]


class Story:
    """What one seat was told of a match, message by message."""

    def __init__(self) -> None:
        self.messages: dict[str, pb.RefereeMessage] = {}
        self.events: list[Any] = []
        """All of them, by number from 1."""

    def add(self, name: str, message: pb.RefereeMessage) -> None:
        kind = message.WhichOneof("message")
        if kind in ("decide", "update", "match_ended"):
            self.events += getattr(message, kind).events
        self.messages[name] = message


class Stories:
    """All stories of one game."""

    def __init__(self, game: str, folder: Path) -> None:
        self.game = game
        self._stories: dict[str, Story] = {}
        for place, line in files.lines(folder / files.GAMES / f"{game}{files.SUFFIX}"):
            if "places" in line:
                continue
            try:
                story, name, said = line["story"], line["name"], line["message"]
            except KeyError as error:
                raise WrongUse(f"{place}: {error.args[0]!r} is missing") from None
            message = referee_message(said, place)
            self._stories.setdefault(story, Story()).add(name, message)

    def __contains__(self, story: str) -> bool:
        return story in self._stories

    def find(self, name: str) -> tuple[Story, pb.RefereeMessage]:
        """A story and a copy of one of its messages, `STORY/MESSAGE`."""
        story, _, message = name.partition("/")
        found = pb.RefereeMessage()
        found.CopyFrom(self._stories[story].messages[message])
        return self._stories[story], found


def known_games(folder: Path) -> list[str]:
    return sorted(path.stem for path in (folder / files.GAMES).glob(f"*{files.SUFFIX}"))


def spread_unknown(message: Message) -> None:
    """Give a message, and every message within it, fields of a later version."""
    for field, value in message.ListFields():
        if field.type == FieldDescriptor.TYPE_MESSAGE and not is_map(field):
            for each in value if field.is_repeated else (value,):
                spread_unknown(each)
    message.MergeFromString(UNKNOWN_FIELDS)


def padding(size: int) -> bytes:
    """A field of a later version, of about so many bytes."""
    return b"" if not size else PADDING_TAG + _varint(size) + bytes(size)


def _varint(number: int) -> bytes:
    low = number & 0x7F
    return bytes([low]) if number < 0x80 else bytes([low | 0x80]) + _varint(number >> 7)


def is_map(field: FieldDescriptor) -> bool:
    kind = field.message_type
    return kind is not None and kind.GetOptions().map_entry
