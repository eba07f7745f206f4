"""A ladder of real processes under kills, doubled jobs and a store that goes away."""

import asyncio
import re
import signal
import socket
import threading
import time
from collections.abc import Iterator

import msgpack
import pytest
import redis
from rq import Worker

from matchmaker import registry
from matchmaker.entries import Standing, Why
from matchmaker.queues import CLOSE, OPEN, Queues
from referee import games
from referee.store.plainly import as_bytes
from referee.store.records import Attending, Presence, pack_presence
from tests.helpers.bots import RawBot
from tests.helpers.ladder_processes import RANDOM, LadderProcesses, free_port, ladder_processes
from tests.helpers.processes import eventually, scrape
from warladder.v1 import referee_pb2 as pb


@pytest.fixture
def ladder() -> Iterator[LadderProcesses]:
    with ladder_processes() as processes:
        yield processes


@pytest.mark.timeout(180)
def test_kills_of_worker_and_leader_lose_nothing(ladder: LadderProcesses) -> None:
    """kill -9 of a worker and of the leading matchmaker while matches are played."""
    ladder.referee()
    ladder.worker("worker-1")
    ladder.worker("worker-2")
    ladder.matchmaker("leader", 60)
    ladder.says("leader", "term_began")
    ladder.matchmaker("spare", 60)
    ladder.bots("a", "b", "c", "d", places=2)
    ladder.rated(5)
    ladder.kill("worker-1")
    ladder.rated(10)
    ladder.worker("worker-3")
    ladder.kill("worker-2")
    ladder.rated(20)
    ladder.kill("leader")
    began = time.monotonic()
    ladder.says("spare", "term_began", 20)
    assert time.monotonic() - began < 15, "a dead leader is replaced within 15 s"
    ladder.done()
    ladder.all_is_right(60)
    assert all(each.standing is Standing.RATED for each in ladder.results())


@pytest.mark.timeout(180)
def test_a_killed_referees_matches_are_handed_to_the_next(ladder: LadderProcesses) -> None:
    """The sweeper finds them ownerless within 15 s; they go on where they stood and are rated."""
    ladder.referee()
    ladder.worker()
    ladder.matchmaker("leader", 40)
    ladder.bots("a", "b", "c", "d", places=2)
    ladder.rated(8)
    eventually(lambda: ladder.redis.zcard(ladder.keys.playing), 10)
    ladder.kill("r1")
    playing = [name.decode() for name in as_bytes(ladder.redis.zrange(ladder.keys.playing, 0, -1))]
    began = time.monotonic()
    ladder.referee("r2")
    if playing:
        ladder.says("leader", "rule=ownerless", 20)
        assert time.monotonic() - began < 15
    ladder.done(120)
    ladder.all_is_right(40)
    results = {each.match: each for each in ladder.results()}
    assert all(results[match].standing is Standing.RATED for match in playing)


@pytest.mark.timeout(120)
def test_every_job_delivered_twice_gives_one_result_each(ladder: LadderProcesses) -> None:
    """A second delivery of each job, at once and to another worker."""
    ladder.referee()
    ladder.worker("worker-1")
    ladder.worker("worker-2")
    ladder.matchmaker("leader", 40)
    over = threading.Event()
    doubled = {OPEN: 0, CLOSE: 0}

    def double() -> None:
        """What is planned is opened again, what has ended closed again, as fast as we can look."""
        with redis.Redis.from_url(ladder.store.url) as connection:
            queues = Queues(connection, ladder.keys)
            seen: set[tuple[str, bytes]] = set()
            while not over.is_set():
                for name, key in (
                    (OPEN, ladder.keys.planned), (OPEN, ladder.keys.playing),
                    (CLOSE, ladder.keys.ended),
                ):  # fmt: skip
                    for match in as_bytes(connection.zrange(key, 0, -1)):
                        if (key, match) not in seen:
                            seen.add((key, match))
                            queues.put(name, [match.decode()])
                            doubled[name] += 1

    second = threading.Thread(target=double)
    second.start()
    try:
        ladder.bots("a", "b", "c", "d", places=2)
        ladder.done()
    finally:
        over.set()
        second.join()
    assert doubled[OPEN] >= 20
    assert doubled[CLOSE] >= 20
    ladder.all_is_right(40)


