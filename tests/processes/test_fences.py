"""Who lost a match or the lead does no harm, and what a store forgets comes back or is void."""

import asyncio
import shutil
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress

import pytest
import redis as plain

from matchmaker.entries import Standing
from referee.match.journal import End, Ending, unpack_journal
from referee.match.record import Clocks
from referee.match.replay import verify
from referee.store.keys import Keys
from referee.store.lifecycle import journal_of, standings
from tests.helpers.bots import RawBot
from tests.helpers.ladder_processes import LadderProcesses, ladder_processes
from tests.helpers.matches import plan, record
from tests.helpers.processes import eventually
from tests.helpers.redis_server import RedisServer, redis_server
from tests.helpers.referee_process import RefereeProcess, register
from warladder.v1 import internal_pb2 as internal
from warladder.v1 import referee_pb2 as pb

KEYS = Keys()
CLOCKS = Clocks(startup_ms=20_000, cap_ms=20_000)


@pytest.fixture
def store() -> Iterator[RedisServer]:
    with redis_server() as running:
        yield running


@pytest.fixture
async def referee(store: RedisServer) -> AsyncIterator[RefereeProcess]:
    running = RefereeProcess(store.folder, store).serving()
    yield running
    running.stop()


class LossyStore:
    """A store whose machine dies: what was written after `remember` is gone."""

    def __init__(self, store: RedisServer) -> None:
        self.store = store
        self.data = store.folder / "data"
        self.kept = store.folder / "kept"

    def remember(self) -> None:
        with plain.Redis.from_url(self.store.url) as redis:
            redis.set("remembered", 1)  # on a busy disk the file lags behind what was answered
            assert redis.execute_command("WAITAOF", 1, 0, 20_000)[0] == 1
        shutil.copytree(self.data, self.kept)

    def die(self) -> None:
        self.store.stop()
        shutil.rmtree(self.data)
        shutil.move(self.kept, self.data)

    def start(self) -> None:
        self.store.start()


@asynccontextmanager
async def begun(
    referee: RefereeProcess, store: RedisServer
) -> AsyncIterator[tuple[RawBot, RawBot, dict[str, str]]]:
    """A match of two bots that are asked for the first time."""
    with plain.Redis.from_url(store.url) as redis:
        tokens = register(redis, KEYS, "a", "b")
        plan(redis, KEYS, record(clocks=CLOCKS))
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
        yield a, b, tokens


class Paced:
    """Both bots of a match, reading all the time and answering as often as a test lets them."""

    def __init__(self, a: RawBot, b: RawBot) -> None:
        self.last: dict[RawBot, pb.Decide] = {}
        self._allowed = asyncio.Semaphore(0)
        self._answered = 0
        self._moved = asyncio.Condition()
        self.playing = [asyncio.ensure_future(self._play(bot)) for bot in (a, b)]

    async def _play(self, bot: RawBot) -> pb.MatchEnded:
        while True:
            message = await bot.read()
            assert message is not None, bot.kinds()
            if message.HasField("match_ended"):
                return message.match_ended
            if message.HasField("decide"):
                self.last[bot] = message.decide
                await self._allowed.acquire()
                await bot.answer(message.decide)
                async with self._moved:
                    self._answered += 1
                    self._moved.notify_all()

    async def answer(self, count: int) -> None:
        """Let so many more answers be given."""
        wanted = self._answered + count
        for _ in range(count):
            self._allowed.release()
        async with asyncio.timeout(20), self._moved:
            await self._moved.wait_for(lambda: self._answered >= wanted)

    async def stop(self) -> None:
        for each in self.playing:
            each.cancel()
        await asyncio.gather(*self.playing, return_exceptions=True)

    async def finish(self) -> list[pb.MatchEnded]:
        for _ in range(1000):
            self._allowed.release()
        return list(await asyncio.gather(*self.playing))


def journal_length(store: RedisServer) -> int:
    with plain.Redis.from_url(store.url) as redis:
        return int(redis.llen(KEYS.journal("m1")))


