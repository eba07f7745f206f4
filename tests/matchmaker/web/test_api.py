"""The JSON API: what OpenAPI says is what comes; tags, parts of lists, errors."""

import gzip
from typing import Any

import pytest

from matchmaker.web.problems import BadRequest
from matchmaker.web.views import cursor_of, read_cursor
from tests.helpers.stage import Stage
from tests.matchmaker.web.site import Site

Played = tuple[Stage, Site]
Schema = dict[str, Any]


def faults(value: Any, schema: Schema, parts: Schema, where: str = "$") -> list[str]:
    """Where a value is not as a schema of ours says: types, what is required, nothing besides."""
    if "$ref" in schema:
        return faults(value, parts[schema["$ref"].rpartition("/")[2]], parts, where)
    if "anyOf" in schema:
        tried = [faults(value, each, parts, where) for each in schema["anyOf"]]
        return [] if [] in tried else tried[0]
    kinds: dict[str, Any] = {
        "object": dict, "array": list, "string": str, "integer": int, "number": (int, float),
        "boolean": bool, "null": type(None),
    }  # fmt: skip
    kind = schema.get("type")
    if kind is None:
        return []
    if not isinstance(value, kinds[kind]) or (isinstance(value, bool) and kind != "boolean"):
        return [f"{where}: {value!r} is no {kind}"]
    if kind == "array":
        return [
            fault
            for number, each in enumerate(value)
            for fault in faults(each, schema["items"], parts, f"{where}[{number}]")
        ]
    if kind != "object":
        return []
    found = []
    named = schema.get("properties")
    if named is None:
        rest = schema.get("additionalProperties")
        rest = rest if isinstance(rest, dict) else {}
        named = dict.fromkeys(value, rest)
    found += [f"{where}.{name}: unexpected" for name in value if name not in named]
    found += [f"{where}.{name}: missing" for name in named if name not in value]
    for name, each in value.items():
        if name in named:
            found += faults(each, named[name], parts, f"{where}.{name}")
    return found


async def test_every_answer_is_what_openapi_says(played: Played) -> None:
    _, site = played
    document = await site.json("/api/v1/openapi.json")
    parts = document["components"]["schemas"]
    [match] = (await site.json("/api/v1/matches?limit=1"))["items"]
    values = {
        "{game}": "skirmish", "{bot}": "a", "{match}": match["match"], "{tournament}": "none",
    }  # fmt: skip
    looked = []
    for route, methods in document["paths"].items():
        if "/me" in route:
            continue
        assert set(methods) == {"get"}
        answers = methods["get"]["responses"]
        assert {"200", "304", "400", "404", "503"} <= set(answers), route
        path = route
        for name, value in values.items():
            path = path.replace(name, value)
        if path.endswith("/none"):
            schema, answer = parts["Problem"], await site.get(path, 404)
        else:
            schema = answers["200"]["content"]["application/json"]["schema"]
            answer = await site.get(path)
            assert answer.headers["content-type"] == "application/json"
        assert faults(answer.json(), schema, parts) == [], route
        looked.append(route)
    assert len(looked) == 13


def test_the_check_of_answers_finds_what_is_wrong() -> None:
    parts: Schema = {"One": {"type": "object", "properties": {"n": {"type": "integer"}}}}
    one = {"$ref": "#/components/schemas/One"}
    assert faults({"n": 1}, one, parts) == []
    assert faults({"n": "1"}, one, parts) == ["$.n: '1' is no integer"]
    assert faults({"n": True}, one, parts) == ["$.n: True is no integer"]
    assert faults({}, one, parts) == ["$.n: missing"]
    assert faults({"n": 1, "m": 2}, one, parts) == ["$.m: unexpected"]


async def test_the_leaderboard_is_the_ready_table(played: Played) -> None:
    stage, site = played
    table = stage.table()
    shown = await site.json("/api/v1/games/skirmish/leaderboard")
    assert (shown["position"], shown["head"]) == (table["position"], table["head"])
    rows = [{name: each[name] for name in each if name != "trend"} for each in shown["table"]]
    assert rows == table["table"]


