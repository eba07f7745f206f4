"""Tournaments: the calendar, and what each format's page draws."""

import json
from pathlib import Path
from typing import Any

import pytest
import redis

from matchmaker import formats
from matchmaker.archive import Archive
from matchmaker.entries import RoundPaired, TournamentBegun
from matchmaker.keys import Keys
from matchmaker.tournaments.contest import Contest
from matchmaker.tournaments.document import document as write
from matchmaker.tournaments.document import packed
from matchmaker.tournaments.schedule import Announced, pack
from matchmaker.web.contests import cross_table
from tests.matchmaker.web.site import Site, markup

DAY_MS = 24 * 3600_000


def meeting(key: str, bots: list[str], points: list[float], **more: Any) -> dict[str, Any]:
    return {
        "meeting": key, "round": 1, "label": "", "bots": bots, "points": points, "state": "over",
        "winner": "", "matches": [f"match-{key}"], **more,
    }  # fmt: skip


def document(name: str, format_: str, *meetings: dict[str, Any], **more: Any) -> dict[str, Any]:
    bots = list(dict.fromkeys(bot for each in meetings for bot in each["bots"]))
    return {
        "tournament": name, "name": name, "schedule": "", "state": "running", "reason": "",
        "planned_ms": 1, "begun_ms": 1, "format": format_, "game": "skirmish", "seats": 2,
        "options": {}, "settings": {}, "rated": True, "weight": 4.0, "entrants": [], "dropped": [],
        "matches": len(meetings), "summary": {},
        "standings": [
            {
                "place": place, "bot": bot, "points": 1.5, "breaks": {"buchholz": 2.0},
                "wins": 1, "draws": 1, "losses": 0, "note": "",
            }
            for place, bot in enumerate(bots, 1)
        ],
        "meetings": list(meetings), **more,
    }  # fmt: skip


def words(text: str) -> str:
    return " ".join("".join(f" {word}" for word in markup(text).words).split())


@pytest.fixture
def held(connection: redis.Redis, keys: Keys) -> redis.Redis:
    cup = document(
        "cup",
        "single_elimination",
        meeting("s1", ["a", "d"], [2.0, 0.0], winner="a", label="semifinal 1"),
        meeting("s2", ["b", "c"], [0.5, 1.5], winner="c", label="semifinal 2"),
        meeting("f", ["a", "c"], [0, 0], round=2, state="open", label="final", matches=[]),
    )
    all_ = document(
        "all",
        "round_robin",
        meeting("1", ["a", "b"], [2.0, 0.0]),
        meeting("2", ["b", "c"], [1.0, 1.0]),
        meeting("3", ["a", "c"], [0.0, 0.0], state="open", matches=[]),
    )
    for each in (cup, all_):
        connection.hset(keys.contests, each["tournament"], json.dumps(each))
    return connection


async def test_a_bracket_shows_rounds_and_who_goes_on(site: Site, held: redis.Redis) -> None:
    text = (await site.get("/tournaments/cup")).text
    page = markup(text)
    assert page.tags["section"] == 2
    assert 'class="side winner"><span><a class="bot" href="/bots/c">' in text
    said = words(text)
    assert "semifinal 1 · over a wins 2 d 0" in said
    assert "final · to be played" in said
    assert "buchholz" in said
    assert "Cross table" not in said


async def test_all_against_all_have_a_cross_table(site: Site, held: redis.Redis) -> None:
    said = words((await site.get("/tournaments/all")).text)
    assert "Points of the bot in the row against the one in the column" in said
    assert "Bot a b c a · itself 2 –" in said
    assert "Bracket" not in said


def test_points_of_several_meetings_add_up() -> None:
    twice = document(
        "x",
        "round_robin",
        meeting("1", ["a", "b"], [2.0, 0.0]),
        meeting("2", ["b", "a"], [1.5, 0.5]),
    )
    crossed = cross_table(twice)
    assert crossed == (["a", "b"], {("a", "b"): 2.5, ("b", "a"): 1.5})
    assert cross_table({**twice, "format": "swiss"}) is None


