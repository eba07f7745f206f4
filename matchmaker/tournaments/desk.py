"""What an organiser does: announce a tournament, see how it stands, step in."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

from matchmaker import attendance, audit, formats, registry, table
from matchmaker.archive import Archive
from matchmaker.connection import Ladder
from matchmaker.entries import BotEntered, BotWithdrew, TournamentCancelled
from matchmaker.errors import WrongUse
from matchmaker.fold import whole
from matchmaker.formats.contract import BadTerms, Entrant, Terms
from matchmaker.keys import Keys
from matchmaker.log import Log
from matchmaker.tournaments.contest import Contest
from matchmaker.tournaments.forecast import Forecast, forecast
from matchmaker.tournaments.schedule import (
    Announced,
    BadSchedule,
    entered,
    following,
    shown,
)
from matchmaker.tournaments.store import Tournaments
from matchmaker.tournaments.wishes import Wish, announced_of
from matchmaker.walk import every
from referee import games

MOST_TRIED = 65
"""Fields of so many bots are tried to see whether a tournament could be held by any."""
UNKNOWN_SECONDS = 10.0
"""Length of a match of which none was seen, for the plan."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What an announcement will come to, as far as can be said now."""

    announced: Announced
    instants: tuple[int, ...]
    """The next, milliseconds UTC."""
    entered: tuple[str, ...]
    here: tuple[str, ...]
    """Those of them that attend now."""
    forecast: Forecast | None
    fault: str
    """Why it could not be held as things are; empty if it could."""
    without: str
    """Why it could not be held by those that attend now alone; empty if it could."""


def plan(ladder: Ladder, wish: Wish) -> Plan:
    """
    Read a wish and say what it will come to.

    Raises:
        WrongUse: A word of it is wrong: the text says which, and what would do.
    """
    store = _store(ladder)
    now_ms = store.now_ms()
    if not wish.name:
        wish = replace(wish, name=_free_name(store, wish.format))
    try:
        announced = announced_of(ladder, wish, now_ms)
    except (BadTerms, BadSchedule) as fault:
        raise WrongUse(str(fault)) from None
    there = _players(ladder, announced.game)
    order = [
        row["bot"] for row in table.read(ladder.redis, announced.game, ladder.namespace)["table"]
    ]
    some = entered(announced, order, there)
    seconds = store.usual_seconds(announced.game) or UNKNOWN_SECONDS
    _check_ever(announced, some)
    ahead, hitch = None, ""
    try:
        ahead = forecast(
            _terms(announced),
            _seeded(some),
            [there.get(bot, 1) for bot in some],
            seconds,
            most_matches=announced.most_matches,
            most_seconds=announced.most_seconds,
        )
    except BadTerms as reason:
        hitch = str(reason)
    here = [bot for bot in some if bot in there]
    without = "" if here == some else _fault(announced, here)
    if hitch and not announced.cron and wish.at is None:
        raise WrongUse(f"it would begin now, and {hitch}")
    return Plan(
        announced=announced,
        instants=tuple(following(announced, now_ms - 1, 3)) or (announced.at_ms,),
        entered=tuple(some),
        here=tuple(here),
        forecast=ahead,
        fault=hitch,
        without=without,
    )


def announce(ladder: Ladder, planned: Plan) -> None:
    """
    Announce a tournament.

    Raises:
        WrongUse: Its name is taken.
    """
    announced = planned.announced
    when = shown(planned.instants[0], announced.zone)
    text = f"{announced.format} of {announced.game}, {when}, by {announced.by}"
    answer = _store(ladder).announce(announced, text)
    if answer == 0:
        raise WrongUse(
            f"a tournament {announced.name!r} is announced already; choose another name, or take"
            " it back with `warladder tournament cancel`"
        )
    if answer < 0:
        raise WrongUse(f"a tournament {announced.name!r} has been held; choose another name")


