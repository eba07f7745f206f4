"""What formats ask of terms and entrants, and the settings that several of them share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matchmaker.formats.contract import BadTerms, Entrant, Setting, Terms, Value
from matchmaker.pairing import seat_orders

PAIRINGS = Setting(1, "pairings of each meeting", low=1, high=100)
ORDERS = Setting(
    "all",
    "seat orders of a pairing: all, turns (each seat once a bot), one (a single match)",
    among=("all", "turns", "one"),
)


def settled(settings: Mapping[str, Setting], given: Mapping[str, Value]) -> dict[str, Value]:
    """Give each setting its value: the one given, or its default."""
    return {**{name: setting.default for name, setting in settings.items()}, **given}


def check_settings(
    format: str, settings: Mapping[str, Setting], given: Mapping[str, Value]
) -> None:
    """
    Refuse unknown, missing and impossible settings.

    Raises:
        BadTerms: One of them cannot be.
    """
    for name in given:
        if name not in settings:
            known = ", ".join(sorted(settings)) or "none"
            raise BadTerms(f"{format} has no setting {name!r}; its settings: {known}")
    for name, setting in settings.items():
        if name not in given:
            raise BadTerms(f"{format}: setting {name!r} is missing; its default: {setting.default}")
        _check_value(f"{format}: setting {name!r}", setting, given[name])


def _check_value(where: str, setting: Setting, value: Value) -> None:
    if isinstance(setting.default, str):
        if value not in setting.among:
            raise BadTerms(f"{where} is {value!r}; give one of {', '.join(setting.among)}")
        return
    if isinstance(setting.default, bool):
        if not isinstance(value, bool):
            raise BadTerms(f"{where} is {value!r}; give true or false")
        return
    wanted = int if isinstance(setting.default, int) else (int, float)
    low = float("-inf") if setting.low is None else setting.low
    high = float("inf") if setting.high is None else setting.high
    if isinstance(value, bool) or not isinstance(value, wanted) or not low <= value <= high:
        kind = "a whole number" if wanted is int else "a number"
        raise BadTerms(f"{where} is {value!r}; give {kind} from {low:g} to {high:g}")


def check_field(
    format: str,
    terms: Terms,
    entrants: Sequence[Entrant],
    *,
    seats: Sequence[int] = (2, 3, 4),
    least: int | None = None,
    most: int = 1000,
) -> None:
    """
    Refuse a number of seats or entrants that a format cannot serve, and doubled bots or seeds.

    Args:
        least: Fewest entrants; as many as a match has seats if None.

    Raises:
        BadTerms: It cannot be held so.
    """
    if terms.seats not in seats:
        kinds = " or ".join(str(each) for each in seats)
        raise BadTerms(f"{format}: matches have {terms.seats} seats; it needs {kinds}")
    if terms.sides and sorted(s for side in terms.sides for s in side) != list(range(terms.seats)):
        raise BadTerms(f"{format}: sides {terms.sides} must hold each of {terms.seats} seats once")
    for what in ("bot", "seed"):
        seen = [getattr(each, what) for each in entrants]
        for each in seen:
            if seen.count(each) > 1:
                raise BadTerms(f"{format}: {what} {each!r} is entered twice; enter each once")
    fewest = terms.seats if least is None else least
    if not fewest <= len(entrants) <= most:
        raise BadTerms(f"{format}: {len(entrants)} bots entered; it takes {fewest} to {most}")
    if terms.sides and terms.settings.get("orders") == "one":
        raise BadTerms(f"{format}: orders 'one' would fix partners; give 'turns' or 'all'")


def check_late(format: str, entered: Sequence[str], why: str) -> None:
    """
    Refuse late entries.

    Raises:
        BadTerms: There is one.
    """
    if entered:
        raise BadTerms(f"{format} takes no late entry ({entered[0]}): {why}; enter the next one")


def whole(terms: Terms, name: str) -> int:
    """Read a whole number."""
    value = terms.settings[name]
    assert isinstance(value, int), (name, value)
    return value


def real(terms: Terms, name: str) -> float:
    """Read a number."""
    value = terms.settings[name]
    assert isinstance(value, int | float), (name, value)
    return value


def sides_of(terms: Terms) -> tuple[tuple[int, ...], ...]:
    """Give the sides: each seat its own where the terms name none."""
    return terms.sides or tuple((seat,) for seat in range(terms.seats))


def by_seed(entrants: Sequence[Entrant]) -> tuple[str, ...]:
    """Give the bots, strongest first."""
    return tuple(each.bot for each in sorted(entrants, key=lambda each: each.seed))


def orders_of(terms: Terms) -> tuple[tuple[int, ...], ...]:
    """
    List the seat orders of a meeting's matches.

    `turns` gives each bot each seat once; with teams, once with each partner. A single match
    (`one`) seats the bots as the format lists them; each further pairing turns it.
    """
    every = seat_orders(terms.seats)
    kind, pairings = terms.settings["orders"], whole(terms, "pairings")
    if kind == "one":
        return tuple(every[each % terms.seats] for each in range(pairings))
    if kind == "turns":
        every = _turns(terms, every)
    return every * pairings


def _turns(terms: Terms, every: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], ...]:
    if not terms.sides:
        return every[: terms.seats]
    chosen: list[tuple[int, ...]] = []
    partners = set()
    for first in range(0, len(every), terms.seats):
        circle = every[first : first + terms.seats]
        mates = frozenset(_mates(order, terms.sides) for order in circle)
        if mates not in partners:
            partners.add(mates)
            chosen += circle
    return tuple(chosen)


def _mates(order: tuple[int, ...], sides: tuple[tuple[int, ...], ...]) -> frozenset[frozenset[int]]:
    """Which bots win together in a seat order."""
    return frozenset(frozenset(order[seat] for seat in side) for side in sides)
