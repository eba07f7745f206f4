"""
What the ops of card records do (§8.8): one small function each, in the vocabulary's order.

Each gets the state, the card being played, its parameters, and its number with notes added; it
returns the frame that must run before the card goes on, or nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from referee.engine import Frame
from referee.games.stalingrad import events
from referee.games.stalingrad.absorb import Absorb, CardAttack
from referee.games.stalingrad.attack import Assault
from referee.games.stalingrad.battle import Battle, with_added, with_value
from referee.games.stalingrad.board import OFF
from referee.games.stalingrad.costs import Discard, LoseRation
from referee.games.stalingrad.effects import Params, allows, op, possible
from referee.games.stalingrad.moves import FreeMoves, Move, free_movers
from referee.games.stalingrad.play import CardPlay, CardWindow, Levy
from referee.games.stalingrad.records import SIDES
from referee.games.stalingrad.search import Recover, Search
from referee.games.stalingrad.supply import PlaceRations
from referee.games.stalingrad.turn import Turn

if TYPE_CHECKING:
    from referee.games.stalingrad.state import Stalingrad


def matching(s: Stalingrad, seat: int, filter_: Params) -> list[int]:
    """Forces that an op's filter means, for a card of this seat."""
    owner = seat if filter_["owner"] == "own" else 1 - seat
    return s.forces_in(owner, filter_.get("area", ""))


def who(s: Stalingrad, play: CardPlay, params: Params) -> int:
    return s.acting if params["who"] == "acting" else s.meant(params["who"], play.seat)


def window_below(s: Stalingrad) -> CardWindow:
    """The window in which the card that is resolving was played."""
    window = s.stack[-2]
    assert isinstance(window, CardWindow), s.where()
    return window


# Counters


@op("rubble")
def rubble(s: Stalingrad, play: CardPlay, params: Params, n: int) -> None:
    """Place Rubble on a Location, or take it away."""
    s.add_rubble(play.place(s, params["loc"]), n)


@op("give_each")
def give_each(s: Stalingrad, play: CardPlay, params: Params, n: int) -> None:
    """Each matching Force gets Rations."""
    for f in matching(s, play.seat, params["filter"]):
        s.change_rations(f, max(0, n))


@possible("give_each")
def give_each_possible(s: Stalingrad, seat: int, params: Params) -> bool:
    return bool(matching(s, seat, params["filter"]))


@op("distribute")
def distribute(s: Stalingrad, play: CardPlay, params: Params, n: int) -> Frame:
    """Place Rations on matching own Forces, in any split."""
    return PlaceRations(seat=play.seat, left=n, area=params["filter"].get("area", ""))


@possible("distribute")
def distribute_possible(s: Stalingrad, seat: int, params: Params) -> bool:
    return bool(matching(s, seat, params["filter"]))


@op("steal_rations")
def steal_rations(s: Stalingrad, play: CardPlay, params: Params, n: int) -> None:
    """Move Rations from one Force to another: what is there, 0 too."""
    giver, taker = play.target(s, params["from"]), play.target(s, params["to"])
    stolen = min(max(0, n), s.rations[giver])
    if stolen:
        s.change_rations(giver, -stolen)
        s.change_rations(taker, stolen)


@op("remove_rations")
def remove_rations(s: Stalingrad, play: CardPlay, params: Params, n: int) -> Frame:
    """A side removes Rations of its matching Forces, which it chooses."""
    area = params["filter"].get("area", "")
    return LoseRation(seat=who(s, play, params), left=n, area=area)


@op("medal")
def medal(s: Stalingrad, play: CardPlay, params: Params, n: int) -> None:
    """A Force gets Heroic Service counters."""
    s.award_medals(play.target(s, params["force"]), n)


# Cards


@op("draw")
def draw(s: Stalingrad, play: CardPlay, params: Params, n: int) -> None:
    """Draw cards."""
    s.draw(who(s, play, params), n)


@op("search")
def search(s: Stalingrad, play: CardPlay, params: Params, n: int) -> Frame | None:
    """Take cards of one's choice from one's own deck, made anew first if it is empty."""
    return Search(seat=play.seat, left=n) if s.make_deck(play.seat) else None


@op("discard")
def discard(s: Stalingrad, play: CardPlay, params: Params, n: int) -> Frame:
    """The player of the card discards cards of his choice."""
    return Discard(seat=play.seat, left=n)


@op("discard_random")
def discard_random(s: Stalingrad, play: CardPlay, params: Params, n: int) -> None:
    """A side discards cards drawn at random from its hand, for all to see."""
    seat = who(s, play, params)
    for _ in range(min(n, len(s.hand[seat]))):
        k = s.roll(f"{SIDES[seat]}.random", len(s.hand[seat])) - 1
        s.discard_from_hand(seat, s.hand[seat][k])