def cancel(ladder: Ladder, name: str, why: str, by: str) -> str:
    """
    Take an announcement back, or end a running tournament as it stands.

    Returns:
        What became of it, for a person.

    Raises:
        WrongUse: There is none of this name, or it is over.
    """
    why = audit.reason(why)
    store = _store(ladder)
    if store.take_back(name, why, by):
        running = [
            each for each, shown_ in store.running().items() if shown_.get("schedule") == name
        ]
        still = f"; {', '.join(running)} goes on" if running else ""
        return f"{name} will not be held{still}"
    entry = TournamentCancelled(tournament=name, reason=why, by=by)
    if store.order("tournament cancel", name, entry, by, why):
        return f"{name} ends as it stands"
    raise _unknown(store, name)


def enter(ladder: Ladder, name: str, bot: str, by: str) -> None:
    """
    Let a bot take part in a running tournament from now on.

    Raises:
        WrongUse: There is no such bot or tournament, or its format takes nobody any more.
    """
    registry.find(ladder.redis, bot, namespace=ladder.namespace)
    contest = _contest(ladder, name)
    refusal = contest.refusal(bot)
    if not refusal and bot not in _players(ladder, contest.begun.game):
        refusal = f"{bot} does not attend, or is paused; start it first"
    if refusal:
        raise WrongUse(f"{name}: {refusal}")
    entry = BotEntered(tournament=name, bot=bot, by=by)
    if not _store(ladder).order("tournament enter", name, entry, by, bot=bot):
        raise _unknown(_store(ladder), name)


def withdraw(ladder: Ladder, name: str, bot: str, why: str, by: str) -> None:
    """
    Take a bot out of a running tournament; what it has begun is left as it is.

    Raises:
        WrongUse: There is no such tournament, or the bot does not take part.
    """
    why = audit.reason(why)
    contest = _contest(ladder, name)
    if bot not in contest.bots:
        raise WrongUse(f"{bot} takes no part in {name}; {', '.join(contest.bots)} do")
    if bot in contest.withdrawn:
        raise WrongUse(f"{bot} has withdrawn from {name} already")
    entry = BotWithdrew(tournament=name, bot=bot, reason=why, by=by)
    if not _store(ladder).order("tournament withdraw", name, entry, by, why, bot):
        raise _unknown(_store(ladder), name)


def overview(ladder: Ladder) -> dict[str, Any]:
    """
    Show everything there is.

    Returns:
        `announced`, each with its next instants; `running` and `over`, in short; `news`.
    """
    store = _store(ladder)
    now_ms = store.now_ms()
    handled = store.handled()
    announced = []
    for name, each in store.announced().items():
        instants = _next(each, max(now_ms - 1, handled.get(name, 0)))
        announced.append(
            {
                "name": name,
                "format": each.format,
                "game": each.game,
                "cron": each.cron,
                "zone": each.zone,
                "next_ms": instants,
                "next": [shown(instant, each.zone) for instant in instants],
                "by": each.by,
            }
        )
    running = [
        {key: shown_.get(key) for key in ("format", "game", "planned_ms", "begun_ms", "matches")}
        | {"tournament": name, "best": [row["bot"] for row in shown_.get("standings", [])[:3]]}
        for name, shown_ in store.running().items()
    ]
    return {
        "announced": announced,
        "running": running,
        "over": store.over(),
        "news": store.news(50),
    }


def show(ladder: Ladder, name: str) -> dict[str, Any]:
    """
    Show one tournament, running or over: see `document` for its shape.

    One that is only announced has `next` and `editions` as well, and nothing played.

    Raises:
        WrongUse: There is none, or it is over and the archive is not known here.
    """
    store = _store(ladder)
    found = store.running().get(name)
    if found:
        return found
    announced = store.announced().get(name)
    if announced is not None:
        return _announcement(store, announced)
    for line in store.over():
        if line["tournament"] == name:
            if not ladder.archive:
                raise WrongUse("WARLADDER_ARCHIVE is not set: tournaments that are over are there")
            text = Archive(Path(ladder.archive)).tournament(line["archive"])
            document: dict[str, Any] = json.loads(text)
            return document
    raise _unknown(store, name)


