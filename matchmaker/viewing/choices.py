"""What each choice of a closed match was about: found by playing its journal again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from matchmaker.viewing.table import Table, components_of
from referee import games
from referee.engine.errors import IllegalChoice
from referee.games import PUBLIC
from referee.match.errors import BadJournal
from referee.match.journal import Choice, Entry
from referee.match.record import MatchRecord
from referee.match.replay import check_rules


class Taken(NamedTuple):
    """One choice, in the order of the journal."""

    kind: str
    """Which decision of the game's catalogue."""
    option: str
    """The option's canonical text."""
    words: str
    """The same in the game's words."""
    options: int
    """How many there were."""


def taken(record: MatchRecord, entries: Iterable[Entry]) -> list[Taken]:
    """
    Tell a match's choices; up to a fifth of a second's work for the longest.

    Raises:
        WarladderError: These rules cannot play it, or a choice does not fit them.
    """
    check_rules(record)
    state = games.get(record.game).start(
        seats=len(record.seats), seed=record.seed, setting=record.setting,
        options=record.options, events=False,
    )  # fmt: skip
    table = Table(
        record.game, len(record.seats), PUBLIC, components_of(record.game, record.cards)
    )  # fmt: skip
    found = []
    for entry in entries:
        if not isinstance(entry, Choice):
            continue
        options = state.options(entry.seat)
        kind = state.kind(entry.seat)
        if kind is None or entry.option >= len(options):
            raise BadJournal(f"match {record.match}: a choice that was not to be made")
        option = str(options[entry.option])
        found.append(Taken(kind, option, table.option(option).line, len(options)))
        try:
            state.choose(entry.seat, entry.option)
        except IllegalChoice as fault:
            raise BadJournal(f"match {record.match}: {fault}") from None
    return found
