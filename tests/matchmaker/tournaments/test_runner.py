"""Tournaments from announcement to archive, on a real store, with matches played at once."""

import json
from typing import Any

import pytest

from matchmaker import audit, registry
from matchmaker.entries import (
    BotWithdrew,
    MeetingForfeited,
    Result,
    RoundPaired,
    Season,
    Standing,
    TournamentBegun,
    TournamentEnded,
    Void,
    Why,
    tournament_of,
)
from matchmaker.errors import WrongUse
from matchmaker.fold import Fold, whole
from matchmaker.leader import Deposed
from matchmaker.log import Log
from matchmaker.rater import recompute
from matchmaker.series import ANEW
from matchmaker.tournaments import desk, runner
from matchmaker.tournaments.schedule import LATE_MS
from matchmaker.tournaments.store import Tournaments
from tests.helpers.stage import forfeited, played, spoilt
from tests.matchmaker.tournaments.conftest import Desk

MINUTE = 60_000


def test_a_tournament_begins_is_played_and_archived(organiser: Desk) -> None:
    planned = organiser.create()
    assert planned.forecast is not None
    assert (planned.forecast.matches, planned.forecast.entrants) == (6, 4)
    organiser.go()
    shown = desk.show(organiser.ladder, "cup")
    assert shown["state"] == "done"
    assert [row["wins"] + row["draws"] + row["losses"] for row in shown["standings"]] == [3] * 4
    assert shown["matches"] == len(organiser.results()) == 6
    assert {match for each in shown["meetings"] for match in each["matches"]} == {
        each.match for each in organiser.results()
    }
    [ended] = organiser.of(TournamentEnded)
    assert ended.how == "done"
    assert json.loads(organiser.stage.archive.tournament(ended.archive)) == shown
    assert organiser.store.running() == {}
    assert not organiser.stage.redis.exists(organiser.stage.keys.said)


def test_its_results_count_on_the_ladder_too(organiser: Desk) -> None:
    organiser.create()
    organiser.go()
    organiser.stage.settle()
    results = organiser.results()
    assert {each.standing for each in results} == {Standing.RATED}
    found = recompute(
        organiser.stage.redis, organiser.stage.archive, organiser.stage.keys.namespace
    )
    assert found.ok, found.differences


def test_one_that_is_not_rated_counts_for_itself_alone(organiser: Desk) -> None:
    organiser.create(rated=False)
    organiser.go()
    assert {each.why for each in organiser.results()} == {Why.TOURNAMENT}
    assert desk.show(organiser.ladder, "cup")["matches"] == 6


def test_options_of_the_game_make_it_another_game(organiser: Desk) -> None:
    planned = organiser.create(options={"rounds": "1"})
    assert not planned.announced.rated
    organiser.go()
    assert {each.standing for each in organiser.results()} == {Standing.UNRATED}
    records = organiser.stage.records
    assert {records[each.match].options["rounds"] for each in organiser.results()} == {1}


def test_the_ladder_goes_on_beside_it(organiser: Desk) -> None:
    organiser.create(settings=("orders=one", "cycles=3"), weight=1.0)
    for _ in range(8):
        organiser.stage.go(1)
    causes = [each.cause for each in organiser.of(Result)]
    cup = sum(cause.startswith("tournament:") for cause in causes)
    assert 0.25 * len(causes) <= cup <= 0.75 * len(causes)


def test_two_leaders_at_the_very_minute_begin_it_once(organiser: Desk) -> None:
    organiser.ahead("2027-01-01 12:00")
    organiser.create(cron="0 2 * * *")
    organiser.ahead("2027-01-02 02:00")
    stage = organiser.stage
    first = stage.matchmaker
    assert first.round()
    stage.redis.delete(stage.keys.leader)  # its term has expired, and it does not know yet
    second = stage.new_matchmaker()
    assert second.round()
    stage.clock.now += 2
    for matchmaker in (first, second, first, second):
        try:
            matchmaker.round()
        except Deposed:
            matchmaker.term.lose()
    assert [each.tournament for each in organiser.of(TournamentBegun)] == ["cup-20270102T0200Z"]


def test_a_deposed_leader_can_say_nothing(organiser: Desk) -> None:
    stage = organiser.stage
    organiser.ahead("2027-01-01 12:00")
    organiser.create(at="2027-01-01 13:00")
    announced = organiser.store.announced()["cup"]
    stage.redis.set(stage.keys.leader, "another")
    before = organiser.entries()
    with pytest.raises(Deposed):
        organiser.store.begin(stage.matchmaker.term, announced, announced.at_ms, "begun", "")
    with pytest.raises(Deposed):
        organiser.store.say(stage.matchmaker.term, "cup", 0, [])
    with pytest.raises(Deposed):
        organiser.store.show(stage.matchmaker.term, {}, [])
    assert organiser.entries() == before


