"""
A position of a game: a stack of frames, the game's own tables, and the calls that drive it.

A game's state derives from `State`, adds its tables, and fills in the few methods that this page
leaves open. Everything others do with a state goes through the public methods here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from hashlib import sha256
from typing import Any, ClassVar, NamedTuple, Self, TypeVar

from referee.engine import chance
from referee.engine.canonical import Value, pack
from referee.engine.errors import IllegalChoice, RulesBug
from referee.engine.events import PUBLIC, EventLog
from referee.engine.frames import (
    Ask,
    Frame,
    FrameTable,
    Procedure,
    Sealed,
    Window,
    is_anew,
    pack_stack,
    see_stack,
)
from referee.engine.options import Option

F = TypeVar("F", bound=Frame)

SCHEMA = 1
"""Of saved states. A change of form raises it; older bytes are refused, replays rebuild states."""

STEPS_WITHOUT_A_QUESTION = 100_000
"""More than this between two questions is a loop in the rules, not a long turn."""


class Outcome(NamedTuple):
    """How a match ended by its rules."""

    ranks: tuple[int, ...]
    """Per seat: 1 is best, ties are equal, the seats of a side alike."""
    scores: tuple[int, ...]
    """Per seat, in the game's own points; the seats of a side alike."""
    reason: str
    """The game's own word."""


