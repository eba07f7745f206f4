"""
Errors that end a command, on top of the tree in `referee.engine.errors`.

    WarladderError
    ├── WrongUse       the caller can put it right: a name, a setting, a port (exit 2)
    ├── FellShort      the command could not do all it should (exit 1)
    │   └── Away       a server that we need does not answer
    └── …              see `referee.engine.errors`
"""

from referee.engine.errors import WarladderError


class WrongUse(WarladderError):
    """The caller asked for something that cannot be; the text says what can."""


class FellShort(WarladderError):
    """The command ran, but not all of it could be done."""


class Away(FellShort):
    """A server that we need does not answer."""
