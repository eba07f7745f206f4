"""
Unfinished business as data: the frames of a game's stack.

`Procedure` runs named steps in the rulebook's order, `Ask` puts one question to one seat, `Window`
asks again until it closes, `Sealed` asks several seats at once and shows nothing before all are
done. Frames hold ids, numbers and tuples only, so a shallow copy is a whole copy, a stack can be
saved in mid-decision, and a viewer can be shown exactly the fields that are declared as seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar, Self, cast

from referee.engine.canonical import Value
from referee.engine.errors import RulesBug
from referee.engine.options import Option

Seen = tuple[Value, ...]
"""Frames as one viewer may know them: (name, step, shown fields, own fields or None, inner)."""


@dataclass(kw_only=True)
class Frame:
    """
    Unfinished business.

    Each field is named in exactly one of the three class tuples; what is in none of the first two
    cannot reach a viewer. Fields that some viewer does not see need a default: it stands in for
    them in an imagined state.
    """

    SHOWN: ClassVar[tuple[str, ...]] = ()
    """Fields that every viewer may know."""
    OWN: ClassVar[tuple[str, ...]] = ()
    """Fields that only the frame's own seat may know: a declaration not yet whole."""
    SECRET: ClassVar[tuple[str, ...]] = ()
    """Fields that nobody may know."""
    FIELDS: ClassVar[tuple[str, ...]] = ()

    def copy(self) -> Self:
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        return twin


@dataclass(kw_only=True)
class Procedure(Frame):
    """Named steps in the rulebook's order. A step may return one frame to run before the next."""

    STEPS: ClassVar[tuple[str, ...]] = ()

    at: int = 0
    """Steps begun so far."""

    def again(self, step: str) -> None:
        """Go back: `step` runs next."""
        self.at = self.STEPS.index(step)


@dataclass(kw_only=True)
class Ask(Frame):
    """A question put to one seat, once."""

    KIND: ClassVar[str] = ""
    """Its name in the game's catalogue of decisions; a frame with several overrides `kind`."""
    PUBLIC_OPTIONS: ClassVar[bool] = True
    """All may work out the options, so a single one is taken without asking."""

    seat: int

    def kind(self, s: Any) -> str:
        return self.KIND

    def is_open(self, s: Any) -> bool:
        """Whether there is anything to ask; public facts alone decide."""
        return True

    def options(self, s: Any) -> Sequence[Option]:
        """What may be answered, in canonical order. Reads only."""
        raise RulesBug(f"{type(self).__name__} lists no options")

    def forced(self, s: Any) -> Option | None:
        """The only option, if public facts alone show that it is the only one."""
        if self.PUBLIC_OPTIONS:
            offered = s.offered(self)
            if len(offered) == 1:
                return cast(Option, offered[0])
        return None

    def take(self, s: Any, option: Option) -> Frame | None:
        """Carry out one of the options; returns what must be done before going on."""
        raise RulesBug(f"{type(self).__name__} takes no option")


@dataclass(kw_only=True)
class Window(Ask):
    """A question put again until `is_open` says no."""


@dataclass(kw_only=True)
class Sealed(Frame):
    """
    Questions put to several seats at the same time; nothing is shown until all are done.

    A seat's frames may write nothing but that seat's answers (`answer`): whatever else they
    changed would tell the others that it had begun.
    """

    seats: tuple[int, ...]
    """Those who take part, ascending."""
    answers: tuple[tuple[Value, ...], ...] = ()
    """What each has answered so far, indexed like `seats`."""
    stacks: tuple[tuple[Frame, ...], ...] = ()
    """What is left to ask each, indexed like `seats`; last frame first asked. Empty: not begun."""

    def question(self, s: Any, seat: int) -> Frame | None:
        """The frame that a seat begins with; None asks it nothing."""
        raise RulesBug(f"{type(self).__name__} asks nothing")

    def reveal(self, s: Any) -> Frame | None:
        """All are done: show the answers and go on."""
        raise RulesBug(f"{type(self).__name__} reveals nothing")

    def answer(self, seat: int, value: Value) -> None:
        """Note an answer of this seat; it stays hidden from the others until `reveal`."""
        k = self.seats.index(seat)
        self.answers = (
            *self.answers[:k],
            (*self.answers[k], value),
            *self.answers[k + 1 :],
        )

    def answers_of(self, seat: int) -> tuple[Value, ...]:
        return self.answers[self.seats.index(seat)]

    def copy(self) -> Self:
        twin = super().copy()
        twin.stacks = tuple(tuple(f.copy() for f in stack) for stack in self.stacks)
        return twin


FrameTable = dict[str, type[Frame]]


