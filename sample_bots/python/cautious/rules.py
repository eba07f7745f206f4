"""
Cautious at Battle for Stalingrad: a list of rules, the first that applies is played.

It reckons nothing ahead. In `main` the order is: fill an empty Control Area, buy while cards are
left in reserve, give Rations to the hungry, bomb, draw, attack with a clear superiority, end. In a
battle it plays cards while it is behind; hits are taken by Rations to spare, then by retreat.
"""

from collections.abc import Iterable, Iterator
from random import Random
from typing import Any, NamedTuple

from warladder.v1.referee_pb2 import Decide

RESERVE = 3
"""Cards kept in hand when buying."""
SURE = 1.5
"""Attacks need this many times the enemy's strength."""
KEEP = 1
"""Rations a Force keeps when it is not in need."""
MOST = 3
"""Forces in an area."""

FEED = ("air_supply", "fresh_supplies", "recover_wounded", "supply_raid")
BOMB = ("dive_bombers", "artillery_barrage")
DRAW = ("desperation", "victory", "scouts")
STOP = ("dive_bombers", "artillery_barrage", "attack", "reserve_forces", "heavy_weapons", "tanks")
"""Cards of the enemy that are worth a Fog of War; Operation Uranus always is."""


class Force(NamedTuple):
    id: str
    seat: int
    place: str
    area: str
    rations: int
    medals: int

    @property
    def weight(self) -> int:
        """How long it lasts in a fight; what is printed on it, the view does not say."""
        return 3 + min(self.rations, 4) + 2 * self.medals


