"""
The laws of the engine contract, each as a check on one position of any game.

A check returns when its law holds and raises `Fault` when it does not. None of them changes the
state it is given. `matchmaker.tools.twins` holds the laws of hidden information.
"""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import Any, NoReturn

from referee import games
from referee.engine import PASS, Game, Option, State
from referee.engine.errors import IllegalChoice, WarladderError

AnyGame = Game[Any, Any]

FIRST_ONLY = frozenset({"pass", "stop", "end"})
"""Verbs that decline or finish: wherever one is offered, it is option 0."""

SHOWN_OF_A_VALUE = 160
"""Letters of a value that a fault's text shows: enough to see what it is, and still one line."""


class Fault(WarladderError):
    """A game breaks a law of the contract; `law` names which."""

    def __init__(self, law: str, text: str) -> None:
        super().__init__(f"{law}: {text}")
        self.law = law


def fail(law: str, text: str) -> NoReturn:
    raise Fault(law, text)


def same(law: str, what: str, left: object, right: object) -> None:
    """Both are equal, or the fault says where they part."""
    if left != right:
        fail(law, f"{what}: {difference(left, right)}")


def difference(left: object, right: object) -> str:
    """Where two values part, in one line; a record's field is named."""
    if isinstance(left, tuple) and isinstance(right, tuple) and type(left) is type(right):
        names = getattr(left, "_fields", ())
        if len(left) != len(right):
            return f"{len(left)} against {len(right)} entries: {short(left)} against {short(right)}"
        for k, (a, b) in enumerate(zip(left, right, strict=True)):
            if a != b:
                return f"{names[k] if names else f'[{k}]'} {difference(a, b)}"
    return f"{short(left)} against {short(right)}"


def short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN_OF_A_VALUE else text[:SHOWN_OF_A_VALUE] + "…"


class Order:
    """
    Notes which option stood before which, over a whole match.

    A canonical order never turns round: if one list of a kind has `a` just before `b`, no list of
    that kind has `b` just before `a`. An order taken from a hand or a deck does so soon.
    """

    def __init__(self) -> None:
        self._before: dict[str, set[tuple[Option, Option]]] = {}

    def check(self, kind: str, options: tuple[Option, ...]) -> None:
        known = self._before.setdefault(kind, set())
        for pair in pairwise(options):
            if pair not in known:
                first, second = pair
                if (second, first) in known:
                    fail("order", f"{kind}: {first} stands before {second}, elsewhere after it")
                known.add(pair)


def decision(game: AnyGame, state: State, order: Order) -> None:
    """Laws cheap enough for every decision: who is asked what, what is offered and refused."""
    asked = state.asked()
    if state.outcome() is not None:
        fail("asked", "the match is over and somebody is asked")
    if list(asked) != sorted(set(asked)) or not set(asked) <= set(range(state.seats)):
        fail("asked", f"asked are {asked}, with {state.seats} seats")
    for seat in range(state.seats):
        if seat in asked:
            _question(game, state, seat, order)
        elif state.kind(seat) is not None or state.options(seat) != ():
            fail("asked", f"seat {seat} is not asked, but has {state.kind(seat)}")
    _refusals(state)


def _question(game: AnyGame, state: State, seat: int, order: Order) -> None:
    kind, options = state.kind(seat), state.options(seat)
    if kind is None or kind not in game.facts.kinds:
        fail("kind", f"{kind!r} is not in the catalogue of {game.name}")
    if type(options) is not tuple or not options:
        fail("options", f"{kind} offers seat {seat} {short(options)}")
    texts = {str(option) for option in options}
    if len(set(options)) != len(options) or len(texts) != len(options):
        fail("options", f"{kind}: two are alike in {[str(option) for option in options]}")
    last, ended = "", set()
    for k, option in enumerate(options):
        if option.verb in FIRST_ONLY and k:
            fail("order", f"{kind}: {option} is option {k}, not 0")
        if option.verb != last:
            if option.verb in ended:
                fail("order", f"{kind}: {option} stands apart from its like")
            ended.add(last)
            last = option.verb
    order.check(kind, options)
    if game.facts.kinds[kind].standing_order and options[0] != PASS:
        fail("options", f"{kind} takes standing orders, but option 0 is {options[0]}")
    if not 0 <= state.default(seat) < len(options):
        fail("default", f"{kind}: default {state.default(seat)} of {len(options)} options")


def _refusals(state: State) -> None:
    """What is not offered is refused, and what each asked seat sees stays as it was."""
    asked = state.asked()
    before = [(state.view(seat), state.options(seat)) for seat in asked]
    for seat in asked:
        for wrong in (-1, len(state.options(seat))):
            if not _refuses(state, seat, wrong):
                fail("refused", f"seat {seat} may take option {wrong}")
    for seat in range(-1, state.seats + 1):
        if seat not in asked and not _refuses(state, seat, 0):
            fail("refused", f"seat {seat} may choose and is not asked")
    same("asked", "a refused choice changed who is asked", asked, state.asked())
    for seat, (view, options) in zip(asked, before, strict=True):
        same("view", f"two views of seat {seat} in one position", view, state.view(seat))
        same("options", f"two lists of seat {seat}", options, state.options(seat))


