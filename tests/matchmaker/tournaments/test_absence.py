"""Bots that are not there when a tournament wants them."""

from matchmaker import registry
from matchmaker.entries import (
    MeetingForfeited,
    RoundPaired,
)
from matchmaker.tournaments import desk
from tests.matchmaker.tournaments.conftest import Desk


def test_who_does_not_come_to_play_forfeits_and_is_taken_out(organiser: Desk) -> None:
    stage = organiser.stage
    organiser.create(absence_seconds=60.0)
    stage.go(3)
    while stage.work():
        pass
    assert organiser.store.running()
    stage.attend({bot: stage.streams[bot] for bot in "abc"})
    for _ in range(6):
        stage.go(1)
    assert organiser.of(MeetingForfeited) == []
    stage.clock.now += 60
    organiser.go()
    shown = desk.show(organiser.ladder, "cup")
    forfeits = organiser.of(MeetingForfeited)
    assert {each.absent for each in forfeits} == {("d",)}
    [row] = [row for row in shown["standings"] if row["bot"] == "d"]
    assert "withdrawn" in row["note"]
    assert shown["state"] == "done"


def test_who_came_late_and_went_away_gets_no_bye(organiser: Desk) -> None:
    stage = organiser.stage
    registry.add(stage.redis, "e", "author-of-e", namespace=stage.keys.namespace)
    organiser.create("cup", "swiss", settings=("rounds=3",), absence_seconds=60.0)
    while not organiser.results():
        stage.go(1)
    everybody = {**stage.streams, "e": (stage.stream(),)}
    stage.attend(everybody)
    desk.enter(organiser.ladder, "cup", "e", "tester")
    stage.attend({bot: everybody[bot] for bot in "abcd"})
    organiser.go(8)
    rounds = len(organiser.of(RoundPaired))
    assert rounds == 1, "e has no points and would sit out: it is waited for"
    for _ in range(2):
        stage.clock.now += 60
        organiser.go(8)
    shown = desk.show(organiser.ladder, "cup")
    assert shown["state"] == "done"
    forfeits = [(each.meeting, each.absent) for each in organiser.of(MeetingForfeited)]
    assert forfeits[0] == ("2-bye", ("e",))
    assert [absent for _, absent in forfeits] == [("e",), ("e",)]
    [row] = [row for row in shown["standings"] if row["bot"] == "e"]
    assert (row["points"], row["note"]) == (0, "")


def test_nobody_forfeits_while_there_is_no_referee(organiser: Desk) -> None:
    stage = organiser.stage
    organiser.create(absence_seconds=60.0)
    stage.matchmaker.round()
    stage.clock.now += 2
    stage.matchmaker.round()
    stage.vanish()
    for _ in range(5):
        stage.matchmaker.round()
        stage.clock.now += 60
    stage.attend()
    organiser.go()
    assert organiser.of(MeetingForfeited) == []
    assert desk.show(organiser.ladder, "cup")["state"] == "done"
