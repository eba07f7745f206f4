"""`warladder match cancel` and `replay list` as an operator uses them, with real processes."""

import asyncio
import json
from pathlib import Path

import pytest
import redis as plain

from referee.match.journal import End, unpack_journal
from referee.match.record import Clocks
from referee.store.keys import Keys
from referee.store.lifecycle import journal_of
from tests.helpers.bots import RawBot
from tests.helpers.matches import plan, record
from tests.helpers.processes import warladder
from tests.helpers.redis_server import redis_server
from tests.helpers.referee_process import RefereeProcess, register
from tests.helpers.stage import Stage
from warladder.v1 import internal_pb2 as internal
from warladder.v1 import referee_pb2 as pb

KEYS = Keys()
CLOCKS = Clocks(startup_ms=20_000, cap_ms=60_000)


async def test_a_running_match_is_cancelled_and_both_bots_are_told() -> None:
    with redis_server() as store:
        referee = RefereeProcess(store.folder, store).serving()
        try:
            with plain.Redis.from_url(store.url) as redis:
                tokens = register(redis, KEYS, "a", "b")
                plan(redis, KEYS, record(clocks=CLOCKS))
                redis.hset(KEYS.match("m1"), "planned_ms", 1)
            async with (
                RawBot(referee.address, tokens["a"]) as a,
                RawBot(referee.address, tokens["b"]) as b,
            ):
                for bot in (a, b):
                    await bot.greet()
                assert await referee.open("m1") == [internal.OPENING_OPENED]
                for bot in (a, b):
                    await bot.expect("match_started")
                    await bot.say(ready=pb.Ready(match="m1"))
                for bot in (a, b):
                    await bot.expect("decide")
                words = ("match", "cancel", "m1", "--why", "the wrong map")
                for said in ("match m1 is cancelled\n", "match m1 was cancelled before\n"):
                    ran = await asyncio.to_thread(warladder, *words, WARLADDER_REDIS_URL=store.url)
                    assert (ran.returncode, ran.stdout, ran.stderr) == (0, said, "")
                for bot in (a, b):
                    ended = (await bot.expect("match_ended")).match_ended
                    assert ended.ending == pb.ENDING_CANCELLED
                    assert ended.text == "an operator cancelled it: the wrong map"
                    assert not ended.HasField("outcome")
            with plain.Redis.from_url(store.url) as redis:
                end = unpack_journal(journal_of(redis, KEYS, "m1"))[-1]
            assert isinstance(end, End)
            assert (end.ending, any(end.faults)) == ("cancelled", False)
        finally:
            referee.stop()


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("match", "cancel", "nemo", "--why", "x"), "there is no match 'nemo'"),
        (("match", "cancel", "nemo"), "Missing option '--why'"),
        (("replay", "list", "--bot", "nemo"), "there is no bot 'nemo'"),
        (("replay", "list", "--game", "chess"), "no game 'chess'"),
    ],
)
def test_wrong_use_is_one_line(words: tuple[str, ...], line: str) -> None:
    with redis_server() as store:
        ran = warladder(*words, WARLADDER_REDIS_URL=store.url)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert len(ran.stderr.splitlines()) == 1
    assert line in ran.stderr


def test_closed_matches_are_listed_and_their_files_can_be_read(tmp_path: Path) -> None:
    with redis_server() as store, plain.Redis.from_url(store.url) as redis:
        from matchmaker.keys import Keys as LadderKeys

        stage = Stage(redis, LadderKeys(), tmp_path, target=4)
        stage.go(12)
        where = {
            "WARLADDER_REDIS_URL": store.url,
            "WARLADDER_ARCHIVE": str(tmp_path / "archive"),
        }
        ran = warladder("replay", "list", "--last", "3", **where)
        assert ran.returncode == 0
        lines = ran.stdout.splitlines()
        assert len(lines) == 3
        shown = warladder("replay", "verify", lines[-1].split()[-1])
        assert (shown.returncode, shown.stdout.splitlines()[-1]) == (0, "right")
        found = json.loads(warladder("replay", "list", "--json", **where).stdout)
        assert (found["command"], found["ok"]) == ("replay list", True)
        numbers = [row["number"] for row in found["matches"]]
        assert numbers == sorted(numbers)
        assert [row["match"] for row in found["matches"]][-3:] == [
            line.split()[2] for line in lines
        ]
