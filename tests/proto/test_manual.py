"""The manual is what the protocol's files say, whole, and what it says of a game is true."""

import importlib.util
import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from referee import games
from warladder.v1 import games_pb2, internal_pb2, referee_pb2, skirmish_pb2, stalingrad_pb2

PROTO = Path(__file__).resolve().parents[2] / "proto"
MODULES = (referee_pb2, games_pb2, skirmish_pb2, stalingrad_pb2, internal_pb2)


@pytest.fixture(scope="module")
def manual() -> ModuleType:
    spec = importlib.util.spec_from_file_location("proto_manual", PROTO / "manual.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    made: dict[str, Any] = json.loads((PROTO / "warladder/manual.json").read_text("utf-8"))
    return made


def test_the_manual_is_what_the_protocol_says(manual: ModuleType) -> None:
    assert manual.drift() == [], "run `make proto` and commit what it writes"


def test_every_service_message_field_and_value_is_in_it_with_its_text(
    document: dict[str, Any],
) -> None:
    items = {
        f"{file['name']} {item['name']}": item
        for file in document["files"]
        for item in file["items"]
    }
    wanted = 0
    for module in MODULES:
        file = module.DESCRIPTOR
        for message in file.message_types_by_name.values():
            item = items.pop(f"{file.name} {message.name}")
            assert [(each["name"], each["number"]) for each in item["fields"]] == [
                (field.name, field.number) for field in message.fields
            ]
            for each in item["fields"]:
                assert each["text"] or each["choice"], f"{item['name']}.{each['name']}"
            wanted += 1
        for enum in file.enum_types_by_name.values():
            item = items.pop(f"{file.name} {enum.name}")
            assert [(each["name"], each["number"]) for each in item["values"]] == [
                (value.name, value.number) for value in enum.values
            ]
            assert all(each["text"] for each in item["values"])
        for service in file.services_by_name.values():
            item = items.pop(f"{file.name} {service.name}")
            assert {each["name"] for each in item["methods"]} == set(service.methods_by_name)
            assert all(each["text"] for each in item["methods"])
    assert wanted > 100
    assert items == {}


def test_types_are_as_an_author_writes_them(document: dict[str, Any]) -> None:
    types = {
        f"{item['name']}.{field['name']}": field["type"]
        for file in document["files"]
        for item in file["items"]
        for field in item.get("fields", ())
    }
    assert types["MatchStarted.options"] == "map<string, string>"
    assert types["Decide.options"] == "repeated Option"
    assert types["Practise.seat"] == "optional uint32"
    assert types["Fault.code"] == "FaultCode"
    assert types["Resume.receipt"] == "bytes"
    assert types["View.stalingrad"] == "StalingradView"
    (attend,) = (
        method
        for item in document["files"][0]["items"]
        for method in item.get("methods", ())
        if method["name"] == "Attend"
    )
    assert (attend["asks"], attend["answers"]) == ("stream BotMessage", "stream RefereeMessage")


def test_links_of_the_page_lead_to_its_headings(manual: ModuleType) -> None:
    page = (PROTO / "README.md").read_text("utf-8")
    headings = re.findall(r"^#+ (.+)$", page, re.MULTILINE)
    anchors = [manual.anchor(each) for each in headings]
    assert len(set(anchors)) == len(anchors), "two headings of one name"
    links = re.findall(r"\]\(#([^)]+)\)", page)
    assert len(links) > 100
    assert set(links) <= set(anchors)
    for path in re.findall(r"\]\(([^#)][^)]*)\)", page):
        assert (PROTO / path).exists(), path


def test_diagrams_are_lines_that_mermaid_reads(manual: ModuleType) -> None:
    """Statements of a sequence diagram: nothing in a text may end one or begin another."""
    page = (PROTO / "README.md").read_text("utf-8")
    drawn = re.findall(r"```mermaid\n(.*?)```", page, re.DOTALL)
    assert len(drawn) == len(manual.document()["situations"])
    line = re.compile(
        r"sequenceDiagram|    participant P\d as [\w ]+|    P\d->>P\d: [^;#\n]+"
        r"|    Note over P\d(,P\d)?: [^;#\n]+"
    )
    for each in drawn:
        for said in each.splitlines():
            assert line.fullmatch(re.sub(r"#\d+;", "", said)), said


@pytest.mark.parametrize(
    ("break_it", "name"),
    [
        (lambda text: text.replace("// The game's own word", "// A word"), "README.md"),
        (lambda text: text.replace("uint32 bank_ms = 1;", "uint32 bank = 1;"), "manual.json"),
    ],
)
def test_a_manual_left_behind_is_found(
    manual: ModuleType, break_it: Callable[[str], str], name: str,
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    for path in (PROTO / "warladder/v1").glob("*.proto"):
        copied = tmp_path / "warladder/v1" / path.name
        copied.parent.mkdir(parents=True, exist_ok=True)
        copied.write_text(break_it(path.read_text("utf-8")))
    monkeypatch.setattr(manual, "HERE", tmp_path)
    assert name in manual.drift()


def test_verbs_of_a_game_are_all_in_its_comment() -> None:
    text = (PROTO / "warladder/v1/stalingrad.proto").read_text("utf-8")
    comment = text.partition("message StalingradOption {")[2].partition("string verb")[0]
    named = set(re.findall(r"`(\w+)`", comment))
    offered = set()
    for seed in range(3):
        state = games.get("stalingrad").start(seats=2, seed=str(seed))
        chance = random.Random(seed)
        for _ in range(250):
            if not (asked := state.asked()):
                break
            options = state.options(asked[0])
            offered |= {option.verb for option in options} | {state.kind(asked[0])}
            state.choose(asked[0], chance.randrange(len(options)))
    assert len(offered) > 20
    windows = {"on_card", "on_move", "battle", "on_destroyed", "after_battle", "on_draw"}
    assert offered - named <= windows, "kinds that are windows have no verbs of their own"
