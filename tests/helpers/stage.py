"""
A whole ladder in one process: real store, scripts, sessions and jobs; time and order by hand.

Only two things are missing: gRPC (a match is played here when a referee is handed it) and RQ's
worker loop (`work` runs what is queued).
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import redis
from prometheus_client import CollectorRegistry
from rq.job import Job

from matchmaker import jobs, registry, table
from matchmaker.archive import Archive
from matchmaker.keys import Keys
from matchmaker.ladder import LadderRules
from matchmaker.leader import TERM_MS
from matchmaker.metrics import MatchmakerMetrics, WorkerMetrics
from matchmaker.opening import Answer
from matchmaker.process import Matchmaker
from matchmaker.queues import CLOSE, OPEN
from matchmaker.settings import ProcessConfig
from referee import games
from referee.match.journal import End, Ending, pack_entry, unpack_entry
from referee.match.record import MatchRecord
from referee.store.presence import EXPIRES_MS
from referee.store.records import Attending, Presence, pack_presence, unpack_record
from referee.store.scripts import APPEND, packed
from referee.store.scripts import OPEN as OPEN_SCRIPT
from tests.helpers.sessions import Table

Play = Callable[[MatchRecord], Sequence[bytes]]


def played(record: MatchRecord) -> list[bytes]:
    """The journal of a match in which everybody takes the first option."""
    table_ = Table(record)
    table_.play()
    assert table_.journal.ending == Ending.NORMAL
    return list(table_.journal.entries)


def forfeited(record: MatchRecord, seat: int = 0) -> list[bytes]:
    """The journal of a match in which a seat resigns at once."""
    table_ = Table(record)
    table_.session.resign(seat)
    return list(table_.journal.entries)


def left(record: MatchRecord, seat: int) -> list[bytes]:
    """The journal of a match that a seat leaves when it begins, for longer than its grace."""
    table_ = Table(record)
    table_.session.detach(seat, table_.lines[seat])
    table_.lines[seat].question = None
    while not table_.journal.ending:
        if table_.asked:
            table_.answer(table_.asked[0])
        else:
            table_.time.pass_seconds(1.0)
    assert table_.journal.ending == Ending.DISCONNECTED
    return list(table_.journal.entries)


def spoilt(record: MatchRecord, ending: Ending = Ending.STALLED) -> list[bytes]:
    """The journal of a match that we spoilt after its first choice."""
    table_ = Table(record)
    table_.answer(table_.asked[0])
    return [*table_.journal.entries, pack_entry(End(ending=ending, text="spoilt by the test"))]


class HandClock:
    """A monotonic clock that stands still until a test moves it."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Stage:
    """One namespace with bots, a referee and a matchmaker."""

    def __init__(
        self,
        connection: redis.Redis,
        keys: Keys,
        folder: Path,
        bots: Sequence[str] = ("a", "b", "c"),
        *,
        rules: LadderRules | None = None,
        target: int | None = None,
        places: int = 1,
        play: Play = played,
    ) -> None:
        self.redis = connection
        self.keys = keys
        self.rules = rules or LadderRules(game="skirmish", patience_ms=0)
        self.archive = Archive(folder / "archive")
        self.clock = HandClock()
        self.play = play
        self.handed: list[str] = []
        """Matches that a referee was handed, in order."""
        self.records: dict[str, MatchRecord] = {}
        for bot in bots:
            registry.add(connection, bot, f"author-of-{bot}", namespace=keys.namespace)
        self.streams = {bot: (self.stream(places=places),) for bot in bots}
        self.attend()
        self.config = ProcessConfig(
            redis_url="unused",
            namespace=keys.namespace,
            archive=folder / "archive",
            metrics_port=None,
            ladders=(self.rules,),
            target=target,
        )
        self.tools = jobs.Tools(
            redis=connection,
            keys=keys,
            archive=self.archive,
            channels=self,
            metrics=WorkerMetrics(CollectorRegistry()),
        )
        self.matchmaker = self.new_matchmaker()

    def new_matchmaker(self) -> Matchmaker:
        metrics = MatchmakerMetrics(CollectorRegistry())
        made = Matchmaker(self.redis, self.config, metrics, self.clock)
        # It renews by the hand clock, the key expires by Redis's: a machine that stands still for
        # longer than a term would depose it in mid-test.
        made.term.term_ms = 60 * TERM_MS
        return made

    # Presence

    def stream(self, version: str = "1", places: int = 1, leaving: bool = False) -> Attending:
        return Attending("", version, (self.rules.game,), places, leaving)

    @staticmethod
    def stream_of(game: str) -> Attending:
        return Attending("", "1", (game,), 1)

    def attend(
        self,
        streams: Mapping[str, tuple[Attending, ...]] | None = None,
        name: str = "r1",
        room: int = 100,
        left: tuple[tuple[str, str], ...] = (),
    ) -> None:
        """Let a referee say that it is present, with these bots."""
        facts = games.get(self.rules.game).facts
        presence = Presence(
            name=name,
            address=f"unix:{name}",
            internal=f"unix:{name}-internal",
            games={self.rules.game: facts.rules},
            cards={self.rules.game: facts.cards},
            room=room,
            attending=self.streams if streams is None else streams,
            left=left,
        )
        self.redis.set(self.keys.referee(name), pack_presence(presence), px=60 * EXPIRES_MS)
        self.redis.sadd(self.keys.referees, name)

    def vanish(self, name: str = "r1") -> None:
        self.redis.delete(self.keys.referee(name))

    # A referee that plays at once

    def hand(self, referee: Presence, matches: Sequence[str]) -> list[Answer]:
        """What a referee does with matches: take the epoch, play, append, end."""
        for match in matches:
            self.handed.append(match)
            opened = self.redis.eval(OPEN_SCRIPT, 0, self.keys.prefix, match, referee.name, "token")
            if opened[0] == 0:
                continue
            record = unpack_record(opened[2])
            self.records[match] = record
            self.append(match, opened[1], self.play(record))
        return [Answer.OPENED] * len(matches)

    def append(self, match: str, epoch: int, entries: Sequence[bytes]) -> None:
        last = unpack_entry(entries[-1])
        ending = last.ending if isinstance(last, End) else ""
        blob = packed([(match, epoch, "token", 0, list(entries), ending)])
        answers = self.redis.eval(APPEND, 0, self.keys.prefix, "r1", blob)
        assert answers[0] == len(entries), answers

    # Rounds and jobs

    def queued(self, name: str) -> list[Job]:
        return list(self.matchmaker.queues.queues[name].jobs)

    def work(self, *names: str) -> int:
        """Run the jobs that wait, as a worker does; how many there were."""
        jobs.use(self.tools)
        done = 0
        try:
            for name in names or (CLOSE, OPEN):
                for job in self.queued(name):
                    job.delete()
                    done += 1
                    job.perform()
        finally:
            jobs.use(None)
        return done

    def close(self, *matches: str) -> None:
        """What the job does that closes these matches."""
        jobs.use(self.tools)
        try:
            jobs.close_match(list(matches))
        finally:
            jobs.use(None)

    def go(self, turns: int, seconds: float = 0.5) -> None:
        """Turns in which what is planned is played and what has ended is closed."""
        for _ in range(turns):
            for _ in range(2):
                assert self.matchmaker.round()
                self.work()
            self.clock.now += seconds

    def settle(self) -> None:
        """One more round, and tables up to date."""
        self.clock.now += 0.5
        self.matchmaker.round()
        self.matchmaker.rater.publish(now=True)

    # Looking

    @property
    def open(self) -> list[str]:
        return [name.decode() for name in self.redis.zrange(self.keys.open, 0, -1)]

    def places(self, bot: str) -> set[str]:
        return {name.decode() for name in self.redis.smembers(self.keys.places(bot))}

    def table(self) -> dict[str, object]:
        return table.read(self.redis, self.rules.game, self.keys.namespace)
