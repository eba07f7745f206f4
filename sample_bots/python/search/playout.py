"""
Playing an imagined position on to the next quiet point, for both sides, by cheap rules.

Quiet is a question of ACTIONS with nothing begun, the set-up, High Morale's next Move, or the end:
there `evaluation` says what the position is worth. In between stand windows, battles, payments and
Rations to place, and they are answered here without any search.
"""

from __future__ import annotations

from typing import Any

from referee.games.stalingrad.absorb import Absorb
from referee.games.stalingrad.attack import Attack, AwardMedal, Joiners
from referee.games.stalingrad.book import MOST_RATIONS
from referee.games.stalingrad.buy import BuyPlace
from referee.games.stalingrad.costs import DestroyOwn, Discard, LoseRation
from referee.games.stalingrad.firefight import Firefight
from referee.games.stalingrad.moves import FreeMoves
from referee.games.stalingrad.play import CardWindow
from referee.games.stalingrad.search import Search
from referee.games.stalingrad.setup import ChooseForces
from referee.games.stalingrad.supply import PlaceRations

KEPT = {
    "fog_of_war": 1.5, "sniper": 1.2, "rubble": 1.3, "recover_wounded": 1.1, "victory": 1.6,
    "desperation": 2.0, "high_morale": 1.1, "reinforcements": 1.5, "scouts": 1.0,
    "air_supply": 1.7, "fresh_supplies": 1.4, "tanks": 1.2, "heavy_weapons": 1.2,
    "reserve_forces": 1.2, "attack": 1.5, "dive_bombers": 1.5, "artillery_barrage": 1.3,
}  # fmt: skip
"""What a card is worth kept, for what it can do; others `USUAL`."""
USUAL = 1.0


