"""The protocol's files: in form, not broken, and the generated Python is what they say."""

import importlib.util
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from google.protobuf.descriptor import FieldDescriptor, FileDescriptor

from warladder.v1 import games_pb2, internal_pb2, referee_pb2

PROTO = Path(__file__).resolve().parents[2] / "proto"
FILES = sorted((PROTO / "warladder/v1").glob("*.proto"))


def load_generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("proto_generate", PROTO / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_buf(require: Callable[..., str], *arguments: str) -> str:
    done = subprocess.run(
        [require("buf"), *arguments], cwd=PROTO, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr if done.returncode else ""


def test_generated_python_is_what_the_protocol_says() -> None:
    assert load_generator().drift() == [], "run `make proto` and commit what it writes"


def test_protocol_passes_buf_lint(require: Callable[..., str]) -> None:
    assert run_buf(require, "lint") == ""


def test_protocol_breaks_no_bot(require: Callable[..., str]) -> None:
    """Against the protocol of the last release, kept as an image beside the files."""
    assert run_buf(require, "breaking", "--against", "baseline.binpb") == ""


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_message_field_and_value_is_documented(path: Path) -> None:
    """A line that declares something has a comment above it, except in lists of alternatives."""
    undocumented = []
    above = ""
    in_choice = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        text = line.strip()
        if text.startswith("oneof"):
            in_choice = True
        elif text == "}":
            in_choice = False
        declares = re.match(r"(message|enum|service|rpc|(.+ )?\w+ = \d+;)", text)
        if declares and not in_choice and not above.startswith("//"):
            if not re.match(r"message (Bot|Referee)Message", text):
                undocumented.append(f"{path.name}:{number}: {text}")
        above = text
    assert undocumented == []


def test_bots_read_no_64_bit_number_and_no_float() -> None:
    """Plain data: some languages have no whole numbers beyond 53 bits."""
    wide = {
        FieldDescriptor.TYPE_INT64,
        FieldDescriptor.TYPE_UINT64,
        FieldDescriptor.TYPE_SINT64,
        FieldDescriptor.TYPE_FIXED64,
        FieldDescriptor.TYPE_SFIXED64,
        FieldDescriptor.TYPE_DOUBLE,
        FieldDescriptor.TYPE_FLOAT,
    }
    files: list[FileDescriptor] = [referee_pb2.DESCRIPTOR, games_pb2.DESCRIPTOR]
    files += games_pb2.DESCRIPTOR.dependencies
    found = [
        field.full_name
        for each in files
        for message in each.message_types_by_name.values()
        for field in message.fields
        if field.type in wide
    ]
    assert found == []


def test_each_game_has_the_same_number_in_view_event_and_option() -> None:
    numbers = [
        {field.name: field.number for field in message.oneofs_by_name["game"].fields}
        for message in (
            games_pb2.View.DESCRIPTOR,
            games_pb2.Event.DESCRIPTOR,
            games_pb2.Option.DESCRIPTOR,
        )
    ]
    assert numbers[0] == numbers[1] == numbers[2]


def test_every_fault_says_what_happened_what_to_do_and_what_it_costs() -> None:
    text = (PROTO / "warladder/v1/referee.proto").read_text(encoding="utf-8")
    block = text[text.index("enum FaultCode") :]
    block = block[: block.index("\n}")]
    comment = ""
    for line in block.splitlines()[1:]:
        if line.strip().startswith("//"):
            comment += line
        elif "_UNSPECIFIED" in line:
            comment = ""
        elif "=" in line:
            for part in ("Happened:", "Do:", "Costs:"):
                assert part in comment, line
            comment = ""


def test_services_are_named_as_bots_know_them() -> None:
    assert referee_pb2.DESCRIPTOR.services_by_name["Referee"].full_name == "warladder.v1.Referee"
    methods = referee_pb2.DESCRIPTOR.services_by_name["Referee"].methods_by_name
    assert sorted(methods) == ["Attend", "Describe"]
    assert internal_pb2.DESCRIPTOR.services_by_name["Internal"].full_name == "warladder.v1.Internal"