async def test_the_calendar_has_every_instant_soonest_first(
    site: Site, connection: redis.Redis, keys: Keys
) -> None:
    now_ms = int(connection.time()[0]) * 1000
    cron = Announced(
        name="nightly", made_ms=0, cron="0 2 * * *", zone="Europe/Berlin", format="swiss",
        game="skirmish",
    )  # fmt: skip
    once = Announced(name="once", made_ms=0, at_ms=now_ms + 60_000, format="swiss", game="skirmish")
    for each in (cron, once):
        connection.hset(keys.announced, each.name, pack(each))
    shown = await site.json("/api/v1/tournaments")
    calendar = shown["calendar"]
    assert [each["at_ms"] for each in calendar] == sorted(each["at_ms"] for each in calendar)
    assert sum(each["name"] == "nightly" for each in calendar) == 5
    [single] = [each for each in calendar if each["name"] == "once"]
    assert single["at_ms"] == now_ms + 60_000
    assert all(now_ms < each["at_ms"] <= now_ms + 6 * DAY_MS for each in calendar)
    assert all("02:00" in each["local"] for each in calendar if each["name"] == "nightly")
    said = words((await site.get("/tournaments")).text)
    assert "0 2 * * * in Europe/Berlin" in said


async def test_what_is_over_is_read_from_the_archive(
    site: Site, connection: redis.Redis, keys: Keys, tmp_path: Path
) -> None:
    over = document("old", "swiss", meeting("1", ["a", "b"], [2.0, 0.0]), state="done")
    digest = Archive(tmp_path / "archive").put_tournament(json.dumps(over).encode())
    line = {
        "tournament": "old", "schedule": "", "format": "swiss", "game": "skirmish",
        "planned_ms": 1, "begun_ms": 1, "over_ms": 2, "state": "done", "reason": "",
        "entrants": 2, "matches": 1, "best": ["a", "b"], "archive": digest,
    }  # fmt: skip
    connection.lpush(keys.held, json.dumps(line))
    connection.lpush(keys.held, json.dumps({**line, "tournament": "lost", "archive": "0" * 64}))
    assert (await site.json("/api/v1/tournaments/old"))["state"] == "done"
    assert "old" in words((await site.get("/tournaments")).text)
    lost = await site.get("/tournaments/lost", 503)
    assert "cannot be read here" in lost.text
    count = site.registry.get_sample_value
    assert count("warladder_web_failed_requests_total") == 1
    assert count("warladder_web_redis_away_total") == 0


@pytest.mark.parametrize("name", formats.names())
async def test_what_each_format_writes_is_what_the_page_reads(
    site: Site, connection: redis.Redis, keys: Keys, name: str
) -> None:
    bots = ("a", "b") if name == "sprt" else ("a", "b", "c", "d")
    begun = TournamentBegun(
        tournament="real", name="real", schedule="", planned_ms=1, begun_ms=1, format=name,
        game="skirmish", seats=2, sides=(), chance="x", options={},
        settings=formats.with_defaults(name, {}),
        entrants=tuple((bot, seed) for seed, bot in enumerate(bots, 1)), dropped=(("e", "away"),),
        rated=True, weight=4.0, most_matches=0, most_seconds=0, absence_ms=1000,
    )  # fmt: skip
    contest = Contest(begun)
    if contest.course.pair:
        meetings = tuple(
            (each.key, each.bots, each.orders, each.label) for each in contest.course.pair.meetings
        )
        contest.add(RoundPaired(tournament="real", round=1, meetings=meetings))
    connection.hset(keys.contests, "real", written(contest))
    said = words((await site.get("/tournaments/real")).text)
    assert "e : away" in said
    shown = await site.json("/api/v1/tournaments/real")
    assert shown["meetings"] == json.loads(written(contest))["meetings"]


def written(contest: Contest) -> bytes:
    return packed(write(contest))