def test_what_was_said_is_not_said_twice(organiser: Desk) -> None:
    ended = TournamentEnded(tournament="cup", how="done", reason="", archive="")
    store = Tournaments(organiser.stage.redis, organiser.stage.keys)
    own = organiser.stage.matchmaker.term
    assert store.say(own, "cup", 0, [ended])
    assert not store.say(own, "cup", 0, [ended]), "a retry after a lost reply"
    assert len(organiser.of(TournamentEnded)) == 1


def test_each_night_has_its_edition(organiser: Desk) -> None:
    organiser.ahead("2027-01-01 12:00")
    organiser.create(cron="0 2 * * *")
    for day in (2, 3, 4):
        organiser.ahead(f"2027-01-0{day} 02:00")
        for _ in range(12):
            organiser.stage.go(1)
    begun = [each.tournament for each in organiser.of(TournamentBegun)]
    assert begun == [f"cup-2027010{day}T0200Z" for day in (2, 3, 4)]
    assert [each.tournament for each in organiser.of(TournamentEnded)] == begun
    assert {each.how for each in organiser.of(TournamentEnded)} == {"done"}


def test_after_a_time_without_anybody_the_last_is_made_up_for(organiser: Desk) -> None:
    organiser.ahead("2027-01-01 12:00")
    organiser.create(cron="0 2 * * *")
    organiser.ahead("2027-01-05 03:00")
    organiser.stage.go(12)
    assert [each.tournament for each in organiser.of(TournamentBegun)] == ["cup-20270105T0200Z"]
    assert "3 missed before it" in organiser.store.news()[0]["text"]


def test_too_late_is_missed_and_said(organiser: Desk) -> None:
    organiser.ahead("2027-01-01 12:00")
    organiser.create(at="2027-01-01 20:00", catch_up_hours=1.0)
    organiser.ahead("2027-01-01 21:30")
    organiser.stage.go(2)
    assert organiser.of(TournamentBegun) == []
    assert organiser.store.announced() == {}
    assert organiser.store.news()[0]["what"] == "missed"


def test_the_absent_are_asked_then_dropped_with_a_reason(organiser: Desk) -> None:
    stage = organiser.stage
    organiser.ahead("2027-01-01 12:00")
    registry.add(stage.redis, "e", "author-of-e", namespace=stage.keys.namespace)
    registry.pause(stage.redis, "d", "for a while", namespace=stage.keys.namespace)
    organiser.create(at="2027-01-01 20:00", everybody=False, bots=tuple("abcde"))
    organiser.ahead("2027-01-01 19:49")
    stage.go(1)
    assert registry.history(stage.redis, "e", namespace=stage.keys.namespace)[0]["what"] == "added"
    organiser.ahead("2027-01-01 19:50")
    stage.go(1)
    asked = registry.history(stage.redis, "e", namespace=stage.keys.namespace)[0]
    assert "begins at 2027-01-01 20:00 UTC: attend until then" in asked["text"]
    organiser.ahead("2027-01-01 20:00")
    stage.go(1)
    assert organiser.of(TournamentBegun) == [], "who is not there has a moment to come back"
    stage.clock.now += LATE_MS / 1000
    stage.go(1)
    [begun] = organiser.of(TournamentBegun)
    assert {bot for bot, _ in begun.entrants} == set("abc")
    assert dict(begun.dropped) == {
        "d": "dropped: it is paused",
        "e": "dropped: it did not attend at the start",
    }
    told = registry.history(stage.redis, "e", namespace=stage.keys.namespace)[0]
    assert told["text"] == "cup: dropped: it did not attend at the start"


def test_one_that_cannot_be_held_says_why(organiser: Desk) -> None:
    stage = organiser.stage
    organiser.ahead("2027-01-01 12:00")
    organiser.create(at="2027-01-01 20:00", everybody=False, bots=("a", "b"))
    stage.attend({"a": stage.streams["a"]})
    organiser.ahead("2027-01-01 20:00")
    stage.go(1)
    stage.clock.now += LATE_MS / 1000
    stage.go(1)
    [ended] = organiser.of(TournamentEnded)
    assert ended.how == "not_held"
    assert ended.reason
    assert organiser.store.news()[0]["what"] == "not held"
    assert organiser.store.running() == {}


