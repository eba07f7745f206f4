"""Every page: reached by links, well formed, and it shows what it is there for."""

import re
from pathlib import Path

import pytest
import redis

from matchmaker import registry
from matchmaker.keys import Keys
from tests.helpers.results import append, result
from tests.helpers.stage import Stage, forfeited
from tests.matchmaker.web.conftest import site_of
from tests.matchmaker.web.site import Site, markup

Played = tuple[Stage, Site]


def words(text: str) -> str:
    return " ".join("".join(markup(text).words).split())


async def test_every_link_leads_somewhere(played: Played) -> None:
    _, site = played
    seen: set[str] = set()
    waiting = ["/"]
    while waiting:
        path = waiting.pop()
        if path in seen or path.startswith("#"):
            continue
        seen.add(path)
        answer = await site.get(path)
        if answer.headers["content-type"].startswith("text/html"):
            waiting += [link.partition("#")[0] for link in markup(answer.text, path).links]
    shapes = {re.sub(r"/[0-9a-f]{16}", "/ID", each.partition("?")[0]) for each in seen}
    assert shapes >= {
        "/", "/games/skirmish", "/bots", "/bots/a", "/bots/a/skirmish/chart.svg", "/matches",
        "/matches/ID", "/matches/ID/ledger", "/matches/ID/replay", "/tournaments", "/health",
        "/protocol", "/healthz", "/api", "/api/v1/openapi.json",
        "/api/v1/games/skirmish/leaderboard",
        "/api/v1/bots/a", "/api/v1/matches/ID", "/static/style.css", "/static/live.js",
    }  # fmt: skip


async def test_the_front_page_has_each_ladders_table(played: Played) -> None:
    stage, site = played
    said = words((await site.get("/")).text)
    table = stage.table()
    assert "Skirmish: " in said
    assert f"{table['rated']} rated matches of 3 bots" in said
    assert f"entry {table['position']} of the results log, chain head {table['head'][:16]}" in said
    for row in table["table"]:
        assert f"{row['low']:.1f} – {row['high']:.1f}" in said
        assert f"{row['rank_low']} – {row['rank_high']}" in said
    assert "provisional" in said
    assert "tied with the one above" in said


async def test_the_way_from_the_front_page_to_why_a_bot_lost_is_three_clicks(
    connection: redis.Redis, keys: Keys, tmp_path: Path
) -> None:
    stage = Stage(connection, keys, tmp_path, ("a", "b"), target=2, play=forfeited)
    stage.go(8)
    stage.settle()
    site = site_of(connection, keys, tmp_path)
    front = await site.get("/")
    assert 'href="/bots/a"' in front.text
    bot = (await site.get("/bots/a")).text
    assert "Own faults" in words(bot)
    assert "out: resigned" in words(bot)
    link = re.search(r'href="(/matches/[0-9a-f]{16}\?at=\d+)"', bot)
    assert link is not None
    match = words((await site.get(link[1])).text)
    assert "It resigned." in match
    assert "a resigned." in words(front.text), "one click is enough for the last matches"


async def test_a_bots_page_tells_course_sides_meetings_and_endings(played: Played) -> None:
    stage, site = played
    text = (await site.get("/bots/a")).text
    said = words(text)
    row = next(row for row in stage.table()["table"] if row["bot"] == "a")
    assert f"Rated matches{row['matches']}: {row['wins']} won" in said
    assert "by author-of-a · version 1" in said
    assert "By seat" in said
    assert "Head to head" in said
    assert "The chart as a table" in said
    assert re.search(r"The last \d+: (won|lost|drawn) \d+", said)
    chart = (await site.get("/bots/a/skirmish/chart.svg")).text
    assert chart.count("<path") > 5
    assert "prefers-color-scheme: dark" in chart


async def test_a_pause_its_reason_and_its_end_are_told(
    site: Site, connection: redis.Redis, keys: Keys
) -> None:
    registry.add(connection, "slow", "me", namespace=keys.namespace)
    registry.pause(connection, "slow", "too slow for us", namespace=keys.namespace)
    said = words((await site.get("/bots/slow")).text)
    assert "Paused: too slow for us, until somebody resumes it" in said
    assert "paused: too slow for us" in said
    registry.remove(connection, "slow", namespace=keys.namespace)
    await_fresh(site)
    assert "This bot is not registered here any more." in words((await site.get("/bots/slow")).text)


