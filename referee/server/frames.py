"""
Messages to bots, as bytes.

The messages of every decision are put together from parts that are bytes already (a message's bytes
are its fields' bytes, one after the other), so that nothing is serialised twice. What comes rarely
is built the plain way. A test holds both against the generated classes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from referee.match.journal import Ending
from referee.match.record import Clocks, MatchRecord, Pace, SeatRecord
from referee.match.seats import DefaultTaken, Finished, Question, Told
from warladder.v1 import referee_pb2 as pb

RECEIPT_BYTES = 8

PRIVATE_OPTIONS = frozenset({"cards"})
"""Options whose values are the server's own business: a path on its disk."""

ENDINGS: dict[str, int] = {
    "": pb.ENDING_UNSPECIFIED,
    **{str(each): pb.Ending.Value(f"ENDING_{each.name}") for each in Ending},
}


def varint(value: int) -> bytes:
    """A whole number as protobuf writes it."""
    if value < 4096:
        return _SHORT[value]
    if value < 1 << 14:
        return bytes((value & 127 | 128, value >> 7))
    if value < 1 << 21:
        return bytes((value & 127 | 128, value >> 7 & 127 | 128, value >> 14))
    return bytes((value & 127 | 128, value >> 7 & 127 | 128)) + varint(value >> 14)


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
_E_LAST_EVENT = _number(pb.MatchEnded, "last_event")
_E_TEXT = _sized(pb.MatchEnded, "text")
_STARTED = _sized(pb.RefereeMessage, "match_started")
_S_MATCH = _sized(pb.MatchStarted, "match")
_S_COMMITMENT = _sized(pb.MatchStarted, "commitment")
_S_SEAT = _number(pb.MatchStarted, "seat")
_S_RESUMED = _number(pb.MatchStarted, "resumed")
_D_MATCH = _sized(pb.Decide, "match")
_D_DECISION = _number(pb.Decide, "decision")
_D_KIND = _sized(pb.Decide, "kind")
_D_EVENTS = _sized(pb.Decide, "events")
_D_VIEW = _sized(pb.Decide, "view")
_D_OPTIONS = _sized(pb.Decide, "options")
_D_CLOCK = _sized(pb.Decide, "clock")
_D_LAST_EVENT = _number(pb.Decide, "last_event")
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


class _Framed(dict[bytes, bytes]):
    """Parts of a repeated field with tag and length before them; the same ones come again."""

    def __init__(self, tag: bytes) -> None:
        super().__init__()
        self.tag = tag

    def __missing__(self, part: bytes) -> bytes:
        if len(self) >= FRAMED_KEPT:
            self.clear()
        framed = self[part] = _field(self.tag, part)
        return framed


FRAMED_KEPT = 1 << 11
_MATCH = _Framed(_D_MATCH)
_RECEIPT = _sized(pb.Decide, "receipt") + varint(RECEIPT_BYTES)
_EVENT = _Framed(_D_EVENTS)
_OPTION = _Framed(_D_OPTIONS)
_LAST = _Framed(_E_EVENTS)
_KINDS: dict[str, bytes] = {}
"""The kind of a decision as a field: games have a few dozen."""


def _repeated(tag: bytes, parts: Iterable[bytes]) -> bytes:
    return b"".join([_field(tag, part) for part in parts])


def _kind(kind: str) -> bytes:
    data = _KINDS[kind] = _field(_D_KIND, kind.encode())
    return data


