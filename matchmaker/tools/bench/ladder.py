"""
What the ladder's jobs cost beside raw RQ jobs that do nothing, on a real store of its own.

Matches are planned by a matchmaker, opened by jobs, played by a referee without a store (not
measured), written to the store as ended, and closed by jobs: replay, archive and result.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import redis
from prometheus_client import CollectorRegistry
from rq import Queue, SimpleWorker

from matchmaker import embedded, jobs, registry
from matchmaker.archive import Archive
from matchmaker.errors import FellShort
from matchmaker.keys import Keys
from matchmaker.ladder import LadderRules
from matchmaker.metrics import MatchmakerMetrics
from matchmaker.opening import Answer
from matchmaker.process import Matchmaker
from matchmaker.queues import CLOSE, JOBS, OPEN
from matchmaker.settings import ProcessConfig, connect
from matchmaker.supervise import Supervisor
from matchmaker.tools.bench import offered, road
from matchmaker.tools.bench.figures import Row, rounded
from matchmaker.tools.bench.processes import Helper, socket_folder
from matchmaker.tools.quiet import quiet
from referee import games as library
from referee.match.record import MatchRecord
from referee.server.limits import Limits
from referee.server.local import LocalReferee, Played
from referee.store.plainly import as_bytes
from referee.store.records import Attending, Presence, pack_presence, unpack_record
from referee.store.scripts import APPEND, packed
from referee.store.scripts import OPEN as OPEN_SCRIPT

BOTS = 8
MATCHES_A_SECOND = 12
"""So many are made for each second that a row may take; each is closed once."""
MOST_MATCHES = 128
NOTHING = "matchmaker.tools.bench.ladder.nothing"
REFEREE, TOKEN = "bench", "token"
PRESENCE_MS = 600_000


def nothing(matches: list[str]) -> None:
    """The job that costs what RQ costs."""


def measure(games: Sequence[str], seconds: float) -> list[Row]:
    """
    Rows of raw jobs, opening and closing; each row of a game is measured once.

    Rows of a whole ladder follow, and of the store alone at a fixed rate: `road` and `offered`.
    """
    count = min(MOST_MATCHES, max(BOTS, int(seconds * MATCHES_A_SECOND)))
    with quiet(), socket_folder() as folder, Supervisor() as supervisor:
        (folder / "data").mkdir()
        url = embedded.start(
            supervisor, folder / "data", folder / "redis.sock", folder / "redis.log"
        )
        with connect(url) as connection:
            raw = _raw(connection, count)
            rows = [_row("raw no-op jobs", "jobs/s", raw, None)]
            for game in games:
                rows += _Ladder(connection, url, game, folder).measure(count, raw)
    return [*rows, *road.measure(seconds), *offered.measure(seconds)]


def _row(name: str, unit: str, took: tuple[float, float], raw: tuple[float, float] | None) -> Row:
    wall, cpu = took
    return Row(
        name,
        rounded(1 / wall),
        unit,
        None if raw is None else rounded(1 / raw[0]),
        None if raw is None else rounded(wall / raw[0]),
        rounded(cpu * 1e6),
    )


def _raw(connection: redis.Redis, count: int) -> tuple[float, float]:
    queue = Queue("bench:raw", connection=connection)
    for number in (1, count):  # the first job of a process pays for what RQ loads
        for _ in range(number):
            queue.enqueue(NOTHING, ["0123456789abcdef"], result_ttl=0)
        took = _worked(connection, queue, number)
    return took


def _worked(connection: redis.Redis, queue: Queue, count: int) -> tuple[float, float]:
    """Let a stock worker empty a queue; seconds and CPU seconds for one of `count`."""
    worker = SimpleWorker([queue], connection=connection, log_job_description=False)
    wall, cpu = time.perf_counter(), time.process_time()
    worker.work(burst=True, logging_level="ERROR")
    return (time.perf_counter() - wall) / count, (time.process_time() - cpu) / count


class _Ladder:
    """One game's ladder in a namespace of its own."""

    def __init__(self, connection: redis.Redis, url: str, game: str, folder: Path) -> None:
        self.redis = connection
        self.game = game
        self.folder = folder
        self.keys = Keys(f"bench-{game}")
        self.archive = Archive(folder / "archive")
        self.records: dict[str, MatchRecord] = {}
        """Opened matches."""
        self.epochs: dict[str, int] = {}
        rules = LadderRules(game=game, patience_ms=0)
        config = ProcessConfig(
            redis_url=url,
            namespace=self.keys.namespace,
            archive=folder / "archive",
            metrics_port=None,
            ladders=(rules,),
        )
        self.matchmaker = Matchmaker(connection, config, MatchmakerMetrics(CollectorRegistry()))

    def measure(self, count: int, raw: tuple[float, float]) -> list[Row]:
        wall, cpu = time.perf_counter(), time.process_time()
        planned = self.plan(count)
        plan = (time.perf_counter() - wall) / planned, (time.process_time() - cpu) / planned
        jobs.use(jobs.Tools(self.redis, self.keys, self.archive, channels=self))
        try:
            open_ = self.work(OPEN, self.planned())
            played = asyncio.run(self.play())
            self.write(played)
            close = self.work(CLOSE, [each.record.match for each in played])
        finally:
            jobs.use(None)
        left = self.redis.zcard(self.keys.open)
        if left:
            raise FellShort(f"bench: {left} of {count} matches were not closed")
        return [
            _row(f"{self.game} planned", "matches/s", plan, None),
            _row(f"{self.game} open_match", "matches/s", open_, raw),
            _row(f"{self.game} close_match", "matches/s", close, raw),
        ]

    def plan(self, count: int) -> int:
        """Let bots attend and a matchmaker plan; how many matches it planned."""
        attending = {}
        for k in range(BOTS):
            bot = f"bot-{k}"
            registry.admit(self.redis, bot, f"author-{k}", namespace=self.keys.namespace)
            attending[bot] = (Attending("", "1", (self.game,), -(-2 * count // BOTS)),)
        facts = library.get(self.game).facts
        presence = Presence(
            name=REFEREE, address="unix:bench", internal="unix:bench-internal",
            games={self.game: facts.rules}, cards={self.game: facts.cards}, room=count,
            attending=attending,
        )  # fmt: skip
        self.redis.set(self.keys.referee(REFEREE), pack_presence(presence), px=PRESENCE_MS)
        self.redis.sadd(self.keys.referees, REFEREE)
        before = -1
        while before < self.redis.zcard(self.keys.open) < count:
            before = self.redis.zcard(self.keys.open)
            self.matchmaker.round()
        for queue in self.matchmaker.queues.queues.values():
            self.redis.delete(queue.key)  # the bench queues its own jobs, one match each
        return int(self.redis.zcard(self.keys.open))

    def planned(self) -> list[str]:
        return [name.decode() for name in as_bytes(self.redis.zrange(self.keys.open, 0, -1))]

    def work(self, name: str, matches: Sequence[str]) -> tuple[float, float]:
        queue = self.matchmaker.queues.queues[name]
        for match in matches:
            queue.enqueue(JOBS[name], [match], result_ttl=0)
        return _worked(self.redis, queue, len(matches))

    def hand(self, referee: Presence, matches: Sequence[str]) -> list[Answer]:
        """What the referee's store does when it is handed matches, without the call."""
        for match in matches:
            opened = self.redis.eval(OPEN_SCRIPT, 0, self.keys.prefix, match, REFEREE, TOKEN)
            self.epochs[match] = opened[1]
            self.records[match] = unpack_record(opened[2])
        return [Answer.OPENED] * len(matches)

    async def play(self) -> list[Played]:
        """Play what was opened, all at once."""
        bots = sorted({seat.bot for record in self.records.values() for seat in record.seats})
        limits = Limits(silence_seconds=0.0)
        address = f"unix:{self.folder}/{self.game}.sock"
        async with LocalReferee(address, {}, limits=limits) as referee:
            tokens = [referee.token(bot) for bot in bots]
            loop = asyncio.get_running_loop()
            with ExitStack() as stack:
                clients = Helper("bots", "attend", address, self.game, *tokens)
                stack.enter_context(clients)
                if missing := await referee.attended(bots):
                    raise FellShort(f"bench: {len(missing)} bots did not attend")
                ends = [referee.begin(record) for record in self.records.values()]
                played = list(await asyncio.gather(*ends))
                await loop.run_in_executor(None, stack.close)
        return played

    def write(self, played: Sequence[Played]) -> None:
        """Put the journals into the store as a referee does."""
        for each in played:
            match = each.record.match
            parts = [(match, self.epochs[match], TOKEN, 0, each.journal, each.ending)]
            answers: Any = self.redis.eval(APPEND, 0, self.keys.prefix, REFEREE, packed(parts))
            if answers[0] != len(each.journal):
                raise FellShort(f"bench: the journal of {match} was refused: {answers[0]}")
