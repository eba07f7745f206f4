"""The viewer's page and the documents that it draws from."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import redis

from matchmaker.browse import Row
from matchmaker.closing import Closer
from matchmaker.keys import Keys
from matchmaker.viewing.course import Course, viewers
from matchmaker.web.pages import STATIC
from referee import games
from referee.games import PUBLIC
from referee.match.journal import unpack_journal
from referee.match.record import Pace
from referee.match.replay import read_record
from tests.helpers.matches import plan, record
from tests.helpers.random_play import random_journal
from tests.helpers.stage import Stage
from tests.matchmaker.web.site import Site, markup

OVER = {"over": True, "delay_ms": 0, "wait_ms": 0}


async def a_match(site: Site) -> tuple[str, str]:
    """Path of a closed match's course, and of its page."""
    row = (await site.json("/api/v1/matches"))["items"][0]
    name, at = row["match"], row["position"]
    return f"/api/v1/matches/{name}/course?at={at}", f"/matches/{name}/watch?at={at}"


async def test_each_viewer_gets_the_course_of_the_journal(played: tuple[Stage, Site]) -> None:
    stage, site = played
    path, _ = await a_match(site)
    row = (await site.json("/api/v1/matches"))["items"][0]
    result = site.web.reading.closed(row["match"], row["position"])
    assert result is not None
    entries = unpack_journal(stage.archive.replay(result.result.archive).journal)
    planned = read_record(entries)
    assert set(viewers(2)) == {"public", "all", "0", "1"}
    for name, viewer in viewers(2).items():
        course = Course(planned, viewer)
        course.add(entries)
        answer = await site.get(f"{path}&viewer={name}")
        told = answer.json()
        bots = [{"bot": seat["bot"]} for seat in row["seats"]]
        assert told == json.loads(json.dumps({**course.part(), "seats": bots, **OVER}))
        assert planned.seed not in answer.text
        assert answer.headers["content-encoding"] == "gzip"
        again = await site.get(
            f"{path}&viewer={name}", 304, headers={"if-none-match": answer.headers["etag"]}
        )
        assert again.content == b""


async def test_a_course_comes_in_parts_too(played: tuple[Stage, Site]) -> None:
    path, _ = await a_match(played[1])
    for viewer in viewers(2):
        whole = await played[1].json(f"{path}&viewer={viewer}")
        first = await played[1].json(f"{path}&viewer={viewer}&most=5")
        rest = await played[1].json(f"{path}&viewer={viewer}&after=5")
        assert len(first["steps"]) == 5
        assert (first["over"], rest["over"], whole["over"]) == (False, True, True)
        for name in ("steps", "events", "texts", "words"):
            assert first[name] + rest[name] == whole[name], (viewer, name)
        assert (first["begin"], rest["begin"]) == (whole["begin"], None)
        assert rest["end"] == whole["end"] is not None
        after = await played[1].json(f"{path}&viewer={viewer}&after=3&most=4")
        assert after["steps"] == whole["steps"][3:7]


@pytest.mark.parametrize("at", [1, 2, 999_999])
async def test_a_wrong_place_finds_the_match_all_the_same(
    played: tuple[Stage, Site], at: int
) -> None:
    path, page = await a_match(played[1])
    elsewhere = f"{path.partition('?')[0]}?at={at}"
    for viewer in viewers(2):
        told = await played[1].json(f"{elsewhere}&viewer={viewer}")
        assert told == await played[1].json(f"{path}&viewer={viewer}")
    await played[1].get(f"{page.partition('?')[0]}?at={at}")


@pytest.mark.parametrize(
    ("more", "status", "says"),
    [
        ("&viewer=2", 400, "it is one of public, all, 0, 1"),
        ("&viewer=nobody", 400, "it is one of"),
        ("&after=-1", 400, "after"),
    ],
)
async def test_a_wrong_viewer_is_named(
    played: tuple[Stage, Site], more: str, status: int, says: str
) -> None:
    path, _ = await a_match(played[1])
    problem = await played[1].json(path + more, status=status)
    assert says in problem["detail"]


async def test_an_unknown_match_is_not_there(site: Site) -> None:
    assert "no match 'x'" in (await site.json("/api/v1/matches/x/course", status=404))["detail"]
    await site.get("/matches/x/watch", 404)


async def test_the_page_names_what_it_loads(played: tuple[Stage, Site]) -> None:
    _, path = await a_match(played[1])
    answer = await played[1].get(path)
    page = markup(answer.text, path)
    assert page.tags["script"] == 1
    assert 'data-viewers="all 0 1 public"' in answer.text
    assert "/static/drawings/skirmish.js?v=" in answer.text
    assert "data-live" not in answer.text


async def test_the_modules_are_served(site: Site) -> None:
    for name in ("viewer.js", "course.js", "dom.js", "drawings/_plain.js", "drawings/skirmish.js"):
        answer = await site.get(f"/static/{name}")
        assert answer.headers["content-type"].startswith("text/javascript"), name


def test_each_game_has_a_drawing_and_no_drawing_is_without_a_game() -> None:
    drawn = {Path(str(each)).stem for each in (STATIC / "drawings").iterdir()}
    assert drawn == {*games.names(), "_plain"}


async def test_components_are_those_the_game_ships_with(site: Site) -> None:
    told = await site.json("/api/v1/games/stalingrad/components")
    assert {"locations", "forces", "cards"} <= told.keys()
    assert await site.json("/api/v1/games/skirmish/components") == {}
    problem = await site.json("/api/v1/games/chess/components", status=404)
    assert "no game 'chess'" in problem["detail"]


