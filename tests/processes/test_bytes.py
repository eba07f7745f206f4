"""All bytes that bots get from a referee of a ladder, searched for what they must not tell."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis as plain

from referee.match.journal import Choice, unpack_journal
from referee.match.record import Clocks
from referee.store.bots import token_digest
from referee.store.keys import Keys
from referee.store.lifecycle import journal_of
from tests.helpers import needles
from tests.helpers.bots import RawBot
from tests.helpers.matches import plan, record
from tests.helpers.redis_server import RedisServer, redis_server
from tests.helpers.referee_process import SECRET, RefereeProcess, attending, register
from warladder.v1 import internal_pb2 as internal
from warladder.v1 import referee_pb2 as pb

KEYS = Keys()
CLOCKS = Clocks(bank_ms=900_000_000, increment_ms=0, startup_ms=20_000, cap_ms=20_000)
"""So long a bank that what is left of it is a number of four bytes, its own for each seat."""
SEED = "5eed0f7e57ab1e5c0ffee1dea5bead5"
SALT = bytes.fromhex("a0b1c2d3e4f5061728394a5b6c7d8e9f")
NUMBER = 198_765_432
"""Of the match, counted over the ladder."""


@pytest.fixture
def store() -> Iterator[RedisServer]:
    with redis_server() as running:
        yield running


@pytest.mark.parametrize("game", ["skirmish", "stalingrad"])
async def test_nothing_a_bot_gets_tells_the_deal_the_others_or_the_ladder(
    game: str, tmp_path: Path, store: RedisServer
) -> None:
    with plain.Redis.from_url(store.url) as redis:
        tokens = register(redis, KEYS, "mine", "other", "third")
        fields: dict[str, Any] = {
            "seed": SEED,
            "salt": SALT,
            "number": NUMBER,
            "clocks": CLOCKS,
            "reveal": False,
        }
        plan(redis, KEYS, record("m1", game, bots=("mine", "other"), **fields))
        referee = RefereeProcess(tmp_path, store).serving()
        try:
            hello = {"games": [game], "version": "1"}
            async with (
                RawBot(referee.address, tokens["mine"], **hello) as mine,
                RawBot(referee.address, tokens["other"], **hello) as other,
            ):
                for bot, name in ((mine, "mine"), (other, "other")):
                    await bot.greet()
                    attending(redis, KEYS, name)
                assert await referee.open("m1") == [internal.OPENING_OPENED]
                await play_out(mine, other)
        finally:
            referee.stop()
        journal = unpack_journal(journal_of(redis, KEYS, "m1"))
    choices = [entry for entry in journal if isinstance(entry, Choice)]
    for seat, (bot, other_name) in enumerate(((mine, "other"), (other, "mine"))):
        secrets = {
            "the seed": needles.forms(SEED.encode()),
            "the salt": needles.forms(SALT),
            "the other's token": needles.forms(tokens[other_name].encode()),
            "a third one's token": needles.forms(tokens["third"].encode()),
            "the other's token's digest": needles.forms(token_digest(tokens[other_name]).encode()),
            "the workers' secret": needles.forms(SECRET.encode()),
            "the ladder's key": needles.forms(b"key of the tests"),
            "the store": needles.forms(store.url.encode()),
            "the match's number": needles.number(NUMBER),
        }
        own = {entry.ledger.bank_ms for entry in choices if entry.seat == seat}
        banks = {entry.ledger.bank_ms for entry in choices if entry.seat != seat} - own
        for bank in sorted(banks)[:200]:
            secrets[f"the other's bank {bank}"] = needles.number(bank)
        assert needles.found([each.SerializeToString() for each in bot.heard], secrets) == []
        assert len(bot.heard) > 6


async def play_out(mine: RawBot, other: RawBot) -> None:
    """Both take their last option until both have heard of the end."""
    over: set[RawBot] = set()

    async def one(bot: RawBot, slow: float) -> None:
        while bot not in over:
            message = await bot.read()
            assert message is not None
            kind = message.WhichOneof("message")
            if kind == "match_started":
                await bot.say(ready=pb.Ready(match=message.match_started.match))
            elif kind == "decide":
                await asyncio.sleep(slow if message.decide.decision < 4 else 0)
                await bot.answer(message.decide, len(message.decide.options) - 1)
            elif kind == "match_ended":
                over.add(bot)

    await asyncio.wait_for(asyncio.gather(one(mine, 0.013), one(other, 0.031)), 100)


def test_the_search_finds_what_is_hidden_in_a_message() -> None:
    secret = b"the seed of this match"
    told = pb.RefereeMessage(fault=pb.Fault(text=f"sorry, {secret.hex()}")).SerializeToString()
    assert needles.found([b"nothing", told], {"the seed": needles.forms(secret)}) == [
        "the seed as hex in message 1"
    ]
    for form, needle in needles.forms(secret).items():
        assert needles.found([b"x" + needle + b"y"], {"it": {form: needle}}) != []
    assert needles.found(
        [b"\x00" + (987_654_321).to_bytes(4, "big")], {"a number": needles.number(987_654_321)}
    ) == ["a number as big in message 0"]
