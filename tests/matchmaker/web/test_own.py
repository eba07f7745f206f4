"""An author's own: by the bot's token in `Authorization`, and by nothing else."""

from pathlib import Path
from typing import Any

import pytest
import redis

from matchmaker import registry
from matchmaker.keys import Keys
from referee.match.journal import Choice, pack_entry, unpack_entry
from referee.match.record import MatchRecord
from tests.helpers.stage import Stage, forfeited
from tests.helpers.stage import played as play
from tests.matchmaker.web.conftest import site_of
from tests.matchmaker.web.site import Site


def noted(record: MatchRecord) -> list[bytes]:
    """A match in which every choice has a note of its bot."""
    entries = [unpack_entry(data) for data in play(record)]
    return [
        pack_entry(
            each._replace(note=f"note of {record.seats[each.seat].bot}")
            if isinstance(each, Choice)
            else each
        )
        for each in entries
    ]


class Own:
    """A ladder with one author's token."""

    def __init__(self, stage: Stage, site: Site) -> None:
        self.stage = stage
        self.site = site
        self.token = registry.rotate(stage.redis, "a", namespace=stage.keys.namespace)

    async def get(self, path: str, status: int = 200) -> Any:
        headers = {"Authorization": f"Bearer {self.token}"}
        answer = await self.site.get(path, status, headers=headers)
        assert answer.headers["cache-control"] == "no-store"
        return answer.json()


@pytest.fixture
def own(connection: redis.Redis, keys: Keys, tmp_path: Path) -> Own:
    stage = Stage(connection, keys, tmp_path, target=4, play=noted)
    stage.go(10)
    stage.settle()
    return Own(stage, site_of(connection, keys, tmp_path))


@pytest.mark.parametrize("path", ["/api/v1/me", "/api/v1/me/log", "/api/v1/me/matches/x"])
async def test_without_a_token_nothing_is_told(own: Own, path: str) -> None:
    wrong: list[dict[str, str]] = [
        {},
        {"Authorization": "Bearer wl_wrong"},
        {"Authorization": "Bearer "},
        {"Authorization": f"Basic {own.token}"},
    ]
    for headers in wrong:
        answer = await own.site.get(path, 401, headers=headers)
        assert answer.headers["www-authenticate"].startswith("Bearer")
        assert answer.headers["content-type"] == "application/problem+json"
    await own.site.get(f"{path}?token={own.token}", 401)


async def test_a_token_tells_its_own_bot_with_its_matches(own: Own) -> None:
    own.stage.matchmaker.ladder.target = None
    own.stage.matchmaker.round()
    me = await own.get("/api/v1/me")
    assert me["entry"]["bot"] == "a"
    assert {each["match"] for each in me["underway"]} == own.stage.places("a")


async def test_its_log_has_matches_and_changes_in_order(own: Own) -> None:
    registry.pause(own.stage.redis, "a", "a word for you", namespace=own.stage.keys.namespace)
    told = await own.get("/api/v1/me/log")
    assert told["bot"] == "a"
    assert [each["at_ms"] for each in told["lines"]] == sorted(e["at_ms"] for e in told["lines"])
    assert {each["what"] for each in told["lines"]} >= {"match", "added", "rotated", "paused"}
    assert any(each["text"].endswith("a word for you") for each in told["lines"])
    some = await own.get("/api/v1/me/log?matches=1")
    assert sum(each["what"] == "match" for each in some["lines"]) == 1


async def test_notes_are_told_to_their_author_and_only_his_own(own: Own) -> None:
    rows = (await own.site.json("/api/v1/matches?bot=a&limit=200"))["items"]
    told = await own.get(f"/api/v1/me/matches/{rows[0]['match']}")
    assert {each["note"] for each in told["decisions"] if each["decision"]} == {"note of a"}
    assert {each["seat"] for each in told["decisions"]} == {told["seat"]}
    assert all(each["seat"] in (None, told["seat"]) for each in told["said"])
    public = await own.site.get(f"/api/v1/matches/{rows[0]['match']}/ledger")
    assert "note of" not in public.text
    page = await own.site.get(f"/matches/{rows[0]['match']}")
    assert "note of" not in page.text


async def test_anothers_match_and_an_unknown_one_are_refused(own: Own) -> None:
    rows = (await own.site.json("/api/v1/matches?limit=200"))["items"]
    others = [each for each in rows if "a" not in {seat["bot"] for seat in each["seats"]}]
    assert others
    problem = await own.get(f"/api/v1/me/matches/{others[0]['match']}", 403)
    assert "a did not play match" in problem["detail"]
    await own.get("/api/v1/me/matches/nope", 404)


async def test_a_forfeit_is_blamed_on_its_bot(
    connection: redis.Redis, keys: Keys, tmp_path: Path
) -> None:
    stage = Stage(connection, keys, tmp_path, ("a", "b"), target=2, play=forfeited)
    stage.go(8)
    told = await Own(stage, site_of(connection, keys, tmp_path)).get("/api/v1/me/log")
    blamed = {each["blame"]: each for each in told["lines"] if each["what"] == "match"}
    assert set(blamed) == {"you", "another"}
    assert any("resigned" in line for line in blamed["you"]["details"])


async def test_a_banned_bots_token_opens_nothing(own: Own) -> None:
    namespace = own.stage.keys.namespace
    registry.ban(own.stage.redis, registry.Kind.BOT, "a", "why", namespace=namespace)
    await own.get("/api/v1/me", 401)


async def test_openapi_says_which_routes_take_a_token(own: Own) -> None:
    document = await own.site.json("/api/v1/openapi.json")
    secured = {
        path for path, methods in document["paths"].items() if "security" in methods["get"]
    }  # fmt: skip
    assert secured == {"/api/v1/me", "/api/v1/me/log", "/api/v1/me/matches/{match}"}
    assert document["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