async def test_a_closed_match_on_an_open_deal_is_withheld(
    played: tuple[Stage, Site], monkeypatch: pytest.MonkeyPatch
) -> None:
    stage, site = played
    row = (await site.json("/api/v1/matches"))["items"][0]
    closed = site.web.reading.closed(row["match"], row["position"])
    assert closed is not None
    hidden = stage.archive.put_replay("m1", random_journal(record("m1", reveal=False)))
    shown = closed._replace(result=replace(closed.result, archive=hidden))
    monkeypatch.setattr(site.web.reading, "closed", lambda match, position: shown)
    for viewer in viewers(2):
        for after in (0, 3):
            path = f"/api/v1/matches/m1/course?viewer={viewer}&after={after}"
            problem = await site.json(path, status=404)
            assert "another match on the same deal" in problem["detail"]


async def test_a_running_match_is_shown_to_the_public_alone(
    site: Site, connection: redis.Redis, keys: Keys
) -> None:
    planned = record("live", bots=("needle-one", "needle-two"), pace=Pace(watch_delay_ms=0))
    plan(connection, keys, planned)
    journal = random_journal(planned)
    connection.rpush(keys.journal("live"), *journal[:12])
    connection.hset(keys.match("live"), mapping={"moved_ms": 1, "status": "playing"})
    page = await site.get("/matches/live/watch")
    assert 'data-viewers="public"' in page.text
    assert "needle" not in page.text
    told = await site.get("/api/v1/matches/live/course")
    course = Course(planned, PUBLIC)
    course.add(unpack_journal(journal[:12]))
    assert told.json()["steps"] == json.loads(json.dumps(course.steps))
    assert "needle" not in told.text
    assert told.json()["over"] is False
    for viewer in ("0", "1", "all"):
        problem = await site.json(f"/api/v1/matches/live/course?viewer={viewer}", status=400)
        assert "`public` alone" in problem["detail"]


PAGES = "/matches/{}", "/matches/{}/watch"


async def test_every_state_of_a_match_has_its_page_at_once(
    site: Site, connection: redis.Redis, keys: Keys
) -> None:
    """Nothing waits between the answers: none may be of the state before."""

    async def shown() -> tuple[str, str]:
        page, watched = [(await site.get(path.format("m1"))).text for path in PAGES]
        return page, watched

    planned = record("m1", pace=Pace(watch_delay_ms=0))
    plan(connection, keys, planned)
    course = "/api/v1/matches/m1/course"
    page, watched = await shown()
    assert "waits for a referee" in page
    assert 'data-live="true"' in watched
    told = await site.json(course, status=404)
    assert told["detail"] == "match m1 waits for a referee"
    told = await site.json("/api/v1/matches/m1/ledger", status=404)
    assert "under way (waits for a referee)" in told["detail"]

    journal = random_journal(planned)
    connection.hset(keys.match("m1"), mapping={"moved_ms": 1, "status": "playing"})
    connection.rpush(keys.journal("m1"), *journal[:-1])
    page, watched = await shown()
    assert "in play" in page
    assert 'data-live="true"' in watched
    assert (await site.json(course))["end"] is None

    connection.rpush(keys.journal("m1"), journal[-1])
    connection.hset(keys.match("m1"), mapping={"status": "ended", "ended_ms": 1})
    page, watched = await shown()
    assert "about to be closed" in page
    assert 'data-live="true"' in watched
    assert "about to be closed" in (await site.get("/matches/m1/replay", 404)).text
    told = await site.json(f"{course}?after=1")  # another part than before: what is kept is shared
    assert (told["over"], bool(told["end"])) == (False, True)

    assert Closer(connection, keys, site.web.reading.archive).close(["m1"])
    page, watched = await shown()
    assert 'id="live" data' not in page, "it stays as it is"
    assert "Why it ended so" in page
    assert 'data-viewers="all 0 1 public"' in watched
    assert "data-live" not in watched
    assert (await site.json(f"{course}?after=1"))["over"] is True
    assert (await site.json("/api/v1/matches/m1"))["underway"] is None
    await site.get("/matches/m1/replay")


async def test_a_match_that_closes_between_two_looks_is_found(
    played: tuple[Stage, Site], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, site = played
    name = (await site.json("/api/v1/matches"))["items"][1]["match"]
    find, looks = site.web.reading.closed, []

    def closed(match: str, position: int = 0) -> Row | None:
        looks.append(match)
        return None if len(looks) % 3 == 1 else find(match, position)

    monkeypatch.setattr(site.web.reading, "closed", closed)
    for path in (*PAGES, "/matches/{}/replay", "/api/v1/matches/{}", "/api/v1/matches/{}/course"):
        looks.clear()
        await site.get(path.format(name))
        assert len(looks) >= 2, path


async def test_a_list_is_as_new_as_the_news_that_it_is_asked_for(
    site: Site, connection: redis.Redis, keys: Keys
) -> None:
    plan(connection, keys, record("m1"))
    assert "m1" in (await site.get("/matches")).text
    plan(connection, keys, record("m2"))
    assert "m2" not in (await site.get("/matches")).text, "kept for a moment"
    assert "m2" in (await site.get("/matches", headers={"cache-control": "no-cache"})).text
