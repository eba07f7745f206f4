"""
Attacks on a referee, each with the check that it comes to nothing and the removal of what stops it.

The threat table in the referee's README names them. Each check holds as the product is, and fails
as soon as its defence is patched away: a check that passes without it would show nothing.
"""

import asyncio
import hmac
import re
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import grpc
import pytest
import redis as plain
import structlog
from redis.asyncio import Redis

from matchmaker import registry
from referee import logs
from referee.match.record import Clocks
from referee.metrics import Metrics
from referee.server import door, hello, stream
from referee.server.config import Config
from referee.server.guests import Diallers, Guests
from referee.server.hall import Hall
from referee.server.ladder import LadderReferee
from referee.server.limits import Bucket, Limits
from referee.server.local import LocalReferee
from referee.server.stream import Stream
from tests.helpers.bots import RawBot
from tests.helpers.matches import record
from tests.helpers.redis_server import redis_server
from warladder.v1 import internal_pb2, internal_pb2_grpc
from warladder.v1 import referee_pb2 as pb

README = Path(__file__).parents[3] / "referee" / "server" / "README.md"
TOKENS = {"ta": "a", "tb": "b", "tc": "c"}
PATIENT = Clocks(startup_ms=20_000, cap_ms=60_000)
NASTY = "\x1b[2J\r\ntimestamp=1 level=error"
Patch = pytest.MonkeyPatch


class Broken(Exception):
    """The attack has worked."""


class Threat(NamedTuple):
    """An attack that comes to nothing."""

    check: Callable[[], Awaitable[None]]
    """Attacks, and raises `Broken` if it works."""
    remove: Callable[[Patch], None]
    """Takes away what stops it."""


def must(true: object, otherwise: str) -> None:
    if not true:
        raise Broken(otherwise)


@asynccontextmanager
async def playing(**limits: Any) -> AsyncIterator[tuple[LocalReferee, RawBot, RawBot, pb.Decide]]:
    """A match of a and b, and the question that a has."""
    async with (
        LocalReferee("127.0.0.1:0", TOKENS, limits=Limits(**limits)) as referee,
        RawBot(referee.address, "ta") as a,
        RawBot(referee.address, "tb") as b,
    ):
        for bot in (a, b):
            await bot.greet()
        referee.begin(record("m1", clocks=PATIENT))
        for bot in (a, b):
            await bot.expect("match_started")
            await bot.say(ready=pb.Ready(match="m1"))
        yield referee, a, b, (await a.expect("decide")).decide


async def told(bot: RawBot, code: str, most: int = 50) -> bool:
    """Whether the bot is told of this fault within so many messages."""
    for _ in range(most):
        reading = asyncio.ensure_future(bot.read())
        await asyncio.wait((reading,), timeout=2.0)
        if not reading.done():
            reading.cancel()
            return False
        message = reading.result()
        if message is None:
            return False
        if message.fault.code == pb.FaultCode.Value(f"FAULT_CODE_{code}"):
            return True
    return False


# A bot against its opponent


async def a_word_in_anothers_match() -> None:
    async with playing() as (referee, *_), RawBot(referee.address, "tc") as c:
        await c.greet()
        await c.say(resign=pb.Resign(match="m1"))
        must(await told(c, "NO_SUCH_MATCH"), "a stranger's word counts in a match")
        must(referee.hall.sessions["m1"].end is None, "a stranger has ended a match")


def any_seat_is_anybodys(patch: Patch) -> None:
    def resign(self: Stream, word: pb.Resign, now: float) -> None:
        self.hall.sessions[word.match].resign(0)

    patch.setitem(Stream._others, "resign", resign)


async def a_forged_receipt() -> None:
    """Whoever proves that it has seen more than the journal holds voids the match."""
    async with playing() as (referee, a, _, _):
        await a.close()
        for guess in (b"", bytes(8), b"forged.."):
            seen = pb.Resume(match="m1", last_event=99, receipt=guess)
            async with RawBot(referee.address, "ta", resume=[seen]) as again:
                await again.greet()
                must("m1" in referee.hall.sessions, "a match was voided by a forged receipt")
                await again.expect("decide")


def receipts_are_known(patch: Patch) -> None:
    patch.setattr(Hall, "receipt", lambda *arguments: bytes(8))


# A bot against the referee


async def a_flood_of_messages() -> None:
    async with playing() as (_, a, _, _):
        for _ in range(Limits().burst + 100):
            await a.say(pong=pb.Pong())
        must(await told(a, "TOO_FAST"), "a bot may say as much as it likes")


async def a_flood_of_bytes() -> None:
    async with playing(bytes_burst=100_000, bytes_per_second=1) as (_, a, _, _):
        for _ in range(4):
            await a.say_bytes(b"\xa2\x06\xd0\x86\x03" + bytes(50_000))  # a field to be ignored
        must(await told(a, "TOO_FAST"), "a bot may send as many bytes as it likes")


