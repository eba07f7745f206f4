"""A stream with a listener: what a bot was told and what it said, for its author's own eyes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

import grpc
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import DecodeError

from referee.filenames import file_name
from warladder.v1 import referee_pb2 as pb

Listener = Callable[[str, bool, bytes], None]
"""Gets the bot's name, whether the bot is speaking, and the message as it goes over the line."""


class Overheard:
    """A call's context that tells a listener what is read and written."""

    def __init__(self, context: Any, bot: str, listener: Listener) -> None:
        self._context = context
        self._bot = bot
        self._listener = listener

    async def read(self) -> Any:
        data = await self._context.read()
        if data is not grpc.aio.EOF:
            self._listener(self._bot, True, data)
        return data

    async def write(self, data: bytes) -> None:
        self._listener(self._bot, False, data)
        await self._context.write(data)


class Transcripts:
    """
    Writes what each bot hears and says to a file of its own, `BOT.jsonl`: `a+b.jsonl` for `a/b`.

    A line is one message in proto3's JSON form, names as in the `.proto` files, fields that are
    zero among it: `{"heard": {"decide": …}}` or `{"said": {"choose": …}}`. What cannot be read
    stands there in hex: `{"said": {"unreadable": "…"}}`. Tokens are not in messages.
    """

    def __init__(self, folder: Path) -> None:
        """
        Raises:
            OSError: The folder cannot be made.
        """
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._files: dict[str, TextIO] = {}

    def hear(self, bot: str, speaks: bool, data: bytes) -> None:
        """A `Listener`."""
        line = {"said" if speaks else "heard": read(speaks, data)}
        if bot not in self._files:
            self._files[bot] = self.path(bot).open("w", encoding="utf-8")
        self._files[bot].write(json.dumps(line, ensure_ascii=False) + "\n")

    def path(self, bot: str) -> Path:
        return self.folder / f"{file_name(bot)}.jsonl"

    def close(self) -> None:
        for file in self._files.values():
            file.close()


def read(speaks: bool, data: bytes) -> dict[str, Any]:
    """A message as plain data: the name of its kind, and its fields."""
    message = pb.BotMessage() if speaks else pb.RefereeMessage()
    try:
        message.ParseFromString(data)
    except DecodeError:
        return {"unreadable": data.hex()}
    return MessageToDict(
        message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )
