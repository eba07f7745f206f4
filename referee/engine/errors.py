"""
Every error that rules and their users raise.

    WarladderError
    ├── UnknownGame      no game has this name
    ├── BadOption        a match was asked for with a seat count or option that the game lacks
    ├── BadData          a component file cannot be used
    ├── BadView          a view does not describe a position of this game
    ├── BadSave          saved bytes are not a state of this game and these rules
    ├── IllegalChoice    an answer that was not offered
    └── RulesBug         our own fault: never charged to a bot
"""


class WarladderError(Exception):
    """Raised by us on purpose; its text is one line: what, where, what to do."""


class UnknownGame(WarladderError):
    """No game has this name."""


class BadOption(WarladderError):
    """A match was asked for with a number of seats or an option that the game does not have."""


class BadData(WarladderError):
    """A component file cannot be used; the text names each fault with file, record and reason."""


class BadView(WarladderError):
    """A view that no position of this game could have given."""


class BadSave(WarladderError):
    """Saved bytes that are not a state of this game under these rules."""


class IllegalChoice(WarladderError):
    """An answer that was not offered; the state is as it was."""


class RulesBug(WarladderError):
    """The rules contradict themselves: the match is void, its journal kept."""