def test_a_match_spoilt_each_time_is_a_draw(organiser: Desk) -> None:
    stage = organiser.stage
    first = []

    def play(record: Any) -> list[bytes]:
        if tournament_of(record.cause) and (not first or first[0] == record.pairing):
            first[:] = [record.pairing]
            return spoilt(record)
        return played(record)

    stage.play = play
    organiser.create()
    organiser.go()
    shown = desk.show(organiser.ladder, "cup")
    attempts = [each.attempt for each in organiser.results() if each.pairing == first[0]]
    assert attempts == list(range(1, ANEW + 2))
    assert sorted(row["draws"] for row in shown["standings"]) == [0, 0, 1, 1]


def test_a_result_taken_out_is_played_again(organiser: Desk) -> None:
    stage = organiser.stage
    organiser.create(settings=("orders=one", "cycles=2"))
    while not organiser.results():
        stage.go(1)
    taken = organiser.results()[0]
    Log(stage.redis, stage.keys).note(Void(match=taken.match, by="tester", reason="a test"))
    organiser.go()
    shown = desk.show(organiser.ladder, "cup")
    assert shown["state"] == "done"
    assert len(organiser.results()) == 13
    assert taken.match not in {match for each in shown["meetings"] for match in each["matches"]}


def test_an_operator_ends_it_as_it_stands(organiser: Desk) -> None:
    organiser.create()
    while len(organiser.results()) < 2:
        organiser.stage.go(1)
    text = desk.cancel(organiser.ladder, "cup", "the hall is closed", "tester")
    [*_, act] = audit.read(organiser.stage.redis, organiser.stage.keys, organiser.stage.archive)
    assert (act.by, act.what, act.on) == ("tester", "tournament cancel", "cup")
    assert act.why == "the hall is closed"
    assert text == "cup ends as it stands"
    organiser.go()
    shown = desk.show(organiser.ladder, "cup")
    assert (shown["state"], shown["reason"]) == ("cancelled", "the hall is closed")
    assert 2 <= shown["matches"] < 6


def test_an_announcement_can_be_taken_back(organiser: Desk) -> None:
    organiser.create(cron="0 2 * * *")
    assert "will not be held" in desk.cancel(organiser.ladder, "cup", "not wanted", "tester")
    assert organiser.store.announced() == {}
    with pytest.raises(WrongUse, match="no tournament 'cup'"):
        desk.cancel(organiser.ladder, "cup", "not wanted", "tester")


def test_caps_end_it(organiser: Desk) -> None:
    organiser.create(most_matches=3)
    organiser.go()
    shown = desk.show(organiser.ladder, "cup")
    assert shown["state"] == "capped"
    assert 3 <= shown["matches"] <= 4


def test_a_cap_of_hours_ends_it(organiser: Desk) -> None:
    organiser.ahead("2027-01-01 12:00")
    organiser.create(most_hours=2.0, settings=("orders=one", "cycles=9"))
    organiser.stage.go(2)
    organiser.ahead("2027-01-01 14:01")
    organiser.go(6)
    assert desk.show(organiser.ladder, "cup")["reason"] == "7200 s are over"


def test_a_bot_withdraws(organiser: Desk) -> None:
    organiser.create(settings=("orders=one", "cycles=2"))
    while not organiser.results():
        organiser.stage.go(1)
    desk.withdraw(organiser.ladder, "cup", "d", "its author asked", "tester")
    organiser.go()
    shown = desk.show(organiser.ladder, "cup")
    [row] = [row for row in shown["standings"] if row["bot"] == "d"]
    assert "its author asked" in row["note"]
    with pytest.raises(WrongUse, match="is over"):
        desk.withdraw(organiser.ladder, "cup", "a", "late", "tester")


def test_a_new_version_plays_on_for_its_bot(organiser: Desk) -> None:
    stage = organiser.stage
    organiser.create(settings=("orders=all",))
    while not organiser.results():
        stage.go(1)
    stage.attend({**stage.streams, "a": (stage.stream(version="2"),)})
    organiser.go()
    shown = desk.show(organiser.ladder, "cup")
    assert (shown["state"], shown["matches"]) == ("done", 12)
    versions = {seat.version for each in organiser.results() for seat in each.seats}
    assert versions == {"1", "2"}