async def test_what_a_store_lost_is_sent_again_by_the_referee_that_lives(
    referee: RefereeProcess, store: RedisServer
) -> None:
    """Journal, status and epoch are back as if nothing had been; no bot hears of it."""
    lossy = LossyStore(store)
    async with begun(referee, store) as (a, b, _):
        bots = Paced(a, b)
        await bots.answer(2)
        lossy.remember()
        before = journal_length(store)
        await bots.answer(4)
        await asyncio.to_thread(eventually, lambda: journal_length(store) > before)
        lossy.die()
        lossy.start()
        ends = await bots.finish()
    assert [end.ending for end in ends] == [pb.ENDING_NORMAL] * 2
    with plain.Redis.from_url(store.url) as redis:
        entries = unpack_journal(journal_of(redis, KEYS, "m1"))
        found = verify(record(clocks=CLOCKS), entries, canary_every=1)
        assert (found.problems, found.leaks) == ([], [])
        assert standings(redis, KEYS, ["m1"])[0].status == "ended"


async def test_a_match_of_which_a_bot_has_seen_more_than_is_left_is_void(
    referee: RefereeProcess, store: RedisServer
) -> None:
    """Store and referee die together; the bot's receipt proves what the journal lacks."""
    lossy = LossyStore(store)
    async with begun(referee, store) as (a, b, tokens):
        bots = Paced(a, b)
        await bots.answer(2)
        lossy.remember()
        await bots.answer(6)
        await asyncio.sleep(0.5)  # for what the last answers lead to
        last = bots.last
        referee.stop(signal.SIGKILL)
        lossy.die()
        await bots.stop()
    lossy.start()
    other = RefereeProcess(store.folder, store, "r2").serving()
    try:
        async with (
            RawBot(other.address, tokens["a"], resume=[seen(last[a])]) as a2,
            RawBot(other.address, tokens["b"], resume=[seen(last[b])]) as b2,
        ):
            for bot in (a2, b2):
                await bot.greet()
            assert await other.open("m1") == [internal.OPENING_OPENED]
            for bot in (a2, b2):
                ended = (await bot.expect("match_ended")).match_ended
                assert ended.ending == pb.ENDING_REFEREE_FAULT
                assert not ended.HasField("outcome")
    finally:
        other.stop()
    with plain.Redis.from_url(store.url) as redis:
        entries = unpack_journal(journal_of(redis, KEYS, "m1"))
    end = entries[-1]
    assert isinstance(end, End)
    assert end.ending == Ending.REFEREE_FAULT
    assert "which the journal lacks" in end.text
    assert verify(record(clocks=CLOCKS), entries).problems == []


def has_grown(store: RedisServer, length: int) -> int:
    """The journal's length once it is so long; 0 before."""
    found = journal_length(store)
    return found if found >= length else 0


def seen(decide: pb.Decide) -> pb.Resume:
    return pb.Resume(match="m1", last_event=decide.last_event, receipt=decide.receipt)


async def test_a_late_reply_to_a_referee_that_lost_the_match_changes_nothing(
    referee: RefereeProcess, store: RedisServer
) -> None:
    """The old owner is asleep while the match moves on; then its bot answers an old question."""
    other = RefereeProcess(store.folder, store, "r2").serving()
    try:
        async with begun(referee, store) as (a, b, tokens):
            asked = {bot: (await bot.expect("decide")).decide for bot in (a, b)}
            referee.send(signal.SIGSTOP)
            async with (
                RawBot(other.address, tokens["a"]) as a2,
                RawBot(other.address, tokens["b"]) as b2,
            ):
                for bot in (a2, b2):
                    await bot.greet()
                assert await other.open("m1") == [internal.OPENING_OPENED]
                bots = Paced(a2, b2)
                begun_with = journal_length(store)
                await bots.answer(2)
                before = await asyncio.to_thread(
                    eventually, lambda: has_grown(store, begun_with + 2)
                )
                referee.send(signal.SIGCONT)
                for bot, decide in asked.items():
                    await bot.answer(decide, 1)
                await asyncio.to_thread(referee.wait_until, "match_fenced")
                assert journal_length(store) == before
                for bot in (a, b):  # Goodbye if it does not know that they attend the other
                    with suppress(TimeoutError):
                        async with asyncio.timeout(0.5):
                            while await bot.read():
                                pass
                    assert set(bot.kinds()) <= {
                        "welcome", "referees", "match_started", "decide", "ping", "goodbye",
                    }  # fmt: skip
                ends = await bots.finish()
        assert [end.ending for end in ends] == [pb.ENDING_NORMAL] * 2
    finally:
        other.stop()