def frame_table(*kinds: type[Frame]) -> FrameTable:
    """
    Check a game's frame classes and make them known by name.

    Raises:
        RulesBug: A step is missing, a field's audience is not declared or declared twice, or a
            hidden field has no default.
    """
    table: FrameTable = {}
    for kind in kinds:
        name = kind.__name__
        for step in getattr(kind, "STEPS", ()):
            if not callable(getattr(kind, step, None)):
                raise RulesBug(f"{name} has no step {step!r}")
        built_in = {"at"} if issubclass(kind, Procedure) else set()
        if issubclass(kind, Sealed):
            built_in |= {"seats", "answers", "stacks"}
        if issubclass(kind, Ask) and "seat" not in kind.SHOWN:
            raise RulesBug(f"{name} must show its seat: who is asked is a public fact")
        declared = (*kind.SHOWN, *kind.OWN, *kind.SECRET)
        known = {f.name: f for f in fields(kind) if f.name not in built_in}
        if sorted(declared) != sorted(known):
            raise RulesBug(f"{name}: audiences declared for {declared}, fields are {tuple(known)}")
        for hidden in (*kind.OWN, *kind.SECRET):
            if known[hidden].default is MISSING:
                raise RulesBug(f"{name}.{hidden} is hidden from some and needs a default")
        kind.FIELDS = tuple(known)
        if table.setdefault(name, kind) is not kind:
            raise RulesBug(f"two frames are called {name}")
    return table


def pack_stack(stack: Iterable[Frame]) -> list[Value]:
    """The whole stack for a save: names, step names, every field."""
    return [_pack(frame) for frame in stack]


def unpack_stack(table: FrameTable, packed: Iterable[Any]) -> list[Frame]:
    return [_unpack(table, each) for each in packed]


def see_stack(stack: Iterable[Frame], viewer: int) -> Seen:
    """The stack as one viewer may know it; built from nothing, shown field by shown field."""
    return tuple(_see(frame, viewer) for frame in stack)


def imagine_stack(table: FrameTable, seen: Seen, viewer: int) -> list[Frame]:
    """A stack that this view allows; what was hidden has its default, or is asked anew."""
    return [_imagine(table, each, viewer) for each in seen]


def _step(frame: Frame) -> str:
    if isinstance(frame, Procedure) and frame.at < len(frame.STEPS):
        return frame.STEPS[frame.at]
    return ""


def _at(kind: type[Frame], step: str) -> int:
    steps: tuple[str, ...] = getattr(kind, "STEPS", ())
    return steps.index(step) if step else len(steps)


def _pack(frame: Frame) -> Value:
    values = tuple(getattr(frame, name) for name in frame.FIELDS)
    inner: Value = None
    if isinstance(frame, Sealed):
        stacks = tuple(tuple(_pack(f) for f in stack) for stack in frame.stacks)
        inner = (frame.seats, frame.answers, stacks)
    return (type(frame).__name__, _step(frame), values, inner)


def _unpack(table: FrameTable, packed: Any) -> Frame:
    name, step, values, inner = packed
    kind = table[name]
    made = kind(**dict(zip(kind.FIELDS, values, strict=True)), **_sealed(kind, inner))
    if isinstance(made, Procedure):
        made.at = _at(kind, step)
    if isinstance(made, Sealed):
        made.stacks = tuple(tuple(_unpack(table, f) for f in stack) for stack in inner[2])
    return made


def _sealed(kind: type[Frame], inner: Any) -> dict[str, Any]:
    if not issubclass(kind, Sealed):
        return {}
    return {"seats": inner[0], "answers": inner[1]}


def _see(frame: Frame, viewer: int) -> Value:
    shown = tuple(getattr(frame, name) for name in frame.SHOWN)
    own: Value = None
    if frame.OWN and viewer == getattr(frame, "seat", None):
        own = tuple(getattr(frame, name) for name in frame.OWN)
    inner: Value = None
    if isinstance(frame, Sealed):
        mine: Value = None
        if viewer in frame.seats:
            k = frame.seats.index(viewer)
            mine = (frame.answers[k], see_stack(frame.stacks[k], viewer))
        inner = (frame.seats, mine)
    return (type(frame).__name__, _step(frame), shown, own, inner)


def _imagine(table: FrameTable, seen: Any, viewer: int) -> Frame:
    name, step, shown, own, inner = seen
    kind = table[name]
    known = dict(zip(kind.SHOWN, shown, strict=True))
    if own is not None:
        known.update(zip(kind.OWN, own, strict=True))
    if issubclass(kind, Sealed):
        known["seats"] = inner[0]
    made = kind(**known)
    if isinstance(made, Procedure):
        made.at = _at(kind, step)
    if isinstance(made, Sealed):
        # The driver begins the others anew: an empty tuple would mean that they are done.
        answers, stack = inner[1] if inner[1] is not None else ((), ())
        mine = tuple(imagine_stack(table, stack, viewer))
        made.answers = tuple(answers if seat == viewer else () for seat in made.seats)
        made.stacks = tuple(mine if seat == viewer else (_ANEW,) for seat in made.seats)
    return made


@dataclass(kw_only=True)
class _Anew(Frame):
    """Stands for a seat whose sealed answers are not known: the driver asks it from the start."""


_ANEW = _Anew()


def is_anew(stack: Sequence[Frame]) -> bool:
    return len(stack) == 1 and stack[0] is _ANEW
