"""Whatever bots and authors write, pages show it as words and streams keep their lines."""

import json
from collections.abc import Iterator
from urllib.parse import quote

import pytest
import redis

from matchmaker.keys import Keys
from tests.helpers.redis_server import RedisServer
from tests.helpers.results import append, result
from tests.matchmaker.web.conftest import site_of
from tests.matchmaker.web.hostile import BOT, GAME, OTHER, TELLTALES, build, called, named
from tests.matchmaker.web.site import Site, markup

CUP = quote(called("cup"), safe="")
PAGES = (
    ("/", ("bot", "other", "author", "version")),
    (f"/games/{GAME}", ("bot", "author", "version", "ending", "season")),
    ("/bots", ("bot", "author", "version", "paused")),
    (f"/bots/{quote(BOT, safe='')}", (
        "bot", "other", "author", "version", "old", "paused", "history", "reason", "cup",
        "code", "out",
    )),
    (f"/bots/{quote(OTHER, safe='')}", ("bot", "other")),
    ("/matches", ("bot", "other", "reason", "cup", "referee")),
    (f"/matches?bot={quote(BOT)}&tournament={CUP}", ("bot",)),
    ("/matches/nasty?at=1", (
        "bot", "other", "version", "reason", "referee", "window", "code", "out", "end", "option",
        "value", "rules", "pairing",
    )),
    ("/matches/nasty/ledger?at=1", ("bot", "other")),
    ("/matches/running", ("cup",)),
    ("/tournaments", ("cup", "announced", "over", "news", "what", "text", "reason")),
    (f"/tournaments/{CUP}", (
        "cup", "bot", "other", "note", "break", "label", "gone", "summary", "winner", "reason",
    )),
    (f"/tournaments/{quote(called('round'), safe='')}", ("round", "bot", "label")),
    (f"/tournaments/{quote(called('over'), safe='')}", ("over", "bot")),
    ("/health", ("referee", "address", "rules")),
)  # fmt: skip


@pytest.fixture(scope="module")
def nasty(server: RedisServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("hostile")
    keys = Keys(f"web{folder.name}")
    with redis.Redis.from_url(server.url) as client:
        build(client, keys, folder)
        yield site_of(client, keys, folder)


@pytest.mark.parametrize(("path", "words"), PAGES)
async def test_it_is_words_on_every_page(nasty: Site, path: str, words: tuple[str, ...]) -> None:
    answer = await nasty.get(path)
    text = answer.text
    for telltale in TELLTALES:
        assert telltale not in text
    said = "".join(markup(text, path).words)
    for word in words:
        shown = named(word) in harmful(said) or called(word) in harmful(said)
        assert shown, f"{word} is not shown"


def harmful(said: str) -> str:
    """What a page says, with what it made printable as it was."""
    for letter in ("\u202e", "\u2066", "\n", "\r", "\x1b"):
        said = said.replace(letter.encode("unicode_escape").decode(), letter)
    return said


@pytest.mark.parametrize("path", ["/nope/<script>alert(1)</script>", "/bots/<script>alert(1)"])
async def test_it_is_words_in_errors_too(site: Site, path: str) -> None:
    answer = await site.get(path, 404)
    assert "<script>alert" not in answer.text


async def test_a_chart_holds_no_word_of_a_bot(nasty: Site) -> None:
    answer = await nasty.get(f"/bots/{quote(BOT, safe='')}/{GAME}/chart.svg")
    assert "alert" not in answer.text
    assert "<script" not in answer.text
    assert answer.headers["content-security-policy"].startswith("default-src 'none'; style-src")


async def test_json_gives_it_back_as_it_was_and_is_never_taken_for_a_page(nasty: Site) -> None:
    answer = await nasty.get("/api/v1/bots")
    assert answer.headers["content-type"] == "application/json"
    assert {each["bot"] for each in answer.json()["items"]} == {BOT, OTHER}
    rows = (await nasty.json(f"/api/v1/games/{GAME}/leaderboard"))["table"]
    assert [row["bot"] for row in rows] == [BOT, OTHER]


async def test_an_event_keeps_its_lines(nasty: Site) -> None:
    live = nasty.web.live
    live._news()
    reading = nasty.web.reading
    append(
        reading.ladder.redis,
        reading.keys,
        result(2, (BOT, OTHER), match="m2", reason=named("reason")),
    )
    [(game, event)] = live._news()
    lines = event.decode().split("\n")
    assert [line.partition(":")[0] for line in lines] == ["event", "id", "data", "", ""]
    assert game == GAME
    told = json.loads(lines[2].removeprefix("data: "))
    assert told["matches"][0]["seats"][0]["bot"] == BOT
    assert event.isascii()
