"""A ladder in which every word that came from elsewhere is hostile."""

import json
from pathlib import Path
from typing import Any

import redis

from matchmaker import registry_scripts
from matchmaker.archive import Archive
from matchmaker.entries import Seated, Standing, Why, cause_of
from matchmaker.fold import Fold
from matchmaker.keys import Keys
from matchmaker.table import NOT_ESTIMATED, head_to_head, render, stored
from matchmaker.tournaments.schedule import Announced, pack
from referee.match.journal import (
    Begun,
    Choice,
    End,
    Faulted,
    Left,
    Opened,
    Order,
    Out,
    Setup,
    pack_entry,
)
from referee.store.presence import EXPIRES_MS
from referee.store.records import Attending, Presence, pack_presence, pack_record
from tests.helpers.matches import plan, record
from tests.helpers.results import append, result

NASTY = (
    "</title></script><script>alert(1)</script><img src=x onerror=alert(2)>"
    '"\' onmouseover="alert(3) \u202eevil\u2066\n\ndata: forged\r\nevent: x {{ 7*7 }} \x1b[31m'
)
"""Markup, ends of attributes, letters that turn a line around, lines of an event stream, a
template's braces, a terminal's escape."""
TELLTALES = ("<script>alert", "<img src=x", "\u202e", "\u2066", "\x1b", "{{ 49 }}", 'onmouseover="')
GAME = "skirmish"


def named(where: str) -> str:
    """The same with a word of its own, to find it by."""
    return f"{where}{NASTY}"


def called(where: str) -> str:
    """A hostile name; without the stroke, which no name has, so that it is one part of a path."""
    return named(where).replace("/", "")


BOT, OTHER = called("bot"), called("other")


def build(connection: redis.Redis, keys: Keys, folder: Path) -> str:
    """
    Put it into the store.

    Returns:
        Position of the match in the log.
    """
    archive = Archive(folder / "archive")
    for bot in (BOT, OTHER):
        connection.sadd(keys.bots, bot)
        connection.hset(
            keys.bot(bot),
            mapping={"author": named("author"), "paused": named("paused"), "paused_until": 0},
        )
        connection.hset(keys.versions(bot), named("version"), 1)
        for what in ("paused", "added", named("what")):
            arguments = (keys.prefix, bot, what, named("history"), named("by"))
            connection.eval(registry_scripts.REMEMBER, 0, *arguments)
    seats = (Seated(BOT, named("version")), Seated(OTHER, named("version")))
    [position] = append(
        connection,
        keys,
        result(
            1, (BOT, OTHER), match="nasty", seats=seats, reason=named("reason"),
            rules=named("rules"), cards=named("cards"), pairing=named("pairing"),
            cause=cause_of(called("cup"), "r1m1"), standing=Standing.VOID, why=Why.OPERATOR,
            ending="timeout", faults=("timeout", ""), archive=replay(archive),
        ),
    )  # fmt: skip
    table(connection, keys)
    tournaments(connection, keys, archive)
    underway = record("running", bots=(BOT, OTHER), cause=cause_of(called("cup"), "r1m2"))
    plan(connection, keys, underway)
    connection.hset(keys.match("running"), "referee", named("referee"))
    connection.sadd(keys.places(BOT), "running")
    presence = Presence(
        name=named("referee"), address=named("address"), internal="x", room=1,
        games={GAME: named("rules")}, attending={BOT: (Attending("", "1", (GAME,), 1),)},
    )  # fmt: skip
    connection.set(keys.referee("r1"), pack_presence(presence), px=60 * EXPIRES_MS)
    connection.sadd(keys.referees, "r1")
    return str(position)


