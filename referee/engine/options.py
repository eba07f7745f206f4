"""Options: what a seat may answer."""

from __future__ import annotations

from typing import NamedTuple


class Option(NamedTuple):
    """One answer on offer: a verb of the rulebook and what it is done to."""

    verb: str
    args: tuple[str | int, ...] = ()
    """Ids and numbers in a fixed order for each verb; no id holds a space."""

    def __str__(self) -> str:
        """The canonical text: equal content, equal text, in every state."""
        return " ".join((self.verb, *map(str, self.args)))


PASS = Option("pass")
"""The answer that declines; always option 0 where it is offered."""