def _announcement(store: Tournaments, announced: Announced) -> dict[str, Any]:
    """What is known of a tournament that is yet to be held, in the shape of a document."""
    instants = _next(announced, max(store.now_ms() - 1, store.handled().get(announced.name, 0)))
    editions = [
        *(name for name, each in store.running().items() if each.get("schedule") == announced.name),
        *(each["tournament"] for each in store.over() if each["schedule"] == announced.name),
    ]
    return {
        "tournament": announced.name,
        "name": announced.name,
        "schedule": "",
        "state": "announced",
        "reason": "",
        "planned_ms": instants[0],
        "begun_ms": 0,
        "cron": announced.cron,
        "zone": announced.zone,
        "next_ms": instants,
        "next": [shown(instant, announced.zone) for instant in instants],
        "editions": editions,
        "format": announced.format,
        "game": announced.game,
        "seats": announced.seats,
        "options": dict(announced.options),
        "settings": dict(announced.settings),
        "rated": announced.rated,
        "weight": announced.weight,
        "entrants": [{"bot": bot, "seed": 0} for bot in announced.bots],
        "dropped": [],
        "matches": 0,
        "standings": [],
        "meetings": [],
        "summary": {},
    }


def _next(announced: Announced, after_ms: int) -> list[int]:
    return following(announced, after_ms, 3) or [announced.at_ms]


def _seeded(bots: Sequence[str]) -> list[Entrant]:
    return [Entrant(bot, seed) for seed, bot in enumerate(bots, 1)]


def _fault(announced: Announced, bots: Sequence[str]) -> str:
    """Why a tournament could not be held by these bots; empty if it could."""
    try:
        formats.get(announced.format).check(_terms(announced), _seeded(bots))
    except BadTerms as fault:
        return str(fault)
    return ""


def _check_ever(announced: Announced, some: Sequence[str]) -> None:
    """
    Raises:
        WrongUse: It could be held by no field at all, or by none that can be entered so.
    """
    if announced.everybody or announced.top:
        sizes = [*range(2, MOST_TRIED), len(some)]
    else:
        sizes = [len(announced.bots)]
    faults = [_fault(announced, [f"bot-{n}" for n in range(size)]) for size in sizes]
    if all(faults):
        raise WrongUse(faults[0])


def _terms(announced: Announced) -> Terms:
    return Terms(
        format=announced.format,
        game=announced.game,
        seats=announced.seats,
        sides=announced.sides,
        chance="",
        settings=announced.settings,
    )


def _players(ladder: Ladder, game: str) -> dict[str, int]:
    """Places of the bots that attend a game now."""
    facts = games.get(game).facts
    there = attendance.read(ladder.redis, Keys(ladder.namespace))
    players = there.players(game, facts.rules, facts.cards)
    return {name: player.places for name, player in players.items()}


def _contest(ladder: Ladder, name: str) -> Contest:
    """
    Fold a running tournament out of the log.

    Raises:
        WrongUse: None of this name runs.
    """
    log = Log(ladder.redis, Keys(ladder.namespace))
    if ladder.archive:
        entries = every(log, Archive(Path(ladder.archive)), log.position())
    else:
        entries = log.whole_tail(log.base().position)
    fold = whole(each.entry for each in entries)
    contest = fold.contests.get(name)
    if contest is None:
        raise _unknown(_store(ladder), name)
    return contest


def _free_name(store: Tournaments, format: str) -> str:
    """Name a tournament that nobody has named: `swiss-3` is the third of its format."""
    taken = {*store.announced(), *store.handled(), *store.running()}
    return next(name for number in count(1) if (name := f"{format}-{number}") not in taken)


def _unknown(store: Tournaments, name: str) -> WrongUse:
    if any(line["tournament"] == name for line in store.over()):
        return WrongUse(f"tournament {name!r} is over; `warladder tournament show` has it")
    return WrongUse(f"there is no tournament {name!r}; `warladder tournament list` names them")


def _store(ladder: Ladder) -> Tournaments:
    return Tournaments(ladder.redis, Keys(ladder.namespace))
