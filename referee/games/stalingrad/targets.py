"""What a card may be played on, and whether it may be played at all (§8.6, §8.8, §7.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from referee.engine import Frame
from referee.games.stalingrad.battle import Battle
from referee.games.stalingrad.board import AREAS, LOCATIONS, NOBODY
from referee.games.stalingrad.effects import ALLOWS, POSSIBLE, Params
from referee.games.stalingrad.records import Card, Effect, Target

if TYPE_CHECKING:
    from referee.games.stalingrad.state import Stalingrad


def candidates(
    s: Stalingrad, seat: int, card: Card, target: Target, bound: tuple[int, ...]
) -> list[int]:
    """Forces (or places in the line, or areas) that a target's words allow, in canonical order."""
    if target.kind == "location":
        return [place for place in range(LOCATIONS) if _location_fits(s, seat, target, place)]
    owner = seat if target.owner == "own" else 1 - seat
    if target.kind == "area":
        return [
            area
            for area in range(AREAS)
            if not (target.type and area % 2 != (target.type == "P"))
            and not (target.room and not s.has_room(owner, area))
        ]
    if target.participant:
        forces: Iterable[int] = sorted(s.running(Battle).forces(owner))
    else:
        forces = s.forces_of(owner)
    if target.area:
        perimeter = target.area == "P"
        forces = [f for f in forces if s.area_of[f] % 2 == perimeter]
    if target.loc_control:
        forces = [
            f for f in forces
            if _control_fits(s, seat, target.loc_control, s.area_of[f] // 2)
        ]  # fmt: skip
    if target.has_rations:
        forces = [f for f in forces if s.rations[f]]
    if target.not_doubled:
        doubled = s.running(Battle).doubled
        forces = [f for f in forces if f not in doubled]
    if target.in_location:
        place = _place(s, card, target.in_location, bound)
        forces = [f for f in forces if s.area_of[f] // 2 == place]
    return list(forces)


def _location_fits(s: Stalingrad, seat: int, target: Target, place: int) -> bool:
    if target.control and not _control_fits(s, seat, target.control, place):
        return False
    if target.has_enemy and not s.in_area(1 - seat, 2 * place):
        return False
    if target.has_own and not s.in_area(seat, 2 * place):
        return False
    return target.destroyed is None or target.destroyed == bool(s.destroyed[place])


def _control_fits(s: Stalingrad, seat: int, control: str, place: int) -> bool:
    wanted = {"own": seat, "enemy": 1 - seat, "none": NOBODY}[control]
    return s.controller(place) == wanted


def _place(s: Stalingrad, card: Card, var: str, bound: tuple[int, ...]) -> int:
    if var == "battle":
        return s.running(Battle).place
    k = next(k for k, target in enumerate(card.targets) if target.var == var)
    return s.area_of[bound[k]] // 2 if card.targets[k].kind == "force" else bound[k]


def choices(s: Stalingrad, seat: int, card: Card, bound: tuple[int, ...]) -> list[int]:
    """What the next target may be, so that all that follow can be chosen too."""
    target = card.targets[len(bound)]
    found = candidates(s, seat, card, target, bound)
    if len(bound) + 1 < len(card.targets):
        return [each for each in found if choices(s, seat, card, (*bound, each))]
    for effect in card.effect:
        allow = ALLOWS.get(effect.op)
        if allow is not None:
            names = [each.var for each in card.targets]
            found = [
                each for each in found
                if allow(s, seat, effect.params, dict(zip(names, (*bound, each), strict=True)))
            ]  # fmt: skip
    return found


# Conditions (§8.8); the frame is the one that asks


def _rubble_at_least(s: Stalingrad, seat: int, params: Params, frame: Frame) -> bool:
    place: int = frame.place  # type: ignore[attr-defined]  # only Absorb asks for such cards
    return bool(s.rubble[place] >= params["n"])


def _own_force_destroyed(s: Stalingrad, seat: int, params: Params, frame: Frame) -> bool:
    """At most as many plays, cancelled ones too, as Forces destroyed in the batch (§7.1)."""
    batch, answered = frame.batch, frame.answered  # type: ignore[attr-defined]  # CardWindow
    return bool(answered < batch)


def _enemy_lost_or_retreated(s: Stalingrad, seat: int, params: Params, frame: Frame) -> bool:
    return s.running(Battle).shaken[1 - seat]


def _cards_to_search(s: Stalingrad, seat: int, params: Params, frame: Frame) -> bool:
    return bool(s.deck[seat] or s.discard[seat])


def _controls(s: Stalingrad, seat: int, params: Params, frame: Frame) -> bool:
    if "loc" in params:
        no = s.book.location_no[params["loc"]]
        return no in s.board and s.controller(s.board.index(no)) == seat
    return bool(s.controlled(seat) >= params["n"])


def _hand_at_least(s: Stalingrad, seat: int, params: Params, frame: Frame) -> bool:
    return bool(len(s.hand[seat]) >= params["n"])


CONDITIONS: dict[str, Callable[[Any, int, Params, Frame], bool]] = {
    "rubble_at_least": _rubble_at_least,
    "own_force_destroyed": _own_force_destroyed,
    "enemy_lost_or_retreated": _enemy_lost_or_retreated,
    "cards_to_search": _cards_to_search,
    "controls": _controls,
    "hand_at_least": _hand_at_least,
}


def payable(s: Stalingrad, seat: int, costs: tuple[Effect, ...], cards: int) -> bool:
    """Whether a side can pay these costs, with so many cards in hand to discard."""
    for cost in costs:
        n = cost.params["n"]
        if cost.op == "discard":
            cards -= n
            if cards < 0:
                return False
        elif cost.op == "remove_rations":
            if sum(s.rations[f] for f in s.book.forces_of[seat]) < n:
                return False
        elif len(s.forces_of(seat)) < n:
            return False
    return True


def playable(s: Stalingrad, seat: int, c: int, frame: Frame) -> bool:
    """Whether public facts allow card `c` to be played for effect; the moment fits already."""
    book = s.book
    if book.config.card_repeat_cap and s.plays[c] >= book.totals[c]:
        return False
    card = book.cards[c]
    for condition in card.condition:
        if not CONDITIONS[condition.op](s, seat, condition.params, frame):
            return False
    for effect in card.effect:
        check = POSSIBLE.get(effect.op)
        if check is not None and not check(s, seat, effect.params):
            return False
    if card.targets and not choices(s, seat, card, ()):
        return False
    return not card.cost or payable(s, seat, card.cost, len(s.hand[seat]) - 1)


def is_worth_asking(s: Stalingrad, seat: int, window: str, frame: Frame) -> bool:
    """
    The public predicate Q (§7.4): this side may, for all that anybody knows, hold a card for it.

    Uses nothing private: the hand's size, the published deck list, and what has been seen.
    """
    if not s.hand[seat]:
        return False
    static = s.book.config.window_policy == "static"
    unseen = s.unseen
    for c in s.book.openers[seat][window]:
        if (static or unseen[c]) and playable(s, seat, c, frame):
            return True
    return False


def playable_kinds(s: Stalingrad, seat: int, window: str, frame: Frame) -> list[int]:
    """Kinds in this hand that may be played for effect at this moment, in canonical order."""
    fits = s.book.playable_in[window]
    card_of = s.book.card_of
    found = []
    last_kind = last_card = -1
    can = False
    for kind in s.hand[seat]:
        if kind == last_kind:
            continue
        last_kind = kind
        c = card_of[kind]
        if c != last_card:
            last_card = c
            can = c in fits and playable(s, seat, c, frame)
        if can:
            found.append(kind)
    return found