class Cautious:
    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.starting = 0

    def told(self, events: Iterable[Any]) -> None:
        """The view holds all that counts."""

    def choose(self, asked: Decide, chance: Random) -> int:
        self.view = asked.view.stalingrad
        self.read()
        options = [option.label.split() for option in asked.options]
        wishes = getattr(self, asked.kind, self.decline)
        for wish in wishes(options):
            if wish in options:
                return options.index(wish)
        return 0

    def read(self) -> None:
        view = self.view
        self.forces = [
            Force(id_, "RG".index(id_[0]), *area.split("."), view.rations[k], view.medals[k])
            for k, (id_, area) in enumerate(zip(view.forces, view.areas))
        ]
        self.own = [force for force in self.forces if force.seat == self.seat]
        self.control = dict(zip(view.locations, view.control))
        self.hand = [
            [card, str(ff)]
            for card, ff, copies in zip(view.hand.cards, view.hand.ffs, view.hand.counts)
            for _ in range(copies)
        ]

    def at(self, seat: int, place: str, area: str = "C") -> list[Force]:
        return [f for f in self.forces if (f.seat, f.place, f.area) == (seat, place, area)]

    def weight(self, seat: int, place: str, area: str = "C") -> int:
        return sum(force.weight for force in self.at(seat, place, area))

    # Set-up

    def setup_pick(self, options: list[list[str]]) -> Iterator[list[str]]:
        """Every third of the list: a mixed lot of dear and cheap ones."""
        self.starting += 1
        yield options[(5 * self.starting) % len(options)]

    def setup_place(self, options: list[list[str]]) -> Iterator[list[str]]:
        yield from self.stations(options)

    def buy_place(self, options: list[list[str]]) -> Iterator[list[str]]:
        yield from self.stations(options)

    def stations(self, options: list[list[str]]) -> Iterator[list[str]]:
        """Where a Force is needed most: the Control Areas with the least behind them."""
        area = "C" if any(each[1].endswith(".C") for each in options) else "P"
        places = [each[1][:-2] for each in options if each[1].endswith(area)]
        places.sort(key=lambda place: self.need(place, area), reverse=True)
        yield from (["to", f"{place}.{area}"] for place in places)

    def need(self, place: str, area: str) -> int:
        """What the enemy has there more than we have."""
        own = self.weight(self.seat, place, area)
        enemy = self.weight(1 - self.seat, place) + self.weight(1 - self.seat, place, "P")
        return enemy - 2 * own

    # Main

    def main(self, options: list[list[str]]) -> Iterator[list[str]]:
        yield from (["move", force.id] for force in self.free_hands())
        if len(self.hand) > RESERVE:
            yield ["buy"]
            yield from self.plays(("reinforcements",))
        if any(force.rations <= KEEP for force in self.own):
            yield from self.plays(FEED)
        yield from self.plays(BOMB)
        yield from self.plays(DRAW)
        if len(self.hand) > 2 * RESERVE:
            yield from self.plays([card for card, _ in self.hand if card.startswith("uranus")])
        places = sorted(self.control, key=self.superiority, reverse=True)
        yield from (["attack", p] for p in places if self.superiority(p) >= SURE)
        if len(self.hand) > 2 * RESERVE and any(not force.rations for force in self.own):
            yield ["resupply"]
        yield ["end"]

    def plays(self, cards: Iterable[str]) -> Iterator[list[str]]:
        for wanted in cards:
            yield from (["play", *card] for card in self.hand if card[0] == wanted)

    def superiority(self, place: str) -> float:
        """Own strength to the enemy's, of those who can pay for an attack."""
        enemy = self.weight(1 - self.seat, place)
        able = sum(f.weight for f in self.at(self.seat, place) if f.rations > KEEP)
        return able / enemy if enemy else 0.0

    def free_hands(self) -> list[Force]:
        """Forces with a better place to be, the best fed first."""
        able = [f for f in self.own if f.rations > KEEP and self.better(f) is not None]
        return sorted(able, key=lambda f: -f.rations)

    def better(self, force: Force) -> str | None:
        """An empty Control Area to take, or the enemy's one that this Force's own lot can match."""
        if force.area == "C" and len(self.at(self.seat, force.place)) == 1:
            return None  # it is needed where it is
        for place, holder in self.control.items():
            full = len(self.at(self.seat, place)) >= MOST
            if full or (force.place == place and force.area == "C"):
                continue
            enemy = self.weight(1 - self.seat, place)
            if holder == -1 and not enemy and not self.at(self.seat, place):
                return place
            if force.place == place and force.area == "P" and enemy:
                lot = self.weight(self.seat, place) + force.weight
                if SURE * lot > enemy and holder != self.seat:
                    return place
        return None

    def move_dest(self, options: list[list[str]]) -> Iterator[list[str]]:
        force = next(f for f in self.own if f.id == self.view.begun[1])
        place = self.better(force)
        if place is not None:
            yield ["to", f"{place}.C"]

    def free_move(self, options: list[list[str]]) -> Iterator[list[str]]:
        yield from (["free_move", force.id] for force in self.free_hands())

    def participants(self, options: list[list[str]]) -> Iterator[list[str]]:
        """Who keeps a Ration afterwards takes part."""
        fed = {force.id for force in self.own if force.rations > KEEP}
        yield from sorted((each for each in options if set(each[1:]) <= fed), key=len, reverse=True)
        yield options[-1]

    def target(self, options: list[list[str]]) -> Iterator[list[str]]:
        """Enemy Forces: the weakest, it may fall. Own: the poorest."""
        known = {force.id: force for force in self.forces}
        forces = [known[each[1]] for each in options if each[1] in known]
        yield from (["target", f.id] for f in sorted(forces, key=lambda f: f.weight))

    # Cards and Rations

    def place_ration(self, options: list[list[str]]) -> Iterator[list[str]]:
        poor = sorted(self.own, key=lambda f: (f.rations, f.area))
        yield from (["place_ration", force.id] for force in poor)

    def lose_ration(self, options: list[list[str]]) -> Iterator[list[str]]:
        rich = sorted(self.own, key=lambda f: -f.rations)
        yield from (["lose_ration", force.id] for force in rich)

    def destroy_own(self, options: list[list[str]]) -> Iterator[list[str]]:
        weak = sorted(self.own, key=lambda f: (f.area == "C", f.weight))
        yield from (["destroy_own", force.id] for force in weak)

    def discard(self, options: list[list[str]]) -> Iterator[list[str]]:
        """Cards of no rule's list first, low Firefight values before high ones."""
        used = {*FEED, *BOMB, *DRAW, "reinforcements", "fog_of_war", "rubble"}
        yield from sorted(options, key=lambda each: (each[1] in used, abs(int(each[2]))))

    def search(self, options: list[list[str]]) -> Iterator[list[str]]:
        yield from (each for card in (*BOMB, *FEED) for each in options if each[1] == card)

    # Battles and windows

    def battle(self, options: list[list[str]]) -> Iterator[list[str]]:
        battle = self.view.battle
        if self.weight(self.seat, battle.location) < self.weight(1 - self.seat, battle.location):
            cards = ("sewer_warfare", "reserve_forces", "heavy_weapons", "big_push")
            yield from self.plays(cards)

    def firefight(self, options: list[list[str]]) -> Iterator[list[str]]:
        """While behind: the strongest Firefight value that is left, a few cards kept."""
        totals = [b + f for b, f in zip(self.view.battle.base, self.view.battle.fire)]
        if totals[self.seat] < totals[1 - self.seat] and len(self.hand) > RESERVE:
            yield from sorted(options[1:], key=lambda each: -abs(int(each[2])))

    def absorb(self, options: list[list[str]]) -> Iterator[list[str]]:
        rations = {force.id: force.rations for force in self.own}
        yield from (each for each in options if each[0] == "ignore")
        spare = [each for each in options if each[0] == "ration"]
        spare = [each for each in spare if rations[each[1]] - int(each[2]) >= KEEP]
        yield from sorted(spare, key=lambda each: -int(each[2]))
        for verb in ("play", "retreat", "ration", "destroy"):
            yield from (each for each in options if each[0] == verb)

    def on_card(self, options: list[list[str]]) -> Iterator[list[str]]:
        card = self.view.playing[-1].card.card
        if card in STOP or card.startswith("uranus"):
            yield from self.plays(("fog_of_war",))

    def on_move(self, options: list[list[str]]) -> Iterator[list[str]]:
        """A Sniper for whoever comes to a Location that is ours."""
        place, area = self.view.move.area.split(".")
        if area == "C" and self.control[place] != 1 - self.seat:
            yield from self.plays(("sniper",))

    def on_draw(self, options: list[list[str]]) -> Iterator[list[str]]:
        if sum(holder == 1 - self.seat for holder in self.control.values()) > 1:
            yield from self.plays(("propaganda_war",))

    def after_battle(self, options: list[list[str]]) -> Iterator[list[str]]:
        yield from self.plays(("victory",))

    def on_destroyed(self, options: list[list[str]]) -> Iterator[list[str]]:
        yield from self.plays(("recover_wounded",))

    def decline(self, options: list[list[str]]) -> Iterator[list[str]]:
        yield options[0]