class State(ABC):
    """A whole position, hidden parts included. Not shared: whoever needs one clones it."""

    GAME: ClassVar[str]
    RULES: ClassVar[str]
    FRAMES: ClassVar[FrameTable]

    def __init__(self, *, seats: int, seed: str, events: bool) -> None:
        self.seats = seats
        self.seed = seed
        """Of all chance still to come. Never shown while the match runs."""
        self.draws: dict[str, int] = {}
        """Numbers taken from each stream so far."""
        self.stack: list[Frame] = []
        self.log: EventLog | None = EventLog(seats) if events else None
        self._asked: tuple[int, ...] = ()
        self._offers: dict[int, tuple[Option, ...]] = {}

    # What a game fills in

    @property
    @abstractmethod
    def sides(self) -> tuple[tuple[int, ...], ...]:
        """Seats that win together, each side ascending, sides by their first seat."""

    @abstractmethod
    def view(self, seat: int) -> Any:
        """What this viewer may know, built from nothing; `seat` may be PUBLIC."""

    @abstractmethod
    def outcome(self) -> Outcome | None:
        """None while the match runs."""

    @abstractmethod
    def _copy_tables(self, twin: Self) -> None:
        """Give a clone its own copy of the game's tables."""

    @abstractmethod
    def _pack_tables(self) -> Value:
        """The game's tables as one canonical value."""

    @abstractmethod
    def redeal(self, seat: int, seed: str) -> Self:
        """The state that `Game.imagine` draws from this seat's view."""

    # What is asked

    def asked(self) -> tuple[int, ...]:
        """Seats that must answer now, ascending; several in a sealed window; () when over."""
        return self._asked

    def seen_asked(self, viewer: int) -> tuple[int, ...]:
        """
        Who is asked, as far as a viewer may know: of a sealed window all who take part in it, done
        or not, but for the viewer himself.
        """
        top = self.stack[-1] if self.stack else None
        if isinstance(top, Sealed):
            return tuple(seat for seat in top.seats if seat != viewer or seat in self._asked)
        return self._asked

    def kind(self, seat: int) -> str | None:
        """Which decision of the game's catalogue waits for this seat; None unless it is asked."""
        ask = self.question(seat)
        return ask.kind(self) if ask is not None else None

    def question(self, seat: int) -> Ask | None:
        """The frame that asks this seat; None unless it is asked."""
        if seat not in self._asked:
            return None
        top = self.stack[-1]
        if isinstance(top, Sealed):
            top = top.stacks[top.seats.index(seat)][-1]
        assert isinstance(top, Ask), top
        return top

    def options(self, seat: int) -> tuple[Option, ...]:
        """What this seat may answer, in canonical order, unique; empty unless it is asked."""
        ask = self.question(seat)
        return self.offered(ask) if ask is not None else ()

    def offered(self, ask: Ask) -> tuple[Option, ...]:
        """The options of a frame that is about to ask, listed once a decision."""
        known = self._offers.get(ask.seat)
        if known is None:
            known = self._offers[ask.seat] = tuple(ask.options(self))
        return known

    def default(self, seat: int) -> int:
        """
        Index of the option taken for a seat that is late: the first.

        Raises:
            IllegalChoice: The seat is not asked.
        """
        if seat not in self._asked:
            raise IllegalChoice(f"seat {seat} is not asked")
        return 0

    def choose(self, seat: int, i: int) -> None:
        """
        Take option `i` for this seat and run on to the next question.

        Raises:
            IllegalChoice: The seat is not asked, or has no such option. Nothing has changed.
        """
        ask = self.question(seat)
        if ask is None:
            raise IllegalChoice(f"seat {seat} is not asked; asked are {list(self._asked)}")
        offered = self.offered(ask)
        if type(i) is not int or not 0 <= i < len(offered):
            raise IllegalChoice(
                f"option {i!r} is not offered to seat {seat}: there are {len(offered)}, from 0"
            )
        top = self.stack[-1]
        if isinstance(top, Sealed):
            k = top.seats.index(seat)
            inner = list(top.stacks[k])
            self._take(inner, ask, offered[i])
            top.stacks = (*top.stacks[:k], tuple(inner), *top.stacks[k + 1 :])
        else:
            self._take(self.stack, ask, offered[i])
        self.run()

    # What others keep and compare

    def clone(self, events: bool = False) -> Self:
        """An independent copy; its event log is empty, and off unless asked for."""
        twin = object.__new__(type(self))
        twin.seats = self.seats
        twin.seed = self.seed
        twin.draws = self.draws.copy()
        twin.stack = [frame.copy() for frame in self.stack]
        twin.log = EventLog(self.seats) if events else None
        twin._asked = self._asked
        twin._offers = self._offers.copy()
        self._copy_tables(twin)
        return twin

    def events(self, seat: int, n: int = 0) -> tuple[Any, ...]:
        """This viewer's own event stream after its first `n`; empty if the log is off."""
        return () if self.log is None else tuple(self.log.streams[seat][n:])

    def save(self) -> bytes:
        """The whole state as canonical bytes; `Game.load` reads them."""
        draws = tuple(sorted(self.draws.items()))
        head = (SCHEMA, self.GAME, self.RULES, self.seats, self.seed, draws)
        return pack((*head, pack_stack(self.stack), self._pack_tables()))

    def digest(self) -> bytes:
        """32 bytes over the whole state: SHA-256 of `save()`."""
        return sha256(self.save()).digest()

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.save() == other.save()

    __hash__ = None  # type: ignore[assignment]  # states change, so they are no keys

    def seen_stack(self, viewer: int) -> tuple[Value, ...]:
        """The stack as this viewer may know it, for `view`."""
        return see_stack(self.stack, viewer)

    # What steps and `take` use

    def roll(self, stream: str, sides: int) -> int:
        """The next number of a stream: 1 … sides."""
        k = self.draws.get(stream, 0)
        self.draws[stream] = k + 1
        return chance.number(self.seed, stream, k, sides) + 1

    def tell(self, event: object) -> None:
        """Record what all may know."""
        if self.log is not None:
            self.log.tell(event)

    def tell_apart(self, knowing: Iterable[int], full: object, rest: object | None = None) -> None:
        """Record `full` for those who know it, and `rest` (or nothing) for everybody else."""
        if self.log is not None:
            self.log.tell_apart(knowing, full, rest)

    def running(self, kind: type[F]) -> F:
        """The innermost running frame of this kind."""
        for frame in reversed(self.stack):
            if isinstance(frame, kind):
                return frame
        raise RulesBug(f"no {kind.__name__} is running: {self.where()}")

    def unwind(self, kind: type[F]) -> F:
        """Give up everything down to the innermost frame of this kind, and return that frame."""
        frame = self.running(kind)
        while self.stack.pop() is not frame:
            pass
        return frame

    def where(self) -> str:
        """The stack in one line, for people: `Match@round > Round@support > Support`."""
        return " > ".join(
            type(f).__name__
            + (f"@{f.STEPS[f.at - 1]}" if isinstance(f, Procedure) and f.at else "")
            for f in self.stack
        )

    def run(self) -> None:
        """Run on until somebody must choose or nothing is left; sets who is asked."""
        top = self._settle(self.stack)
        if top is None:
            self._asked = ()
        elif isinstance(top, Sealed):
            self._asked = tuple(
                seat for seat, stack in zip(top.seats, top.stacks, strict=True) if stack
            )
        else:
            self._asked = (top.seat,)

    # The driver

    def _take(self, stack: list[Frame], ask: Ask, option: Option) -> None:
        self._offers.clear()
        if not isinstance(ask, Window):
            stack.pop()
        called = ask.take(self, option)
        if called is not None:
            stack.append(called)

    def _settle(self, stack: list[Frame]) -> Ask | Sealed | None:
        """Run a stack until its top must be answered."""
        for _ in range(STEPS_WITHOUT_A_QUESTION):
            if not stack:
                return None
            top = stack[-1]
            called: Frame | None = None
            if isinstance(top, Ask):
                if not top.is_open(self):
                    stack.pop()
                    self._offers.clear()
                    continue
                option = top.forced(self)
                if option is None:
                    return top
                self._take(stack, top, option)
            elif isinstance(top, Procedure):
                if top.at >= len(top.STEPS):
                    stack.pop()
                    continue
                top.at += 1
                called = getattr(top, top.STEPS[top.at - 1])(self)
            elif isinstance(top, Sealed):
                if not self._settle_sealed(top):
                    return top
                stack.pop()
                called = top.reveal(self)
            else:
                raise RulesBug(f"{type(top).__name__} is no kind of frame that can run")
            if called is not None:
                stack.append(called)
        raise RulesBug(f"no question after {STEPS_WITHOUT_A_QUESTION} steps: {self.where()}")

    def _settle_sealed(self, sealed: Sealed) -> bool:
        """Run each seat's own stack; True when all are done."""
        if not sealed.answers:
            sealed.answers = tuple(() for _ in sealed.seats)
        begun = sealed.stacks
        for k, seat in enumerate(sealed.seats):
            if not begun or is_anew(sealed.stacks[k]):
                first = sealed.question(self, seat)
                stack = [] if first is None else [first]
            else:
                stack = list(sealed.stacks[k])
            self._settle(stack)
            rest = sealed.stacks[k + 1 :] if begun else ()
            sealed.stacks = (*sealed.stacks[:k], tuple(stack), *rest)
        return not any(sealed.stacks)


__all__ = ["PUBLIC", "Outcome", "State"]
