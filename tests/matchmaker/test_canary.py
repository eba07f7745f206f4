"""The canary: a leak in the rules is noticed when a match that was played with it is closed."""

from pathlib import Path

import pytest
import redis

from matchmaker import deals, jobs
from matchmaker.keys import Keys
from matchmaker.queues import OPEN
from referee.games.skirmish.game import Skirmish
from referee.games.skirmish.view import View
from tests.helpers.stage import Stage


@pytest.fixture
def stage(connection: redis.Redis, keys: Keys, tmp_path: Path) -> Stage:
    return Stage(connection, keys, tmp_path)


def leak(patch: pytest.MonkeyPatch) -> None:
    """Every view holds all hands."""
    honest = Skirmish.view

    def view(s: Skirmish, seat: int) -> View:
        all_hands = tuple(
            taken + sum(card * 31**place for place, card in enumerate(hand, 1)) % 10**6
            for taken, hand in zip(s.taken, s.hands, strict=True)
        )
        return honest(s, seat)._replace(taken=all_hands)

    patch.setattr(Skirmish, "view", view)


@pytest.fixture(autouse=True)
def the_same_deal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another deal might give the canary the hand that is there."""
    monkeypatch.setattr(deals, "fresh", lambda: deals.Deal("m1", "a deal", b"0123456789abcdef"))


def closed(stage: Stage) -> tuple[float, float, list[bytes]]:
    """Canaries and leaks counted, and cases kept, when the ladder's first match is closed."""
    stage.matchmaker.round()
    stage.work(OPEN)
    [match] = stage.open
    jobs.use(stage.tools)
    try:
        jobs.close_match([match])
    finally:
        jobs.use(None)
    metrics = stage.tools.metrics
    cases = stage.redis.lrange(stage.keys.cases, 0, -1)
    assert cases in ([], [match.encode()])
    return metrics.canaries._value.get(), metrics.leaks._value.get(), cases


def test_a_leak_is_counted_and_its_match_is_kept_as_a_case(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    leak(monkeypatch)
    canaries, leaks, cases = closed(stage)
    assert canaries > 0
    assert leaks > 0
    assert len(cases) == 1


def test_an_honest_match_is_no_case(stage: Stage) -> None:
    canaries, leaks, cases = closed(stage)
    assert canaries > 0
    assert leaks == 0
    assert cases == []
