"""
What a position of Battle for Stalingrad is worth to a seat, from the simulator's flat tables.

A position is read into a row of numbers (`Evaluation.features`), and its worth is their sum, each
times a weight of `weights.json`: the logarithm of the odds of winning. Weights are data; `tune`
makes them. A seat's own hand counts card by card, the enemy's by its size alone, so that what was
imagined of it is no noise here.
"""

from __future__ import annotations

import json
from operator import mul
from pathlib import Path
from typing import Any

WEIGHTS = Path(__file__).with_name("weights.json")

SIDE = (
    "c_forces", "c_combat", "c_ration", "c_rations", "c_plenty",
    "p_forces", "p_combat", "p_ration", "p_rations", "p_plenty",
    "bonus", "tough", "free",
    "held_1", "held_2", "held_3", "held_4", "held_5",
    "yield", "exposed", "hand", "hand_more", "hand_most", "combat_add",
    "here_1", "here_2", "here_3", "fort",
)  # fmt: skip
"""
Read for either side. Forces in Control Areas (`c`) and Perimeter Areas (`p`): how many, their
Combat, those with a Ration, second and third Rations, more up to eight. Attack bonuses; what helps
to stay (retreat_extra, ignore, medals); free movers; `held_k`: at least k Locations Controlled;
Rations they yield; how exposed they are; the hand up to 6, up to 12, and beyond; `here_k`: Forces
in at least k Control Areas; the Hits that the strongest of them gives and takes.
"""
ALONE = (
    "contested", "balance", "acting", "buy_points", "fire_plus", "fire_minus",
    "acting_contested", "acting_balance", "acting_own_exposed", "acting_enemy_exposed",
)  # fmt: skip
"""
Read once: contested Locations, their balance; whether the seat is acting; the own hand's Firefight
values by sign; and again, while the seat is acting, what it can still change in this turn.
"""

RATES = ("hit", "fired")
"""
Weights of no feature, which the search goes by: `hit`, what its playouts think a Hit is worth in a
Firefight, against the worth of a card; `fired`, what a card fired must bring beyond its worth in
hand, since the next card of the Firefight will look as needful as this one, and hands bled dry in
one battle lose the next two.
"""


def names(cards: list[str]) -> list[str]:
    """Of all features for a seat whose Action cards have these ids, in the order of `features`."""
    return [
        *(f"own_{name}" for name in SIDE),
        *(f"enemy_{name}" for name in SIDE),
        *ALONE,
        *(f"card_{card}" for card in cards),
        *(f"play_{card}" for card in cards),
    ]


