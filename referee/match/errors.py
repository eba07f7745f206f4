"""
Errors of matches and their journals.

    WarladderError
    └── MatchError
        ├── BadJournal     bytes that are no record or journal of ours
        ├── NewerSchema    a newer program wrote them
        └── WrongRules     a journal of other rules or card data than are loaded here
"""

from referee.engine.errors import WarladderError


class MatchError(WarladderError):
    """Something about a match other than its rules."""


class BadJournal(MatchError):
    """Bytes that are not a record or a journal entry, or entries that contradict each other."""


class NewerSchema(MatchError):
    """A newer program wrote this; upgrade before touching it."""


class WrongRules(MatchError):
    """Played under rules or card data that are not loaded here."""
