"""
Bots that misbehave: every kind, in every phase of a match, in either seat, against one referee.

`helpers/naughty` has the kinds, the phases and the verdicts. All cells are played once, many at a
time; the tests look at what was found.
"""

import asyncio
import statistics
from collections.abc import Iterator
from typing import NamedTuple

import grpc
import psutil
import pytest
import redis as plain

from referee.match.journal import Ending
from referee.store.keys import Keys
from tests.helpers.naughty import matrix as naughty
from tests.helpers.naughty.kinds import KINDS
from tests.helpers.naughty.matrix import Cell, Matrix, cells
from tests.helpers.naughty.phases import Phase
from tests.helpers.naughty.verdicts import EXCEPTIONS, VERDICTS, Verdict
from tests.helpers.redis_server import redis_server
from tests.helpers.referee_process import SECRET, RefereeProcess
from warladder.v1 import internal_pb2, internal_pb2_grpc

MOST_MEMORY = 64 << 20
"""The referee may need so many bytes more after some eight hundred matches: it keeps their ends."""
USUAL_MS = 50
"""Half of all answers of honest bots cost less, whatever goes on around them."""

pytestmark = [
    pytest.mark.timeout(300),  # the first test waits for the whole matrix
    pytest.mark.xdist_group("naughty"),  # which is played once, by one worker
]


class Outcome(NamedTuple):
    """The matrix, and the referee afterwards."""

    matrix: Matrix
    referee: RefereeProcess
    redis: plain.Redis
    grown: int
    """Bytes of memory."""


@pytest.fixture(scope="module")
def outcome() -> Iterator[Outcome]:
    with redis_server() as store, plain.Redis.from_url(store.url, socket_timeout=60) as redis:
        referee = RefereeProcess(store.folder, store, WARLADDER_REFEREE_ROOM="1000").serving()
        try:
            assert referee.process is not None
            process = psutil.Process(referee.process.pid)
            before = process.memory_info().rss
            matrix = Matrix(referee, redis)
            asyncio.run(matrix.run(cells()))
            yield Outcome(matrix, referee, redis, process.memory_info().rss - before)
        finally:
            referee.stop()


def test_every_kind_has_a_verdict_for_every_phase() -> None:
    assert set(VERDICTS) == set(KINDS)
    assert len(KINDS) >= 25
    assert {kind for kind, _ in EXCEPTIONS} <= set(KINDS)
    assert len(cells()) == len(KINDS) * len(Phase) * 2
    stalingrad = [cell for cell in cells() if naughty.table(cell.phase, 0).game == "stalingrad"]
    assert 10 * len(stalingrad) >= len(cells())


@pytest.mark.parametrize("kind", KINDS)
def test_it_alone_bears_what_it_did(outcome: Outcome, kind: str) -> None:
    """In each phase and seat: its fault, its end, and nothing of it for its opponent."""
    found = {cell: each for cell, each in outcome.matrix.found.items() if cell.kind == kind}
    assert len(found) == len(Phase) * 2
    assert not all(each.notes.get("broken") for each in found.values())
    wrong = [f"{cell}: {line}" for cell, each in found.items() for line in each.problems]
    assert not wrong, "\n".join(wrong)


def test_nobody_else_is_touched(outcome: Outcome) -> None:
    """Streams of honest bots stay, their matches end by the rules, their time is their own."""
    assert outcome.matrix.untouched == []
    assert len(outcome.matrix.beside) > 10
    assert len(outcome.matrix.charges) > 5_000
    assert statistics.median(outcome.matrix.charges) < USUAL_MS


def test_no_match_stays_open(outcome: Outcome) -> None:
    keys = Keys()
    for name in (keys.planned, keys.playing):
        assert outcome.redis.zcard(name) == 0
    with grpc.insecure_channel(outcome.referee.internal) as channel:
        status = internal_pb2_grpc.InternalStub(channel).Status(
            internal_pb2.StatusRequest(), metadata=(("x-warladder-secret", SECRET),), timeout=20
        )
    assert (status.playing, status.streams, status.draining) == (0, 0, False)


def test_the_referee_has_kept_little_of_it(outcome: Outcome) -> None:
    """Nor has the store: a dozen wishes to practise at most of each bot that sent a thousand."""
    assert outcome.grown < MOST_MEMORY
    assert outcome.redis.llen(Keys().practise) <= 12 * len(Phase) * 2


def test_its_log_tells_of_no_error(outcome: Outcome) -> None:
    lines = outcome.referee.text().splitlines()
    assert len(lines) > 1_000
    odd = [line for line in lines if not line.startswith("timestamp=") or "level=error" in line]
    assert odd == []


def test_it_still_serves_and_a_wrong_verdict_is_found(
    outcome: Outcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same cells once more, one of them held against what is not so."""
    wrong = Verdict(ending=Ending.NORMAL, faults=("NOT_OFFERED",))
    monkeypatch.setitem(VERDICTS, "resigns-twice", wrong)
    again = Matrix(outcome.referee, outcome.redis, "again-")
    good, bad = Cell("second-hello", Phase.WINDOW, 0), Cell("resigns-twice", Phase.SEALED, 1)
    asyncio.run(again.run([good, bad]))
    assert again.found[good].problems == []
    assert again.untouched == []
    found = "\n".join(again.found[bad].problems)
    for part in ("told ['STALE'", "told of resigned", "ended as resigned", "'resigned')"):
        assert part in found