class Evaluation:
    """
    Worth to one seat; made once a match, since it keeps the book's tables at hand.

    Args:
        book: A state's `book`.
        seat: Whose worth.
        weights: By feature; those that are missing count 0.
    """

    def __init__(self, book: Any, seat: int, weights: dict[str, float]) -> None:
        self.seat = seat
        self.combat = [force.combat for force in book.forces]
        self.bonus = [force.attack_bonus for force in book.forces]
        self.tough = [force.retreat_extra + 2 * force.ignore for force in book.forces]
        self.free = [int(force.free_move) for force in book.forces]
        self.cards = [c for c, card in enumerate(book.cards) if card.seat == seat]
        self.column = {c: k for k, c in enumerate(self.cards)}
        self.card_of, self.ff = book.card_of, book.ff
        self.uranus = [c for c, card in enumerate(book.cards) if card.stay == "until_paid"]
        self.names = names([book.cards[c].id for c in self.cards])
        if seat == 1:
            self.names += [f"against_{book.cards[c].id}" for c in self.uranus]
        self.weights = [weights.get(name, 0.0) for name in self.names]

    def worth(self, s: Any) -> float:
        """Logarithm of the odds that the seat wins."""
        return sum(map(mul, self.features(s), self.weights))

    def features(self, s: Any) -> list[float]:
        me = self.seat
        areas, locations, board = s.areas, s.book.locations, s.board
        own_at, enemy_at = 10 * me, 10 - 10 * me
        combat, medals, rations = self.combat, s.medals, s.rations
        sides = ([0.0] * len(SIDE), [0.0] * len(SIDE))
        contested = balance = 0.0
        held, here, fort = [0, 0], [0, 0], [0.0, 0.0]
        for place in range(5):
            strength = [0.0, 0.0]
            near = [0.0, 0.0]
            last = [0.0, 0.0]
            for side, at in ((0, own_at), (1, enemy_at)):
                row = sides[side]
                front = areas[at + 2 * place]
                for f in front:
                    c, r = combat[f] + medals[f], rations[f]
                    row[0] += 1.0
                    row[1] += c
                    strength[side] += c
                    last[side] += r
                    if r:
                        row[2] += 1.0
                        if r > 1:
                            row[3] += r - 1 if r < 3 else 2
                            if r > 3:
                                row[4] += r - 3 if r < 8 else 5
                    row[10] += self.bonus[f]
                    row[11] += self.tough[f] + medals[f]
                    row[12] += self.free[f]
                aside = areas[at + 2 * place + 1]
                if front and len(aside) < 3:
                    last[side] += 2.0
                for f in aside:
                    c, r = combat[f] + medals[f], rations[f]
                    row[5] += 1.0
                    row[6] += c
                    if r:
                        row[7] += 1.0
                        if r > 1:
                            near[side] += c + self.bonus[f]
                            row[8] += r - 1 if r < 3 else 2
                            if r > 3:
                                row[9] += r - 3 if r < 8 else 5
                    row[10] += self.bonus[f]
                    row[11] += self.tough[f] + medals[f]
                    row[12] += self.free[f]
            for side in (0, 1):
                if strength[side]:
                    here[side] += 1
                    hold = strength[side] + last[side]
                    if hold > fort[side]:
                        fort[side] = hold
            own, enemy = areas[own_at + 2 * place], areas[enemy_at + 2 * place]
            if own and enemy:
                contested += 1.0
                mine, theirs = strength[0] + 0.5 * last[0], strength[1] + 0.5 * last[1]
                balance += (mine - theirs) / (mine + theirs + 1.0)
            elif own or enemy:
                side = 0 if own else 1
                held[side] += 1
                row = sides[side]
                if not s.destroyed[place]:
                    row[18] += locations[board[place]].rations(s.rubble[place])
                threat = near[1 - side]
                row[19] += threat / (threat + strength[side] + last[side] + 1.0)
        for side, seat in ((0, me), (1, 1 - me)):
            row = sides[side]
            for k in range(held[side]):
                row[13 + k] = 1.0
            for k in range(min(here[side], 3)):
                row[24 + k] = 1.0
            row[27] = fort[side]
            cards = len(s.hand[seat])
            row[20] = cards if cards < 6 else 6
            row[21] = 0 if cards < 6 else min(cards - 6, 6)
            row[22] = 0 if cards < 12 else cards - 12
            row[23] = s.combat_add[seat]
        alone = [contested, balance, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
        if s.acting == me:
            alone[2:4] = 1.0, s.buy_points
            alone[6:] = contested, balance, sides[0][19], sides[1][19]
        hand = [0.0] * len(self.cards)
        column, card_of, ff = self.column, self.card_of, self.ff
        plus = minus = 0
        for kind in s.hand[me]:
            hand[column[card_of[kind]]] += 1.0
            fire = ff[kind]
            if fire > 0:
                plus += fire
            else:
                minus -= fire
        alone[4], alone[5] = plus, minus
        play = [0.0] * len(self.cards)
        for kind in s.in_play[me]:
            play[column[card_of[kind]]] = 1.0
        row = [*sides[0], *sides[1], *alone, *hand, *play]
        if me:
            shown = {card_of[kind] for kind in s.in_play[0]}
            row += [float(c in shown) for c in self.uranus]
        return row


def read(path: Path = WEIGHTS) -> tuple[dict[str, float], dict[str, float]]:
    """
    Weights of both seats.

    Raises:
        OSError: The file cannot be read.
        LookupError: It has no weights for two seats, or misses one of `RATES`.
        ValueError: It is no JSON.
    """
    russian, german = json.loads(path.read_text("utf-8"))["seats"]
    for seat in (russian, german):
        if missing := [name for name in RATES if name not in seat]:
            raise LookupError(f"no {missing[0]!r}")
    return russian, german
