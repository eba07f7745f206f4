"""
Greedy at Battle for Stalingrad.

Every option is valued by the worth of the board after it (`board.py`) less the worth before, and
less what the cards are worth that it spends. Battles are reckoned with the totals as they stand.
Where the board does not say enough (cards that draw, cancel or last), a table does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import Any

from board import Board, rations
from forces import FORCES, USUAL

from warladder.v1.referee_pb2 import Decide

HELD = {
    "dive_bombers": 2.0, "artillery_barrage": 1.8, "attack": 1.6, "tanks": 1.2, "big_push": 1.0,
    "heavy_weapons": 1.1, "reserve_forces": 1.2, "fog_of_war": 1.4, "sniper": 1.2, "rubble": 1.4,
    "recover_wounded": 1.2, "victory": 1.3, "desperation": 1.0, "high_morale": 1.0,
    "reinforcements": 1.0, "scouts": 0.8, "air_supply": 1.2, "fresh_supplies": 1.0,
}  # fmt: skip
"""What a card in hand is worth by its effect; others `USUAL_CARD`."""
USUAL_CARD = 0.9
FIRE = 0.25
"""What each point of a Firefight value adds to a card in hand."""
PLENTY = 8
"""With so many cards in hand another is worth half."""

CANCEL = {
    "dive_bombers": 4.0, "artillery_barrage": 3.0, "attack": 4.0, "high_morale": 2.0, "tanks": 1.5,
    "heavy_weapons": 2.0, "big_push": 1.5, "reserve_forces": 2.0, "reinforcements": 1.5,
    "desperation": 2.0, "victory": 2.0, "air_supply": 2.0, "fresh_supplies": 2.0, "rubble": 1.5,
    "sniper": 1.5, "supply_raid": 1.5, "recover_wounded": 1.5,
}  # fmt: skip
"""What it is worth to stop a card of the enemy; Operation Uranus `CANCEL_URANUS`, others 0.5."""
CANCEL_URANUS = 3.5
URANUS = 4.5
"""What a Uranus card in play is worth to the Russian, before its cost."""
SURE = 0.3
"""A gain less than this is not worth an Action."""


class Greedy:
    def __init__(self, seat: int, sides: Sequence[int]) -> None:
        self.seat = seat
        self.picked = ""

    def told(self, events: Iterable[Any]) -> None:
        """The view holds all that counts."""

    def choose(self, asked: Decide, chance: Random) -> int:
        view = asked.view.stalingrad
        self.view, self.board = view, Board(view, self.seat)
        options = [option.label.split() for option in asked.options]
        value = getattr(self, asked.kind, self.window)
        values = [value(*words) for words in options]
        best = max(values)
        taken = chance.choice([i for i, each in enumerate(values) if each >= best - 1e-9])
        if asked.kind == "setup_pick":
            self.picked = options[taken][1]
        return taken

    # Cards

    def held(self, card: str, ff: str | int) -> float:
        """What it costs to be without this card."""
        worth = HELD.get(card, USUAL_CARD) + FIRE * abs(int(ff))
        return worth * PLENTY / (PLENTY + self.view.hand_sizes[self.seat])

    def cheapest(self, count: int) -> float:
        """What the least of the hand is worth, so many cards of it."""
        hand = self.view.hand
        worths = sorted(
            self.held(card, ff)
            for card, ff, copies in zip(hand.cards, hand.ffs, hand.counts)
            for _ in range(copies)
        )
        return sum(worths[:count])

    # Set-up and placing

    def setup_pick(self, verb: str, id_: str) -> float:
        """The most for its cost."""
        force = FORCES.get(id_, USUAL)
        specials = 0.5 * (force.attack_bonus + force.retreat_extra) + force.ignore + force.free_move
        return (force.combat + 0.5 * force.rations + specials + 1.0) / force.cost

    def setup_place(self, verb: str, area: str) -> float:
        return self.board.added(self.picked or "?", area)

    def buy_place(self, verb: str, area: str) -> float:
        return self.board.added(self.view.force_deck_tops[self.seat] or "?", area)

    def place_ration(self, verb: str, id_: str) -> float:
        unit = self.board.units[id_]
        return self.ration(unit.id) + (0.1 if unit.area == "C" else 0.0)

    def ration(self, id_: str, more: int = 1) -> float:
        """What more Rations are worth to this Force's owner."""
        unit = self.board.units[id_]
        gain = rations(max(unit.rations + more, 0)) - rations(unit.rations)
        return gain * (0.7 + 0.1 * unit.printed.combat)

    def medal(self, verb: str, id_: str) -> float:
        return self.board.units[id_].worth

    # Main

    def main(self, verb: str, *what: str) -> float:
        if verb == "end":
            return SURE
        value = getattr(self, f"do_{verb}")
        return float(value(*what))

    def do_move(self, id_: str) -> float:
        unit = self.board.units[id_]
        cost = 0 if unit.printed.free_move else 1
        return max(
            (self.board.moved(id_, area, cost) for area in self.board.destinations(id_)),
            default=0.0,
        )

    def move_dest(self, verb: str, area: str) -> float:
        return self.board.moved(self.view.begun[1], area)

    def free_move(self, verb: str, id_: str = "") -> float:
        return SURE if verb == "stop" else self.do_move(id_)

    def do_buy(self) -> float:
        top = self.view.force_deck_tops[self.seat]
        places = [p for p in self.board.places if self.board.controller(p) != 1 - self.seat]
        best = max(
            self.board.added(top, f"{p}.{a}")
            for p, a in [*((p, "C") for p in places), *((p, "P") for p in self.board.places)]
            if len(self.board.at(self.seat, p, a)) < 3 or a == "P"
        )
        cards = max(FORCES.get(top, USUAL).cost - self.view.buy_points, 0)
        return best - self.cheapest(cards)

    def do_resupply(self) -> float:
        gains = sorted((self.ration(u.id) for u in self.board.own()), reverse=True)
        return sum(gains[:2]) - self.cheapest(1)

    def discard(self, verb: str, card: str, ff: str) -> float:
        return -self.held(card, ff)

    def search(self, verb: str, card: str, ff: str) -> float:
        return self.held(card, ff)

    def lose_ration(self, verb: str, id_: str) -> float:
        return self.ration(id_, -1)

    def destroy_own(self, verb: str, id_: str) -> float:
        twin = self.board.copy()
        del twin.units[id_]
        return twin.worth()

    def do_pay_uranus(self, card: str, ff: str) -> float:
        return 2.5 - self.cheapest(3)

    # Attacks

    def do_attack(self, place: str) -> float:
        able = [u.id for u in self.board.at(self.seat, place, "C") if u.rations]
        return self.attack(place, able, dict.fromkeys(able, 1))

    def participants(self, verb: str, *ids: str) -> float:
        begun = list(self.view.begun)
        if begun[:1] == ["attack"]:
            return self.attack(begun[1], list(ids), dict.fromkeys(ids, 1))
        return 0.1 * sum(self.board.units[id_].rations - 1 for id_ in ids)

    def attack(self, place: str, ids: Sequence[str], paid: dict[str, int]) -> float:
        """The board after a battle with middling luck, less the board as it is."""
        if not ids:
            return 0.0
        twin = self.board.copy()
        for id_, cost in paid.items():
            twin.units[id_].rations -= cost
        defenders = [u.id for u in twin.at(1 - self.seat, place, "C")]
        bonus = sum(twin.units[id_].printed.attack_bonus for id_ in ids)
        mine = self.combat(twin, ids, self.seat) + bonus
        theirs = self.combat(twin, defenders, 1 - self.seat)
        twin.hit(defenders, round(mine + 0.5))
        twin.hit(ids, round(theirs + 0.5))
        return twin.worth() - self.board.worth()

    def combat(self, board: Board, ids: Iterable[str], seat: int) -> int:
        add = self.view.combat_add[seat]
        units = [board.units[id_] for id_ in ids if id_ in board.units]
        return sum(u.printed.combat + u.medals + add for u in units)

    # Cards for effect

    def do_play(self, card: str, ff: str) -> float:
        value = getattr(self, f"card_{card}", None)
        if card.startswith("uranus"):
            gain = URANUS - self.cheapest(3)
        elif value is None:
            gain = 0.0  # kept for its window
        else:
            gain = float(value())
        return gain - self.held(card, ff)

    def card_dive_bombers(self) -> float:
        return max(self.bombed(u.id, 4) for u in self.victims())

    def card_artillery_barrage(self) -> float:
        return max(self.bombed(u.id, 3) for u in self.victims())

    def victims(self) -> list[Any]:
        return [u for u in self.board.units.values() if u.seat != self.seat and u.area == "C"]

    def bombed(self, id_: str, hits: int) -> float:
        twin = self.board.copy()
        twin.hit([id_], hits)
        return twin.worth() - self.board.worth()

    def card_supply_raid(self) -> float:
        rich = [u for u in self.board.units.values() if u.seat != self.seat]
        taken = max((self.raided(u.id) for u in rich), default=0.0)
        return taken + max((self.ration(u.id, 2) for u in self.board.own()), default=0.0)

    def raided(self, id_: str) -> float:
        return -self.ration(id_, -min(2, self.board.units[id_].rations))

    def card_fresh_supplies(self) -> float:
        return sum(self.ration(u.id, 2) for u in self.board.own() if u.area == "P")

    def card_air_supply(self) -> float:
        return self.spread(5)

    def spread(self, count: int) -> float:
        """So many Rations over the own Forces."""
        gains = sorted((self.ration(u.id) for u in self.board.own()), reverse=True)
        return sum((gains * count)[:count]) * 0.8

    def card_desperation(self) -> float:
        return 2.4

    def card_victory(self) -> float:
        return 2.4

    def card_scouts(self) -> float:
        return 0.9

    def card_reinforcements(self) -> float:
        return 1.4 if self.view.hand_sizes[self.seat] > 2 else 0.0

    def card_high_morale(self) -> float:
        gains = sorted((self.do_move(u.id) for u in self.board.own()), reverse=True)
        return sum(max(gain, 0.0) for gain in gains[:4]) * 0.7

    def card_attack(self) -> float:
        return max(self.assault(u.id, p) for u in self.board.own() for p in self.fields())

    def fields(self) -> list[str]:
        """Locations where the enemy holds a Control Area."""
        return [p for p in self.board.places if self.board.at(1 - self.seat, p, "C")]

    def assault(self, id_: str, place: str) -> float:
        """What Attack! brings: the Force moves there and fights, free of Rations."""
        if not self.board.at(1 - self.seat, place, "C"):
            return 0.0
        twin = self.board.copy()
        unit = twin.units[id_]
        if (unit.place, unit.area) != (place, "C"):
            if unit.no_move or len(twin.at(self.seat, place, "C")) >= 3:
                return -1.0
            unit.place, unit.area = place, "C"
        before, self.board = self.board, twin
        gain = self.attack(place, [id_], {}) + twin.worth() - before.worth()
        self.board = before
        return gain

    def target(self, verb: str, what: str) -> float:
        """The target that the card is worth most with."""
        card, chosen = self.view.begun[1], list(self.view.begun[3:])
        if card in ("dive_bombers", "artillery_barrage"):
            return self.bombed(what, 4 if card == "dive_bombers" else 3)
        if card == "supply_raid":
            return self.ration(what, 2) if chosen else self.raided(what)
        if card == "attack":
            if chosen:
                return self.assault(chosen[0], what)
            return max((self.assault(what, p) for p in self.fields()), default=0.0)
        unit = self.board.units.get(what)
        return unit.strength if unit is not None else 0.0

    # Battles

    def fight(self, mine: float = 0.0, theirs: float = 0.0, retreat: bool = True) -> float:
        """
        The worth of the board after the battle in progress.

        Args:
            mine: Added to the own total; `theirs` to the enemy's.
            retreat: Whether the enemy can.
        """
        battle, twin = self.view.battle, self.board.copy()
        by_seat = [list(battle.defenders), list(battle.defenders)]
        by_seat[battle.attacker] = list(battle.participants)
        totals = []
        for seat in (0, 1):
            base = battle.base[seat] or self.combat(twin, by_seat[seat], seat)
            totals.append(base + battle.fire[seat] + battle.extra_hits[seat])
        own = max(0, round(totals[self.seat] + mine))
        enemy = max(0, round(totals[1 - self.seat] + theirs))
        twin.hit(by_seat[1 - self.seat], own, retreat and not battle.no_retreat[1 - self.seat])
        twin.hit(by_seat[self.seat], enemy, not battle.no_retreat[self.seat])
        return twin.worth()

    def firefight(self, verb: str, card: str = "", ff: str = "0") -> float:
        if verb == "pass":
            return self.fight() + SURE
        fire = int(ff)
        return self.fight(max(fire, 0), min(fire, 0)) - self.held(card, ff)

    def battle(self, verb: str, card: str = "", ff: str = "0") -> float:
        if verb == "pass":
            return self.fight() + SURE
        battle = self.view.battle
        ours = battle.participants if battle.attacker == self.seat else battle.defenders
        units = [self.board.units[id_] for id_ in ours if id_ in self.board.units]
        mine, retreat = 0.0, True
        if card == "heavy_weapons":
            mine = max((u.printed.combat + u.medals for u in units), default=0)
        elif card == "big_push":
            mine = len(units)
        elif card == "reserve_forces":
            near = [u for u in self.board.own() if u.area == "P"]
            mine = max((u.printed.combat for u in near), default=0)
        elif card == "tanks":
            retreat = False
        elif card == "scouts":
            return self.fight()
        return self.fight(mine, 0.0, retreat) - self.held(card, ff)

    def absorb(self, verb: str, *what: str) -> float:
        """The board after this and after the rest has been absorbed sensibly."""
        twin, absorb = self.board.copy(), self.view.absorb
        hits, spent = absorb.hits, 0.0
        if verb == "ignore":
            hits -= 1
        elif verb == "play":
            hits, spent = hits - 2, self.held(what[0], what[1])
        else:
            unit = twin.units[what[0]]
            if verb == "ration":
                unit.rations -= int(what[1])
                hits -= int(what[1])
            elif verb == "retreat":
                unit.area = "P"
                hits -= 2 + unit.printed.retreat_extra + unit.medals
            else:
                del twin.units[unit.id]
                hits -= 1
        twin.hit(list(absorb.forces), max(hits, 0))
        return twin.worth() - spent

    # Windows

    def window(self, verb: str, card: str = "", ff: str = "0") -> float:
        """`on_card`, `on_move`, `on_draw`, `on_destroyed`, `after_battle`."""
        if verb == "pass":
            return 0.0
        gain = 0.0
        if card == "fog_of_war":
            stopped = self.view.playing[-1].card.card
            usual = CANCEL_URANUS if stopped.startswith("uranus") else 0.5
            gain = CANCEL.get(stopped, usual)
        elif card == "sniper":
            move = self.view.move
            other = Board(self.view, 1 - self.seat)
            gain = max(other.moved(move.force, move.area), 0.0) * 0.6
        elif card == "propaganda_war":
            held = [p for p in self.board.places if self.board.controller(p) == 1 - self.seat]
            gain = 0.7 * len(held)
        elif card == "recover_wounded":
            gain = self.spread(3)
        elif card == "victory":
            gain = self.card_victory()
        return gain - self.held(card, ff)
