"""
Milliseconds of the web process's CPU for one leaderboard: 1,000,000 results, 500 bots.

Asked as browsers do, of a real process, while new tables are published all the time. Besides, the
hundredth worst answer takes at most five times that of a static file, asked in turn in one run.
"""

import http.client
import json
import random
import threading
import time
from statistics import quantiles
from typing import Any

import psutil
import redis

from matchmaker.chronicle import Point
from matchmaker.entries import Seated, Standing
from matchmaker.fold import Fold, GameFold
from matchmaker.keys import Keys
from matchmaker.ratings import Rating
from matchmaker.standings import Player
from matchmaker.table import render, stored
from matchmaker.tally import Scored
from tests.bars import Measured
from tests.bars._web import web
from tests.helpers.redis_server import redis_server

AT_MOST_MS = 2.0
AT_MOST_RATIO = 5.0
BOTS = 500
RESULTS, SMALL_RESULTS = 1_000_000, 20_000
ASKED, SMALL_ASKED = 4_000, 1_500
"""Requests of each kind."""
BLOCK = 50
"""Requests of one kind in a row."""
PUBLISH_SECONDS, SMALL_PUBLISH_SECONDS = 2.0, 1.0
"""
Between two tables. A leader of 500 bots publishes each 7 s (README, Table). A short run must not
publish more often for so many requests than a long one: a new table slows a few of them, and were
they a hundredth, the hundredth worst would tell of nothing else.
"""
GAME = "skirmish"
PACKED = {"Accept-Encoding": "gzip"}


def measure(small: bool) -> Measured:
    results, asked = (SMALL_RESULTS, SMALL_ASKED) if small else (RESULTS, ASKED)
    table = table_of(results)
    with redis_server() as store, redis.Redis.from_url(store.url) as client:
        keys = Keys("web")
        publish(client, keys, table)
        courses(client, keys, table)
        with web(store.url, keys, store.folder) as (port, process):
            every = SMALL_PUBLISH_SECONDS if small else PUBLISH_SECONDS
            publishing = Publishing(store.url, keys, table, every)
            publishing.start()
            try:
                found = ask_in_turn(port, process, asked)
            finally:
                publishing.stop()
    page, static = found["page"], found["static"]
    ratio = page.p99_ms / static.p99_ms
    ok = page.cpu_ms <= AT_MOST_MS and ratio <= AT_MOST_RATIO and publishing.published > 0
    notes = (
        f"p99 {page.p99_ms:.1f} ms, a static file's {static.p99_ms:.1f} ms: {ratio:.2f} times"
        f" (at most {AT_MOST_RATIO:g}); static CPU {static.cpu_ms:.2f} ms;"
        f" {page.size} bytes packed; {publishing.published} tables published meanwhile"
    )
    return Measured(value=round(page.cpu_ms, 3), limit=AT_MOST_MS, ok=ok, notes=notes)


class Kind:
    """Requests of one kind."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.cpu = 0.0
        self.took: list[float] = []
        self.size = 0

    @property
    def cpu_ms(self) -> float:
        return self.cpu * 1000 / len(self.took)

    @property
    def p99_ms(self) -> float:
        return quantiles(self.took, n=100)[98] * 1000


def ask_in_turn(port: int, process: psutil.Process, asked: int) -> dict[str, Kind]:
    """Ask for both, a few in a row of each, on one connection."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    kinds = {"page": Kind(f"/games/{GAME}"), "static": Kind("/static/style.css")}
    for kind in kinds.values():
        ask(connection, kind.path)  # what is made once
    for _ in range(asked // BLOCK):
        for kind in kinds.values():
            before = cpu(process)
            for _ in range(BLOCK):
                began = time.perf_counter()
                kind.size = ask(connection, kind.path)
                kind.took.append(time.perf_counter() - began)
            kind.cpu += cpu(process) - before
    connection.close()
    return kinds


def ask(connection: http.client.HTTPConnection, path: str) -> int:
    connection.request("GET", path, headers=PACKED)
    answer = connection.getresponse()
    body = answer.read()
    assert answer.status == 200, answer.status
    return len(body)


def cpu(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def table_of(results: int) -> dict[str, Any]:
    """The ready table of so many results. Ratings are drawn: they cost the web nothing."""
    chance = random.Random(1)
    fold, game = Fold(), GameFold()
    fold.games[GAME] = game
    players = [Seated(f"bot-{number:03}", "1") for number in range(BOTS)]
    strength = {player: chance.gauss(0, 2) for player in players}
    sides = ((0,), (1,))
    for number in range(1, results + 1):
        one, other = chance.sample(players, 2)
        won = chance.random() < 1 / (1 + 2.718 ** (strength[other] - strength[one]))
        ranks = (1, 2) if won else (2, 1)
        game.tally.add(Scored(number, f"{number:x}", (one, other), sides, ranks, ""))
    game.tally.settle(results)
    each = results * 2 // BOTS
    for player in players:
        rating = Rating(25 + 3.46 * strength[player], 1.0)
        game.settled.players[player] = Player(rating, each, each // 2, 0, each // 2)
        game.settled.current[player.bot] = "1"
        fold.authors[player.bot] = f"author-{chance.randrange(99)}"
    game._now = game.settled.copy()
    game.counts[Standing.RATED] = results
    game.endings["normal"] = results
    return render(fold, GAME, results, bytes(32))


def publish(client: redis.Redis, keys: Keys, table: dict[str, Any]) -> None:
    client.set(keys.table(GAME), stored(table))
    client.sadd(keys.tables, GAME)


def courses(client: redis.Redis, keys: Keys, table: dict[str, Any]) -> None:
    """As many points of each bot as a leader keeps."""
    with client.pipeline(transaction=False) as pipe:
        for row in table["table"]:
            points = [
                list(
                    Point(
                        n, "preseason", "1", row["rank"], row["matches"] * n // 128, row["mu"],
                        row["sigma"], row["estimate"], row["low"], row["high"],
                    )
                )
                for n in range(1, 129)
            ]  # fmt: skip
            pipe.rpush(keys.chronicle(GAME, row["bot"]), *map(json.dumps, points))
        pipe.execute()


class Publishing(threading.Thread):
    """A leader that publishes a new table again and again."""

    def __init__(self, url: str, keys: Keys, table: dict[str, Any], every: float) -> None:
        super().__init__()
        self.url = url
        self.keys = keys
        self.table = table
        self.every = every
        self.published = 0
        self._over = threading.Event()

    def run(self) -> None:
        with redis.Redis.from_url(self.url) as client:
            while not self._over.wait(self.every):
                self.published += 1
                position = self.table["position"] + self.published
                head = f"{position:064x}"
                publish(client, self.keys, {**self.table, "position": position, "head": head})

    def stop(self) -> None:
        self._over.set()
        self.join()
