"""
The table of effect ops (§8.8): each word of a card record's `effect` is one small function here.

Functions stand in `ops.py`; this page is what plays them, so that ops may call frames freely.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from referee.engine import Frame

if TYPE_CHECKING:
    from referee.games.stalingrad.play import CardPlay
    from referee.games.stalingrad.state import Stalingrad

Params = Mapping[str, Any]
Run = Callable[["Stalingrad", "CardPlay", Params, int], Frame | None]
Possible = Callable[["Stalingrad", int, Params], bool]
Allows = Callable[["Stalingrad", int, Params, Mapping[str, int]], bool]
F = TypeVar("F", bound=Callable[..., Any])

OPS: dict[str, Run] = {}
"""What an op does: (state, the card, its parameters, its number with what notes add)."""
POSSIBLE: dict[str, Possible] = {}
"""Whether an op has anything to work on (common conditions of §8.6); public facts alone."""
ALLOWS: dict[str, Allows] = {}
"""Whether an op can be carried out on these targets; public facts alone."""


def op(name: str) -> Callable[[Run], Run]:
    """Enter an op's function in the table."""
    return _enter(OPS, name)


def possible(name: str) -> Callable[[Possible], Possible]:
    return _enter(POSSIBLE, name)


def allows(name: str) -> Callable[[Allows], Allows]:
    return _enter(ALLOWS, name)


def _enter(table: dict[str, F], name: str) -> Callable[[F], F]:
    def enter(function: F) -> F:
        assert name not in table, name
        table[name] = function
        return function

    return enter
