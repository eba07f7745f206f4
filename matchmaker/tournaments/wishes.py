"""A tournament as somebody types it, read into what is announced."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matchmaker import formats, registry, table
from matchmaker.connection import Ladder
from matchmaker.formats.contract import BadTerms, Setting, Value
from matchmaker.tournaments.schedule import (
    NAMES,
    Announced,
    BadSchedule,
    check_cron,
    following,
    read_instant,
    shown,
)
from referee import games

AS_NAMED = ("gauntlet", "sprt")
"""Formats in which who is named first is the challenger, whatever the table says."""
EDITION = re.compile(r".*-\d{8}T\d{4}Z")


@dataclass(frozen=True, kw_only=True)
class Wish:
    """A tournament as somebody typed it."""

    format: str
    name: str
    game: str
    seats: int | None = None
    bots: tuple[str, ...] = ()
    top: int = 0
    everybody: bool = False
    settings: tuple[str, ...] = ()
    """`K=V` words of the format."""
    options: Mapping[str, str] | None = None
    """Of the game."""
    at: str | None = None
    cron: str | None = None
    zone: str = "UTC"
    catch_up_hours: float = 6.0
    weight: float = 4.0
    most_matches: int = 0
    most_hours: float = 24.0
    absence_seconds: float = 120.0
    rated: bool = True
    by: str = registry.OPERATOR


def announced_of(ladder: Ladder, wish: Wish, now_ms: int) -> Announced:
    """
    Read a wish.

    Raises:
        BadTerms, BadSchedule, WarladderError: A word of it is wrong; the text says what would do.
    """
    if not NAMES.fullmatch(wish.name):
        raise BadSchedule(
            f"name {wish.name!r}: 1 to 48 letters, digits, '.', '_' or '-',"
            " beginning with a letter or digit"
        )
    if not wish.cron and EDITION.fullmatch(wish.name):
        raise BadSchedule(
            f"name {wish.name!r}: editions of a schedule are called so; choose another"
        )
    if wish.at and wish.cron:
        raise BadSchedule("--at and --cron: a tournament is held once or by a schedule; give one")
    if not (wish.bots or wish.top or wish.everybody):
        raise BadTerms("nobody is entered; name bots with --bots, or say --top N or --everybody")
    game = games.get(wish.game)
    facts = game.facts
    possible = [seats for seats in facts.seats if seats > 1]
    seats = wish.seats or min(possible, default=0)
    if seats not in possible:
        shown_ = " or ".join(map(str, possible)) or "one alone"
        raise BadTerms(f"seats {seats}: {wish.game} is played by {shown_}")
    options = {
        key: value
        for key, value in game.read_options(dict(wish.options or {})).items()
        if key in (wish.options or {})
    }
    sides = tuple(tuple(side) for side in facts.teams(seats, game.read_options(options)))
    played = table.games(ladder.redis, ladder.namespace)
    if played and wish.game not in played:
        raise BadTerms(
            f"this ladder does not play {wish.game}; it plays {', '.join(played)}:"
            " name one with --game"
        )
    twice = [bot for bot in wish.bots if wish.bots.count(bot) > 1]
    if twice:
        raise BadTerms(f"bot {twice[0]!r} is named twice; name it once")
    registered = {bot.name for bot in registry.bots(ladder.redis, namespace=ladder.namespace)}
    missing = [bot for bot in wish.bots if bot not in registered]
    if missing:
        raise BadTerms(
            f"bot {missing[0]!r} is not registered; `warladder bot list` names those there are"
        )
    if wish.cron:
        check_cron(wish.cron, wish.zone)
    at_ms = read_instant(wish.at, wish.zone) if wish.at else now_ms
    if at_ms < now_ms:
        raise BadSchedule(f"instant {wish.at!r} is over; it is {shown(now_ms, wish.zone)}")
    announced = Announced(
        name=wish.name,
        made_ms=now_ms,
        by=wish.by,
        cron=wish.cron or "",
        zone=wish.zone,
        at_ms=0 if wish.cron else at_ms,
        catch_up_ms=int(wish.catch_up_hours * 3600_000),
        format=wish.format,
        game=wish.game,
        seats=seats,
        sides=sides if len(sides) < seats else (),
        options=options,
        settings=read_settings(wish.format, wish.settings),
        bots=tuple(dict.fromkeys(wish.bots)),
        top=wish.top,
        everybody=wish.everybody,
        as_named=wish.format in AS_NAMED,
        rated=wish.rated and not options,
        weight=wish.weight,
        most_matches=wish.most_matches,
        most_seconds=int(wish.most_hours * 3600),
        absence_ms=int(wish.absence_seconds * 1000),
    )
    if announced.cron and not following(announced, now_ms):
        raise BadSchedule(f"cron expression {announced.cron!r} never comes")
    return announced


def read_settings(name: str, words: Sequence[str]) -> dict[str, Value]:
    """
    Read `K=V` words as a format's settings; what is not named keeps its default.

    Whether a value is in its range is the format's own check.

    Raises:
        BadTerms: There is no such format or setting, or the value cannot be.
    """
    settings = formats.get(name).settings
    given: dict[str, Value] = {}
    for word in words:
        key, equals, text = word.partition("=")
        known = ", ".join(settings) or "none"
        if not equals:
            raise BadTerms(f"setting {word!r}: give it as NAME=VALUE; {name} has {known}")
        if key not in settings:
            raise BadTerms(f"setting {key!r}: there is none of this name; {name} has {known}")
        if key in given:
            raise BadTerms(f"setting {key!r} is given twice; give it once")
        given[key] = _value(key, settings[key], text)
    return formats.with_defaults(name, given)


def _value(key: str, setting: Setting, text: str) -> Value:
    kind = type(setting.default)
    try:
        if kind is bool:
            value: Value = {"true": True, "false": False}[text.lower()]
        elif kind is int:
            value = int(text)
        elif kind is float:
            value = float(text)
        else:
            value = text
    except (ValueError, KeyError):
        wanted = {bool: "true or false", int: "a whole number", float: "a number"}[kind]
        raise BadTerms(f"setting {key}={text!r}: {wanted} is expected") from None
    return value
