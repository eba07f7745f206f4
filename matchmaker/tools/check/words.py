"""What a step says, with names filled in; and whether a message has what a step wants."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from google.protobuf.json_format import MessageToDict

from warladder.v1 import referee_pb2 as pb


def exchanged(said: Any, names: Mapping[str, str]) -> Any:
    """The same with other words for some, keys and values."""
    if isinstance(said, dict):
        return {names.get(key, key): exchanged(value, names) for key, value in said.items()}
    if isinstance(said, list):
        return [exchanged(each, names) for each in said]
    return names.get(said, said) if isinstance(said, str) else said


def replaced(said: Any, names: Mapping[str, str]) -> Any:
    """The same with `{name}` in its texts replaced."""
    if isinstance(said, dict):
        return {key: replaced(value, names) for key, value in said.items()}
    if isinstance(said, list):
        return [replaced(each, names) for each in said]
    if isinstance(said, str):
        for name, value in names.items():
            said = said.replace("{" + name + "}", value)
    return said


def within(wanted: dict[str, Any], message: pb.BotMessage) -> bool:
    """Whether a message has all that is wanted."""
    found = MessageToDict(
        message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )
    return part_of(wanted, found)


def part_of(wanted: Any, found: Any) -> bool:
    if isinstance(wanted, dict) and isinstance(found, dict):
        return all(name in found and part_of(value, found[name]) for name, value in wanted.items())
    return bool(wanted == found)


def shown(wanted: dict[str, Any]) -> str:
    """A message in few words."""
    (kind,) = wanted
    fields = " ".join(f"{name} {value}" for name, value in wanted[kind].items())
    return f"{kind} {fields}".strip()
