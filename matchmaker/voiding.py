"""
Take a match's result out by an operator's word, and play it anew if he wants.

The result stays in the log; a `void` entry says that it does not count. Tables follow by
themselves, also where the result was settled long ago.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from matchmaker import audit, closed, operator_scripts, registry
from matchmaker.connection import Ladder
from matchmaker.entries import Result, Seated, Standing, Void, encode
from matchmaker.errors import WrongUse
from matchmaker.keys import Keys
from matchmaker.series import Pairing, new_pairing, pack_pairing
from referee.engine.errors import WarladderError
from referee.match.journal import unpack_journal
from referee.match.replay import read_record
from referee.store.scripts import packed

ANEW = "anew"
"""Cause of a match that an operator wants played once more."""
TOURNAMENT = "tournament:"


class Voided(NamedTuple):
    """What came of it."""

    position: int
    """Of the entry that says so."""
    pairing: str
    """That plays the match anew; empty if none does."""


def void(
    ladder: Ladder, match: str, why: str, *, anew: bool = False, by: str = registry.OPERATOR
) -> Voided:
    """
    Take a result out.

    Args:
        why: All its bots' authors are told.
        anew: The same seats play it again, on a fresh deal, as soon as they are there.

    Raises:
        WrongUse: There is no such result, it does not count anyway, or its tournament plays it
            anew by itself.
    """
    why = audit.reason(why, "what the bots' authors are to read")
    result = _counting(ladder, match)
    if anew and result.cause.startswith(TOURNAMENT):
        raise WrongUse(
            f"match {match} belongs to a tournament, which plays it anew by itself:"
            f" `warladder match void {match}` is enough"
        )
    bots = [seat.bot for seat in result.seats]
    pairing = _again(ladder, result) if anew else None
    position = ladder.redis.eval(
        operator_scripts.VOID,
        0,
        Keys(ladder.namespace).prefix,
        "match anew" if anew else "match void",
        match,
        encode(Void(match=match, by=by, reason=why)),
        by,
        why,
        packed(bots),
        pairing.pairing if pairing else "",
        pack_pairing(pairing) if pairing else b"",
    )
    if not position:
        raise _void_already(match)
    return Voided(int(position), pairing.pairing if pairing else "")


def _counting(ladder: Ladder, match: str) -> Result:
    """
    Find a result that counts for something.

    Raises:
        WrongUse: There is none.
    """
    result, is_void = None, False
    for logged in closed.log_of(ladder):
        entry = logged.entry
        if isinstance(entry, Result) and entry.match == match:
            result = entry
        is_void |= isinstance(entry, Void) and entry.match == match
    if result is None:
        if ladder.redis.exists(Keys(ladder.namespace).match(match)):
            raise WrongUse(f"match {match} has not closed; `warladder match cancel` ends it")
        raise WrongUse(f"there is no match {match!r}; `warladder replay list` names those closed")
    if is_void:
        raise _void_already(match)
    counts = result.standing is Standing.RATED or (
        result.standing is Standing.UNRATED and result.cause.startswith(TOURNAMENT)
    )
    if not counts:
        raise WrongUse(f"match {match} does not count: it is {result.standing} ({result.why})")
    return result


def _void_already(match: str) -> WrongUse:
    return WrongUse(f"match {match} is void already, by an operator's word")


def _again(ladder: Ladder, result: Result) -> Pairing:
    """The same seats once more; on the public setting that they had, if the archive knows it."""
    bots = [Seated(*seat) for seat in result.seats]
    pairing = new_pairing(result.game, bots, [tuple(range(len(bots)))], cause=ANEW)
    archive = closed.archive_of(ladder)
    if archive is None or not result.archive:
        return pairing
    try:
        record = read_record(unpack_journal(archive.replay(result.archive).journal))
    except WarladderError:  # a damaged replay is no reason not to play
        return pairing
    return replace(pairing, setting=record.setting or pairing.setting)