def test_a_new_leader_goes_on_where_the_old_one_was(organiser: Desk) -> None:
    stage = organiser.stage
    organiser.create(settings=("orders=all",))
    while len(organiser.results()) < 4:
        stage.go(1)
    stage.matchmaker.leave()
    stage.matchmaker = stage.new_matchmaker()
    organiser.go()
    shown = desk.show(organiser.ladder, "cup")
    assert (shown["state"], shown["matches"]) == ("done", 12)
    assert len(organiser.of(TournamentBegun)) == 1


def test_a_season_is_the_ladder_from_its_start_to_its_cap(organiser: Desk) -> None:
    stage = organiser.stage
    stage.go(6)
    before = len(organiser.of(Result))
    organiser.create("spring", "season", settings=(), most_matches=10)
    for _ in range(30):
        stage.go(1)
    shown = desk.show(organiser.ladder, "spring")
    assert (shown["state"], shown["reason"]) == ("done", "10 matches have been played")
    assert sum(row["wins"] + row["losses"] for row in shown["standings"]) == 20
    assert {row["bot"] for row in shown["standings"]} == set("abcd")
    [season] = organiser.of(Season)
    assert (season.name, season.number) == ("spring", before)
    assert {each.cause for each in organiser.of(Result)} == {"ladder"}


