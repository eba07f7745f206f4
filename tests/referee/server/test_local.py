"""A match over gRPC, end to end, with a referee that needs no store."""

import asyncio
import gc
import weakref
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from referee.match.replay import verify
from referee.server.local import LocalReferee
from tests.helpers.bots import RawBot
from tests.helpers.matches import record
from warladder.v1 import referee_pb2 as pb


@pytest.fixture
async def referee(tmp_path: Path) -> AsyncIterator[LocalReferee]:
    async with LocalReferee("127.0.0.1:0", {"ta": "a", "tb": "b"}) as running:
        yield running


async def test_two_bots_play_a_match_to_its_end(referee: LocalReferee) -> None:
    async with RawBot(referee.address, "ta") as a, RawBot(referee.address, "tb") as b:
        assert (await a.greet()).bot == "a"
        assert (await b.greet()).bot == "b"
        assert await referee.attended(["a", "b"]) == []
        playing = referee.begin(record())
        ends = await asyncio.gather(a.play(), b.play())
        played = await playing
    assert played.ending == "normal"
    assert [list(end[0].outcome.ranks) for end in ends] == [list(played.ranks)] * 2
    found = verify(played.record, played.entries, canary_every=1)
    assert (found.problems, found.leaks) == ([], [])
    assert found.digest == played.digest
    assert found.decisions == played.decisions > 10
    assert pb.RefereeMessage.FromString(a.heard[-1].SerializeToString()) == a.heard[-1]


async def test_a_match_that_has_ended_is_freed_without_a_collection(referee: LocalReferee) -> None:
    async with RawBot(referee.address, "ta") as a, RawBot(referee.address, "tb") as b:
        await a.greet()
        await b.greet()
        await referee.attended(["a", "b"])
        gc.disable()
        try:
            playing = referee.begin(record())
            (session,) = map(weakref.ref, referee.hall.sessions.values())
            await asyncio.gather(a.play(), b.play())
            await playing
            assert session() is None
        finally:
            gc.enable()
