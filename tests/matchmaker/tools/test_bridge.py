"""What a program behind the bridge reads, and what it may write."""

import base64
import json
import runpy
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.json_format import ParseDict
from hypothesis import given
from hypothesis import strategies as st

from matchmaker.errors import WrongUse
from matchmaker.tools import bridge
from matchmaker.tools.bridge import lines
from matchmaker.tools.bridge.lines import Answer, BadLine, Splitter, Word
from referee import games
from referee.server import frames
from tests.helpers.matches import record
from tests.helpers.sessions import Table
from warladder.v1 import games_pb2
from warladder.v1 import referee_pb2 as pb

ROOT = Path(__file__).resolve().parents[3]


def asked_in(game: str, seat: int, choices: int) -> pb.Decide:
    """A real question, some way into a match."""
    table = Table(record(game=game))
    for _ in range(choices):
        table.answer(table.asked[0])
    while table.asked[0] != seat:
        table.answer(table.asked[0])
    question = table.lines[seat].question
    assert question is not None
    message = pb.RefereeMessage.FromString(frames.decide(b"m1", question, b"receipt."))
    return message.decide


def started(game: str) -> pb.MatchStarted:
    return pb.MatchStarted(match="m1", game=game, seat=1, seats=2, sides=[0, 1], cards="ab")


def read(line: bytes) -> dict[str, Any]:
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    said: dict[str, Any] = json.loads(line)
    return said


@pytest.mark.parametrize("game", games.names())
def test_a_question_holds_all_that_the_message_holds(game: str) -> None:
    asked = asked_in(game, seat=1, choices=15)
    told = lines.events(asked.events)
    said = read(lines.question(asked, started(game), "seed", "", told))
    assert list(said)[:7] == ["type", "match", "decision", "game", "seat", "kind", "options"]
    assert (said["type"], said["match"], said["game"], said["seat"]) == ("decide", "m1", game, 1)
    assert ParseDict(said["view"], games_pb2.View()) == asked.view
    assert [ParseDict(each, games_pb2.Event()) for each in said["events"]] == list(asked.events)
    assert [each.pop("index") for each in said["options"]] == [*range(len(asked.options))]
    assert [ParseDict(each, games_pb2.Option()) for each in said["options"]] == list(asked.options)
    assert said["clock"] == {
        "bank_ms": asked.clock.bank_ms, "cap_ms": 10_000, "defaults": 0, "bad_answers": 0,
    }  # fmt: skip
    assert "problem" not in said
    assert "default_taken" not in said
    assert game in said["view"]
    assert all(game in option for option in said["options"])


def test_zero_values_are_written_and_what_is_absent_is_not() -> None:
    option = games_pb2.Option(skirmish=games_pb2.Option().skirmish)
    asked = pb.Decide(match="m1", decision=1, options=[option])
    said = read(lines.question(asked, started("skirmish"), "seed", "no such option", []))
    assert said["options"] == [{"index": 0, "label": "", "skirmish": {"verb": "", "card": 0}}]
    assert said["problem"] == "no such option"
    assert said["events"] == []
    assert "view" not in said


def test_a_late_answer_is_told() -> None:
    asked = pb.Decide(match="m1", decision=2, default_taken=pb.DefaultTaken(decision=1, defaults=1))
    said = read(lines.question(asked, started("skirmish"), "seed", "", []))
    assert said["default_taken"] == {"decision": 1, "option": 0, "defaults": 1, "charged_ms": 0}


def test_a_match_begins_and_ends_in_the_protocols_words() -> None:
    begun = started("skirmish")
    begun.commitment = bytes(range(32))
    said = read(lines.started(begun, resumed=True))
    assert said["type"] == "started"
    assert said["resumed"] is True
    assert said["rated"] is False
    assert base64.b64decode(said["commitment"]) == bytes(range(32))
    outcome = pb.Outcome(ranks=[2, 1], scores=[3, 5], reason="points", faults=[0, 0])
    over = pb.MatchEnded(match="m1", ending=pb.ENDING_NORMAL, outcome=outcome, last_event=9)
    said = read(lines.ended(over, begun, ['{"skirmish":{"passed":{"seat":0}}}']))
    assert (said["type"], said["game"], said["seat"]) == ("ended", "skirmish", 1)
    assert said["ending"] == "ENDING_NORMAL"
    assert said["outcome"]["ranks"] == [2, 1]
    assert said["events"] == [{"skirmish": {"passed": {"seat": 0}}}]
    assert "last_event" not in said
    said = read(lines.update(begun, ["{}", "{}"]))
    assert said == {
        "type": "update",
        "match": "m1",
        "game": "skirmish",
        "seat": 1,
        "events": [{}, {}],
    }


