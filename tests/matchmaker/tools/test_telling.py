"""`warladder replay show`: events in a game's own words."""

from typing import NamedTuple

import pytest

from matchmaker.tools.replay import course
from matchmaker.tools.telling import told
from referee import games
from referee.games.skirmish.events import Began, Drew, HillFought
from tests.helpers.matches import record
from tests.helpers.sessions import Table


class Card(NamedTuple):
    card: str
    value: int


class HandKnown(NamedTuple):
    seat: int
    cards: tuple[Card, ...]
    top: Card
    granted: bool


def test_an_event_is_told_by_its_name_and_what_it_says() -> None:
    assert told(HillFought(value=3, seat=0)) == "hill fought: value 3, seat 0"
    assert told(HillFought(value=3, seat=-1)) == "hill fought: value 3, seat nobody"
    assert told(Drew(seat=1, card=0)) == "drew: seat 1, card 0"


def test_what_is_empty_is_left_out() -> None:
    began = Began(hills=(3, 5), hand=(), hand_sizes=(5, 5), deck_size=6)
    assert told(began) == "began: hills 3 5, hand sizes 5 5, deck size 6"


def test_a_small_record_is_one_word() -> None:
    event = HandKnown(
        seat=0, cards=(Card("R01", 3), Card("R02", 1)), top=Card("R03", 2), granted=True
    )
    assert told(event) == "hand known: seat 0, cards R01/3 R02/1, top R03/2, granted yes"


@pytest.mark.parametrize("seat", [None, 0, 1])
def test_no_line_is_python_or_ends_in_a_blank(seat: int | None) -> None:
    table = Table(record())
    table.play()
    lines = list(course(table.session.record, table.entries, seat))
    assert any(line.startswith("    hill fought: value ") for line in lines)
    assert [line for line in lines if "=" in line or line != line.rstrip()] == []


@pytest.mark.parametrize("name", games.names())
def test_every_games_events_can_be_told(name: str) -> None:
    state = games.get(name).start(seats=2, seed="1")
    for _ in range(200):
        if not state.asked():
            break
        seat = state.asked()[0]
        state.choose(seat, 0)
    for viewer in (games.PUBLIC, 0, 1):
        for event in state.events(viewer, 0):
            assert not set("()[]=',") & set(told(event).replace(", ", " ")), event
