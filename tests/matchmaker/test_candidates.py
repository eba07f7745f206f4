"""Which referees are asked to take a match, and in which order."""

from typing import Any

import pytest

from matchmaker import opening
from matchmaker.moving import Moving
from referee.match.record import pack_record
from referee.store.records import Clocks, Presence
from tests.helpers.matches import record
from tests.helpers.stage import Stage


def referee(name: str, bots: str = "ab", **more: Any) -> Presence:
    known = record()
    fields: dict[str, Any] = {
        "name": name,
        "address": "",
        "internal": "",
        "games": {known.game: known.rules},
        "cards": {known.game: known.cards},
        "room": 5,
        "attending": {bot: (Stage.stream_of(known.game),) for bot in bots},
    }
    return Presence(**{**fields, **more})


def ask(status: str, *referees: Presence, owner: str = "") -> list[str]:
    known = record()
    moving = Moving(
        match="m", status=status, clocks=Clocks(), now_ms=0,
        record=pack_record(known), referee=owner,
    )  # fmt: skip
    return opening.candidates(moving, known, {each.name: each for each in referees})


def test_those_with_most_room_first() -> None:
    one, other = referee("r1", room=1), referee("r2", room=9)
    assert ask("planned", one, other) == ["r2", "r1"]


def test_its_own_first_even_when_full_or_draining() -> None:
    own = referee("r1", room=0, draining=True)
    assert ask("playing", own, referee("r2"), owner="r1") == ["r1", "r2"]


@pytest.mark.parametrize(
    "more", [{"room": 0}, {"draining": True}, {"games": {}}, {"cards": {"skirmish": "x"}}]
)
def test_none_that_cannot(more: dict[str, Any]) -> None:
    assert ask("planned", referee("r1", **more)) == []


def test_a_new_match_needs_all_its_bots() -> None:
    assert ask("planned", referee("r1", bots="a")) == []


def test_another_instance_is_not_the_one_that_is_waited_for() -> None:
    other = Stage.stream_of("skirmish")._replace(instance="x")
    there = referee("r1", attending={"a": (other,), "b": (other,)})
    assert ask("planned", there) == []


def test_a_running_match_may_go_where_a_bot_is_missing_but_rather_not() -> None:
    some, none = referee("r1", bots="a", room=1), referee("r2", bots="", room=9)
    assert ask("playing", some, none) == ["r1"]
    assert ask("playing", none) == ["r2"]


def test_a_running_match_does_not_go_where_a_bot_is_missing_that_attends_another() -> None:
    """It would lose there without knowing that it is asked."""
    one, other = referee("r1", bots="a"), referee("r2", bots="b")
    both = referee("r3", room=1)
    assert ask("playing", one, other) == []
    assert ask("playing", one, other, both) == ["r3"]