def buckets_never_empty(patch: Patch) -> None:
    patch.setattr(Bucket, "take", lambda *arguments: True)


async def faults_without_end() -> None:
    async with playing() as (_, a, b, _):
        for k in range(30):
            await a.say(ready=pb.Ready(match=f"none {k}"))
        while await a.read() is not None and a.kinds().count("fault") < 30:
            pass
        must(a.kinds().count("fault") < 30, "a bot's faults have no end")
        (end,) = await b.play()
        assert end.ending == pb.ENDING_PROTOCOL


def faults_are_not_counted(patch: Patch) -> None:
    def counted(self: Stream, code: str, text: str, now: float, match: str = "") -> None:
        self.fault(code, text, match)

    patch.setattr(Stream, "_counted", counted)


async def streams_without_number() -> None:
    limits = Limits(streams=3)
    async with LocalReferee("127.0.0.1:0", TOKENS, limits=limits) as referee:
        bots: list[RawBot] = []
        try:
            for k in range(3):
                bots.append(RawBot(referee.address, "ta", instance=str(k)))
                await bots[k].greet()
            bots.append(RawBot(referee.address, "ta", instance="3"))
            await bots[3].say(hello=bots[3].hello)
            message = await bots[3].read()
            must(message and message.HasField("goodbye"), "a bot may open any number of streams")
        finally:
            for bot in bots:
                await bot.close()


def no_bot_is_full(patch: Patch) -> None:
    patch.setattr(Guests, "full", lambda *arguments: False)


async def a_peer_that_vanished() -> None:
    limits = Limits(ping_seconds=0.1, silence_seconds=0.3)
    async with (
        LocalReferee("127.0.0.1:0", TOKENS, limits=limits) as referee,
        RawBot(referee.address, "ta") as bot,
    ):
        bot.mute = True
        await bot.greet()
        await asyncio.sleep(1.5)
        must(not referee.hall.streams, "a peer that is gone keeps its stream")


def nobody_looks(patch: Patch) -> None:
    patch.setattr(Stream, "_watch", lambda *arguments: None)


async def words_for_the_log() -> None:
    async with (
        LocalReferee("127.0.0.1:0", TOKENS) as referee,
        RawBot(referee.address, "ta", version=NASTY) as bot,
    ):
        await bot.say(hello=bot.hello)
        must(await told(bot, "BAD_HELLO"), "a bot may call itself anything")
        must(not referee.hall.streams, "a bot may call itself anything")