class Playouts:
    """
    The rules by which imagined positions are played on.

    `steps` counts the choices taken, which is what a budget in steps is measured in.

    Args:
        book: A state's `book`.
        hit: What a Hit is worth in a Firefight, against the worth of a card.
    """

    def __init__(self, book: Any, hit: float) -> None:
        self.book = book
        self.hit = hit
        self.kept = [KEPT.get(book.cards[c].id, USUAL) for c in book.card_of]
        self.ff = book.ff
        self.held = [kept + 0.25 * abs(ff) for kept, ff in zip(self.kept, book.ff)]
        """By kind of card: what it is worth kept, its Firefight value counted too."""
        self.steps = 0
        self.rules = {
            CardWindow: self.window,
            Absorb: self.absorb,
            Firefight: self.firefight,
            PlaceRations: self.place_ration,
            Discard: self.discard,
            LoseRation: self.lose_ration,
            DestroyOwn: self.destroy_own,
            AwardMedal: self.target,
            Search: self.search,
            Joiners: self.last,
            BuyPlace: self.buy_place,
        }

    def settle(self, s: Any) -> None:
        """Play on to the next quiet point."""
        rules = self.rules
        while s.stack:
            frame = s.stack[-1]
            rule = rules.get(type(frame))
            if rule is None:
                if not getattr(frame, "begun", ()) or isinstance(frame, FreeMoves | ChooseForces):
                    return
                rule = self.last
            s.choose(frame.seat, rule(s, frame))
            self.steps += 1

    def last(self, s: Any, frame: Any) -> int:
        """All participants; a target or destination is as good as another."""
        return len(s.offered(frame)) - 1

    # Windows

    def window(self, s: Any, frame: CardWindow) -> int:
        """Cards that do good whenever they can be played; the others stay in the hand."""
        if frame.begun:
            return self.target(s, frame)
        offered = s.offered(frame)
        if len(offered) == 1:
            return 0
        window = frame.window
        if window == "AFTER_BATTLE":
            wanted = "victory"
        elif window == "ON_DESTROYED":
            wanted = "recover_wounded"
        elif window == "ON_DRAW":
            if s.controlled(s.acting) < 3:
                return 0
            wanted = "propaganda_war"
        elif window == "BATTLE":
            return self.battle(s, frame, offered)
        else:
            return 0
        for i, option in enumerate(offered):
            if option.args and option.args[0] == wanted:
                return i
        return 0

    def target(self, s: Any, frame: Any) -> int:
        """The strongest of the Forces offered."""
        offered = s.offered(frame)
        if len(offered) == 1:
            return 0
        force_no, forces = s.book.force_no, s.book.forces
        best, chosen = -1.0, 0
        for i, option in enumerate(offered):
            f = force_no.get(option.args[0])
            if f is None:
                continue
            value = forces[f].combat + 0.1 * s.rations[f]
            if value > best:
                best, chosen = value, i
        return chosen

    def battle(self, s: Any, frame: CardWindow, offered: Any) -> int:
        """Double the strongest, or call up a reserve, in a battle of some size."""
        battle = s.running(Attack)
        seat = frame.seat
        own, enemy = battle.forces(seat), battle.forces(1 - seat)
        forces = s.book.forces
        strength = sum(forces[f].combat for f in own)
        against = sum(forces[f].combat for f in enemy)
        can_stop = sum(s.rations[f] + 3 for f in enemy)
        for i, option in enumerate(offered):
            card = option.args[0] if option.args else ""
            if card == "heavy_weapons":
                if max(forces[f].combat for f in own) >= 3 and strength < can_stop:
                    return i
            elif card == "reserve_forces":
                if strength <= against:
                    return i
            elif card == "tanks":
                if strength >= sum(s.rations[f] for f in enemy):
                    return i
        return 0

    # Battles

    def firefight(self, s: Any, frame: Firefight) -> int:
        """The card that gains most over its worth, if any does."""
        offered = s.offered(frame)
        if len(offered) == 1:
            return 0
        seat = frame.seat
        battle = s.running(Attack)
        base, fire, extra = battle.base, battle.fire, battle.extra_hits
        own = base[seat] + fire[seat] + extra[seat]
        enemy = base[1 - seat] + fire[1 - seat] + extra[1 - seat]
        room = sum(s.rations[f] + 3 for f in battle.forces(1 - seat)) - own
        best, chosen = 0.0, 0
        kinds, kept, ff = s.book.kind_no[seat], self.kept, self.ff
        hit = self.hit
        for i in range(1, len(offered)):
            kind = kinds[offered[i].args]
            value = ff[kind]
            useful = min(value, room) if value > 0 else min(-value, enemy)
            gain = hit * useful - kept[kind]
            if gain > best:
                best, chosen = gain, i
        return chosen

    def absorb(self, s: Any, frame: Absorb) -> int:
        """
        Ignore; spend Rations if that is enough to hold the ground; else retreat, and then spend.

        Options run: ignore, Rations by Force, retreats, Rubble, destroy.
        """
        offered = s.offered(frame)
        if len(offered) == 1 or offered[0].verb == "ignore":
            return 0
        if frame.begun:
            return 0
        rations, forces, hits = s.rations, frame.forces, frame.hits
        force_no = s.book.force_no
        rich, most = -1, 0
        retreat, cheapest = -1, 99.0
        card = -1
        destroy, least = -1, 99.0
        total = 0
        for f in forces:
            total += rations[f]
        for i, option in enumerate(offered):
            verb = option.verb
            if verb == "ration":
                f = force_no[option.args[0]]
                if option.args[1] == 1 and rations[f] > most:
                    rich, most = i, rations[f]
            elif verb == "retreat":
                f = force_no[option.args[0]]
                value = s.book.forces[f].combat + 0.5 * rations[f]
                if value < cheapest:
                    retreat, cheapest = i, value
            elif verb == "play":
                card = i
            elif verb == "destroy":
                f = force_no[option.args[0]]
                if s.book.forces[f].cost < least:
                    destroy, least = i, s.book.forces[f].cost
        if rich >= 0 and hits <= max(1, total // 2) and most > 1:
            k = min(hits, most - 1, MOST_RATIONS)
            return rich + k - 1
        if card >= 0 and hits >= 2:
            return card
        if retreat >= 0 and hits > 1:
            return retreat
        if rich >= 0:
            return rich + min(hits, most, MOST_RATIONS) - 1
        if retreat >= 0:
            return retreat
        return destroy if destroy >= 0 else 0

    # Rations, cards, Forces

    def place_ration(self, s: Any, frame: PlaceRations) -> int:
        """Where one more counts most: the poorest, the stronger first."""
        offered = s.offered(frame)
        if len(offered) == 1:
            return 0
        force_no, forces, rations = s.book.force_no, s.book.forces, s.rations
        area_of = s.area_of
        best, chosen = -99.0, 0
        for i, option in enumerate(offered):
            f = force_no[option.args[0]]
            value = 0.35 * forces[f].combat - rations[f] - 0.5 * (area_of[f] & 1)
            if value > best:
                best, chosen = value, i
        return chosen

    def discard(self, s: Any, frame: Any) -> int:
        """The card of least worth."""
        offered = s.offered(frame)
        if len(offered) == 1:
            return 0
        kinds, held = s.book.kind_no[frame.seat], self.held
        return min(range(len(offered)), key=lambda i: held[kinds[offered[i].args]])

    def search(self, s: Any, frame: Search) -> int:
        """The card of most worth."""
        offered = s.offered(frame)
        kinds, held = s.book.kind_no[frame.seat], self.held
        return max(range(len(offered)), key=lambda i: held[kinds[offered[i].args]])

    def lose_ration(self, s: Any, frame: Any) -> int:
        """From the richest."""
        offered = s.offered(frame)
        force_no, rations = s.book.force_no, s.rations
        return max(range(len(offered)), key=lambda i: rations[force_no[offered[i].args[0]]])

    def destroy_own(self, s: Any, frame: Any) -> int:
        """The cheapest, the poorest first."""
        offered = s.offered(frame)
        force_no, forces, rations = s.book.force_no, s.book.forces, s.rations

        def value(i: int) -> float:
            f = force_no[offered[i].args[0]]
            return forces[f].cost + forces[f].combat + 0.5 * rations[f]

        return min(range(len(offered)), key=value)

    def buy_place(self, s: Any, frame: BuyPlace) -> int:
        """Where it takes an empty Location, or strengthens a contested one; else aside."""
        offered = s.offered(frame)
        seat = frame.seat
        best, chosen = -99.0, 0
        for i, option in enumerate(offered):
            area = s.area_no(option.args[0])
            place = area // 2
            own, enemy = s.in_area(seat, 2 * place), s.in_area(1 - seat, 2 * place)
            if area & 1:
                value = 0.5 if own else 0.2
            elif not own and not enemy:
                value = 3.0
            elif enemy:
                value = 1.0
            else:
                value = 0.8 - 0.2 * len(own)
            if value > best:
                best, chosen = value, i
        return chosen
