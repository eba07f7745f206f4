"""Closed matches, played again for one viewer; and the data that their games ship with."""

from __future__ import annotations

from matchmaker.archive import Archive
from matchmaker.viewing.course import Course, Json
from referee import games
from referee.match.journal import unpack_journal
from referee.match.replay import check_rules, read_record


class Withheld(Exception):
    """Another match on the same deal is still to be played."""


def course(archive: Archive, digest: str, viewer: int, after: int = 0, most: int = 0) -> Json:
    """
    A closed match as one viewer sees it, in JSON's terms; up to a second's work.

    Args:
        after: Leave out so many steps.
        most: Give so many steps at most, and do no more work than that takes; 0 for all.

    Returns:
        As `Course.part`, and `over`: whether these are the last steps.

    Raises:
        Withheld: It is not to be shown yet.
        WarladderError: Its file cannot be read, or these rules cannot play it.
    """
    entries = unpack_journal(archive.replay(digest).journal)
    record = read_record(entries)
    if not record.reveal:
        raise Withheld(record.match)
    check_rules(record)
    made = Course(record, viewer)
    for entry in entries:
        made.add((entry,))
        if most and made.is_settled(after + most):
            return {**made.part(after, after + most), "over": False}
    return {**made.part(after), "over": True}


def components(game: str) -> bytes:
    """
    The component data that a game ships with, as JSON; an empty object if it has none.

    Raises:
        UnknownGame: There is no such game.
    """
    return games.get(game).card_data() or b"{}"


def cards(game: str) -> str:
    """The digest of that data; empty if the game is not here."""
    return games.get(game).facts.cards if game in games.names() else ""
