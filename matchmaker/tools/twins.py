"""
Twins: two positions that a viewer cannot tell apart must go on looking alike to that viewer.

A twin is imagined from a viewer's view, so it differs from the real position in hidden things only.
View, question, options and their wire form must be equal; then both go on with choices of the same
content, and what the viewer is told must be equal for as long as the viewer's views are equal.
Where the views part, something has come to light (a card drawn, a die, a sealed answer), and that
pair has nothing more to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.util import find_spec
from random import Random
from types import ModuleType
from typing import Any

from matchmaker.tools.oracles import AnyGame, difference, fail, same, short
from referee import games
from referee.engine import Option, State
from referee.engine.errors import BadView

NEWS = 8
"""So many of a viewer's last events are carried over the wire and back."""

REDEALT = 0.3
"""Share of twins that are dealt a second time, by the state itself."""

Secrets = Mapping[int, tuple[Option, ...]]
"""Per seat, what it has chosen since the public last heard of anything, oldest first."""


class Unheard:
    """Keeps the secrets of a match that is played on."""

    def __init__(self, state: State) -> None:
        self.secrets: dict[int, tuple[Option, ...]] = {}
        self._heard = len(state.events(games.PUBLIC, 0))

    def choose(self, state: State, seat: int, i: int) -> None:
        """Take option `i` and note it, or forget all if the public heard of it."""
        option = state.options(seat)[i]
        state.choose(seat, i)
        news = len(state.events(games.PUBLIC, self._heard))
        self._heard += news
        if news:
            self.secrets.clear()
        else:
            self.secrets[seat] = (*self.secrets.get(seat, ()), option)


def twin(
    game: AnyGame, state: State, viewer: int, key: str, secrets: Secrets, steps: int = 4
) -> bool:
    """
    Check one viewer's twin.

    Returns:
        Whether the twin differs in something hidden; a pair that does not proves nothing.
    """
    other, differs = at_rest(game, state, viewer, key)
    for seat in range(games.PUBLIC, state.seats):
        if other.events(seat, 0):
            fail("imagine", f"an imagined state begins with events: {short(other.events(seat, 0))}")
    rng = Random(f"{key}|on")
    if rng.random() < REDEALT and state.redeal(viewer, key) != other:
        fail("redeal", f"redeal and imagine of viewer {viewer} differ at {state.where()}")
    wire = wire_of(game)
    _carry_on(state.clone(events=True), other, wire, viewer, rng, secrets, rng.randint(1, steps))
    return differs


def at_rest(game: AnyGame, state: State, viewer: int, key: str) -> tuple[State, bool]:
    """
    Imagine a twin and compare what the viewer is shown, objects and bytes.

    Returns:
        The twin, and whether it differs in something hidden.
    """
    view, wire = state.view(viewer), wire_of(game)
    try:
        other: State = game.imagine(view, key, events=True)
    except BadView as refusal:
        fail(
            "imagine", f"viewer {viewer} sees what no position shows, at {state.where()}: {refusal}"
        )
    others_view = other.view(viewer)
    _same_position(state, other, viewer, view, others_view)
    if wire is not None:
        _same_bytes("view", wire.view(view), wire.view(others_view))
    return other, hidden(state) != hidden(other)


def hidden(state: State) -> bytes:
    """Digest of what lies on the table and in hands, apart from the chance still to come."""
    bare: Any = state.clone()
    bare.seed, bare.draws = "", {}
    if hasattr(bare, "setting"):
        bare.setting = ""
    digest: bytes = bare.digest()
    return digest


def _same_position(left: State, right: State, viewer: int, view: Any, others_view: Any) -> None:
    """The viewer sees the same and is asked the same."""
    same("twin", f"views of {viewer} at {left.where()}", view, others_view)
    same("twin", f"question to {viewer}", left.kind(viewer), right.kind(viewer))
    same("twin", f"options of {viewer}", left.options(viewer), right.options(viewer))
    if viewer in left.asked():
        same("twin", f"default of {viewer}", left.default(viewer), right.default(viewer))


