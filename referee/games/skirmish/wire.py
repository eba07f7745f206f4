"""Skirmish in the protocol and back. The only code of this game that knows the protocol."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from referee.engine import PASS, Option
from referee.engine.canonical import pack, unpack
from referee.games.skirmish.events import (
    Began,
    Drew,
    Ended,
    HillFought,
    Passed,
    Shown,
    Supported,
)
from referee.games.skirmish.view import View
from warladder.v1 import games_pb2, skirmish_pb2

Event = Began | Shown | Supported | Passed | HillFought | Drew | Ended


def view(seen: View) -> games_pb2.View:
    """The view as packed columns; nothing of it is lost."""
    return games_pb2.View(
        skirmish=skirmish_pb2.SkirmishView(
            viewer=seen.viewer,
            seats=seen.seats,
            teams=seen.teams,
            rounds=seen.rounds,
            round=seen.round,
            hills=seen.hills,
            hand=seen.hand,
            hand_sizes=seen.hand_sizes,
            deck_size=seen.deck_size,
            shown=seen.shown,
            dice=[die for dice in seen.dice for die in dice],
            dice_counts=[len(dice) for dice in seen.dice],
            gone=seen.gone,
            taken=seen.taken,
            stack=pack(seen.stack),
        )
    )


def read_view(message: games_pb2.View) -> View:
    seen = message.skirmish
    dice = iter(seen.dice)
    stack: Any = unpack(seen.stack)
    return View(
        viewer=seen.viewer,
        seats=seen.seats,
        teams=seen.teams,
        rounds=seen.rounds,
        hills=tuple(seen.hills),
        round=seen.round,
        hand=tuple(seen.hand),
        hand_sizes=tuple(seen.hand_sizes),
        deck_size=seen.deck_size,
        shown=tuple(seen.shown),
        dice=tuple(tuple(next(dice) for _ in range(count)) for count in seen.dice_counts),
        gone=tuple(seen.gone),
        taken=tuple(seen.taken),
        stack=stack,
    )


def option(offered: Option, label: bool = True) -> games_pb2.Option:
    card = offered.args[0] if offered.args else 0
    return games_pb2.Option(
        label=str(offered) if label else "",
        skirmish=skirmish_pb2.SkirmishOption(verb=offered.verb, card=int(card)),
    )


def read_option(message: games_pb2.Option) -> Option:
    verb, card = message.skirmish.verb, message.skirmish.card
    return PASS if verb == PASS.verb else Option(verb, (card,))


def event(happened: Event) -> games_pb2.Event:
    name, make = _WRITE[type(happened)]
    inner = {name: make(**happened._asdict())}
    return games_pb2.Event(skirmish=skirmish_pb2.SkirmishEvent(**inner))


def read_event(message: games_pb2.Event) -> Event:
    told = message.skirmish
    name = told.WhichOneof("event")
    assert name is not None, "an event of a newer protocol"
    kind = _READ[name]
    inner = getattr(told, name)
    values = {field: _plain(getattr(inner, field)) for field in kind._fields}
    made: Event = kind(**values)
    return made


def _plain(value: Any) -> Any:
    return value if isinstance(value, int) else tuple(value)


_WRITE: dict[type, tuple[str, Callable[..., Any]]] = {
    Began: ("began", skirmish_pb2.SkirmishBegan),
    Shown: ("shown", skirmish_pb2.SkirmishShown),
    Supported: ("supported", skirmish_pb2.SkirmishSupported),
    Passed: ("passed", skirmish_pb2.SkirmishPassed),
    HillFought: ("hill_fought", skirmish_pb2.SkirmishHillFought),
    Drew: ("drew", skirmish_pb2.SkirmishDrew),
    Ended: ("ended", skirmish_pb2.SkirmishEnded),
}
_READ: dict[str, Any] = {name: kind for kind, (name, _) in _WRITE.items()}
