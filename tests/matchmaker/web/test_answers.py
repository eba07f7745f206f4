"""Answers that are kept: made once for all who wait, looked at when they are due, bounded."""

import asyncio
import threading

import pytest

from matchmaker.web.answers import (
    FRESH_SECONDS,
    NEVER_STALE,
    NOT_KEPT,
    STALE_SECONDS,
    Answer,
    Answers,
    accepts_gzip,
    answer,
    matches,
)
from matchmaker.web.problems import NotHere
from tests.helpers.stage import HandClock


class Source:
    """What is shown: a number that a test changes."""

    def __init__(self) -> None:
        self.now = 1
        self.made = 0
        self.looked = 0
        self.gate = threading.Event()
        self.gate.set()

    def make(self) -> Answer:
        assert self.gate.wait(10)
        self.made += 1
        return answer(f"{self.now}".encode(), "text/plain")

    def stamp(self) -> object:
        self.looked += 1
        return self.now


async def settled(kept: Answers) -> None:
    while kept._making:
        await asyncio.sleep(0.001)


async def test_many_who_ask_at_once_are_given_one_answer() -> None:
    source, kept = Source(), Answers()
    source.gate.clear()
    waiting = [asyncio.create_task(kept.get("k", source.make)) for _ in range(20)]
    await asyncio.sleep(0.01)
    source.gate.set()
    assert {given.body for given in await asyncio.gather(*waiting)} == {b"1"}
    assert source.made == 1


async def test_an_answer_is_made_anew_only_if_what_it_shows_has_changed() -> None:
    source, clock = Source(), HandClock()
    kept = Answers(clock=clock)

    async def ask() -> bytes:
        return (await kept.get("k", source.make, source.stamp)).body

    assert await ask() == b"1"
    assert await ask() == b"1"
    assert (source.made, source.looked) == (1, 1), "fresh: nobody looked"
    clock.now += STALE_SECONDS + 0.1
    assert await ask() == b"1"
    assert (source.made, source.looked) == (1, 2), "nothing had changed"
    source.now = 2
    clock.now += STALE_SECONDS + 0.1
    assert await ask() == b"2"
    assert source.made == 2


async def test_who_asks_all_the_time_never_waits() -> None:
    source, clock = Source(), HandClock()
    kept = Answers(clock=clock)
    await kept.get("k", source.make, source.stamp)
    source.now = 2
    clock.now += FRESH_SECONDS + 0.1
    source.gate.clear()
    given = await asyncio.wait_for(kept.get("k", source.make, source.stamp), 1)
    assert given.body == b"1", "the one before, while the new one is made"
    source.gate.set()
    await settled(kept)
    assert (await kept.get("k", source.make, source.stamp)).body == b"2"


async def test_who_knows_of_news_is_given_what_came_of_it() -> None:
    source, kept = Source(), Answers(clock=HandClock())
    await kept.get("k", source.make)
    source.now = 2
    assert (await kept.get("k", source.make)).body == b"1", "kept, for all others"
    assert (await kept.get("k", source.make, as_it_is=True)).body == b"2"


async def test_what_is_about_to_change_is_never_given_as_it_was() -> None:
    source, kept = Source(), Answers(clock=HandClock())

    def passing() -> Answer:
        now = source.now
        assert source.gate.wait(10)
        return answer(f"{now}".encode(), "text/plain", keep=NOT_KEPT)

    assert (await kept.get("k", passing)).body == b"1"
    source.gate.clear()
    before = asyncio.create_task(kept.get("k", passing))
    await asyncio.sleep(0.01)
    source.now = 2
    after = [asyncio.create_task(kept.get("k", passing)) for _ in range(20)]
    await asyncio.sleep(0.01)
    source.gate.set()
    assert (await before).body == b"1"
    assert {given.body for given in await asyncio.gather(*after)} == {b"2"}


async def test_what_many_follow_is_looked_at_together_and_never_stale() -> None:
    source, clock = Source(), HandClock()
    kept = Answers(clock=clock)

    def followed() -> Answer:
        source.made += 1
        return answer(f"{source.now}".encode(), "text/plain", keep=NEVER_STALE)

    await kept.get("k", followed)
    source.now = 2
    assert (await kept.get("k", followed)).body == b"1"
    assert source.made == 1, "a moment old: nobody looked"
    clock.now += FRESH_SECONDS + 0.1
    assert (await kept.get("k", followed)).body == b"2"


async def test_a_failure_is_told_to_who_waits_and_kept_for_nobody() -> None:
    source, kept = Source(), Answers()

    def fails() -> Answer:
        raise NotHere("gone")

    for _ in range(2):
        with pytest.raises(NotHere):
            await kept.get("k", fails)
    assert (await kept.get("k", source.make)).body == b"1"
    assert kept._making == {}


async def test_who_leaves_while_waiting_takes_the_answer_from_nobody() -> None:
    source, kept = Source(), Answers()
    source.gate.clear()
    leaves = asyncio.create_task(kept.get("k", source.make))
    stays = asyncio.create_task(kept.get("k", source.make))
    await asyncio.sleep(0.01)
    leaves.cancel()
    source.gate.set()
    assert (await stays).body == b"1"


async def test_memory_is_bounded_and_what_is_asked_for_stays() -> None:
    kept = Answers(most_bytes=10)

    def four() -> Answer:
        return answer(b"four", "text/plain")

    for key in "abacadae":
        await kept.get(key, four)
    assert kept.bytes <= 10
    assert list(kept._kept) == ["a", "e"]


async def test_the_number_of_answers_is_bounded_too() -> None:
    kept = Answers(most_answers=3)
    for key in range(10):
        await kept.get(key, lambda: answer(b"", "text/plain"))
    assert list(kept._kept) == [7, 8, 9]


def test_tags_are_compared_weakly() -> None:
    assert matches('W/"a", "b"', 'W/"b"')
    assert matches('"b"', 'W/"b"')
    assert matches("*", 'W/"b"')
    assert not matches('"a"', 'W/"b"')
    assert not matches("", 'W/"b"')


def test_what_a_client_can_unpack() -> None:
    assert accepts_gzip("br;q=1.0, gzip;q=0.8")
    assert accepts_gzip("*")
    assert not accepts_gzip("")
    assert not accepts_gzip("br, gzip; q=0")
