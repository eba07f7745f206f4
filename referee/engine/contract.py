"""What a game is to everyone outside its folder: its name, its facts, and four ways to a state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from types import ModuleType
from typing import Any, Generic, NamedTuple, TypeVar

from referee.engine.canonical import unpack
from referee.engine.errors import BadOption, BadSave
from referee.engine.frames import unpack_stack
from referee.engine.state import SCHEMA, State

S = TypeVar("S", bound=State)
V = TypeVar("V")


class Kind(NamedTuple):
    """One row of a game's catalogue of decisions."""

    window: bool = False
    """Asked whatever the seat holds, because public facts alone open it."""
    paced: bool = False
    """Its outcome is held back to a floor and a quantum, so that its time tells nothing."""
    standing_order: bool = False
    """A bot may order in advance that windows of this kind be passed."""


@dataclass(frozen=True, kw_only=True)
class OptionSpec:
    """One option of a match: its default, what it may be, and a line on what it does."""

    default: Any
    says: str
    low: int | None = None
    high: int | None = None
    choices: tuple[str, ...] = ()

    def check(self, name: str, value: object) -> Any:
        """
        Read a value, which may be text from a command line.

        Raises:
            BadOption: It is not of the default's type, or out of range.
        """
        read = self._read(value)
        if read is None or (self.low is not None and not self.low <= read <= (self.high or read)):
            raise BadOption(f"option {name}={value!r}: expected {self.expected()}")
        return read

    def expected(self) -> str:
        if self.choices:
            return "one of " + ", ".join(self.choices)
        if isinstance(self.default, bool):
            return "true or false"
        if isinstance(self.default, int):
            return f"a whole number from {self.low} to {self.high}"
        return "a text"

    def _read(self, value: object) -> Any:
        if isinstance(self.default, bool):
            words = {"true": True, "on": True, "1": True, "false": False, "off": False, "0": False}
            return value if isinstance(value, bool) else words.get(str(value).lower())
        if isinstance(self.default, int):
            if isinstance(value, str):
                try:
                    return int(value)
                except ValueError:
                    return None
            return value if type(value) is int else None
        text = str(value)
        return text if not self.choices or text in self.choices else None


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What is true of a game before any match of it."""

    game: str
    rules: str
    """Version of the rules; a match is played to its end under one."""
    seats: tuple[int, ...]
    """Possible numbers of seats, ascending; the first is usual."""
    cards: str
    """SHA-256, in hex, of the component data the game ships with."""
    options: Mapping[str, OptionSpec] = field(default_factory=dict)
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    teams: Callable[[int, Mapping[str, Any]], tuple[tuple[int, ...], ...]]
    """Sides of a match with so many seats and these options."""
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Every reason that an outcome may have, and a clause for people that says what decided."""
    title: str = ""
    """What the box says; empty if that is its name."""
    roles: tuple[str, ...] = ()
    """What the rulebook calls each seat; empty if it has no names for them."""


class Game(ABC, Generic[S, V]):
    """A set of rules."""

    facts: Facts

    @property
    def name(self) -> str:
        return self.facts.game

    @property
    def wire(self) -> ModuleType:
        """The game's `wire` module; imported on demand, since rules know no protocol."""
        return import_module(f"referee.games.{self.name}.wire")

    def card_data(self) -> bytes:
        """The component data it ships with, as one JSON document; empty if it has none."""
        return b""

    def start(
        self,
        seats: int | None = None,
        seed: str = "",
        setting: str | None = None,
        options: Mapping[str, Any] | None = None,
        events: bool = True,
    ) -> S:
        """
        The position before the first decision.

        Args:
            seats: One of `facts.seats`; None takes the first.
            seed: Any text; all hidden chance comes from it.
            setting: Seed of what is public from the start; None takes `seed`.
            options: Values that differ from the defaults; texts are read.
            events: Whether events are recorded.

        Raises:
            BadOption: Wrong number of seats, or an option that is unknown or out of range.
            BadData: An option names component data that cannot be used.
        """
        count = self.facts.seats[0] if seats is None else seats
        if type(count) is not int or count not in self.facts.seats:
            allowed = ", ".join(map(str, self.facts.seats))
            raise BadOption(f"{self.name} has no match of {seats} seats: possible are {allowed}")
        return self._start(
            count,
            str(seed),
            str(seed) if setting is None else str(setting),
            self.read_options(options or {}),
            events,
        )

    def read_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """
        Every option with its value, defaults filled in, in the order of `facts.options`.

        Raises:
            BadOption: An option is unknown or out of range.
        """
        for name in options:
            if name not in self.facts.options:
                known = ", ".join(self.facts.options) or "none"
                raise BadOption(f"{self.name} has no option {name!r}; known are: {known}")
        return {
            name: spec.check(name, options[name]) if name in options else spec.default
            for name, spec in self.facts.options.items()
        }

    @abstractmethod
    def _start(
        self, seats: int, seed: str, setting: str, options: dict[str, Any], events: bool
    ) -> S:
        """Set up; everything is checked."""

    def brings_to_light(self, event: Any, viewer: int) -> bool:
        """
        Whether this event may show its viewer something that was hidden from him until then.

        Every other event is a consequence of what he knew; two positions that look alike to him
        and go on alike may be told apart by these events only.
        """
        return False

    @abstractmethod
    def imagine(self, view: V, seed: str, events: bool = False) -> S:
        """
        A whole state drawn evenly from those this view allows; reads nothing but the view.

        Raises:
            BadView: No position could have given this view.
        """

    def load(self, saved: bytes, events: bool = False) -> S:
        """
        The state that `State.save` wrote, under the same rules.

        Raises:
            BadSave: The bytes are not such a state.
        """
        try:
            schema, game, rules, *rest = _sequence(unpack(saved))
        except ValueError as fault:
            raise BadSave(f"not a saved state: {fault}") from None
        if (schema, game, rules) != (SCHEMA, self.name, self.facts.rules):
            raise BadSave(
                f"saved as {game} rules {rules} schema {schema}; "
                f"this is {self.name} rules {self.facts.rules} schema {SCHEMA}"
            )
        try:
            seats, seed, draws, stack, tables = rest
            state = self._unpack(seats, seed, events, tables)
            state.draws = dict(draws)
            state.stack = unpack_stack(state.FRAMES, stack)
        except (ValueError, TypeError, KeyError, IndexError) as fault:
            raise BadSave(f"not a saved state of {self.name}: {fault!r}") from None
        state.run()
        return state

    @abstractmethod
    def _unpack(self, seats: int, seed: str, events: bool, tables: Any) -> S:
        """A state with these tables and an empty stack."""


def _sequence(value: Any) -> Any:
    if not isinstance(value, tuple) or len(value) < 3:
        raise ValueError("a sequence with schema, game and rules was expected")
    return value
