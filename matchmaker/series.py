"""A pairing's course: which seat orders are still to play, and what a closed match means for it."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import msgpack

from matchmaker.entries import Result, Seated, Standing, Why

ANEW = 3
"""How often a match that the server spoilt is played anew."""
OURS = frozenset({Why.REFEREE_FAULT, Why.STALLED, Why.CANCELLED})


@dataclass(frozen=True, kw_only=True)
class Pairing:
    """Matches of the same bots on the same public setting, one for each seat order."""

    pairing: str
    game: str
    bots: tuple[Seated, ...]
    setting: str
    orders: tuple[tuple[int, ...], ...]
    """Seat orders still to play, the running one first."""
    match: str = ""
    """The match that runs; empty between two."""
    attempt: int = 1
    rated: bool = True
    cause: str = "ladder"
    fresh: bool = True
    """No match of it was planned yet."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Of the game, if they are not the ladder's."""


def new_pairing(
    game: str,
    bots: Sequence[Seated],
    orders: Sequence[tuple[int, ...]],
    *,
    rated: bool = True,
    cause: str = "ladder",
    options: Mapping[str, Any] | None = None,
) -> Pairing:
    """Begin a pairing: a fresh public setting, the same in all its matches."""
    return Pairing(
        pairing=secrets.token_hex(8),
        game=game,
        bots=tuple(bots),
        setting=secrets.token_hex(8),
        orders=tuple(orders),
        rated=rated,
        cause=cause,
        options=dict(options or {}),
    )


def pack_pairing(pairing: Pairing) -> bytes:
    body = {each.name: getattr(pairing, each.name) for each in fields(pairing)}
    data: bytes | None = msgpack.packb(body)
    assert data is not None
    return data


def unpack_pairing(data: bytes) -> Pairing:
    body = msgpack.unpackb(data, use_list=False)
    body["bots"] = tuple(Seated(*bot) for bot in body["bots"])
    return Pairing(**body)


def after(pairing: Pairing, result: Result | None) -> Pairing | None:
    """
    Say how a pairing goes on when its match has closed.

    Args:
        result: Of the match; None if it is known nowhere (it is played again).

    Returns:
        The pairing with the orders still to play, or None if it is over.
    """
    pairing = replace(pairing, match="")
    if result is None:
        return pairing
    if result.standing is Standing.VOID and result.why in OURS and pairing.attempt <= ANEW:
        return replace(pairing, attempt=pairing.attempt + 1)
    if result.ending == "no_show":
        return None
    rest = pairing.orders[1:]
    return replace(pairing, orders=rest, attempt=1) if rest else None