@pytest.mark.timeout(240)
def test_redis_away_for_thirty_seconds_loses_nothing(ladder: LadderProcesses) -> None:
    ladder.referee()
    ladder.worker("worker-1")
    ladder.matchmaker("leader", 60)
    ladder.bots("a", "b", "c", "d")
    ladder.rated(8)
    ladder.store.stop()
    time.sleep(30)  # what is tested is this length of time
    ladder.store.start()
    # A worker that was in mid-job has left, as it should; its parent starts it again.
    if ladder.running["worker-1"].poll() is not None:
        ladder.worker("worker-1")
    else:
        ladder.says("worker-1", "worker_started")
    ladder.says("leader", "redis_back", 30)
    assert "Traceback" not in ladder.log("worker-1").read_text()
    ladder.done(120)
    ladder.all_is_right(60)
    assert all(each.standing is Standing.RATED for each in ladder.results())


@pytest.mark.timeout(90)
async def test_a_bot_practises_with_a_house_bot_over_the_wire(ladder: LadderProcesses) -> None:
    """One unrated match in the seat it asks for, beside the rated ones."""
    await asyncio.to_thread(ladder.referee)
    ladder.worker()
    ladder.matchmaker("leader", 1)
    token = registry.add(ladder.redis, "house", "us", house=True)
    ladder.start("bot-house", str(RANDOM), WARLADDER_REFEREE=ladder.address, WARLADDER_TOKEN=token)
    guest = registry.add(ladder.redis, "guest", "ann")
    async with RawBot(ladder.address, guest, max_matches=2) as bot:
        await bot.greet()
        await bot.say(practise=pb.Practise(game="skirmish", seat=1))
        started = 0
        while not any(each.cause == "practise" for each in ladder.results()):
            message = await bot.read()
            assert message is not None
            if message.WhichOneof("message") == "match_started":
                started += 1
                told = message.match_started
                assert told.rated or told.seat == 1
                await bot.say(ready=pb.Ready(match=told.match))
            elif message.WhichOneof("message") == "decide":
                await bot.answer(message.decide, 0)
            elif message.WhichOneof("message") == "match_ended":
                await asyncio.sleep(0.5)  # until it has closed
    [result] = [each for each in ladder.results() if each.cause == "practise"]
    assert (result.standing, result.why) == (Standing.UNRATED, Why.PRACTISE)
    assert result.seats[1].bot == "guest"
    assert started >= 1


@pytest.mark.timeout(90)
def test_a_bot_that_dialled_in_while_paused_plays_when_the_pause_is_over(
    ladder: LadderProcesses,
) -> None:
    registry.add(ladder.redis, "a", "tester")
    registry.pause(ladder.redis, "a", "no_show", seconds=10)
    ladder.referee()
    ladder.worker()
    ladder.matchmaker("leader", 4)
    ladder.bots("a", "b")
    ladder.done()
    history = registry.history(ladder.redis, "a")
    assert [line["what"] for line in history if line["what"] in ("paused", "resumed")] == [
        "resumed",
        "paused",
    ]
    ladder.all_is_right(4)


@pytest.mark.timeout(60)
def test_a_worker_that_loses_redis_in_mid_job_exits_in_one_line(ladder: LadderProcesses) -> None:
    """Its job waits for a referee that never answers; meanwhile Redis goes away."""
    address = ladder.folder / "deaf.sock"
    with socket.socket(socket.AF_UNIX) as deaf:
        deaf.bind(str(address))
        deaf.listen()
        facts = games.get("skirmish").facts
        stream = Attending("", "1", ("skirmish",), 1)
        presence = Presence(
            name="deaf", address="", internal=f"unix:{address}", room=9,
            games={"skirmish": facts.rules}, attending=dict.fromkeys("ab", (stream,)),
        )  # fmt: skip
        for bot in "ab":
            registry.add(ladder.redis, bot, "tester")
        ladder.redis.set(ladder.keys.referee("deaf"), pack_presence(presence))
        ladder.redis.sadd(ladder.keys.referees, "deaf")
        ladder.worker()
        ladder.says("worker", "worker_started")
        ladder.matchmaker("leader", 5)
        eventually(lambda: ladder.redis.zcard(ladder.keys.planned), 20)
        call, _ = deaf.accept()
        with call:
            ladder.store.stop()
            assert ladder.running["worker"].wait(30) == 1
    said = ladder.log("worker").read_text()
    assert "Traceback" not in said
    assert said.count("worker_lost_redis") == 1


@pytest.mark.timeout(60)
def test_an_idle_worker_says_once_that_redis_has_gone_and_is_back(ladder: LadderProcesses) -> None:
    ladder.worker()
    eventually(lambda: [each.get_state() for each in Worker.all(ladder.redis)] == ["idle"], 20)
    ladder.store.stop()
    ladder.says("worker", "redis_away", 20)
    time.sleep(3.0)  # it tries again meanwhile
    ladder.store.start()
    said = ladder.says("worker", "redis_back", 20)
    assert (said.count("redis_away"), said.count("redis_back")) == (1, 1)
    assert "worker_lost_redis" not in said
    assert "Traceback" not in said
    assert ladder.running["worker"].poll() is None


