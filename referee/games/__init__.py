"""
The games: one package each, found by looking into this folder.

A game's package exports `GAME`. Games never import each other.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from referee.engine import PUBLIC, Game
from referee.engine.errors import UnknownGame

__all__ = ["PUBLIC", "get", "names"]


@cache
def names() -> tuple[str, ...]:
    """Every game there is, in alphabetical order."""
    return tuple(sorted(each.name for each in iter_modules(__path__) if each.ispkg))


@cache
def get(name: str) -> Game[Any, Any]:
    """
    The game of this name.

    Raises:
        UnknownGame: There is none; the text lists those there are.
    """
    if name not in names():
        raise UnknownGame(f"no game {name!r}; there are: {', '.join(names())}")
    game: Game[Any, Any] = import_module(f"{__name__}.{name}").GAME
    return game