def _carry_on(
    state: State,
    other: State,
    wire: ModuleType | None,
    viewer: int,
    rng: Random,
    secrets: Secrets,
    steps: int,
) -> None:
    """Choose the same in both for a while, and compare what the viewer is told."""
    if not align(state, other, viewer, rng, secrets):
        return
    told = [len(state.events(viewer, 0)), len(other.events(viewer, 0))]
    for _ in range(steps):
        choice = _common_choice(state, other, rng)
        if choice is None:
            return
        seat, option = choice
        for each in (state, other):
            each.choose(seat, each.options(seat).index(option))
        news, others_news = state.events(viewer, told[0]), other.events(viewer, told[1])
        told = [told[0] + len(news), told[1] + len(others_news)]
        view, others_view = state.view(viewer), other.view(viewer)
        alike = view == others_view
        if alike and news != others_news and not same_news(viewer, news, others_news):
            fail(
                "events",
                f"viewer {viewer} sees the same after seat {seat} chose {option}, "
                f"but was told {difference(news, others_news)}",
            )
        if not alike:
            if news == others_news:
                apart = difference(view, others_view)
                fail(
                    "events",
                    f"viewer {viewer} sees a difference that no event told after seat {seat} "
                    f"chose {option}: {apart}",
                )
            return
        _same_position(state, other, viewer, view, others_view)
        if wire is not None and news == others_news:
            for event, others_event in zip(news, others_news, strict=True):
                _same_bytes("event", wire.event(event), wire.event(others_event))
        if not _asked_alike(state, other):
            return


def same_news(viewer: int, news: Iterable[Any], others: Iterable[Any]) -> bool:
    """
    Whether a seat was told the same in another order.

    It may draw equal cards in an order of their own, and see no difference afterwards.
    """
    return viewer != games.PUBLIC and _atoms(news) == _atoms(others)


def _atoms(value: Any) -> list[str]:
    """Everything a value is made of, in an order of its own."""
    if isinstance(value, tuple | list):
        return sorted(atom for each in value for atom in _atoms(each))
    return [repr(value)]


def align(state: State, other: State, viewer: int, rng: Random, secrets: Secrets) -> bool:
    """
    Give a twin the chance still to come, and bring both to where the same seats are asked the same.

    Returns:
        Whether it came to that.
    """
    # What is drawn openly from a stream shall fall alike, or most pairs would part at once.
    other.seed, other.draws = state.seed, dict(state.draws)
    return _catch_up(state, other, viewer, rng, secrets)


def _catch_up(state: State, other: State, viewer: int, rng: Random, secrets: Secrets) -> bool:
    """
    Bring both to where the same seats are asked the same.

    An imagined state asks anew what other seats have begun in secret. Doing that again must stay
    hidden from the viewer, too.

    Returns:
        Whether it came to that; in another hand a secret answer may not be possible.
    """
    if not secrets:
        return _asked_alike(state, other)
    view = other.view(viewer)
    for seat, chosen in sorted(secrets.items()):
        for option in chosen if seat != viewer else ():
            if seat not in other.asked() or _asked_alike(state, other):
                break
            done = seat not in state.asked()
            if done and other.asked() == (seat,):
                return False  # the last secret answer would bring all of them to light
            offered = other.options(seat)
            if option in offered:
                other.choose(seat, offered.index(option))
            elif done:
                other.choose(seat, rng.randrange(len(offered)))
            else:
                return False
            same("secret", f"{viewer} sees seat {seat} begin in secret", view, other.view(viewer))
            if other.events(viewer, 0):
                fail("secret", f"{viewer} is told of a secret: {short(other.events(viewer, 0))}")
    return _asked_alike(state, other)


def _asked_alike(state: State, other: State) -> bool:
    return state.asked() == other.asked() and all(
        state.kind(seat) == other.kind(seat) for seat in state.asked()
    )


def _common_choice(state: State, other: State, rng: Random) -> tuple[int, Option] | None:
    """A choice offered in both; by content, since a hidden hand changes the numbers."""
    seats = [seat for seat in state.asked() if seat in other.asked()]
    while seats:
        seat = seats.pop(rng.randrange(len(seats)))
        offered = set(other.options(seat))
        common = [option for option in state.options(seat) if option in offered]
        if common:
            return seat, rng.choice(common)
    return None


@cache
def wire_of(game: AnyGame) -> ModuleType | None:
    """The game's wire module, if it has one; a game made for a test has none."""
    module = f"{games.__name__}.{game.name}.wire"
    return game.wire if game.name in games.names() and find_spec(module) is not None else None


def wire_round_trip(game: AnyGame, state: State) -> None:
    """Everything a bot is sent comes back whole: views, options, events."""
    wire = wire_of(game)
    if wire is None:
        return
    for viewer in range(games.PUBLIC, state.seats):
        view = state.view(viewer)
        same("wire", "a view came back", view, wire.read_view(wire.view(view)))
        for option in state.options(viewer):
            message = wire.option(option)
            same("wire", "an option came back", option, wire.read_option(message))
            same("wire", "label", str(option), message.label)
        for event in state.events(viewer, max(0, len(state.events(viewer, 0)) - NEWS)):
            same("wire", "an event came back", event, wire.read_event(wire.event(event)))


def _same_bytes(what: str, left: Any, right: Any) -> None:
    if left.SerializeToString() != right.SerializeToString():
        fail("wire", f"twins' {what} differs in bytes: {short(str(left))} / {short(str(right))}")
