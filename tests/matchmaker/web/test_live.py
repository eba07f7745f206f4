"""Live news: what streams tell, how many there may be, and how they end."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import redis
from starlette.requests import ClientDisconnect
from starlette.types import Message

from matchmaker.keys import Keys
from matchmaker.web.app import Stream
from matchmaker.web.live import Listener, Live
from matchmaker.web.problems import Unavailable
from tests.helpers.results import append, result
from tests.helpers.stage import Stage
from tests.matchmaker.web.conftest import site_of
from tests.matchmaker.web.site import Site

pytestmark = pytest.mark.timeout(20)


@pytest.fixture
def stage(connection: redis.Redis, keys: Keys, tmp_path: Path) -> Stage:
    stage = Stage(connection, keys, tmp_path)
    stage.go(4)
    stage.settle()
    return stage


@pytest.fixture
async def live(
    stage: Stage, connection: redis.Redis, keys: Keys, tmp_path: Path
) -> AsyncIterator[Live]:
    live = site_of(connection, keys, tmp_path).web.live
    live.look_seconds = 0.01
    yield live
    live.close()
    while live._task is not None:
        await asyncio.sleep(0.01)


def parsed(event: bytes) -> tuple[str, int, dict[str, object]]:
    fields = dict(line.split(": ", 1) for line in event.decode().strip().split("\n"))
    return fields["event"], int(fields["id"]), json.loads(fields["data"])


async def test_who_comes_is_told_where_the_table_stands_and_then_what_is_new(
    stage: Stage, live: Live
) -> None:
    listener = live.admit("here", "skirmish")
    stream = live.stream(listener, "here")
    assert await anext(stream) == b"retry: 3000\n\n"
    name, position, data = parsed(await anext(stream))
    table = stage.table()
    assert (name, position) == ("table", table["position"])
    assert data == {"game": "skirmish", "position": position, "head": table["head"]}
    while not live._position:
        await asyncio.sleep(0.01)
    await asyncio.to_thread(stage.go, 3)
    await asyncio.to_thread(stage.settle)
    told: dict[str, dict[str, object]] = {}
    while set(told) != {"table", "matches"}:
        name, _, data = parsed(await anext(stream))
        told[name] = data
    assert told["table"]["position"] > position
    assert {seat["bot"] for each in told["matches"]["matches"] for seat in each["seats"]} <= {
        "a", "b", "c",
    }  # fmt: skip
    await stream.aclose()
    assert live._listeners == set()


async def test_a_quiet_stream_beats(live: Live) -> None:
    live.heartbeat_seconds = 0.01
    stream = live.stream(live.admit("here", ""), "here")
    assert [await anext(stream) for _ in range(4)][-2:] == [b": still here\n\n"] * 2
    await stream.aclose()


async def test_streams_are_bounded_in_all_and_for_one_address(live: Live) -> None:
    live.most, live.of_one = 3, 2
    first = live.admit("one", "")
    live.admit("one", "")
    with pytest.raises(Unavailable, match="too many live streams"):
        live.admit("one", "")
    live.admit("other", "")
    with pytest.raises(Unavailable):
        live.admit("third", "")
    live.leave(first, "one")
    live.leave(first, "one")
    live.admit("third", "")
    assert len(live._listeners) == 3


async def test_a_reader_that_is_too_slow_is_let_go_and_nobody_waits_for_it(live: Live) -> None:
    slow = live.admit("slow", "")
    stream = live.stream(slow, "slow")
    for _ in range(2):
        await anext(stream)
    for number in range(100):
        live._tell("skirmish", f"{number}".encode())
    assert slow.events.qsize() <= slow.events.maxsize
    with pytest.raises(StopAsyncIteration):
        while True:
            await anext(stream)
    assert live._listeners == set()


async def test_only_the_game_that_is_listened_to_is_told(live: Live) -> None:
    chess, all_ = Listener("chess"), Listener("")
    live._listeners |= {chess, all_}
    live._tell("skirmish", b"news")
    assert (chess.events.qsize(), all_.events.qsize()) == (0, 1)


async def test_streams_end_when_the_process_is_told_to_stop(live: Live) -> None:
    stream = live.stream(live.admit("here", ""), "here")
    await anext(stream)
    live.close()
    with pytest.raises(StopAsyncIteration):
        while True:
            await anext(stream)
    with pytest.raises(Unavailable):
        live.admit("here", "")


async def test_a_log_that_went_back_is_no_news_and_no_fault(
    stage: Stage, live: Live, keys: Keys
) -> None:
    live._news()
    append(stage.redis, keys, result(900))
    assert [json.loads(e.split(b"data: ")[1])["matches"] for _, e in live._news()] != []
    stage.redis.set(keys.log_position, 1)
    assert live._news() == []


async def test_while_the_store_is_away_streams_stay(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = live.stream(live.admit("here", ""), "here")
    for _ in range(2):
        await anext(stream)

    def away(*arguments: object) -> None:
        raise redis.ConnectionError("gone")

    with monkeypatch.context() as patch:
        patch.setattr(live.reading, "games", away)
        await asyncio.sleep(0.05)
    live.heartbeat_seconds = 0.05
    assert live._listeners
    await stream.aclose()


async def test_a_reader_that_leaves_before_the_first_word_leaves_its_place(live: Live) -> None:
    listener = live.admit("here", "")
    response = Stream(live.stream(listener, "here"), lambda: live.leave(listener, "here"))

    async def gone() -> Message:
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        raise OSError("the line is cut")

    scope = {"type": "http", "asgi": {"spec_version": "2.4"}}
    with pytest.raises(ClientDisconnect):
        await response(scope, gone, send)
    assert live._listeners == set()


async def test_an_open_stream_is_an_answer_that_no_proxy_keeps(site: Site, stage: Stage) -> None:
    site.web.live.close()
    answer = await site.get("/events", 503)
    assert answer.headers["retry-after"] == "2"
    assert answer.json()["detail"].startswith("too many live streams")
    count = site.registry.get_sample_value
    assert count("warladder_web_refused_streams_total") == 1
    assert count("warladder_web_failed_requests_total") == 0
    assert count("warladder_web_redis_away_total") == 0


async def test_a_page_without_a_store_is_counted_as_such(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*arguments: object) -> None:
        raise redis.ConnectionError("gone")

    monkeypatch.setattr(site.web.reading, "at", away)
    await site.get("/events?game=skirmish", 503)
    count = site.registry.get_sample_value
    assert count("warladder_web_redis_away_total") == 1
    assert count("warladder_web_failed_requests_total") == 0
