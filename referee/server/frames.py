"""
Messages to bots, as bytes.

The messages of every decision are put together from parts that are bytes already (a message's bytes
are its fields' bytes, one after the other), so that nothing is serialised twice. What comes rarely
is built the plain way. A test holds both against the generated classes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from referee.match.journal import Ending
from referee.match.record import Clocks, MatchRecord
from referee.match.seats import DefaultTaken, Finished, Question, Told
from warladder.v1 import referee_pb2 as pb

PRIVATE_OPTIONS = frozenset({"cards"})
"""Options whose values are the server's own business: a path on its disk."""

ENDINGS: dict[str, int] = {
    "": pb.ENDING_UNSPECIFIED,
    **{str(each): pb.Ending.Value(f"ENDING_{each.name}") for each in Ending},
}


def varint(value: int) -> bytes:
    """A whole number as protobuf writes it."""
    if value < len(_SHORT):
        return _SHORT[value]
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    found.append(value)
    return bytes(found)


_SHORT: list[bytes] = []
_SHORT.extend(bytes([value]) for value in range(128))
_SHORT.extend(bytes([value & 127 | 128, value >> 7]) for value in range(128, 4096))


def _tag(message: Any, field: str, wire_type: int) -> bytes:
    return varint(message.DESCRIPTOR.fields_by_name[field].number << 3 | wire_type)


def _sized(message: Any, field: str) -> bytes:
    return _tag(message, field, 2)


def _number(message: Any, field: str) -> bytes:
    return _tag(message, field, 0)


_DECIDE = _sized(pb.RefereeMessage, "decide")
_UPDATE = _sized(pb.RefereeMessage, "update")
_ENDED = _sized(pb.RefereeMessage, "match_ended")
_E_EVENTS = _sized(pb.MatchEnded, "events")
_D_MATCH = _sized(pb.Decide, "match")
_D_DECISION = _number(pb.Decide, "decision")
_D_KIND = _sized(pb.Decide, "kind")
_D_EVENTS = _sized(pb.Decide, "events")
_D_VIEW = _sized(pb.Decide, "view")
_D_OPTIONS = _sized(pb.Decide, "options")
_D_CLOCK = _sized(pb.Decide, "clock")
_D_LAST_EVENT = _number(pb.Decide, "last_event")
_D_RECEIPT = _sized(pb.Decide, "receipt")
_D_DEFAULT = _sized(pb.Decide, "default_taken")
_C_BANK = _number(pb.Clock, "bank_ms")
_C_CAP = _number(pb.Clock, "cap_ms")
_C_DEFAULTS = _number(pb.Clock, "defaults")
_C_BAD = _number(pb.Clock, "bad_answers")
_U_MATCH = _sized(pb.Update, "match")
_U_EVENTS = _sized(pb.Update, "events")
_U_LAST_EVENT = _number(pb.Update, "last_event")
_U_RECEIPT = _sized(pb.Update, "receipt")
_U_DEFAULT = _sized(pb.Update, "default_taken")


def _field(tag: bytes, data: bytes) -> bytes:
    return tag + varint(len(data)) + data


def _repeated(tag: bytes, parts: Iterable[bytes]) -> bytes:
    return b"".join([piece for part in parts for piece in (tag, varint(len(part)), part)])


def decide(match: bytes, question: Question, receipt: bytes) -> bytes:
    """A question; `match` is the id's bytes."""
    clock = _C_BANK + varint(question.bank_ms) + _C_CAP + varint(question.cap_ms)
    if question.defaults or question.bad_answers:
        clock += _C_DEFAULTS + varint(question.defaults)
        clock += _C_BAD + varint(question.bad_answers)
    pieces = [
        _field(_D_MATCH, match),
        _D_DECISION,
        varint(question.decision),
        _field(_D_KIND, question.kind.encode()),
        _repeated(_D_EVENTS, question.events),
    ]
    if question.view is not None:
        pieces.append(_field(_D_VIEW, question.view))
    pieces += (
        _repeated(_D_OPTIONS, question.options),
        _field(_D_CLOCK, clock),
        _D_LAST_EVENT,
        varint(question.last_event),
        _field(_D_RECEIPT, receipt),
    )
    if question.default_taken is not None:
        pieces.append(_field(_D_DEFAULT, _default_taken(question.default_taken)))
    return _field(_DECIDE, b"".join(pieces))