@op("recover_discard")
def recover_discard(s: Stalingrad, play: CardPlay, params: Params, n: int) -> Frame:
    """Take cards of one's choice from one's own discard pile."""
    return Recover(seat=play.seat, left=n)


@op("peek")
def peek(s: Stalingrad, play: CardPlay, params: Params, n: int) -> None:
    """Look at the top cards of one's own Action deck."""
    s.peek(play.seat, n)


# Movement


@op("move_force")
def move_force(s: Stalingrad, play: CardPlay, params: Params, n: int) -> None:
    """Put a Force into another area of its side; no Move Action."""
    f, area = play.target(s, params["force"]), play.target(s, params["area"])
    if can_put(s, f, area, ignore_control=params["ignore_control"]):
        s.move(f, area)


@allows("move_force")
def move_force_allows(s: Stalingrad, seat: int, params: Params, bound: Mapping[str, int]) -> bool:
    f, area = bound[params["force"]], bound[params["area"]]
    return can_put(s, f, area, ignore_control=params["ignore_control"])


def can_put(s: Stalingrad, f: int, area: int, *, ignore_control: bool) -> bool:
    seat = s.book.seat_of[f]
    if s.area_of[f] in (OFF, area) or not s.has_room(seat, area):
        return False
    return ignore_control or area % 2 == 1 or s.controller(area // 2) != 1 - seat


@op("retreat_force")
def retreat_force(s: Stalingrad, play: CardPlay, params: Params, n: int) -> None:
    """A Force in a Control Area goes to the Perimeter Area of its Location."""
    f = play.target(s, params["force"])
    if can_fall_back(s, f):
        s.move(f, s.area_of[f] + 1)


@allows("retreat_force")
def retreat_force_allows(
    s: Stalingrad, seat: int, params: Params, bound: Mapping[str, int]
) -> bool:
    return can_fall_back(s, bound[params["force"]])


def can_fall_back(s: Stalingrad, f: int) -> bool:
    area = s.area_of[f]
    return area != OFF and area % 2 == 0 and s.has_room(s.book.seat_of[f], area + 1)


@op("free_moves")
def free_moves(s: Stalingrad, play: CardPlay, params: Params, n: int) -> Frame:
    """Up to so many Moves at no cost by any own Forces."""
    return FreeMoves(seat=play.seat, left=n)


@possible("free_moves")
def free_moves_possible(s: Stalingrad, seat: int, params: Params) -> bool:
    return bool(free_movers(s, seat))


@op("assault")
def assault(s: Stalingrad, play: CardPlay, params: Params, n: int) -> Frame:
    """A free Move to a Location whoever Controls it, and an attack there."""
    force, place = play.target(s, params["force"]), play.place(s, params["loc"])
    return Assault(seat=play.seat, force=force, place=place)


@allows("assault")
def assault_allows(s: Stalingrad, seat: int, params: Params, bound: Mapping[str, int]) -> bool:
    """An enemy is in `C` there, and the Force is too or can go there."""
    f, loc = bound[params["force"]], params["loc"]
    place = s.area_of[bound[loc.removesuffix(".loc")]] // 2 if ".loc" in loc else bound[loc]
    if not s.in_area(1 - seat, 2 * place):
        return False
    return s.area_of[f] == 2 * place or (not s.no_move[f] and s.has_room(seat, 2 * place))


@op("join_battle")
def join_battle(s: Stalingrad, play: CardPlay, params: Params, n: int) -> None:
    """A Force comes into the battle's Control Area and takes part; no Ration, no Move Action."""
    f = play.target(s, params["force"])
    battle = s.running(Battle)
    if f in battle.forces(play.seat) or not s.has_room(play.seat, 2 * battle.place):
        return
    s.move(f, 2 * battle.place)
    if play.seat == battle.seat:
        battle.participants = tuple(sorted((*battle.participants, f)))
    else:
        battle.defenders = tuple(sorted((*battle.defenders, f)))
    if s.log is not None:
        s.tell(events.JoinedBattle(s.force(f).id))


@allows("join_battle")
def join_battle_allows(s: Stalingrad, seat: int, params: Params, bound: Mapping[str, int]) -> bool:
    f, battle = bound[params["force"]], s.running(Battle)
    area = 2 * battle.place
    outside = f not in battle.forces(seat) and s.area_of[f] != area
    return outside and s.has_room(seat, area)


# Battle


@op("combat_add")
def combat_add(s: Stalingrad, play: CardPlay, params: Params, n: int) -> None:
    """Add to the Combat of every Force of a side until the end of the turn."""
    seat = play.seat if params["filter"]["owner"] == "own" else 1 - play.seat
    s.combat_add[seat] += n
    if s.log is not None:
        s.tell(events.CombatAdded(seat, s.combat_add[seat]))


@op("combat_double")
def combat_double(s: Stalingrad, play: CardPlay, params: Params, n: int) -> None:
    """Double a participant in this battle, once (ruling 48)."""
    f = play.target(s, params["force"])
    battle = s.running(Battle)
    if f not in battle.doubled:
        battle.doubled = (*battle.doubled, f)
        if s.log is not None:
            s.tell(events.ForceDoubled(s.force(f).id))


@op("extra_hits")
def extra_hits(s: Stalingrad, play: CardPlay, params: Params, n: int) -> None:
    """A side inflicts more Hits in this battle."""
    seat = who(s, play, params)
    battle = s.running(Battle)
    battle.extra_hits = with_added(battle.extra_hits, seat, n)
    if n and s.log is not None:
        s.tell(events.ExtraHits(seat, battle.extra_hits[seat]))


@op("no_retreat")
def no_retreat(s: Stalingrad, play: CardPlay, params: Params, n: int) -> None:
    """Hits on a side in this battle cannot be absorbed by retreating."""
    seat = who(s, play, params)
    battle = s.running(Battle)
    battle.no_retreat = with_value(battle.no_retreat, seat, True)
    if s.log is not None:
        s.tell(events.RetreatBarred(seat))


@op("no_firefight")
def no_firefight(s: Stalingrad, play: CardPlay, params: Params, n: int) -> None:
    """Neither hand cards nor flips in this battle."""
    s.running(Battle).no_firefight = True
    if s.log is not None:
        s.tell(events.FirefightBarred())


@op("absorb")
def absorb(s: Stalingrad, play: CardPlay, params: Params, n: int) -> None:
    """The card absorbs Hits."""
    s.running(Absorb).stop(s, max(0, n), "", "card")


@op("card_attack")
def card_attack(s: Stalingrad, play: CardPlay, params: Params, n: int) -> Frame | None:
    """Hits on one Force alone (§4.4)."""
    f = play.target(s, params["force"])
    if s.area_of[f] < 0 or n <= 0:
        return None
    return CardAttack(seat=s.book.seat_of[f], force=f, hits=n)


# Control of play


@op("cancel_card")
def cancel_card(s: Stalingrad, play: CardPlay, params: Params, n: int) -> None:
    """Cancel exactly the card in whose ON_CARD window this one was played (§7.3)."""
    window_below(s).closed = True
    target = s.stack[-3]
    assert isinstance(target, CardPlay), s.where()
    target.cancelled = True
    if s.log is not None:
        s.tell(events.CardCancelled(target.seat, s.kind_id(target.played)))


@possible("cancel_card")
def cancel_card_possible(s: Stalingrad, seat: int, params: Params) -> bool:
    if s.book.config.fog_scope == "any_effect_card":
        return True
    return s.card(s.running(CardPlay).played).id == s.book.config.fog_scope


@op("cancel_move")
def cancel_move(s: Stalingrad, play: CardPlay, params: Params, n: int) -> None:
    """The declared Move does not happen and costs nothing."""
    window_below(s).closed = True
    move = s.running(Move)
    move.cancelled = True
    if s.log is not None:
        s.tell(events.MoveCancelled(s.force(move.force).id))


@op("forbid_move")
def forbid_move(s: Stalingrad, play: CardPlay, params: Params, n: int) -> None:
    """A Force makes no Move until the end of the turn."""
    var = params["force"]
    f = s.running(Move).force if var == "mover" else play.target(s, var)
    if s.area_of[f] == OFF:
        return
    s.no_move[f] = 1
    if s.log is not None:
        s.tell(events.MoveForbidden(s.force(f).id))


@op("no_draw_bonus")
def no_draw_bonus(s: Stalingrad, play: CardPlay, params: Params, n: int) -> None:
    """No cards for Controlled Locations in this DRAW step."""
    window_below(s).closed = True
    seat = who(s, play, params)
    turn = s.running(Turn)
    if seat == s.acting:
        turn.no_draw_bonus = True
        if s.log is not None:
            s.tell(events.DrawBonusBarred(seat))


@op("destroy_own")
def destroy_own(s: Stalingrad, play: CardPlay, params: Params, n: int) -> Frame:
    """The player of the card destroys Forces of his own."""
    return Levy(seat=play.seat, costs=(("destroy_own", n),))


@op("buy_points")
def buy_points(s: Stalingrad, play: CardPlay, params: Params, n: int) -> None:
    """Points towards buying Forces; they last while nothing else is done."""
    s.set_buy_points(s.buy_points + max(0, n))


@possible("buy_points")
def buy_points_possible(s: Stalingrad, seat: int, params: Params) -> bool:
    return bool(s.force_deck[seat])


# Persistent: `Board.modifier` and `Board.card_param` read them while the card is in play


@op("modifier")
def modifier(s: Stalingrad, play: CardPlay, params: Params, n: int) -> None:
    """Adds to a number while the card is in play."""


@op("card_param")
def card_param(s: Stalingrad, play: CardPlay, params: Params, n: int) -> None:
    """Adds to a number of another card while this one is in play."""