def _refuses(state: State, seat: int, option: Any) -> bool:
    try:
        state.choose(seat, option)
    except IllegalChoice:
        return True
    return False


def every_option(state: State) -> None:
    """Each option can be taken, and taking it on a clone leaves the original alone."""
    before = state.save()
    for seat in state.asked():
        for i, option in enumerate(state.options(seat)):
            twin = state.clone()
            try:
                twin.choose(seat, i)
            except Exception as fault:
                fail("options", f"{state.kind(seat)} offers {option}, which fails: {fault!r}")
    if state.save() != before:
        fail("clone", f"an option taken on a clone changed the original at {state.where()}")
    for seat in (*state.asked(), state.seats):
        for wrong in (-1, len(state.options(seat)), True, "0", None):
            if not _refuses(state, seat, wrong):
                fail("refused", f"seat {seat} may take option {wrong!r}")
    if state.save() != before:
        fail("refused", f"a refused choice left a trace at {state.where()}")


def copies(game: AnyGame, state: State, rng: Random, steps: int = 4) -> None:
    """Clone and loaded save equal the state, answer alike, and go on alike."""
    saved, digest = state.save(), state.digest()
    if len(digest) != 32 or digest != state.digest():
        fail("digest", f"{digest.hex()} and then {state.digest().hex()}")
    pair = (state.clone(), game.load(saved))
    for name, copy in zip(("clone", "load"), pair, strict=True):
        if copy != state or copy.digest() != digest or copy.save() != saved:
            fail(name, f"the copy differs at {state.where()}")
        same(name, "outcome", state.outcome(), copy.outcome())
        for viewer in viewers(state):
            if copy.events(viewer, 0):
                fail(name, f"a copy begins with events: {short(copy.events(viewer, 0))}")
        for seat in state.asked():
            same(name, f"view of {seat}", state.view(seat), copy.view(seat))
        _same_questions(name, state, copy)
    first, second = pair
    for _ in range(steps):
        if not first.asked():
            break
        seat = rng.choice(first.asked())
        i = rng.randrange(len(first.options(seat)))
        first.choose(seat, i)
        second.choose(seat, i)
        _same_questions("load", first, second)
        if first.digest() != second.digest():
            fail("load", f"clone and loaded state part at {first.where()}")
    if state.digest() != digest:
        fail("clone", f"a copy played on, and the original changed at {state.where()}")


def _same_questions(law: str, left: State, right: State) -> None:
    same(law, "asked", left.asked(), right.asked())
    for seat in left.asked():
        same(law, f"kind for seat {seat}", left.kind(seat), right.kind(seat))
        same(law, f"options of seat {seat}", left.options(seat), right.options(seat))
        same(law, f"default of seat {seat}", left.default(seat), right.default(seat))


def sealed(state: State, rng: Random) -> None:
    """Seats that are asked together may answer in any order: the position comes out the same."""
    asked = state.asked()
    if len(asked) < 2:
        return
    answers = {seat: rng.randrange(len(state.options(seat))) for seat in asked}
    forwards, backwards = state.clone(), state.clone()
    for seat in asked:
        forwards.choose(seat, answers[seat])
    for seat in reversed(asked):
        if seat not in backwards.asked():
            fail("sealed", f"seat {seat} is no longer asked after others answered")
        backwards.choose(seat, answers[seat])
    if forwards != backwards:
        fail("sealed", f"the order of secret answers matters at {state.where()}")


def over(game: AnyGame, state: State) -> None:
    """Laws of a match that has ended."""
    outcome = state.outcome()
    if outcome is None:
        fail("outcome", f"nobody is asked and there is no outcome at {state.where()}")
    sides, seats = state.sides, range(state.seats)
    if sorted(seat for side in sides for seat in side) != list(seats):
        fail("sides", f"sides {sides} do not part {state.seats} seats")
    if len(outcome.ranks) != state.seats or len(outcome.scores) != state.seats:
        fail("outcome", f"{outcome} for {state.seats} seats")
    for side in sides:
        if len({(outcome.ranks[seat], outcome.scores[seat]) for seat in side}) != 1:
            fail("outcome", f"a side's seats differ: {outcome}, sides {sides}")
    by_side = [outcome.ranks[side[0]] for side in sides]
    if by_side != [1 + sum(other < rank for other in by_side) for rank in by_side]:
        fail("outcome", f"ranks of the sides are {by_side}")
    if not game.facts.reasons.get(outcome.reason):
        fail("outcome", f"reason {outcome.reason!r} has no words for people")
    for seat in seats:
        if state.options(seat) or state.kind(seat) is not None or not _refuses(state, seat, 0):
            fail("asked", f"the match is over and seat {seat} may choose")


def viewers(state: State) -> range:
    """Everyone who may look: the public, then each seat."""
    return range(games.PUBLIC, state.seats)
