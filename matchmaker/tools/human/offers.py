"""Numbered options in words: all of them, or those that have a word in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from matchmaker.viewing.table import Said

MOST_SHOWN = 40
"""A longer list is not read; a word narrows it."""


class Offers:
    """The options of one question; numbers begin with 1."""

    def __init__(self, options: Sequence[Said], declines: bool) -> None:
        """
        Args:
            declines: The first one is a pass or the like, which is what Enter says.
        """
        self.options = options
        self.declines = declines
        self.only: int | None = None
        """Index of the one option that a word has left; Enter takes it."""

    def enter(self) -> int | None:
        """What Enter takes; None if it takes nothing."""
        return 0 if self.only is None and self.declines else self.only

    def enter_number(self) -> int:
        option = self.enter()
        assert option is not None, "Enter takes nothing"
        return option + 1

    def number(self, text: str) -> int | None:
        """The index that a number stands for; None if there is no such option."""
        number = int(text) if text.isascii() and text.isdecimal() and len(text) < 7 else 0
        return number - 1 if 1 <= number <= len(self.options) else None

    def find(self, text: str) -> list[int]:
        """Indices of the options that have every word of a text in them."""
        wanted = text.lower().split()
        found = [
            k for k, each in enumerate(self.options)
            if all(word in f"{each.group} {each.text}".lower() for word in wanted)
        ]  # fmt: skip
        self.only = found[0] if len(found) == 1 else None
        return found

    def lines(self, chosen: Sequence[int] | None = None, most: int = MOST_SHOWN) -> Iterator[str]:
        """Lines for these options, or all; those of one kind under one heading."""
        some = range(len(self.options)) if chosen is None else chosen
        width = len(str(len(self.options)))
        group = ""
        for k in some[:most]:
            said = self.options[k]
            if said.group != group and said.group:
                yield f"  {said.group}"
            group = said.group
            enter = "  (Enter)" if k == self.enter() else ""
            yield f"{k + 1:>{width + 2}}  {said.text}{enter}"
        if len(some) > most:
            yield (
                f"  … {len(some) - most} more: type a word to see those that have it,"
                " or `all`"
            )  # fmt: skip
