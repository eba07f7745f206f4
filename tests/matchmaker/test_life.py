"""The life of matches under every accident at once: nothing lost, nothing twice."""

from collections import Counter
from itertools import count
from pathlib import Path

import pytest
import redis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from matchmaker import registry
from matchmaker.entries import Result, Standing
from matchmaker.keys import Keys
from matchmaker.log import Log
from matchmaker.queues import CLOSE, OPEN
from matchmaker.rater import recompute
from referee.match.record import MatchRecord
from referee.store.scripts import OPEN as OPEN_SCRIPT
from tests.helpers.stage import Stage, forfeited, played, spoilt

ACCIDENTS = (
    "round", "round", "round", "open", "open", "close", "close", "twice", "lose_jobs",
    "take_and_die", "new_leader", "pause", "resume", "bot_leaves", "bots_back", "time", "publish",
)  # fmt: skip
_numbers = count()


def outcome(record: MatchRecord) -> list[bytes]:
    """Some matches are played, some given up by a bot, some spoilt by us; it stands in the seed."""
    return [played, forfeited, spoilt][int(record.seed[:2], 16) % 3](record)


class Life:
    """One ladder and what happens to it."""

    def __init__(self, connection: redis.Redis, folder: Path) -> None:
        keys = Keys(f"life{next(_numbers)}")
        self.stage = Stage(connection, keys, folder / keys.namespace, bots="abcd", play=outcome)
        self.planned: set[str] = set()

    def do(self, what: str) -> None:
        stage = self.stage
        getattr(self, what)()
        self.planned.update(stage.open)
        taken = Counter(name for bot in "abcd" for name in stage.places(bot))
        assert set(taken) == set(stage.open), "places are those of open matches, no more, no less"
        assert all(each == 2 for each in taken.values())
        assert all(len(stage.places(bot)) <= 1 for bot in "abcd")

    def round(self) -> None:
        self.stage.matchmaker.round()
        self.stage.clock.now += 0.3

    def open(self) -> None:
        self.stage.work(OPEN)

    def close(self) -> None:
        self.stage.work(CLOSE)

    def twice(self) -> None:
        """Every job is delivered a second time."""
        for name in (OPEN, CLOSE):
            for job in self.stage.queued(name):
                self.stage.matchmaker.queues.put(name, job.args[0])

    def lose_jobs(self) -> None:
        for name in (OPEN, CLOSE):
            for job in self.stage.queued(name):
                job.delete()

    def take_and_die(self) -> None:
        """A referee takes what is planned, and is never heard of again."""
        for name in self.stage.redis.zrange(self.stage.keys.planned, 0, 0):
            arguments = (self.stage.keys.prefix, name, "dead", "token")
            self.stage.redis.eval(OPEN_SCRIPT, 0, *arguments)

    def new_leader(self) -> None:
        """kill -9 of the matchmaker: its term expires, a spare takes over."""
        self.stage.redis.delete(self.stage.keys.leader)
        self.stage.matchmaker = self.stage.new_matchmaker()
        self.stage.matchmaker.round()

    def pause(self) -> None:
        registry.pause(self.stage.redis, "a", "why", namespace=self.stage.keys.namespace)

    def resume(self) -> None:
        for bot in "abcd":
            registry.resume(self.stage.redis, bot, namespace=self.stage.keys.namespace)

    def bot_leaves(self) -> None:
        self.stage.attend({b: s for b, s in self.stage.streams.items() if b != "b"})

    def bots_back(self) -> None:
        self.stage.attend()

    def time(self) -> None:
        """More than any time-out but the longest match, for matches and matchmaker alike."""
        stage = self.stage
        stage.clock.now += 30
        for match in stage.open:
            for field in ("planned_ms", "queued_ms", "moved_ms", "ended_ms", "opened_ms"):
                if stage.redis.hexists(stage.keys.match(match), field):
                    stage.redis.hincrby(stage.keys.match(match), field, -400_000)

    def publish(self) -> None:
        if self.stage.matchmaker.term.leads:
            self.stage.matchmaker.rater.publish(now=True)

    def finish(self) -> None:
        """All is well again: what was planned comes to its end."""
        self.bots_back()
        for _ in range(12):
            self.time()
            self.stage.matchmaker.round()
            self.stage.work()
            registry_ = self.stage.keys.namespace
            for bot in "abcd":  # no new matches
                registry.pause(self.stage.redis, bot, "the end", namespace=registry_)
            self.planned.update(self.stage.open)
            if not self.stage.open:
                return


@pytest.mark.properties
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(accidents=st.lists(st.sampled_from(ACCIDENTS), min_size=5, max_size=60))
def test_every_planned_match_has_one_result_whatever_happens(
    connection: redis.Redis, tmp_path: Path, accidents: list[str]
) -> None:
    life = Life(connection, tmp_path)
    for accident in accidents:
        life.do(accident)
    life.finish()
    stage = life.stage
    assert stage.open == [], "every planned match ends"
    entries = [logged.entry for logged in Log(connection, stage.keys).whole_tail()]
    results = [entry for entry in entries if isinstance(entry, Result)]
    assert Counter(each.match for each in results) == dict.fromkeys(life.planned, 1)
    assert Log(connection, stage.keys).refusals() == 0
    for each in results:
        if each.standing is Standing.VOID:
            assert not each.ranks
    stage.matchmaker.round()
    stage.matchmaker.rater.publish(now=True)
    found = recompute(connection, stage.archive, stage.keys.namespace)
    assert found.ok, found.differences
    assert found.results == len(results)
    left = {
        key.decode()
        for kind in ("match:*", "journal:*", "places:*")
        for key in connection.scan_iter(stage.keys.prefix + kind)
    }
    assert left == set(), "Redis keeps nothing of a closed match"