def any_name_will_do(patch: Patch) -> None:
    def check(said: pb.Hello, *arguments: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return tuple(said.games), ()

    assert stream.check is hello.check
    patch.setattr(stream, "check", check)


async def a_line_in_the_log() -> None:
    lines: list[str] = []
    before = structlog.get_config()
    logs.to_stderr(cache=False)
    try:
        structlog.configure(logger_factory=lambda *arguments: Lines(lines))
        structlog.get_logger("test").info("said", text=NASTY)
    finally:
        structlog.configure(**before)
    assert len(lines) == 1
    must(lines[0].isprintable(), "a text writes lines of the log")


class Lines:
    """A log that is kept."""

    def __init__(self, lines: list[str]) -> None:
        self.info = lines.append


def texts_are_logged_as_they_are(patch: Patch) -> None:
    patch.setattr(logs, "escape", lambda logger, name, event: event)


# Somebody without a token


async def a_made_up_token() -> None:
    async with LocalReferee("127.0.0.1:0", TOKENS) as referee:
        for token in ("", "wl_nobody", "TA", "tatb", "t"):
            async with RawBot(referee.address, token) as bot:
                await bot.say(hello=bot.hello)
                must(await bot.read() is None, f"{token!r} lets somebody in")
                assert (await bot.status())[0] is grpc.StatusCode.UNAUTHENTICATED


def anybody_is_a(patch: Patch) -> None:
    async def known(self: LocalReferee, token: str) -> door.Known:
        return door.Known(self.tokens.get(token, "a"), "")

    patch.setattr(LocalReferee, "_known", known)


async def strangers_keep_bots_out() -> None:
    limits = Limits(streams_per_second=1, streams_burst=20)
    async with LocalReferee("127.0.0.1:0", TOKENS, limits=limits) as referee:
        async with RawBot(referee.address, "ta") as bot:
            await bot.greet()
        for _ in range(30):
            referee.hall.diallers.admit(secrets.token_hex(8))
        async with RawBot(referee.address, "ta") as bot:
            await bot.say(hello=bot.hello)
            message = await bot.read()
            must(message and message.HasField("welcome"), "strangers have used up the door")


def all_are_strangers(patch: Patch) -> None:
    patch.setattr(Diallers, "trust", lambda *arguments: None)


async def the_internal_door_without_its_secret() -> None:
    server = door.new_server(1 << 20)
    server.add_generic_rpc_handlers((door.internal_handlers(Inside(), "the secret"),))
    address = door.listen(server, "127.0.0.1:0")
    await server.start()
    try:
        async with grpc.aio.insecure_channel(address) as channel:
            stub = internal_pb2_grpc.InternalStub(channel)
            for call, request in (
                (stub.Status, internal_pb2.StatusRequest()),
                (stub.OpenMatches, internal_pb2.OpenMatchesRequest(matches=["m1"])),
            ):
                for given in (None, "", "the secre", "the secret ", "The secret", "the secret"):
                    metadata = () if given is None else ((door.SECRET, given),)
                    made = call(request, metadata=metadata, timeout=20)
                    if await made.code() is grpc.StatusCode.OK:
                        must(given == "the secret", f"{given!r} opens the internal door")
                    else:
                        assert await made.code() is grpc.StatusCode.UNAUTHENTICATED
                        assert given != "the secret"
    finally:
        await server.stop(0)
        await door.calls_done()


class Inside:
    """What is behind the internal door: nothing."""

    async def open_matches(self, matches: Sequence[str]) -> list[int]:
        return [internal_pb2.OPENING_FULL for _ in matches]

    def status(self) -> internal_pb2.StatusResponse:
        return internal_pb2.StatusResponse()


def any_secret_will_do(patch: Patch) -> None:
    patch.setattr(hmac, "compare_digest", lambda *arguments: True)


# Somebody with a token that was taken back


async def a_token_taken_back() -> None:
    with redis_server() as store:
        url = store.url
        async with Redis.from_url(url) as redis:
            config = Config(
                redis_url=url, name="r1", listen="127.0.0.1:0", internal_listen="127.0.0.1:0",
                internal_secret="s", ladder_key=b"k",
            )  # fmt: skip
            referee = LadderReferee(config, redis, Metrics())
            server = door.new_server(1 << 20)
            handlers = door.bot_handlers(referee.hall, referee.authenticate)
            server.add_generic_rpc_handlers((handlers,))
            address = door.listen(server, config.listen)
            await server.start()
            referee.start()
            try:
                await rotate_under_a_stream(url, address)
            finally:
                await referee.leave(0)
                await server.stop(0)
                await door.calls_done()


async def rotate_under_a_stream(url: str, address: str) -> None:
    with plain.Redis.from_url(url) as connection:
        token = registry.admit(connection, "a", "ann")
        async with RawBot(address, token) as bot:
            await bot.greet()
            registry.rotate(connection, "a")
            try:
                goodbye = (await bot.expect("goodbye", 4.0)).goodbye
            except TimeoutError:
                raise Broken("a stream outlives its token") from None
            assert goodbye.reason == pb.GOODBYE_REASON_REVOKED


def streams_stay(patch: Patch) -> None:
    patch.setattr(Stream, "revoke", lambda *arguments: None)


THREATS: dict[str, Threat] = {
    check.__name__.replace("_", "-"): Threat(check, remove)
    for check, remove in (
        (a_word_in_anothers_match, any_seat_is_anybodys),
        (a_forged_receipt, receipts_are_known),
        (a_flood_of_messages, buckets_never_empty),
        (a_flood_of_bytes, buckets_never_empty),
        (faults_without_end, faults_are_not_counted),
        (streams_without_number, no_bot_is_full),
        (a_peer_that_vanished, nobody_looks),
        (words_for_the_log, any_name_will_do),
        (a_line_in_the_log, texts_are_logged_as_they_are),
        (a_made_up_token, anybody_is_a),
        (strangers_keep_bots_out, all_are_strangers),
        (the_internal_door_without_its_secret, any_secret_will_do),
        (a_token_taken_back, streams_stay),
    )
}


@pytest.mark.parametrize("threat", THREATS)
async def test_it_comes_to_nothing(threat: str) -> None:
    async with asyncio.timeout(60):
        await THREATS[threat].check()


@pytest.mark.parametrize("threat", THREATS)
async def test_without_its_defence_it_works(threat: str, monkeypatch: Patch) -> None:
    THREATS[threat].remove(monkeypatch)
    with pytest.raises(Broken):
        async with asyncio.timeout(60):
            await THREATS[threat].check()


def test_the_threat_table_names_them_all() -> None:
    table = README.read_text("utf-8").split("## Threats")[1].split("\n## ")[0]
    assert set(re.findall(r"\(`([a-z-]+)`\)", table)) == set(THREATS)
