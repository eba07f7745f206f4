"""
Formats of tournaments: pure functions over the results log.

`get` gives one by name, `names` lists them; `contract` says what each answers to.
"""

from __future__ import annotations

from collections.abc import Mapping

from matchmaker.formats.asked import settled
from matchmaker.formats.contract import BadTerms, Format, Value
from matchmaker.formats.double_elimination import DoubleElimination
from matchmaker.formats.gauntlet import Gauntlet
from matchmaker.formats.round_robin import RoundRobin
from matchmaker.formats.season import Season
from matchmaker.formats.single_elimination import SingleElimination
from matchmaker.formats.sprt import Sprt
from matchmaker.formats.swiss import Swiss

_ALL: tuple[Format, ...] = (
    DoubleElimination(),
    Gauntlet(),
    RoundRobin(),
    Season(),
    SingleElimination(),
    Sprt(),
    Swiss(),
)
_FORMATS = {each.name: each for each in _ALL}


def get(name: str) -> Format:
    """
    Give a format.

    Raises:
        BadTerms: There is none of this name; the text lists those there are.
    """
    found = _FORMATS.get(name)
    if found is None:
        raise BadTerms(f"there is no format {name!r}; choose one of {', '.join(names())}")
    return found


def names() -> tuple[str, ...]:
    """Name all formats."""
    return tuple(sorted(_FORMATS))


def with_defaults(name: str, given: Mapping[str, Value]) -> dict[str, Value]:
    """
    Give all settings of a format: those given, and the defaults of the others.

    Raises:
        BadTerms: There is no such format.
    """
    return settled(get(name).settings, given)
