"""The transcripts, and what is made of them; whole checks are tests of processes."""

import asyncio
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.json_format import ParseDict

from matchmaker.errors import WrongUse
from matchmaker.tools.check import choose, files, record, transcripts
from matchmaker.tools.check.book import Wrong
from matchmaker.tools.check.scene import Broken, Played, Scene
from matchmaker.tools.check.steps import STEPS
from matchmaker.tools.check.stories import UNKNOWN_FIELDS, Stories, known_games, spread_unknown
from matchmaker.tools.check.verdicts import verdicts
from matchmaker.tools.check.words import part_of, replaced
from matchmaker.tools.quiet import quiet
from referee import games
from warladder.v1 import games_pb2
from warladder.v1 import referee_pb2 as pb

EVERY = transcripts.every(files.SHIPPED)
ALWAYS = transcripts.always(files.SHIPPED)


async def test_the_recorded_messages_are_what_a_referee_sends_now() -> None:
    """If not: `python -m matchmaker.tools.check.record`, and look at the difference."""
    with quiet():
        made = await record.contents(anew=False)
    for name, text in made.items():
        assert (files.SHIPPED / name).read_text("utf-8") == text, name
    assert known_games(files.SHIPPED) == sorted(games.names())


def test_every_message_and_story_that_a_transcript_names_is_there() -> None:
    stories = {name: Stories(name, files.SHIPPED) for name in known_games(files.SHIPPED)}
    said = 0
    for each in EVERY:
        for words in every_step([step.words for step in each.steps]):
            for kind, form in (("send", pb.RefereeMessage), ("expect", pb.BotMessage)):
                if kind in words:
                    given = json.loads(json.dumps(words[kind]).replace("$a", "127.0.0.1:1"))
                    assert ParseDict(given, form()).WhichOneof("message")
                    said += 1
            for kind in ("recorded", "answers"):
                if kind in words:
                    assert any(
                        words[kind].split("/")[0] in each and each.find(words[kind])
                        for each in stories.values()
                    ), words
                    said += 1
    assert said > 300


def every_step(steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found = []
    for step in steps:
        found.append(step)
        for name in ("steps", "then", "else"):
            found += every_step(step.get(name, []))
    return found


def test_every_kind_of_step_is_known_and_explained() -> None:
    assert STEPS.keys() == transcripts.DIRECTIVES
    page = (files.SHIPPED / "README.md").read_text("utf-8")
    for word in transcripts.DIRECTIVES | transcripts.WORDS:
        assert f'"{word}": ' in page, word
    for word in transcripts.FIRST_WORDS:
        assert f"`{word}`" in page, word


def test_a_rule_has_one_place_where_it_is_explained() -> None:
    named = [*ALWAYS, *(rule for each in EVERY for rule in each.rules)]
    assert len(named) == len(set(named))
    for each in EVERY:
        assert next(files.lines(files.SHIPPED / f"{each.name}.jsonl"))[1]["transcript"] == each.name


@pytest.mark.parametrize(
    ("lines", "line"),
    [
        ("", "empty; the first line says `transcript` and `rules`"),
        ('{"rules": {}, "speed": 2}', ":1: no such word: speed"),
        ('{"needs": {}}', ":1: `rules` is missing"),
        ("[1]", ":1: a JSON object is wanted, not list"),
        ('{"rules": {"r": "x"}}\n{"accept', ":2: no JSON"),
        ('{"rules": {"r": "x"}}\n{"accept": "s1", "say": 1}', ":2: no such word: say"),
        ('{"rules": {"r": "x"}}\n{"match": "m1"}', ":2: one of accept, "),
        ('{"rules": {"r": "x"}}\n{"cut": "s1", "rule": "q"}', ":2: no transcript says"),
    ],
)
def test_a_bad_transcript_is_named_with_its_line(tmp_path: Path, lines: str, line: str) -> None:
    (tmp_path / "bad.jsonl").write_text(lines)
    (tmp_path / files.ALWAYS).write_text("{}")
    with pytest.raises(WrongUse) as fault:
        transcripts.every(tmp_path)
    assert line in str(fault.value)
    assert str(tmp_path / "bad.jsonl") in str(fault.value)


def test_only_the_transcripts_of_the_wanted_rules_are_played() -> None:
    assert [each.name for each in choose(EVERY, ALWAYS, ["stale"])] == ["stale"]
    assert [each.name for each in choose(EVERY, ALWAYS, ["token", "drain"])] == [
        "drain",
        "reconnect",
        "start",
    ]
    assert choose(EVERY, ALWAYS, []) == EVERY
    with pytest.raises(WrongUse, match="no rule 'polite'; there are: answers, "):
        choose(EVERY, ALWAYS, ["polite"])


def test_fields_of_a_later_version_go_through_every_message() -> None:
    asked = pb.RefereeMessage(
        decide=pb.Decide(match="m", options=[games_pb2.Option(label="x")] * 2)
    )
    before = asked.ByteSize()
    spread_unknown(asked)
    assert asked.ByteSize() >= before + 4 * len(UNKNOWN_FIELDS)
    assert asked.decide.options[1].SerializeToString().endswith(UNKNOWN_FIELDS)


def test_what_is_wanted_of_a_message_is_a_part_of_it() -> None:
    found: Mapping[str, Any] = {"choose": {"match": "m1", "option": 0}}
    assert part_of({"choose": {"option": 0}}, found)
    assert part_of({"choose": {}}, found)
    assert not part_of({"choose": {"option": 1}}, found)
    assert not part_of({"ready": {}}, found)


def test_the_number_of_a_round_stands_for_its_word() -> None:
    assert replaced({"match": "m{n}", "steps": [{"ping": 1}]}, {"n": "7"}) == {
        "match": "m7",
        "steps": [{"ping": 1}],
    }


def test_one_broken_rule_leaves_the_others_of_its_transcript_unjudged() -> None:
    by_name = {each.name: each for each in EVERY}
    played = [
        Played(by_name["start"]),
        Played(by_name["stale"], Wrong("token-stays-out", "what was seen")),
        Played(by_name["interleaved"], None, "its Hello says max_matches 1; 2 are wanted"),
    ]
    found = {each.rule: each for each in verdicts(played, ALWAYS, EVERY)}
    assert found["token-stays-out"].verdict == "fail"
    assert found["token-stays-out"].seen == "what was seen (stale)"
    assert (found["stale"].verdict, found["ready"].verdict) == ("skip", "pass")
    assert found["stale"].seen == "nothing of it: token-stays-out was broken first"
    assert found["interleaved"].seen == "its Hello says max_matches 1; 2 are wanted"
    assert len(found) == len(ALWAYS) + sum(len(each.rules) for each in EVERY)
    few = verdicts(played, ALWAYS, EVERY, ["stale"])
    assert [each.rule for each in few] == ["token-stays-out", "stale"]


async def test_time_in_which_the_check_was_not_run_breaks_no_rule() -> None:
    loop, came = asyncio.get_running_loop(), []
    loop.call_later(0.02, time.sleep, 0.6)
    loop.call_later(0.7, came.append, True)
    scene = Scene(EVERY[0], None)  # type: ignore[arg-type]  # nothing of its cast is played
    assert await scene.until(lambda: came or None, 0.3, "answers", str, lives=False)
    with pytest.raises(Broken):
        await scene.until(lambda: None, 0.1, "answers", str, lives=False)