def decide(match: bytes, question: Question, receipt: bytes) -> bytes:
    """A question; `match` is the id's bytes, `receipt` has `RECEIPT_BYTES`."""
    (
        decision, kind, events, view, options, bank_ms, cap_ms, defaults, bad_answers, last_event,
        default_taken,
    ) = question  # fmt: skip
    clock = _C_BANK + varint(bank_ms) + _C_CAP + varint(cap_ms)
    if defaults or bad_answers:
        clock += _C_DEFAULTS + varint(defaults) + _C_BAD + varint(bad_answers)
    pieces = [_MATCH[match], _D_DECISION, varint(decision), _KINDS.get(kind) or _kind(kind)]
    pieces += map(_EVENT.__getitem__, events)
    if view is not None:
        pieces += (_D_VIEW, varint(len(view)), view)
    pieces += map(_OPTION.__getitem__, options)
    pieces += (
        _D_CLOCK, varint(len(clock)), clock, _D_LAST_EVENT, varint(last_event), _RECEIPT, receipt
    )  # fmt: skip
    if default_taken is not None:
        pieces.append(_field(_D_DEFAULT, _default_taken(default_taken)))
    data = b"".join(pieces)
    return _DECIDE + varint(len(data)) + data


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
    """A seat of a match; what matches have in common is made once."""
    shared = _alike(
        record.game,
        record.rules,
        tuple(map(tuple, sides)),
        record.clocks,
        record.pace,
        record.cards,
        tuple((name, json.dumps(value)) for name, value in sorted(record.options.items())),
        record.rated,
    )
    pieces = [
        shared,
        _field(_S_MATCH, record.match.encode()),
        _field(_S_COMMITMENT, record.commitment),
        _S_SEAT + varint(seat),
    ]
    if resumed:
        pieces.append(_S_RESUMED + varint(1))
    return _field(_STARTED, b"".join(pieces))


@lru_cache(maxsize=256)
def _alike(
    game: str,
    rules: str,
    sides: tuple[tuple[int, ...], ...],
    times: Clocks,
    pace: Pace,
    cards: str,
    options: tuple[tuple[str, str], ...],
    rated: bool,
) -> bytes:
    """What is equal in matches of one setting."""
    side_of = {number: k for k, side in enumerate(sides) for number in side}
    return pb.MatchStarted(
        game=game,
        rules=rules,
        seats=len(side_of),
        sides=[side_of[number] for number in range(len(side_of))],
        clock=clocks_of(times, pace.floor_ms, pace.quantum_ms),
        cards=cards,
        options={name: value for name, value in options if name not in PRIVATE_OPTIONS},
        rated=rated,
    ).SerializeToString(deterministic=True)


def ended(record: MatchRecord, finished: Finished) -> bytes:
    """The end as a seat is told it; what all seats are told is made once."""
    shared = _end(
        record.match,
        record.seats,
        finished.ending,
        finished.seed,
        finished.salt,
        finished.ranks,
        finished.scores,
        finished.reason,
        finished.faults,
    )
    pieces = [shared, _E_LAST_EVENT, varint(finished.last_event)]
    if finished.text:
        pieces.append(_field(_E_TEXT, finished.text.encode()))
    pieces += [_LAST[event] for event in finished.events]
    return _field(_ENDED, b"".join(pieces))


@lru_cache(maxsize=16)
def _end(
    match: str,
    seats: tuple[SeatRecord, ...],
    ending: Ending,
    seed: str,
    salt: bytes,
    ranks: tuple[int, ...],
    scores: tuple[int, ...],
    reason: str,
    faults: tuple[str, ...],
) -> bytes:
    message = pb.MatchEnded(
        match=match,
        ending=ENDINGS[str(ending)],  # type: ignore[arg-type]  # stubs brand the numbers
        seed=seed,
        salt=salt,
        replay=match,
        opponents=[
            pb.Opponent(seat=number, bot=seat.bot, version=seat.version)
            for number, seat in enumerate(seats)
        ],
    )
    if ranks:
        message.outcome.CopyFrom(
            pb.Outcome(
                ranks=ranks,
                scores=scores,
                reason=reason,
                faults=[ENDINGS[fault] for fault in faults],  # type: ignore[misc]
            )
        )
    elif any(faults):
        told = [ENDINGS[fault] for fault in faults]
        message.outcome.CopyFrom(pb.Outcome(faults=told))  # type: ignore[arg-type]
    return message.SerializeToString()


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
