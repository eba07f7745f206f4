"""
When tournaments are held: once at an instant, or at each instant of a cron expression.

Pure; the clock is given. A cron expression has five fields and means what Debian's cron means by
it in the time zone named: where clocks go forward, what is planned inside the skipped hour comes
right after it; where they go back, a fixed time comes once, in the first of the two hours, and
every-hour expressions come in both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgpack
from cronsim import CronSim, CronSimError

from matchmaker.formats.contract import Value
from referee.engine.errors import WarladderError

SCHEMA = 1
NAMES = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,47}")
MINUTE_MS = 60_000
ASKED_MS = 10 * MINUTE_MS
"""Presence is asked so long before a start."""
LATE_MS = 30_000
"""A start waits so long for bots that were entered and do not attend, after a restart too."""
MOST_AT_ONCE = 50_000
"""Instants passed in one look: a month of one each minute. The next look goes on from there."""


class BadSchedule(WarladderError):
    """An instant, expression or zone that cannot be: the text says which and what would do."""


@dataclass(frozen=True, kw_only=True)
class Announced:
    """A tournament that is to be held."""

    name: str
    made_ms: int
    """When it was announced; instants before do not count."""
    by: str = ""
    cron: str = ""
    """Empty: once, at `at_ms`."""
    zone: str = "UTC"
    at_ms: int = 0
    catch_up_ms: int = 6 * 60 * MINUTE_MS
    """An instant that nobody was there to see is made up for within so long."""
    format: str
    game: str
    seats: int = 2
    sides: tuple[tuple[int, ...], ...] = ()
    """Seats that win together."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Of the game. With any of its own the tournament is not rated: it is another game."""
    settings: Mapping[str, Value] = field(default_factory=dict)
    """Of the format, each of them there."""
    bots: tuple[str, ...] = ()
    """Who is entered by name."""
    top: int = 0
    """Enters so many of the table's best as well."""
    everybody: bool = False
    """Enters who attends as well."""
    as_named: bool = False
    """Seeds go by the order in which bots are named, then by the table; else by the table alone."""
    rated: bool = True
    weight: float = 4.0
    most_matches: int = 0
    most_seconds: int = 0
    absence_ms: int = 2 * MINUTE_MS


def pack(announced: Announced) -> bytes:
    body = {each.name: getattr(announced, each.name) for each in fields(announced)}
    data: bytes | None = msgpack.packb({"schema": SCHEMA, **body})
    assert data is not None
    return data


def unpack(data: bytes) -> Announced:
    """
    Raises:
        BadSchedule: It is of a newer schema.
    """
    body = msgpack.unpackb(data, use_list=False)
    schema = body.pop("schema")
    if schema != SCHEMA:
        raise BadSchedule(
            f"a tournament announced in schema {schema}; this program knows {SCHEMA}: upgrade it"
        )
    return Announced(**body)


def entered(
    announced: Announced, table: Sequence[str], there: Iterable[str], asked: Iterable[str] = ()
) -> list[str]:
    """
    Name who is entered, whether it attends or not; each once, in the order of seeds.

    Args:
        table: Bots by the published table, best first.
        there: Who attends.
        asked: Who was entered when presence was asked.
    """
    some = {*announced.bots, *table[: announced.top], *asked}
    if announced.everybody:
        some |= set(there)
    named = announced.bots if announced.as_named else ()
    places = {bot: place for place, bot in enumerate(dict.fromkeys((*named, *table)))}
    return sorted(some, key=lambda bot: (places.get(bot, len(places)), bot))


class Due(NamedTuple):
    """What a look at an announcement finds."""

    instant_ms: int | None
    """To be started now: the latest that has come."""
    missed: int
    """Instants before it, or too long ago, that nobody was there to see."""
    handled_ms: int
    """Up to where all is said with that."""


