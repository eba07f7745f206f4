"""The protocol's form of a game loses nothing: views, options, events."""

from __future__ import annotations

from random import Random
from typing import get_args

import pytest

from referee.games import PUBLIC
from referee.games.stalingrad import events, wire
from referee.games.stalingrad.game import GAME

SEEDS = ("wire 1", "wire 2", "wire 3")


@pytest.mark.parametrize("seed", SEEDS)
def test_views_and_options_come_back_as_they_were(seed: str) -> None:
    chance = Random(seed)
    s = GAME.start(seed=seed, events=False)
    for k in range(3000):
        if not s.asked():
            break
        (seat,) = s.asked()
        if k % 5 == 0:
            for viewer in (PUBLIC, 0, 1):
                view = s.view(viewer)
                written = wire.view(view).SerializeToString()
                assert wire.read_view(wire.games_pb2.View.FromString(written)) == view
            for option in s.options(seat):
                assert wire.read_option(wire.option(option)) == option
                assert wire.option(option).label == str(option)
                assert wire.option(option, label=False).label == ""
        s.choose(seat, chance.randrange(len(s.options(seat))))
    over = s.view(PUBLIC)
    assert wire.read_view(wire.view(over)) == over


@pytest.mark.parametrize("seed", SEEDS)
def test_events_come_back_as_they_were(seed: str) -> None:
    chance = Random(seed)
    s = GAME.start(seed=seed)
    while s.asked():
        (seat,) = s.asked()
        s.choose(seat, chance.randrange(len(s.options(seat))))
    for viewer in (PUBLIC, 0, 1):
        for event in s.events(viewer):
            written = wire.event(event).SerializeToString()
            assert wire.read_event(wire.games_pb2.Event.FromString(written)) == event


def test_every_event_has_its_message() -> None:
    told = {field.name for field in wire.pb.StalingradEvent.DESCRIPTOR.fields}
    assert told == {wire._FORMS[kind].name for kind in get_args(events.Event)}


def test_every_field_of_an_event_has_its_field() -> None:
    for form in wire._FORMS.values():
        names = [field.name for field in form.message.DESCRIPTOR.fields]
        assert names == [field.name for field in form.fields], form.name