async def test_bots_that_attend_the_old_owner_alone_are_sent_to_the_new_one(
    referee: RefereeProcess, store: RedisServer
) -> None:
    """Their line was never cut: they could not know that the match has moved."""
    other = RefereeProcess(store.folder, store, "r2").serving()
    try:
        async with begun(referee, store) as (a, b, tokens):
            asked = {bot: (await bot.expect("decide")).decide for bot in (a, b)}
            referee.send(signal.SIGSTOP)
            assert await other.open("m1") == [internal.OPENING_OPENED]
            referee.send(signal.SIGCONT)
            await a.answer(asked[a], 1)
            for bot in (a, b):
                goodbye = (await bot.expect("goodbye")).goodbye
                assert goodbye.reason == pb.GOODBYE_REASON_DRAINING
                assert 0 < goodbye.reconnect_after_ms <= 3_000
            async with (
                RawBot(other.address, tokens["a"], resume=[seen(asked[a])]) as a2,
                RawBot(other.address, tokens["b"], resume=[seen(asked[b])]) as b2,
            ):
                for bot in (a2, b2):
                    assert list((await bot.greet()).resumed) == ["m1"]
                ends = await Paced(a2, b2).finish()
        assert [end.ending for end in ends] == [pb.ENDING_NORMAL] * 2
    finally:
        other.stop()


@pytest.fixture
def ladder() -> Iterator[LadderProcesses]:
    with ladder_processes() as processes:
        yield processes


@pytest.mark.timeout(120)
def test_a_leader_that_was_asleep_finds_itself_deposed_and_plans_nothing_twice(
    ladder: LadderProcesses,
) -> None:
    ladder.referee()
    ladder.worker()
    ladder.matchmaker("leader", 40)
    ladder.says("leader", "term_began")
    ladder.matchmaker("spare", 40)
    ladder.bots("a", "b", "c", "d", places=2)
    ladder.rated(5)
    ladder.running["leader"].send_signal(signal.SIGSTOP)
    ladder.says("spare", "term_began", 20)
    ladder.rated(15)
    ladder.running["leader"].send_signal(signal.SIGCONT)
    ladder.says("leader", "term_ended", 20)
    ladder.done()
    ladder.all_is_right(40)
    assert all(each.standing is Standing.RATED for each in ladder.results())
    assert ladder.log("leader").read_text().count("term_began") == 1


@pytest.mark.timeout(180)
def test_a_ladder_whose_store_forgot_its_last_results_plays_what_they_were_of_again(
    ladder: LadderProcesses,
) -> None:
    """
    The store's machine dies after matches have closed that its disk does not know of yet.

    Their referee has forgotten them, the store says that they are being played.
    """
    lossy = LossyStore(ladder.store)
    ladder.referee()
    for number in (1, 2):
        ladder.worker(f"worker-{number}")
    clocks = "cap_ms=1000,grace_ms=1000,stall_ms=3000"
    # Enough that it plays on for as long as a disk may take to remember.
    ladder.matchmaker("leader", 80, WARLADDER_CLOCKS=clocks)
    ladder.bots("a", "b", "c", "d", places=2)
    ladder.rated(6)
    lossy.remember()
    known = {result.match for result in ladder.results()}
    eventually(lambda: len(ladder.results()) >= len(known) + 4, 30)
    lost = {result.match: result.number for result in ladder.results() if result.match not in known}
    lossy.die()
    lossy.start()
    eventually(ladder.redis.ping)
    forgotten = set(lost) - {result.match for result in ladder.results()}

    def is_done() -> bool:
        for name in ("worker-1", "worker-2"):
            if ladder.running[name].poll() is not None:  # it was in mid-job
                ladder.worker(name)
        return ladder.progress().done

    eventually(is_done, 120)
    ladder.all_is_right(80)
    assert forgotten, "the store knew all of it"
    again = {result.number for result in ladder.results()}
    assert {lost[match] for match in forgotten} <= again
