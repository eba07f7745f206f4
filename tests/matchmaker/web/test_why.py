"""Why a match ended as it did: in words, with the decisive entry and the position, or withheld."""

from dataclasses import replace
from pathlib import Path

import pytest
import redis

from matchmaker.archive import Archive
from matchmaker.browse import Row
from matchmaker.entries import Result, Standing, Why
from matchmaker.keys import Keys
from matchmaker.web import verdicts
from matchmaker.web.journals import Told, tell
from referee import games
from referee.match.journal import unpack_journal
from referee.match.record import MatchRecord
from tests.helpers.matches import record
from tests.helpers.random_play import random_journal
from tests.helpers.results import append, result
from tests.helpers.stage import Stage, forfeited
from tests.matchmaker.web.conftest import site_of
from tests.matchmaker.web.site import Site, markup

STALINGRAD = record("s1", game="stalingrad", bots=("red", "grey"), options={"max_rounds": 2})


def row(told: Result) -> Row:
    return Row(1, 1_000, told, Standing.RATED, Why.NONE)


def journal(planned: MatchRecord) -> Told:
    return tell(planned, unpack_journal(random_journal(planned)))


def test_a_loss_by_the_rules_is_told_in_the_rulebooks_words() -> None:
    told = journal(STALINGRAD)
    lost = result(1, ("red", "grey"), game="stalingrad", ranks=(2, 1), reason="ADJUDICATED_a")
    first, second = verdicts.of(row(lost), told)
    assert (first.bot, first.role, first.went) == ("grey", "German", "won")
    assert (second.bot, second.role, second.went) == ("red", "Russian", "lost")
    assert second.why == "At the round limit the winner controlled more Locations"
    assert second.step == len(told.spent), "the last position"
    questions = sum(each.seat == 0 for each in told.spent)
    assert second.more == [f"It answered {questions} questions, none late."]


def test_a_fault_is_told_with_what_it_did_and_where() -> None:
    planned = record("f1", bots=("a", "b"))
    told = tell(planned, unpack_journal(forfeited(planned, 1)))
    lost = result(
        1, ("a", "b"), ranks=(1, 2), ending="resigned", reason="", faults=("", "resigned")
    )
    first, second = verdicts.of(row(lost), told)
    assert (first.went, first.why) == ("won", "b resigned")
    assert (second.went, second.why, second.step) == ("resigned", "It resigned", 0)
    assert second.more == ["It answered no question."]
    timeout = replace(lost, ending="timeout", faults=("", "timeout"))
    said = [each._replace(text="out: timeout: decision 3 took 9 ms") for each in told.said]
    assert verdicts.of(row(timeout), replace(told, said=said))[1].why == (
        "It ran out of time: decision 3 took 9 ms"
    )


def test_a_fault_in_a_match_that_went_on_does_not_hide_the_end() -> None:
    three = result(
        1, ("a", "b", "c"), ranks=(1, 2, 3), reason="points", faults=("", "", "timeout")
    )  # fmt: skip
    assert verdicts.ending(three) == (
        "c ran out of time; all hills were fought for, and the hills taken were counted"
    )


def test_late_answers_are_told_by_their_number() -> None:
    told = journal(STALINGRAD)
    late = [
        each._replace(how="late") if each.seat == 0 and each.decision <= 4 else each
        for each in told.spent
    ]
    [verdict] = [
        each
        for each in verdicts.of(row(result(1, ("red", "grey"))), replace(told, spent=late))
        if each.seat == 0
    ]
    assert "answers came too late (decision 1, 2, 3 and others)" in verdict.more[0]


@pytest.mark.parametrize(
    ("ending", "words"),
    [
        ("cancelled", "Cancelled; nobody is to blame"),
        ("referee_fault", "The server failed"),
        ("of-another-age", "Of-another-age"),
    ],
)
def test_what_was_nobodys_doing_blames_nobody(ending: str, words: str) -> None:
    spoilt = result(1, ("a", "b"), ending=ending, reason="", ranks=(), scores=())
    assert verdicts.ending(spoilt) == words
    assert [each.went for each in verdicts.of(row(spoilt), None)] == ["unplayed"] * 2


def test_an_end_of_an_unknown_game_is_told_all_the_same() -> None:
    other = result(1, ("a", "b"), game="chess", reason="mate")
    assert verdicts.ending(other) == "It was played to its end by the rules (mate)"
    assert [each.role for each in verdicts.of(row(other), None)] == ["", ""]


Played = tuple[Stage, Site]


async def test_the_ledger_tells_what_was_asked_and_taken(played: Played) -> None:
    stage, site = played
    [shown] = (await site.json("/api/v1/matches?limit=1"))["items"]
    path = f"/matches/{shown['match']}/ledger?at={shown['position']}"
    items = (await site.json(f"/api/v1{path}"))["items"]
    planned = stage.records[shown["match"]]
    state = games.get(planned.game).start(
        len(planned.seats), planned.seed, planned.setting, planned.options
    )
    assert state.kind(0) == items[0]["kind"]
    assert items[0]["option"] in map(str, state.options(0))
    assert items[0]["options"] == len(state.options(0))
    assert [each["number"] for each in items] == list(range(1, len(items) + 1))
    page = markup((await site.get(path)).text)
    watch = f"/matches/{shown['match']}/watch?at={shown['position']}#viewer=all&step="
    steps = [link.removeprefix(watch) for link in page.links if link.startswith(watch)]
    assert steps == [str(number) for number in range(len(items))]
    said = " ".join("".join(page.words).split())
    assert "all seats were ready" in said
    assert f"That was the last of them. {shown['words']}." in said


async def test_a_ledger_page_ends_where_the_match_did(
    played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, site = played
    monkeypatch.setattr("matchmaker.web.views.LEDGER_AT_ONCE", 6)
    monkeypatch.setattr("matchmaker.web.pages.LEDGER_AT_ONCE", 6)
    [shown] = (await site.json("/api/v1/matches?limit=1"))["items"]
    path = f"/matches/{shown['match']}/ledger?at={shown['position']}"
    last = "".join(markup((await site.get(f"{path}&end=1")).text).words)
    assert "That was the last of them" in last
    assert "all seats were ready" not in last, "that was in the first part"
    assert "Earlier choices" in last
    seen = ""
    for after in range(0, shown["decisions"], 6):
        seen += "".join(markup((await site.get(f"{path}&after={after}")).text).words)
    assert seen.count("all seats were ready") == 1, "whatever happened is in one part"


async def test_a_deal_that_is_not_told_tells_neither_choice_nor_position(
    connection: redis.Redis, keys: Keys, tmp_path: Path
) -> None:
    planned = record("w1", bots=("a", "b"), reveal=False)
    digest = Archive(tmp_path / "archive").put_replay("w1", random_journal(planned))
    append(connection, keys, result(1, ("a", "b"), match="w1", archive=digest))
    site = site_of(connection, keys, tmp_path)
    shown = (await site.json("/api/v1/matches"))["items"][0]
    path = f"/matches/{shown['match']}?at={shown['position']}"
    match = await site.json(f"/api/v1{path}")
    assert [each["step"] for each in match["verdicts"]] == [None, None]
    items = (await site.json(f"/api/v1{path.replace('?', '/ledger?')}"))["items"]
    assert {(each["kind"], each["option"], each["options"]) for each in items} == {("", "", 0)}
    for page in (path, path.replace("?", "/ledger?")):
        assert "#viewer=" not in (await site.get(page)).text
