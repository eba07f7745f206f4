"""What a naughty bot says: answers, words out of place, bytes, floods."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from itertools import repeat
from typing import Any

from tests.helpers.naughty.moment import Moment, faults_of
from tests.helpers.naughty.phases import Phase
from tests.helpers.naughty.registry import (
    CAPPED,
    GRACE,
    kind,
)
from warladder.v1 import referee_pb2 as pb


def field(number: int, wire_type: int, data: bytes) -> bytes:
    """A protobuf field as it is on the wire."""
    return bytes([number << 3 | wire_type]) + data


async def flood(m: Moment, messages: Iterable[dict[str, Any]]) -> None:
    """As fast as it can until it is told that it is out."""
    async with m.listening():
        for message in messages:
            if m.bot.lost:
                break
            await m.bot.say(**message)


# ---- Answers ----


@kind()
async def index_one_too_large(m: Moment) -> None:
    await m.choose(option=len(m.decide.options) if m.decide else 99)


@kind()
async def index_too_large_three_times(m: Moment) -> None:
    for option in (99, 1_000, 2**32 - 1):
        await m.choose(option=option)


@kind()
async def index_negative(m: Moment) -> None:
    """A signed number, ten bytes long, where the protocol has an unsigned one."""
    minus_one = field(3, 0, b"\xff" * 9 + b"\x01")
    body = m.choice(option=0).SerializeToString() + minus_one
    await m.bot.say_bytes(field(3, 2, bytes([len(body)]) + body))


@kind()
async def decision_to_come(m: Moment) -> None:
    await m.choose(decision=m.decision + 1)


@kind()
async def decision_long_past(m: Moment) -> None:
    await m.choose(decision=m.decision - 1 if m.decision else 0)


@kind()
async def decision_of_another_age(m: Moment) -> None:
    await m.choose(decision=2**32 - 1)


@kind()
async def answer_to_a_foreign_match(m: Moment) -> None:
    await m.choose(match=m.foreign)


@kind()
async def answer_to_a_match_never_heard_of(m: Moment) -> None:
    await m.choose(match="x" * 10_000)


@kind(plays_before=True)
async def answer_to_an_ended_match(m: Moment) -> None:
    for decision in (1, 2, 3):
        await m.choose(match=m.before, decision=decision)
    await m.bot.say(ready=pb.Ready(match=m.before))
    await m.bot.say(resign=pb.Resign(match=m.before))


@kind()
async def answers_twice(m: Moment) -> None:
    await m.choose()
    await m.choose()
    m.answered = m.decide is not None


@kind()
async def two_answers_at_once(m: Moment) -> None:
    last = len(m.decide.options) - 1 if m.decide else 1
    await m.choose(option=last)
    await m.choose(option=0)
    if m.decide is not None:
        m.answered = True
        m.notes["chosen"] = (m.decision, last)


@kind()
async def answers_fifty_times(m: Moment) -> None:
    await flood(m, repeat({"choose": m.choice()}, 51))
    m.answered = m.decide is not None


@kind()
async def a_long_note(m: Moment) -> None:
    if m.decide is None:
        await m.bot.say(ready=pb.Ready(match=m.match))
    else:
        await m.choose(note="ß" * 10_000)
    m.answered = True


# ---- Words out of place ----


@kind()
async def ready_twice(m: Moment) -> None:
    await m.bot.say(ready=pb.Ready(match=m.match))
    await m.bot.say(ready=pb.Ready(match=m.match))


@kind()
async def ready_for_a_foreign_match(m: Moment) -> None:
    await m.bot.say(ready=pb.Ready(match=m.foreign))


@kind()
async def resigns_a_foreign_match(m: Moment) -> None:
    await m.bot.say(resign=pb.Resign(match=m.foreign))


@kind()
async def standing_order_in_a_foreign_match(m: Moment) -> None:
    await m.bot.say(standing_order=pb.StandingOrder(match=m.foreign, window="support", on=True))


@kind()
async def standing_order_for_an_unknown_window(m: Moment) -> None:
    order = pb.StandingOrder(match=m.match, window="no such window\n" * 100, on=True)
    await m.bot.say(standing_order=order)


@kind()
async def standing_order_that_is_not_taken(m: Moment) -> None:
    name = "main" if m.phase is Phase.ORDINARY else "name"
    await m.bot.say(standing_order=pb.StandingOrder(match=m.match, window=name, on=True))


@kind()
async def second_hello(m: Moment) -> None:
    await m.bot.say(hello=pb.Hello(games=["skirmish"], instance="another", version="2"))


@kind()
async def thirty_hellos(m: Moment) -> None:
    await flood(m, repeat({"hello": m.bot.hello}, 30))


# ---- Bytes ----


@kind()
async def an_empty_message(m: Moment) -> None:
    await m.bot.say_bytes(b"")


@kind()
async def a_message_of_a_newer_kind(m: Moment) -> None:
    await m.bot.say_bytes(b"\xfa\x3f\x02hi")  # field 1023


@kind()
async def garbage(m: Moment) -> None:
    await m.bot.say_bytes(b"\xff\xff\xff")


@kind()
async def garbage_three_times(m: Moment) -> None:
    for data in (b"\xff\xff", b"no protocol at all", b"\x00\x01\x02"):
        await m.bot.say_bytes(data)


@kind()
async def text_that_is_no_text(m: Moment) -> None:
    body = field(1, 2, b"\x04\xff\xfe\xc0\x80")
    await m.bot.say_bytes(field(3, 2, bytes([len(body)]) + body))


@kind()
async def too_large_a_message(m: Moment) -> None:
    await m.choose(note="x" * 100_000)


@kind(GRACE)
async def more_than_the_transport_takes(m: Moment) -> None:
    await m.choose(note="x" * 17_000_000)


@kind(relay=True)
async def a_message_in_pieces(m: Moment) -> None:
    assert m.relay is not None
    m.relay.slow = True
    await m.go_on()
    await m.listen(1.5)
    m.relay.slow = False


@kind(CAPPED, relay=True)
async def half_a_message(m: Moment) -> None:
    assert m.relay is not None
    await m.asked_again()  # its Hello shall not be the half
    m.relay.hold_after(12)
    await m.go_on()
    if m.decide is None:
        await m.listen(1.0)
    else:
        await m.too_late()
    m.relay.let_go()


# ---- Floods ----


@kind(floods=True)
async def a_flood_of_pongs(m: Moment) -> None:
    await flood(m, ({"pong": pb.Pong(number=number)} for number in range(1_000)))


@kind(floods=True)
async def a_flood_of_standing_orders(m: Moment) -> None:
    window = "on_card" if m.phase is Phase.ORDINARY else "support"
    orders = [pb.StandingOrder(match=m.match, window=window, on=on) for on in (True, False)]
    await flood(m, ({"standing_order": orders[k % 2]} for k in range(1_000)))


@kind(floods=True)
async def a_flood_of_old_answers(m: Moment) -> None:
    old = m.choice(decision=max(1, m.decision - 1))
    await flood(m, repeat({"choose": old}, 1_000))


@kind(floods=True)
async def a_flood_of_practise(m: Moment) -> None:
    await flood(m, repeat({"practise": pb.Practise(game="skirmish")}, 1_000))


@kind()
async def practise_with_nobody(m: Moment) -> None:
    wish = pb.Practise(game="skirmish", opponent="nobody at all")
    await flood(m, repeat({"practise": wish}, 21))


@kind()
async def practise_of_another_game(m: Moment) -> None:
    await m.bot.say(practise=pb.Practise(game="chess"))


@kind()
async def twenty_faults(m: Moment) -> None:
    await flood(m, repeat({"ready": pb.Ready(match=m.foreign)}, 20))


@kind()
async def twenty_faults_and_one_after_coming_back(m: Moment) -> None:
    """Another stream does not make them forgotten."""
    await flood(m, repeat({"ready": pb.Ready(match=m.foreign)}, 20))
    async with asyncio.timeout(30):
        while faults_of(m.bot).count("NO_SUCH_MATCH") < 20:
            await m.bot.read()
    m.hang_up()
    await m.come_back()
    await m.bot.expect("welcome")
    await m.bot.say(ready=pb.Ready(match=m.foreign))


@kind()
async def twenty_one_faults(m: Moment) -> None:
    await flood(m, repeat({"ready": pb.Ready(match=m.foreign)}, 21))