def test_a_dear_course_is_worked_out_seldom_and_breaks_no_pairing(
    organiser: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While it is not known how the meeting stands it waits; its setting stays the same."""
    monkeypatch.setattr(runner, "WORK_SHARE", 10_000)
    organiser.create(settings=("orders=all",))
    organiser.go(200)
    results = organiser.results()
    assert desk.show(organiser.ladder, "cup")["state"] == "done"
    assert len(results) == 12
    assert len({each.pairing for each in results}) == 6, "both sides of each in one pairing"


def test_a_dear_course_says_nothing_twice(organiser: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """An old course still asks for the round that has been drawn since, or for a forfeit."""
    monkeypatch.setattr(runner, "WORK_SHARE", 10_000)
    stage = organiser.stage
    organiser.create("cup", "swiss", settings=("rounds=3",), absence_seconds=20.0)
    stage.go(3)
    while stage.work():
        pass
    stage.attend({bot: stage.streams[bot] for bot in "abc"})
    organiser.go(400)
    assert desk.show(organiser.ladder, "cup")["state"] == "done"
    rounds = [each.round for each in organiser.of(RoundPaired)]
    assert rounds == sorted(set(rounds))
    forfeits = [each.meeting for each in organiser.of(MeetingForfeited)]
    assert forfeits
    assert len(forfeits) == len(set(forfeits))
    assert len(organiser.of(BotWithdrew)) <= 1


def test_who_is_not_there_cannot_enter_late(organiser: Desk) -> None:
    stage = organiser.stage
    registry.add(stage.redis, "e", "author-of-e", namespace=stage.keys.namespace)
    organiser.create("cup", "swiss", settings=("rounds=3",))
    while not organiser.results():
        stage.go(1)
    with pytest.raises(WrongUse, match="e does not attend"):
        desk.enter(organiser.ladder, "cup", "e", "tester")
    stage.attend({**stage.streams, "e": (stage.stream(),)})
    desk.enter(organiser.ladder, "cup", "e", "tester")
    organiser.go(60)
    assert "e" in {row["bot"] for row in desk.show(organiser.ladder, "cup")["standings"]}


def test_what_is_announced_or_was_not_held_can_be_shown(organiser: Desk) -> None:
    stage = organiser.stage
    organiser.ahead("2027-01-01 12:00")
    organiser.create("night", cron="0 2 * * *")
    shown = desk.show(organiser.ladder, "night")
    assert (shown["state"], shown["next"][0]) == ("announced", "2027-01-02 02:00 UTC")
    organiser.create("duel", "sprt", at="2027-01-01 20:00", settings=(), everybody=False,
                     bots=("a", "b"))  # fmt: skip
    stage.attend({"b": stage.streams["b"]})
    organiser.ahead("2027-01-01 20:00")
    stage.go(1)
    stage.clock.now += LATE_MS / 1000
    stage.go(1)
    shown = desk.show(organiser.ladder, "duel")
    assert shown["state"] == "not_held"
    assert shown["dropped"] == [{"bot": "a", "reason": "dropped: it did not attend at the start"}]


def test_a_plan_says_what_absentees_would_do(organiser: Desk) -> None:
    organiser.stage.attend({"a": organiser.stage.streams["a"]})
    planned = organiser.create(at="2030-01-01 10:00", everybody=False, bots=("a", "b"))
    assert planned.forecast is not None
    assert planned.here == ("a",)
    assert planned.without


def test_a_loss_by_fault_is_a_loss(organiser: Desk) -> None:
    organiser.stage.play = forfeited
    organiser.create()
    organiser.go()
    shown = desk.show(organiser.ladder, "cup")
    assert sum(row["wins"] for row in shown["standings"]) == 6


@pytest.mark.parametrize("every", [1, 7])
def test_the_fold_in_steps_equals_the_fold_of_the_whole(organiser: Desk, every: int) -> None:
    organiser.create(settings=("orders=one", "cycles=2"))
    while len(organiser.results()) < 8:
        organiser.stage.go(1)
    fold = Fold()
    for count, entry in enumerate(organiser.entries()):
        fold.add(entry)
        if count % every == 0:
            fold = Fold.load(fold.dump())
    reference = whole(organiser.entries())
    assert fold.contests.keys() == reference.contests.keys() == {"cup"}
    one, other = fold.contests["cup"], reference.contests["cup"]
    assert (one.said, one.matches, one.statements) == (other.said, other.matches, other.statements)
    assert one.course == other.course


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"format": "joust"}, "no format 'joust'"),
        ({"name": "a b"}, "name 'a b'"),
        ({"name": "cup-20270101T0000Z"}, "editions"),
        ({"game": "chess"}, "no game 'chess'"),
        ({"seats": 7}, "seats 7"),
        ({"settings": ("speed=9",)}, "none of this name"),
        ({"settings": ("cycles",)}, "NAME=VALUE"),
        ({"settings": ("cycles=2", "cycles=3")}, "given twice"),
        ({"settings": ("cycles=many",)}, "whole number"),
        ({"settings": ("cycles=0",)}, "'cycles' is 0; give a whole number from"),
        ({"settings": ("orders=none",)}, "'orders' is 'none'; give one of"),
        ({"format": "sprt", "settings": ("elo1=nan",)}, "'elo1' is nan; give a number from"),
        ({"options": {"rounds": "9"}}, "rounds"),
        ({"everybody": False}, "nobody is entered"),
        ({"everybody": False, "bots": ("a", "b", "a")}, "named twice"),
        ({"format": "sprt", "settings": ()}, "would begin now, and sprt"),
        ({"format": "sprt", "settings": ("elo0=50", "elo1=10")}, "elo1 the greater"),
        ({"game": "stalingrad"}, "this ladder does not play stalingrad"),
        ({"everybody": False, "bots": ("zoe",)}, "'zoe' is not registered"),
        ({"at": "2001-01-01 10:00"}, "is over"),
        ({"at": "2030-01-01 10:00", "cron": "0 2 * * *"}, "give one"),
        ({"cron": "0 2 * *"}, "five fields"),
        ({"zone": "Mars/Olympus", "cron": "0 2 * * *"}, "tz database"),
    ],
)
def test_a_bad_wish_is_told(organiser: Desk, changes: dict[str, Any], words: str) -> None:
    with pytest.raises(Exception, match=words) as raised:
        organiser.create(**changes)
    assert raised.typename in ("WrongUse", "UnknownGame", "BadOption")
    assert organiser.store.announced() == {}


@pytest.mark.parametrize(("format", "seeds"), [("sprt", "cab"), ("swiss", "abc")])
def test_who_is_named_first_is_the_challenger_of_a_duel_or_gauntlet(
    organiser: Desk, format: str, seeds: str
) -> None:
    changes = {"everybody": False, "settings": (), "at": "2030-01-01 10:00"}
    bots = ("c", "a") if format == "sprt" else ("c", "a", "b")
    planned = organiser.create(format=format, bots=bots, **changes)
    assert "".join(planned.entered) == seeds[: len(bots)]


def test_who_has_no_name_gets_the_formats_with_a_number(organiser: Desk) -> None:
    names = [organiser.create("", at="2030-01-01 10:00").announced.name for _ in range(2)]
    assert names == ["round_robin-1", "round_robin-2"]


def test_a_name_is_given_once(organiser: Desk) -> None:
    organiser.create(at="2030-01-01 10:00")
    with pytest.raises(WrongUse, match="announced already"):
        organiser.create(at="2030-01-02 10:00")
    organiser.create("other")
    organiser.stage.clock.now += 2
    organiser.go(12)
    with pytest.raises(WrongUse, match="has been held"):
        organiser.create("other")