async def test_a_bot_that_the_log_alone_tells_of_has_a_page(
    site: Site, connection: redis.Redis, keys: Keys
) -> None:
    append(connection, keys, result(1, ("old", "older")))
    said = words((await site.get("/bots/old")).text)
    assert "This bot is not registered here any more." in said
    assert "The last 1: won 1." in said


def await_fresh(site: Site) -> None:
    """As if the answers that are kept had been made long ago."""
    site.web.kept._kept.clear()


async def test_a_match_is_told_with_all_that_lets_one_check_it(played: Played) -> None:
    stage, site = played
    [row] = (await site.json("/api/v1/matches?limit=1"))["items"]
    record = stage.records[row["match"]]
    said = words((await site.get(f"/matches/{row['match']}?at={row['position']}")).text)
    for text in (
        record.commitment.hex(), record.seed, record.salt.hex(), "all seats were ready",
        f"match number {record.number}", "Every decision and its time",
        "All hills were fought for, and the hills taken were counted",
    ):  # fmt: skip
        assert text in said
    file = await site.get(f"/matches/{row['match']}/replay?at={row['position']}")
    assert file.content == stage.archive.path(file_name(file.headers)).read_bytes()


def file_name(headers: object) -> str:
    found = re.search(r'filename="([0-9a-f]{64})\.zst"', str(headers))
    assert found
    return found[1]


async def test_a_ledger_is_told_by_seat_and_in_parts(
    played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, site = played
    await_fresh(site)
    monkeypatch.setattr("matchmaker.web.views.LEDGER_AT_ONCE", 5)
    [row] = (await site.json("/api/v1/matches?limit=1"))["items"]
    base = f"/api/v1/matches/{row['match']}/ledger?at={row['position']}"
    cursor, all_ = "", []
    while True:
        part = await site.json(base + (f"&cursor={cursor}" if cursor else ""))
        assert len(part["items"]) <= 5
        all_ += part["items"]
        cursor = part["next"]
        if not cursor:
            break
    assert len(all_) == row["decisions"]
    monkeypatch.setattr("matchmaker.web.views.LEDGER_AT_ONCE", 500)
    own = (await site.json(f"{base}&seat=1"))["items"]
    assert own == [each for each in all_ if each["seat"] == 1]
    await site.get(f"{base}&seat=2", 400)


async def test_an_empty_ladder_has_pages_too(site: Site) -> None:
    for path in ("/", "/bots", "/matches", "/tournaments", "/health", "/api"):
        await site.get(path)
    health = words((await site.get("/health")).text)
    assert "No matchmaker leads: nothing is planned or rated." in health
    assert "No referee is present: nothing is played." in health


async def test_a_healthy_ladder_says_so(played: Played) -> None:
    _, site = played
    assert "All is well." in words((await site.get("/health")).text)
    assert (await site.json("/healthz")) == {"ok": True}


@pytest.mark.parametrize(
    ("path", "status", "detail"),
    [
        ("/games/chess", 404, "there is no ladder of 'chess'; there are: skirmish"),
        ("/games/skirmish?season=x", 404, "skirmish has no season 'x': preseason"),
        ("/bots/nemo", 404, "there was never a bot 'nemo'"),
        ("/bots/a/chess/chart.svg", 404, "nothing is known of a in chess"),
        ("/matches/nope", 404, "there is no match 'nope'"),
        ("/matches/nope?at=x", 400, "at='x': a whole number"),
        ("/matches?ending=lost", 400, "ending 'lost': it is one of normal, timeout"),
        ("/matches?standing=x", 400, "standing 'x': it is one of rated, unrated, void"),
        ("/matches?cursor=x", 400, "cursor 'x': take `next`"),
        ("/matches?bot=nemo", 404, "there was never a bot 'nemo'"),
        (f"/matches?tournament={'x' * 257}", 400, "at most 256 characters are expected"),
        ("/tournaments/x", 404, "there is no tournament 'x'"),
        ("/nowhere", 404, "The front page leads to all."),
    ],
)
async def test_what_is_wrong_is_said_in_words(
    played: Played, path: str, status: int, detail: str
) -> None:
    _, site = played
    assert detail in words((await site.get(path, status)).text)