def update(match: bytes, told: Told, receipt: bytes) -> bytes:
    """News for a bot that is not asked."""
    pieces = [
        _field(_U_MATCH, match),
        _repeated(_U_EVENTS, told.events),
        _U_LAST_EVENT,
        varint(told.last_event),
        _field(_U_RECEIPT, receipt),
    ]
    if told.default_taken is not None:
        pieces.append(_field(_U_DEFAULT, _default_taken(told.default_taken)))
    return _field(_UPDATE, b"".join(pieces))


def _default_taken(taken: DefaultTaken) -> bytes:
    return pb.DefaultTaken(
        decision=taken.decision,
        option=taken.option,
        defaults=taken.defaults,
        charged_ms=taken.charged_ms,
    ).SerializeToString()


def clocks(record: MatchRecord) -> pb.Clocks:
    return clocks_of(record.clocks, record.pace.floor_ms, record.pace.quantum_ms)


def clocks_of(times: Clocks, floor_ms: int = 0, quantum_ms: int = 0) -> pb.Clocks:
    return pb.Clocks(
        bank_ms=times.bank_ms,
        increment_ms=times.increment_ms,
        cap_ms=times.cap_ms,
        startup_ms=times.startup_ms,
        grace_ms=times.grace_ms,
        longest_ms=times.longest_ms,
        floor_ms=floor_ms,
        quantum_ms=quantum_ms,
    )


def started(record: MatchRecord, seat: int, sides: Sequence[Sequence[int]], resumed: bool) -> bytes:
    side_of = {number: k for k, side in enumerate(sides) for number in side}
    message = pb.MatchStarted(
        match=record.match,
        game=record.game,
        rules=record.rules,
        seat=seat,
        seats=len(record.seats),
        sides=[side_of[number] for number in range(len(record.seats))],
        clock=clocks(record),
        commitment=record.commitment,
        cards=record.cards,
        options={
            name: json.dumps(value)
            for name, value in sorted(record.options.items())
            if name not in PRIVATE_OPTIONS
        },
        rated=record.rated,
        resumed=resumed,
    )
    return pb.RefereeMessage(match_started=message).SerializeToString(deterministic=True)


def ended(record: MatchRecord, finished: Finished) -> bytes:
    message = pb.MatchEnded(
        match=record.match,
        ending=ENDINGS[str(finished.ending)],  # type: ignore[arg-type]  # stubs brand the numbers
        seed=finished.seed,
        salt=finished.salt,
        replay=record.match,
        opponents=[
            pb.Opponent(seat=number, bot=seat.bot, version=seat.version)
            for number, seat in enumerate(record.seats)
        ],
        last_event=finished.last_event,
        text=finished.text,
    )
    if finished.ranks:
        message.outcome.CopyFrom(
            pb.Outcome(
                ranks=finished.ranks,
                scores=finished.scores,
                reason=finished.reason,
                faults=[ENDINGS[fault] for fault in finished.faults],  # type: ignore[misc]
            )
        )
    elif any(finished.faults):
        faults = [ENDINGS[fault] for fault in finished.faults]
        message.outcome.CopyFrom(pb.Outcome(faults=faults))  # type: ignore[arg-type]
    data = message.SerializeToString() + _repeated(_E_EVENTS, finished.events)
    return _field(_ENDED, data)


def fault(code: str, text: str, match: str = "", fatal: bool = False) -> bytes:
    number = pb.FaultCode.Value(f"FAULT_CODE_{code}")
    message = pb.Fault(code=number, match=match, text=text, fatal=fatal)
    return pb.RefereeMessage(fault=message).SerializeToString()


def goodbye(reason: str, reconnect_after_ms: int = 0) -> bytes:
    number = pb.GoodbyeReason.Value(f"GOODBYE_REASON_{reason}")
    message = pb.Goodbye(reason=number, reconnect_after_ms=reconnect_after_ms)
    return pb.RefereeMessage(goodbye=message).SerializeToString()


def ping(number: int) -> bytes:
    return pb.RefereeMessage(ping=pb.Ping(number=number)).SerializeToString()


def referees(addresses: Sequence[str]) -> bytes:
    message = pb.Referees(addresses=addresses)
    return pb.RefereeMessage(referees=message).SerializeToString()


def welcome(bot: str, limits: pb.Limits, addresses: Sequence[str], resumed: Sequence[str]) -> bytes:
    message = pb.Welcome(bot=bot, limits=limits, referees=addresses, resumed=resumed)
    return pb.RefereeMessage(welcome=message).SerializeToString()
