"""One match as somebody sees it on a terminal, in the words of its game."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any, NamedTuple

from matchmaker.output import harmless
from matchmaker.viewing import titles
from matchmaker.viewing.words import words
from referee import games

Json = dict[str, Any]
ID = re.compile(r"[A-Za-z0-9_.!']+")
EMPTY: tuple[Any, ...] = ("", [], None)


class Said(NamedTuple):
    """An option in words."""

    group: str
    """What heads the options of its like; empty if it stands for itself."""
    text: str

    @property
    def line(self) -> str:
        """Both, where options are not listed by group."""
        return f"{self.group}: {self.text}" if self.group else self.text


class Table:
    """
    A match, as far as its viewer knows it, and the words for it.

    A game's drawing asks this for names; whoever draws asks it for sentences.
    """

    def __init__(self, game: str, seats: int, viewer: int, components: bytes) -> None:
        """
        Args:
            viewer: A seat, or PUBLIC.
            components: Component data of the match, as JSON; where it is empty, ids stand for
                names.
        """
        self.game = game
        self.seats = seats
        self.viewer = viewer
        self.drawing = drawing_of(game)
        self.components: Json = json.loads(components or b"{}")
        self.names: Mapping[str, str] = self._ask("names", {}, self.components)
        self.view: Json = {}
        """The position as it was seen last, in plain values; empty before any."""
        self.asked: Sequence[int] = ()
        """Seats that must answer, as far as the viewer may know."""

    def _ask(self, what: str, otherwise: Any, *given: Any) -> Any:
        made = getattr(self.drawing, what, None)
        return otherwise if made is None else made(*given)

    # Words that drawings use

    def name(self, thing: str) -> str:
        return harmless(self.names.get(thing, thing))

    def listed(self, things: Iterable[str]) -> str:
        return ", ".join(map(self.name, things))

    def seat(self, number: int) -> str:
        return titles.role(self.game, number) or f"seat {number}"

    @staticmethod
    def count(number: int, what: str) -> str:
        return f"{number} {what}{'' if number == 1 else 's'}"

    # What others show

    def tell(self, event: Sequence[Any]) -> str:
        """An event, given as its name and its plain fields, in a sentence; asks for no view."""
        name, fields, *_ = event
        sentence = getattr(self.drawing, "TELL", {}).get(name)
        if sentence is not None:
            said: str = sentence(fields, self)
            return said
        told = [self._field(*each) for each in fields.items() if each[1] not in EMPTY]
        return f"{words(name)}: {', '.join(told)}" if told else words(name)

    def _field(self, field: str, value: Any) -> str:
        if field == "seat":
            return self.seat(value) if value >= 0 else "nobody"
        return f"{words(field)} {self._plainly(value)}"

    def _plainly(self, value: Any) -> str:
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, list):
            return " ".join(map(self._together, value))
        return self._together(value)

    def _together(self, value: Any) -> str:
        """A small record inside an event is one word: `R106/3`."""
        if isinstance(value, Mapping):
            return "/".join(map(self._together, value.values()))
        if isinstance(value, list):
            return "/".join(map(self._together, value))
        return self.name(str(value))

    def turn(self) -> str:
        turn: str = self._ask("turn", "", self.view)
        return turn

    def phase(self) -> str:
        """Where the match stands, in a line."""
        asked = ", ".join(map(self.seat, self.asked))
        phase: str | None = self._ask("phase", None, self)
        return phase or (f"asked: {asked}" if asked else "over")

    def scene(self) -> Hashable:
        """Whoever plays sees the table anew when this changes."""
        scene: Hashable = self._ask("scene", self.turn(), self.view)
        return scene

    def draw(self) -> list[Any]:
        """The table, as things that rich prints one below the other."""
        drawn = self._ask("draw", None, self)
        if drawn is not None:
            return list(drawn)
        return [f"{words(name)}: {self._plainly(each)}" for name, each in self.view.items()]

    def cards(self) -> list[str]:
        """What the viewer holds and what it does; empty if the game has nothing to say."""
        held: list[str] = list(self._ask("cards", (), self))
        return held

    def question(self, kind: str) -> str:
        """What is asked, in a line."""
        asks = getattr(self.drawing, "ASK", {})
        return str(asks.get(kind, words(kind).capitalize())).format_map(self.view)

    def option(self, text: str) -> Said:
        """
        An option, given by its canonical text.

        With a view it says what that tells too (where a Force stands); without one its words
        depend on the text alone.
        """
        verb, *args = text.split(" ")
        said = self._ask("option", None, self, verb, args)
        if said is not None:
            return Said(*said)
        named = ID.sub(lambda found: self.name(found[0]), " ".join(args))
        return Said("", f"{words(verb)} {named}".rstrip())


def components_of(game: str, cards: str) -> bytes:
    """Component data by its digest: what the game ships with, or nothing for another set."""
    known = games.get(game)
    return (known.card_data() if cards == known.facts.cards else b"") or b"{}"


@cache
def drawing_of(game: str) -> ModuleType | None:
    """The module that draws a game, if it has one."""
    name = f"matchmaker.viewing.drawings.{game}"
    return import_module(name) if find_spec(name) else None