def test_chance_hangs_on_seed_match_and_decision_alone() -> None:
    """The numbers are those of the kits, so that `chance % count` plays as their random bot."""
    kit = runpy.run_path(str(ROOT / "sample_bots/python/kit/chance.py"))
    for decision in (1, 2, 4711):
        number = lines.chance("ä seed", "m1", decision)
        assert number % 7 == kit["pick"]("ä seed", "m1", decision, 7)
    assert len({lines.chance("kit", "m1", k) for k in range(100)}) == 100
    counts = [sum(lines.chance(f"s{k}", "m", 1) % 4 == r for k in range(4000)) for r in range(4)]
    assert min(counts) > 900


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"3", Answer(option=3)),
        (b"3\r", Answer(option=3)),
        (b"  3 \t", Answer(option=3)),
        (b"3.0", Answer(option=3)),
        (b"\xef\xbb\xbf3", Answer(option=3)),
        (b'{"option":3,"note":"why not"}', Answer(option=3, note="why not")),
        (b'{"option":3,"more":[1]}', Answer(option=3)),
        (b'{"option":3,"match":"m1","decision":7}', Answer(3, match="m1", decision=7)),
        (b'{"option":3,"match":null,"decision":null}', Answer(option=3)),
        (b'{"label":"pass"}', Answer(label="pass")),
        (b'{"label":"a \\u00d7 b"}\r', Answer(label="a × b")),
        (b'{"resign":true}', Word("resign", None, pb.Resign())),
        (b'{"resign":true,"match":"m2"}', Word("resign", "m2", pb.Resign())),
        (b'{"goodbye":true}', Word("goodbye", None, pb.Goodbye())),
        (
            b'{"standing_order":"support","on":false}',
            Word("standing_order", None, pb.StandingOrder(window="support", on=False)),
        ),
        (b'{"practise":"skirmish"}', Word("practise", None, pb.Practise(game="skirmish"))),
        (
            b'{"practise":"skirmish","opponent":"greedy","seat":0}',
            Word("practise", None, pb.Practise(game="skirmish", opponent="greedy", seat=0)),
        ),
        (b"", None),
        (b"\r", None),
        (b" \t ", None),
    ],
)
def test_an_answer_is_read_as_it_is_meant(raw: bytes, said: Answer | Word | None) -> None:
    assert lines.read(raw) == said


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"three", "'three' is neither a number nor JSON"),
        (b"1 2", "neither a number nor JSON"),
        (b"3.5", "no whole number"),
        (b"1e400", "no whole number"),
        (b"true", "no whole number"),
        (b'"3"', "no whole number"),
        (b"null", "no whole number"),
        (b"[3]", "no whole number"),
        (b"9" * 5000, "neither a number nor JSON"),
        (b"[" * 60_000, "neither a number nor JSON"),
        (b"\xff\xfe3", "is not UTF-8"),
        (b"{}", "must have one of option, label, resign"),
        (b'{"choice":3}', "must have one of option"),
        (b'{"option":3,"label":"pass"}', "must have one of option"),
        (b'{"option":"3"}', "no whole number"),
        (b'{"option":3,"note":7}', "note takes a text"),
        (b'{"option":3,"note":"\\ud800"}', "note takes a text"),
        (b'{"option":3,"match":7}', "match takes a text"),
        (b'{"label":3}', "label takes a text"),
        (b'{"resign":false}', "resign takes true"),
        (b'{"resign":1}', "resign takes true or false"),
        (b'{"standing_order":"support"}', "on takes true or false"),
        (b'{"practise":"skirmish","seat":-1}', "no such seat"),
        (None, "more than 65536 bytes"),
    ],
)
def test_what_is_no_answer_is_told_in_one_line(raw: bytes | None, why: str) -> None:
    with pytest.raises(BadLine) as fault:
        lines.read(raw)
    assert why in str(fault.value)
    assert len(str(fault.value)) < 200
    assert "\n" not in str(fault.value)


@given(st.binary(max_size=200))
def test_any_bytes_are_an_answer_a_word_nothing_or_a_bad_line(raw: bytes) -> None:
    try:
        said = lines.read(raw.replace(b"\n", b""))
    except BadLine:
        return
    assert said is None or isinstance(said, Answer | Word)


def test_a_note_is_cut_to_what_a_replay_holds() -> None:
    said = lines.read(json.dumps({"option": 0, "note": "ä" * 400}).encode())
    assert isinstance(said, Answer)
    assert said.note == "ä" * 256


def test_an_answer_is_an_option_on_offer() -> None:
    options = [games_pb2.Option(label=each) for each in ("pass", "discard 4")]
    assert lines.choice(Answer(option=1), options) == 1
    assert lines.choice(Answer(label="discard 4"), options) == 1
    for answer in (Answer(option=2), Answer(option=-1), Answer(label="discard 5")):
        with pytest.raises(BadLine):
            lines.choice(answer, options)
    with pytest.raises(BadLine, match="option 2 is not among 0 to 1"):
        lines.choice(Answer(option=2), options)


@given(st.lists(st.binary(max_size=30)), st.lists(st.integers(1, 20), min_size=1))
def test_lines_are_the_same_however_they_come(written: list[bytes], sizes: list[int]) -> None:
    wanted = [
        None if len(each) > 16 else each for each in b"\n".join([*written, b""]).split(b"\n")[:-1]
    ]
    data, splitter, found = b"".join(each + b"\n" for each in written), Splitter(16), []
    while data:
        for size in sizes:
            found += splitter.feed(data[:size])
            data = data[size:]
    assert found == wanted
    assert splitter.end() == []


def test_the_last_line_needs_no_end() -> None:
    splitter = Splitter(4)
    assert splitter.feed(b"1\n2") == [b"1"]
    assert splitter.end() == [b"2"]
    assert splitter.feed(b"much too long") == []
    assert splitter.feed(b" and on") == []
    assert splitter.end() == [None]
    assert splitter.feed(b"3\n") == [b"3"]


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"token": ""}, "no token: set WARLADDER_TOKEN"),
        ({"token": "tökén"}, "no token"),
        ({"detail": "some"}, "--detail 'some': one of full, no-labels, events"),
        ({"command": ["./no-such-bot"]}, "no program './no-such-bot'"),
    ],
)
def test_wrong_use_is_told_before_anything_is_started(
    more: dict[str, Any], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WARLADDER_TOKEN", raising=False)
    with pytest.raises(WrongUse, match=why):
        bridge.run(**{"command": ["true"], "token": "wl_x", **more})
