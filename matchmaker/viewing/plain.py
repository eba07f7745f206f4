"""
Views and events as plain values, and the difference of two of them: what goes to a browser.

A record becomes an object with its fields, a tuple an array. A difference is one of
`[value]` (it is another value now), `[start, removed, [inserted…]]` (of an array), or an object of
differences by field or index; whatever is not named in it is as before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

LEFT_OUT = frozenset({"stack"})
"""Fields of views that are for simulators alone: unfinished business in the engine's own form."""


def plain(value: Any) -> Any:
    """A value in JSON's terms."""
    if isinstance(value, tuple):
        if hasattr(value, "_fields"):
            return {
                name: plain(each)
                for name, each in zip(value._fields, value, strict=True)
                if name not in LEFT_OUT
            }
        return [plain(each) for each in value]
    if isinstance(value, Mapping):
        return {name: plain(each) for name, each in value.items()}
    return value


def difference(before: Any, now: Any) -> Any:
    """
    What has changed from one value to another, in JSON's terms.

    Returns:
        None if they are equal.
    """
    if before is now or (type(before) is type(now) and before == now):
        return None
    if isinstance(now, Mapping) and isinstance(before, Mapping):
        if before.keys() == now.keys():
            return _each((name, before[name], now[name]) for name in now)
    elif type(before) is type(now) and hasattr(now, "_fields"):
        fields = zip(now._fields, before, now, strict=True)
        return _each(each for each in fields if each[0] not in LEFT_OUT)
    elif type(before) is tuple and type(now) is tuple and before:
        return _of_arrays(before, now)
    return [plain(now)]


def _each(parts: Iterable[tuple[str, Any, Any]]) -> dict[str, Any] | None:
    changes = {}
    for name, before, now in parts:
        change = difference(before, now)
        if change is not None:
            changes[name] = change
    return changes or None


def _of_arrays(before: tuple[Any, ...], now: tuple[Any, ...]) -> Any:
    if len(before) == len(now):
        return _each((str(k), *pair) for k, pair in enumerate(zip(before, now, strict=True)))
    least = min(len(before), len(now))
    start = 0
    while start < least and before[start] == now[start]:
        start += 1
    rest = 0
    while rest < least - start and before[-1 - rest] == now[-1 - rest]:
        rest += 1
    return [start, len(before) - start - rest, plain(now[start : len(now) - rest])]


def changed(before: Any, change: Any) -> Any:
    """
    Apply a difference to a plain value, which stays as it is: what the browser does.

    The value now; parts that have not changed are shared.
    """
    if change is None:
        return before
    if isinstance(change, list):
        if len(change) == 1:
            return change[0]
        start, removed, inserted = change
        return [*before[:start], *inserted, *before[start + removed :]]
    if isinstance(before, list):
        now = before.copy()
        for index, each in change.items():
            now[int(index)] = changed(before[int(index)], each)
        return now
    return {**before, **{name: changed(before[name], each) for name, each in change.items()}}