def zone_of(name: str) -> ZoneInfo:
    """
    Raises:
        BadSchedule: There is no such time zone.
    """
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise BadSchedule(
            f"time zone {name!r}: not in the tz database; say UTC or such as Europe/Berlin"
        ) from None


def check_cron(expression: str, zone: str) -> None:
    """
    Raises:
        BadSchedule: It is no expression of five fields, or it never comes.
    """
    place = zone_of(zone)
    if len(expression.split()) != 5:
        raise BadSchedule(
            f"cron expression {expression!r}: five fields are expected,"
            " minute hour day month weekday, such as '0 2 * * *' for each night at two"
        )
    try:
        next(CronSim(expression, datetime(2026, 1, 1, tzinfo=place)))
    except (CronSimError, StopIteration) as error:
        reason = str(error) or "it never comes"
        raise BadSchedule(
            f"cron expression {expression!r}: {reason}; minute 0-59, hour 0-23, day 1-31, month"
            " 1-12, weekday 0-7 are expected, each a number, a list, a range or a star"
        ) from None


def read_instant(text: str, zone: str) -> int:
    """
    Read an instant as a person writes it: `2026-12-01 20:00`, ISO 8601, in `zone` unless it says.

    Raises:
        BadSchedule: It is none.
    """
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise BadSchedule(
            f"instant {text!r}: YYYY-MM-DD HH:MM is expected, such as '2026-12-01 20:00'"
        ) from None
    if moment.tzinfo is None:
        place = zone_of(zone)
        wanted, moment = moment, moment.replace(tzinfo=place)
        if moment.astimezone(UTC).astimezone(place).replace(tzinfo=None) != wanted:
            raise BadSchedule(
                f"instant {text!r}: clocks in {zone} go forward over it; give one before or after"
            )
    return int(moment.timestamp() * 1000)


def shown(instant_ms: int, zone: str = "UTC") -> str:
    """Write an instant for a person, to the minute, with its zone's name there and then."""
    moment = datetime.fromtimestamp(instant_ms / 1000, zone_of(zone))
    return f"{moment:%Y-%m-%d %H:%M} {moment.tzname()}"


def edition(announced: Announced, instant_ms: int) -> str:
    """Name what is held at an instant: the announcement's name, with the instant if it repeats."""
    if not announced.cron:
        return announced.name
    return f"{announced.name}-{datetime.fromtimestamp(instant_ms / 1000, UTC):%Y%m%dT%H%MZ}"


def following(announced: Announced, after_ms: int, count: int = 1) -> list[int]:
    """
    List the next instants after one, soonest first.

    Returns:
        At most `count`; none if it never comes again.
    """
    if not announced.cron:
        return [announced.at_ms] if announced.at_ms > after_ms else []
    place = zone_of(announced.zone)
    # Cron counts in whole seconds, and gives what is later than where it begins.
    moments = CronSim(announced.cron, datetime.fromtimestamp(after_ms // 1000, place))
    found: list[int] = []
    for _ in range(count):
        try:
            found.append(int(next(moments).timestamp() * 1000))
        except StopIteration:
            break
    return found


def due(announced: Announced, handled_ms: int, now_ms: int) -> Due:
    """
    Say what is to be done about an announcement now.

    Of several instants that came while nobody was there, the latest is made up for, unless it is
    longer ago than `catch_up_ms`; the others are missed.

    Args:
        handled_ms: The last instant that was started or given up; 0 for none.
    """
    last = handled_ms or (announced.made_ms - 1 if announced.cron else 0)
    passed: list[int] = []
    for _ in range(MOST_AT_ONCE):
        coming = following(announced, last)
        if not coming or coming[0] > now_ms:
            break
        last = coming[0]
        passed.append(last)
    if not passed:
        return Due(None, 0, handled_ms)
    latest = passed[-1]
    if now_ms - latest > announced.catch_up_ms:
        return Due(None, len(passed), latest)
    return Due(latest, len(passed) - 1, latest)
