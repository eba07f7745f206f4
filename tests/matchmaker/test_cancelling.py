"""An operator's word ends a match: whatever its standing, once, and nobody is to blame."""

import threading
from pathlib import Path

import pytest
import redis

from matchmaker import audit, blame, registry
from matchmaker.cancelling import How, cancel
from matchmaker.connection import Ladder
from matchmaker.entries import Result, Standing, Why
from matchmaker.errors import WrongUse
from matchmaker.keys import Keys
from matchmaker.log import Log
from matchmaker.queues import OPEN
from referee.match.journal import Ending
from referee.store.lifecycle import end_match
from referee.store.scripts import APPEND, packed
from referee.store.scripts import OPEN as OPEN_SCRIPT
from tests.helpers.stage import Stage


@pytest.fixture
def stage(connection: redis.Redis, keys: Keys, tmp_path: Path) -> Stage:
    return Stage(connection, keys, tmp_path, ("a", "b"))


@pytest.fixture
def ladder(stage: Stage, tmp_path: Path) -> Ladder:
    return Ladder(
        redis=stage.redis, namespace=stage.keys.namespace, archive=str(tmp_path / "archive")
    )


def planned(stage: Stage) -> str:
    stage.matchmaker.round()
    [match] = stage.open
    return match


def playing(stage: Stage, referee: str) -> str:
    match = planned(stage)
    opened = stage.redis.eval(OPEN_SCRIPT, 0, stage.keys.prefix, match, referee, "token")
    assert opened[0] == 1
    return match


def closed(stage: Stage) -> Result:
    stage.matchmaker.round()
    stage.work("close")
    entries = [logged.entry for logged in Log(stage.redis, stage.keys).whole_tail()]
    [found] = [entry for entry in entries if isinstance(entry, Result)]
    return found


@pytest.mark.parametrize("standing", ["planned", "without an owner", "its owner is asleep"])
def test_a_match_ends_as_cancelled_and_void_whatever_its_standing(
    stage: Stage, ladder: Ladder, standing: str
) -> None:
    if standing == "planned":
        match = planned(stage)
    else:
        match = playing(stage, "gone" if standing == "without an owner" else "r1")
    assert cancel(ladder, match, "the wrong  map\n", listens=0.3) is How.NOW
    result = closed(stage)
    assert (result.match, result.ending) == (match, Ending.CANCELLED)
    assert (result.standing, result.why) == (Standing.VOID, Why.CANCELLED)
    assert not any(result.faults)
    assert stage.places("a") == set()
    for bot in "ab":
        told = blame.of(ladder, bot, 5)
        assert f"cancelled: match {match}: the wrong map" in [each.text for each in told]
        [line] = [each for each in told if each.what == "match"]
        assert (line.blame, line.details) == (
            "server",
            ("the server: an operator cancelled it: the wrong map",),
        )
    [by] = {
        each["by"]
        for each in registry.history(stage.redis, "a", namespace=ladder.namespace)
        if each["what"] == "cancelled"
    }
    assert by == registry.OPERATOR


def test_a_late_owner_is_refused(stage: Stage, ladder: Ladder) -> None:
    match = playing(stage, "r1")
    cancel(ladder, match, "test", listens=0.0)
    late = packed([(match, 1, "token", 0, [b"late"], "")])
    assert stage.redis.eval(APPEND, 0, stage.keys.prefix, "r1", late) == [-1]


def test_its_referee_is_asked_first(stage: Stage, ladder: Ladder) -> None:
    """A thread stands for the referee: it ends what it is told to, and tells its bots."""
    match = playing(stage, "r1")
    seen: list[str] = []

    def referee() -> None:
        while not (wish := stage.redis.hget(stage.keys.cancels, match)):
            pass
        seen.append(wish.decode())
        end_match(stage.redis, stage.keys, match, Ending.CANCELLED, epoch=1, text=wish.decode())

    thread = threading.Thread(target=referee)
    thread.start()
    assert cancel(ladder, match, "test", listens=20.0) is How.NOW
    thread.join(20)
    assert seen == ["an operator cancelled it: test"]
    assert stage.redis.hlen(stage.keys.cancels) == 0


@pytest.mark.parametrize("is_closed", [False, True])
def test_twice_is_once(stage: Stage, ladder: Ladder, is_closed: bool) -> None:
    match = planned(stage)
    assert cancel(ladder, match, "test") is How.NOW
    if is_closed:
        closed(stage)
    assert cancel(ladder, match, "test again") is How.BEFORE
    history = registry.history(stage.redis, "a", namespace=ladder.namespace)
    assert [each["what"] for each in history].count("cancelled") == 1


@pytest.mark.parametrize("is_closed", [False, True])
def test_a_match_that_has_ended_is_not_cancelled(
    stage: Stage, ladder: Ladder, is_closed: bool
) -> None:
    match = planned(stage)
    stage.work(OPEN)
    if is_closed:
        closed(stage)
    with pytest.raises(WrongUse, match=f"match {match} has ended already \\(normal\\)"):
        cancel(ladder, match, "test")


def test_unknown_matches_and_empty_reasons_are_wrong_use(ladder: Ladder) -> None:
    with pytest.raises(WrongUse, match="there is no match 'nemo'"):
        cancel(ladder, "nemo", "test")
    with pytest.raises(WrongUse, match="--why is empty"):
        cancel(ladder, "nemo", " \n")


def test_a_long_reason_is_cut(stage: Stage, ladder: Ladder) -> None:
    match = planned(stage)
    cancel(ladder, match, "x" * 5_000)
    history = registry.history(stage.redis, "a", namespace=ladder.namespace)
    assert len(history[0]["text"]) < audit.LONGEST_WHY + 50