async def test_what_has_not_changed_is_not_sent_again(played: Played) -> None:
    stage, site = played
    path = "/api/v1/games/skirmish/leaderboard"
    first = await site.get(path)
    tag = first.headers["etag"]
    table = stage.table()
    assert tag.startswith(f'W/"{table["position"]}-{str(table["head"])[:16]}-')
    for wanted in (tag, f'"other", {tag}', "*", tag.removeprefix("W/")):
        again = await site.get(path, 304, headers={"If-None-Match": wanted})
        assert (again.content, again.headers["etag"]) == (b"", tag)
    other = await site.get(path, headers={"If-None-Match": 'W/"another"'})
    assert other.content == first.content
    page = await site.get("/games/skirmish")
    await site.get("/games/skirmish", 304, headers={"If-None-Match": page.headers["etag"]})


async def test_answers_are_packed_for_who_can_unpack(played: Played) -> None:
    _, site = played
    plain = await site.get("/games/skirmish", headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers
    refused = await site.get("/games/skirmish", headers={"Accept-Encoding": "gzip;q=0"})
    assert "content-encoding" not in refused.headers
    packed = await site.get("/games/skirmish", headers={"Accept-Encoding": "br, gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.text == plain.text
    assert (
        int(packed.headers["content-length"])
        < len(plain.content)
        == len(gzip.decompress(gzip.compress(packed.content)))
    )
    assert packed.headers["vary"] == "Accept-Encoding"


async def test_a_list_comes_in_parts_that_make_the_whole(played: Played) -> None:
    stage, site = played
    path, seen = "/api/v1/matches?limit=5", []
    url = path
    while True:
        part = await site.json(url)
        assert len(part["items"]) <= 5
        seen += [each["number"] for each in part["items"]]
        if part["next"] is None:
            break
        url = f"{path}&cursor={part['next']}"
    assert sorted(seen) == sorted(each.number for each in stage.records.values())
    assert len(set(seen)) == len(seen)
    own = await site.json("/api/v1/matches?bot=a&limit=200")
    assert all("a" in {seat["bot"] for seat in each["seats"]} for each in own["items"])
    bots = await site.json("/api/v1/bots?limit=2")
    rest = await site.json(f"/api/v1/bots?limit=2&cursor={bots['next']}")
    assert [each["bot"] for each in bots["items"] + rest["items"]] == ["a", "b", "c"]
    assert rest["next"] is None


@pytest.mark.parametrize(
    ("path", "status", "title"),
    [
        ("/api/v1/games/chess/leaderboard", 404, "There is no such thing"),
        ("/api/v1/bots/nemo", 404, "There is no such thing"),
        ("/api/v1/matches?ending=won", 400, "A parameter is wrong"),
        ("/api/v1/matches?limit=1000", 400, "A parameter is wrong"),
        ("/api/v1/matches?cursor=%00", 400, "A parameter is wrong"),
        ("/api/v1/matches/x?at=-1", 400, "A parameter is wrong"),
        ("/api/v1/nothing", 404, "There is no such page"),
        ("/events?game=chess", 404, "There is no such thing"),
    ],
)
async def test_an_error_is_a_problem_in_words(
    played: Played, path: str, status: int, title: str
) -> None:
    _, site = played
    answer = await site.get(path, status)
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert (problem["status"], problem["title"]) == (status, title)
    assert problem["detail"]


async def test_no_other_site_may_read_the_answers(played: Played) -> None:
    _, site = played
    answer = await site.get("/api/v1/games", headers={"Origin": "https://elsewhere.example"})
    assert not [name for name in answer.headers if name.startswith("access-control")]


def test_cursors_are_read_back() -> None:
    assert [read_cursor(cursor_of(n)) for n in (1, 77, 10**12)] == [1, 77, 10**12]


@pytest.mark.parametrize("cursor", ["p1", "cDE=", "cDE!", "cMKy", " cDE", "cA"])
def test_a_cursor_is_read_only_as_it_was_written(cursor: str) -> None:
    with pytest.raises(BadRequest, match="take `next`"):
        read_cursor(cursor)


async def test_requests_are_counted_by_route_and_nothing_else(played: Played) -> None:
    _, site = played
    for path in ("/", "/bots/a", "/api/v1/bots/a", "/static/style.css"):
        await site.get(path)
    await site.get("/bots/nemo", 404)
    await site.get("/wherever", 404)

    def count(route: str, status: str) -> float:
        name = "warladder_web_requests_total"
        return site.registry.get_sample_value(name, {"route": route, "status": status}) or 0.0

    for route, status in (
        ("front", "2xx"), ("bot", "2xx"), ("bot", "4xx"), ("api_bot", "2xx"), ("static", "2xx"),
        ("none", "4xx"),
    ):  # fmt: skip
        assert count(route, status) >= 1, (route, status)
