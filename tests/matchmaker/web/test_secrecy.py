"""What a ladder's pages, API and events tell of a match that is not closed: nothing hidden."""

from pathlib import Path

import pytest
import redis

from matchmaker.keys import Keys
from matchmaker.queues import OPEN
from referee.match.record import MatchRecord, pack_record, unpack_record
from tests.helpers import needles
from tests.helpers.stage import Stage, played
from tests.matchmaker.web.conftest import site_of
from tests.matchmaker.web.site import Site


@pytest.fixture
def stage(connection: redis.Redis, keys: Keys, tmp_path: Path) -> Stage:
    stage = Stage(connection, keys, tmp_path, ("alpha", "bravo", "charlie"))
    stage.go(3)
    return stage


@pytest.fixture
def site(stage: Stage, connection: redis.Redis, keys: Keys, tmp_path: Path) -> Site:
    return site_of(connection, keys, tmp_path)


def records(stage: Stage) -> list[MatchRecord]:
    return [
        unpack_record(stage.redis.hget(stage.keys.match(match), "record")) for match in stage.open
    ]


def secrets_of(some: list[MatchRecord]) -> dict[str, dict[str, bytes]]:
    found = {}
    for each in some:
        found[f"the seed of {each.match}"] = needles.forms(each.seed.encode())
        found[f"the salt of {each.match}"] = needles.forms(each.salt)
    return found


async def everything(site: Site, matches: list[str]) -> list[bytes]:
    site.web.kept._kept.clear()
    paths = [
        "/", "/games/skirmish", "/bots", "/matches", "/tournaments", "/health", "/api",
        *(f"/bots/{bot}" for bot in ("alpha", "bravo", "charlie")),
        *(f"/matches/{match}" for match in matches),
    ]  # fmt: skip
    api = [
        "/games", "/games/skirmish/leaderboard", "/bots", "/matches", "/matches/underway",
        "/tournaments", "/health",
        *(f"/bots/{bot}" for bot in ("alpha", "bravo", "charlie")),
        *(f"/matches/{match}" for match in matches),
    ]  # fmt: skip
    told = [(await site.get(path)).content for path in paths]
    told += [(await site.get(f"/api/v1{path}")).content for path in api]
    return told + site.web.live._now("") + [event for _, event in site.web.live._news()]


async def test_a_match_under_way_tells_neither_its_deal_nor_who_plays(
    stage: Stage, site: Site
) -> None:
    stage.matchmaker.round()
    stage.work(OPEN)
    some = records(stage)
    assert some
    names = [each.match for each in some]
    assert needles.found(await everything(site, names), secrets_of(some)) == []
    for name in names:
        for path in (f"/matches/{name}", f"/api/v1/matches/{name}"):
            text = (await site.get(path)).text
            assert name in text
            assert not [bot for bot in ("alpha", "bravo", "charlie") if bot in text]
        await site.get(f"/matches/{name}/replay", 404)
        await site.get(f"/matches/{name}/ledger", 404)
    for bot in ("alpha", "bravo", "charlie"):
        for path in (f"/bots/{bot}", f"/api/v1/bots/{bot}"):
            text = (await site.get(path)).text
            assert not [name for name in names if name in text], "it names no open match"
    stage.go(3)
    told = await everything(site, names)
    assert needles.found(told, secrets_of(some)) != [], "closed, its page tells the deal"


async def test_a_deal_that_is_still_to_be_played_is_not_told_with_the_first_match_on_it(
    connection: redis.Redis, keys: Keys, tmp_path: Path
) -> None:
    def on_a_shared_deal(record: MatchRecord) -> list[bytes]:
        return played(record)

    stage = Stage(connection, keys, tmp_path, ("alpha", "bravo"), play=on_a_shared_deal)
    stage.matchmaker.round()
    [match] = stage.open
    key = stage.keys.match(match)
    record = unpack_record(stage.redis.hget(key, "record"))
    shared = MatchRecord(**{**vars(record), "reveal": False})
    stage.redis.hset(key, "record", pack_record(shared))
    stage.work()
    stage.matchmaker.round()
    stage.work()
    site = site_of(connection, keys, tmp_path)
    shown = await site.json(f"/api/v1/matches/{match}")
    assert shown["result"]["ending"] == "normal"
    assert (shown["seed"], shown["salt"], shown["replay"], shown["replay_digest"]) == ("",) * 4
    assert shown["commitment"] == record.commitment.hex()
    told = [(await site.get(path)).content for path in (f"/matches/{match}", "/matches")]
    told.append((await site.get(f"/api/v1/matches/{match}/ledger")).content)
    assert needles.found(told, secrets_of([shared])) == []
    refused = await site.get(f"/matches/{match}/replay", 404)
    assert "another match on the same deal" in refused.text
