"""Drawing a whole state from those that a view allows (§6, "Indistinguishable states")."""

from __future__ import annotations

from collections import Counter
from hashlib import shake_256
from struct import unpack
from typing import TypeVar

from referee.engine import imagine_stack
from referee.engine.errors import BadData, BadOption, BadView
from referee.games.stalingrad.book import Book, CardKind, book
from referee.games.stalingrad.state import FRAMES, Stalingrad
from referee.games.stalingrad.view import View

T = TypeVar("T")


def imagine(view: View, seed: str, events: bool = False) -> Stalingrad:
    """
    A state drawn evenly from those that look like this view.

    Free are the order of each Action deck, which unseen cards are in a hidden hand and which in its
    deck, the order of each Force deck between top and known bottom, and all chance still to come.

    Raises:
        BadView: No position gives this view, or its component data have not been read.
    """
    try:
        rules = book(view.cards, view.config)
    except (BadData, BadOption) as fault:
        raise BadView(str(fault)) from None
    s = Stalingrad(book=rules, seed=seed, events=events)
    try:
        _take_over(s, view)
        for seat in (0, 1):
            _deal_force_deck(s, view, seat)
            _deal_cards(s, view, seat)
        s.stack = imagine_stack(FRAMES, view.stack, view.viewer)
    except (KeyError, ValueError, TypeError, IndexError) as fault:
        raise BadView(f"not a view of a position: {fault!r}") from None
    s.run()
    return s


def mixed(seed: str, stream: str, items: list[T]) -> list[T]:
    """An even shuffle, cheaper than a stream's and for one process only."""
    n = len(items)
    keys = unpack(f">{n}Q", shake_256(f"{seed}|imagine|{stream}".encode()).digest(8 * n))
    return [items[k] for _, k in sorted(zip(keys, range(n), strict=True))]


def _take_over(s: Stalingrad, view: View) -> None:
    """Everything that is on the table for all to see."""
    rules = s.book
    s.board = tuple(rules.location_no[each] for each in view.locations)
    s.unused = tuple(rules.location_no[each] for each in view.unused)
    s.round, s.acting, s.step = view.round, view.acting, view.step
    s.actions, s.buy_points, s.result = view.actions, view.buy_points, view.result
    s.rubble = list(view.rubble)
    s.destroyed = list(map(int, view.destroyed))
    s.combat_add = list(view.combat_add)
    s.shuffles = list(view.shuffles)
    s.peeked = list(view.peeked_sizes)
    for k, id_ in enumerate(view.forces):
        f = rules.force_no[id_]
        s.put(f, s.area_no(view.areas[k]))
        s.rations[f] = view.rations[k]
        s.medals[f] = view.medals[k]
        s.no_move[f] = int(view.no_move[k])
        s.free_moves_used[f] = view.free_moves_used[k]
    for seat, card, n in view.plays:
        c = next(c for c, each in enumerate(rules.cards) if (each.seat, each.id) == (seat, card))
        s.plays[c] = n
    for seat in (0, 1):
        s.discard[seat] = _kinds(rules, seat, view.discards[seat])
        s.in_play[seat] = _kinds(rules, seat, view.in_play[seat])
        s.table[seat] = _kinds(rules, seat, view.table[seat])
        s.known_hand[seat] = _kinds(rules, seat, view.known_hands[seat])
        for pile in (s.discard, s.in_play, s.table):
            for kind in pile[seat]:
                s.unseen[rules.card_of[kind]] -= 1


def _kinds(rules: Book, seat: int, kinds: tuple[CardKind, ...]) -> list[int]:
    known = rules.kind_no[seat]
    return [known[kind] for kind in kinds]


def _deal_force_deck(s: Stalingrad, view: View, seat: int) -> None:
    ids = view.force_decks[seat]
    bottom = view.force_deck_bottoms[seat]
    s.known_bottom[seat] = len(bottom)
    order = list(bottom)
    top = view.force_deck_tops[seat]
    if not top:
        return  # not formed yet, or empty
    if len(bottom) < len(ids):
        shown = {top, *bottom}
        order = [top, *mixed(s.seed, f"forces.{seat}", [f for f in ids if f not in shown]), *bottom]
    if len(order) != len(ids):
        raise BadView(f"the Force deck of seat {seat} holds {len(ids)} cards, not {len(order)}")
    s.force_deck[seat] = [s.book.force_no[each] for each in order]


def _deal_cards(s: Stalingrad, view: View, seat: int) -> None:
    unseen = _kinds(s.book, seat, view.unseen[seat])
    visible = [*s.discard[seat], *s.in_play[seat], *s.table[seat]]
    if seat == view.viewer:
        hand = _kinds(s.book, seat, view.hand)
        if Counter(s.known_hand[seat]) - Counter(hand):
            raise BadView(f"what is known of the hand of seat {seat} is not in it")
        hidden = 0
    else:
        hand = s.known_hand[seat].copy()
        hidden = view.hand_sizes[seat] - len(hand)
    if hidden < 0 or len(unseen) != hidden + view.deck_sizes[seat]:
        raise BadView(
            f"seat {seat}: {len(unseen)} cards are unseen, "
            f"{hidden + view.deck_sizes[seat]} places are hidden"
        )
    if Counter(visible + hand + unseen) != Counter(s.book.deck_list[seat]):
        raise BadView(f"the cards of seat {seat} are not those of its deck list")
    top = _kinds(s.book, seat, view.peeked) if seat == view.viewer else []
    for kind in top:
        unseen.remove(kind)
    dealt = mixed(s.seed, f"actions.{seat}", unseen)
    s.hand[seat] = sorted(hand + dealt[:hidden])
    s.deck[seat] = top + dealt[hidden:]