@pytest.mark.timeout(60)
def test_processes_wait_for_redis_at_the_start_and_say_so_once(ladder: LadderProcesses) -> None:
    ladder.store.stop()
    ladder.worker()
    port = free_port()
    ladder.matchmaker("leader", 5, WARLADDER_METRICS_PORT=str(port))
    for name in ("worker", "leader"):
        [line] = ladder.says(name, "redis_away").splitlines()
        words = (
            f' level=warning event=redis_away redis={ladder.store.url} fault="Connection refused"'
        )
        assert line.endswith(words)
    # Whoever watches is told the reason, not only that nobody leads.
    shown = scrape(f"http://127.0.0.1:{port}/metrics")
    assert re.search(r"^warladder_redis_away_total [1-9]", shown, re.MULTILINE)
    ladder.store.start()
    ladder.says("worker", "worker_started")
    ladder.says("leader", "term_began")


@pytest.mark.timeout(60)
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_processes_end_in_order_when_told_to(
    ladder: LadderProcesses, number: int, code: int
) -> None:
    ladder.worker()
    ladder.matchmaker("leader", 5)
    ladder.says("worker", "worker_started")
    ladder.says("leader", "term_began")
    assert ladder.ask_to_stop("leader", number) == code
    assert ladder.ask_to_stop("worker", number) == code
    assert ladder.redis.get(ladder.keys.leader) is None, "a spare need not wait for its expiry"


@pytest.mark.timeout(60)
def test_bad_settings_are_one_line_and_exit_2(ladder: LadderProcesses) -> None:
    ladder.matchmaker("typo", 5, WARLADDER_GAMES="skirmsh")
    ladder.worker("secretless", WARLADDER_INTERNAL_SECRET="")
    port = free_port()
    ladder.worker("first", WARLADDER_METRICS_PORT=str(port))
    ladder.says("first", "worker_started")
    ladder.matchmaker("second", 5, WARLADDER_METRICS_PORT=str(port))
    ladder.redis.set(ladder.keys.fold, msgpack.packb({"schema": 99}))
    ladder.matchmaker("outdated", 5)
    assert ladder.running["outdated"].wait(20) == 2
    assert "schema 99" in ladder.log("outdated").read_text().splitlines()[-1]
    ladder.redis.config_set("requirepass", "another")
    url = ladder.store.url.replace("unix://", "unix://:hush@")
    ladder.worker("locked-out", WARLADDER_REDIS_URL=url)
    for name, expected in (
        ("typo", "skirmsh"),
        ("locked-out", "WARLADDER_REDIS_URL=unix://…@"),
        ("secretless", "WARLADDER_INTERNAL_SECRET is not set"),
        ("second", f"WARLADDER_METRICS_PORT={port}: Address already in use"),
    ):
        assert ladder.running[name].wait(20) == 2
        [line] = ladder.log(name).read_text().splitlines()
        assert expected in line
        assert "hush" not in line


@pytest.mark.timeout(120)
def test_metrics_of_a_live_ladder(ladder: LadderProcesses) -> None:
    """Ratings, endings, queues and jobs can be scraped from each process while it works."""
    leader, worker = free_port(), free_port()
    ladder.referee()
    ladder.worker("worker", WARLADDER_METRICS_PORT=str(worker))
    ladder.matchmaker("leader", 20, WARLADDER_METRICS_PORT=str(leader))
    ladder.bots("a", "b", "c")
    ladder.done()

    def shown() -> str:
        text = scrape(f"http://127.0.0.1:{leader}/metrics")
        return (
            text
            if 'warladder_ladder_results{game="skirmish",standing="rated"} 20.0' in text
            else ""
        )

    text = eventually(shown, 10)
    for line in (
        'warladder_rating_mu_points{bot="a",game="skirmish"}',
        'warladder_rating_sigma_points{bot="b",game="skirmish"}',
        'warladder_rank_places{bot="c",game="skirmish"}',
        'warladder_ladder_matches{ending="normal",game="skirmish"} 20.0',
        'warladder_queue_jobs{queue="open"} 0.0',
        "warladder_outbox_matches 0.0",
        "warladder_leading_processes 1.0",
        "process_cpu_seconds_total",
    ):
        assert line in text, line
    text = scrape(f"http://127.0.0.1:{worker}/metrics")
    for line in (
        'warladder_closed_matches_total{ending="normal",game="skirmish",standing="rated"} 20.0',
        'warladder_job_seconds_count{kind="open"}',
        "warladder_leaks_total 0.0",
        "warladder_unverified_matches_total 0.0",
        "process_resident_memory_bytes",
    ):
        assert line in text, line