def replay(archive: Archive) -> str:
    made = record("nasty", bots=(BOT, OTHER), options={named("option"): named("value")})
    entries = [
        Setup(pack_record(made)),
        Opened(1, named("referee")),
        Begun(),
        Order(0, named("window"), True),
        Choice(0, 0, note=named("note")),
        Faulted(0, named("code"), 1),
        Left(0, False),
        Out(0, "timeout", named("out")),
        End("timeout", text=named("end"), reason=named("reason")),
    ]
    return archive.put_replay("nasty", [pack_entry(each) for each in entries])


def table(connection: redis.Redis, keys: Keys) -> None:
    shown = render(Fold(), GAME, 1, bytes(32))
    row = {
        "author": named("author"), "version": named("version"), "mu": 25.0, "sigma": 8.0,
        "worth": 1.0, "matches": 1, "wins": 1, "draws": 0, "losses": 0, "sides": [],
        "pentanomial": [0] * 5, **NOT_ESTIMATED,
    }  # fmt: skip
    shown["table"] = [{"bot": BOT, "rank": 1, **row}, {"bot": OTHER, "rank": 2, **row}]
    shown["earlier"] = [{"bot": BOT, "rank": 0, **row, "version": named("old")}]
    shown["endings"] = {named("ending"): 1}
    shown["seasons"] = [named("season"), "preseason"]
    connection.set(keys.table(GAME), stored(shown))
    connection.sadd(keys.tables, GAME)
    met = head_to_head(Fold(), GAME, 1, bytes(32))
    met["players"] = [[BOT, named("version")], [OTHER, named("version")]]
    met["meetings"] = [[0, 1, 1, 0, 0]]
    connection.set(keys.head_to_head(GAME), stored(met))
    point = [1, "preseason", named("version"), 1, 1, 25.0, 8.0, 25.0, 20.0, 30.0]
    connection.rpush(keys.chronicle(GAME, BOT), json.dumps(point))


def tournaments(connection: redis.Redis, keys: Keys, archive: Archive) -> None:
    announced = Announced(
        name=called("announced"), made_ms=0, by=named("by"), at_ms=10, format="swiss", game=GAME
    )
    connection.hset(keys.announced, announced.name, pack(announced))
    for name, format_ in (("cup", "single_elimination"), ("round", "round_robin")):
        document = contest(called(name), format_)
        connection.hset(keys.contests, called(name), json.dumps(document))
    over = contest(called("over"), "swiss")
    line = {
        "tournament": called("over"), "schedule": "", "format": named("format"), "game": GAME,
        "planned_ms": 1, "begun_ms": 1, "over_ms": 2, "state": "capped", "reason": named("reason"),
        "entrants": 2, "matches": 1, "best": [BOT],
        "archive": archive.put_tournament(json.dumps(over).encode()),
    }  # fmt: skip
    connection.lpush(keys.held, json.dumps(line))
    news = {"at_ms": 1, "name": named("news"), "what": named("what"), "text": named("text")}
    connection.lpush(keys.news, json.dumps(news))


def contest(name: str, format_: str) -> dict[str, Any]:
    standing = {
        "place": 1, "points": 1.0, "breaks": {named("break"): 1.0}, "wins": 1, "draws": 0,
        "losses": 0, "note": named("note"),
    }  # fmt: skip
    return {
        "tournament": name, "name": name, "schedule": "", "state": "running",
        "reason": named("reason"), "planned_ms": 1, "begun_ms": 1, "format": format_, "game": GAME,
        "seats": 2, "options": {named("option"): named("value")},
        "settings": {named("setting"): named("value")}, "rated": True, "weight": 4.0,
        "entrants": [{"bot": BOT, "seed": 1}], "dropped": [{"bot": OTHER, "reason": named("gone")}],
        "matches": 1, "standings": [{"bot": bot, **standing} for bot in (BOT, OTHER)],
        "meetings": [
            {
                "meeting": named("key"), "round": 1, "label": named("label"),
                "bots": [BOT, OTHER], "points": [1.0, 0.0], "state": "over", "winner": BOT,
                "matches": ["nasty"],
            }
        ],
        "summary": {named("summary"): named("winner")},
    }  # fmt: skip
