"""The protocol's form of a skirmish loses nothing."""

from random import Random

import pytest

from referee import games
from referee.games.skirmish import wire


@pytest.mark.parametrize(("seats", "teams"), [(2, False), (3, False), (4, True)])
def test_views_options_and_events_come_back_as_they_were(seats: int, teams: bool) -> None:
    chance = Random(7)
    state = games.get("skirmish").start(seats=seats, seed="wire", options={"teams": teams})
    while state.asked():
        for viewer in range(games.PUBLIC, seats):
            view = state.view(viewer)
            written = wire.view(view).SerializeToString()
            assert wire.read_view(wire.games_pb2.View.FromString(written)) == view
        seat = chance.choice(state.asked())
        for option in state.options(seat):
            assert wire.read_option(wire.option(option)) == option
            assert wire.option(option).label == str(option)
            assert wire.option(option, label=False).label == ""
        state.choose(seat, chance.randrange(len(state.options(seat))))
    for viewer in range(games.PUBLIC, seats):
        for event in state.events(viewer, 0):
            assert wire.read_event(wire.event(event)) == event
