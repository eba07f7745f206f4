"""
Greedy at Battle for Stalingrad: gives every option a number and takes the highest.

It looks at the position only, never ahead. The kit of every language has the same rules, and takes
the same options in the same match. All numbers are whole; of equal options the first is taken.
"""

from typing import Any

RESERVE = 3
"""Cards kept in hand when buying, and when a Firefight is only to be bettered."""

WORTH = {
    "dive_bombers": 25,
    "artillery_barrage": 24,
    "supply_raid": 23,
    "air_supply": 22,
    "fresh_supplies": 21,
    "desperation": 20,
    "scouts": 19,
    "fog_of_war": 12,
    "propaganda_war": 11,
    "victory": 10,
    "recover_wounded": 9,
    "sniper": 8,
    "rubble": 7,
    "reserve_forces": 6,
    "heavy_weapons": 5,
    "big_push": 4,
}
"""What a card is worth when it is played for its effect; others are kept for Firefights."""

IN_BATTLE = ("reserve_forces", "heavy_weapons", "big_push")
"""Cards for a battle that would be lost without them."""


class Table:
    """The position as the rules below need it."""

    def __init__(self, view: Any, seat: int) -> None:
        self.view = view
        self.seat = seat
        self.area = dict(zip(view.forces, view.areas))
        self.rations = dict(zip(view.forces, view.rations))
        self.weight = {
            force: 3 + min(rations, 4) + 2 * medals
            for force, rations, medals in zip(view.forces, view.rations, view.medals)
        }
        self.control = dict(zip(view.locations, view.control))
        self.hand = view.hand_sizes[seat] if view.hand_sizes else 0

    def owner(self, force: str) -> int:
        return 0 if force.startswith("R") else 1

    def strength(self, seat: int, area: str) -> int:
        """Weight of a side's Forces in an area, such as `GUM.C`."""
        return sum(
            self.weight[force]
            for force, where in self.area.items()
            if where == area and self.owner(force) == seat
        )

    def lead(self, location: str) -> int:
        """Own strength in the Control Area less the enemy's."""
        area = location + ".C"
        return self.strength(self.seat, area) - self.strength(1 - self.seat, area)

    def open(self, location: str) -> bool:
        """Nobody holds it, so whoever comes first does."""
        area = location + ".C"
        return self.strength(0, area) == 0 and self.strength(1, area) == 0

    def behind(self) -> bool:
        """The battle in progress would cost more Hits than it brings."""
        battle = self.view.battle
        if not battle.base or battle.base[0] + battle.base[1] == 0:
            return self.lead(battle.location) < 0
        total = [base + fire for base, fire in zip(battle.base, battle.fire)]
        return total[self.seat] < total[1 - self.seat]


def choose(asked: Any, seat: int, seed: str) -> int:
    """Index of the best option; nothing is left to chance."""
    table = Table(asked.view.stalingrad, seat)
    best, most = 0, score(table, asked.kind, asked.options[0].stalingrad)
    for index, option in enumerate(asked.options):
        value = score(table, asked.kind, option.stalingrad)
        if value > most:
            best, most = index, value
    return best


def score(table: Table, kind: str, option: Any) -> int:
    """What an option is worth. `pass`, `end` and `stop` are worth 0."""
    match option.verb:
        case "attack":
            return attack(table, option.location)
        case "participants":
            return len(option.forces)
        case "move" | "free_move":
            return move(table, option.force)
        case "to":
            return station(table, option.area)
        case "buy":
            return 40 if table.hand > RESERVE else -1
        case "play":
            return play(table, kind, option.card)
        case "fire":
            return 10 + abs(option.ff) if table.behind() and table.hand > RESERVE else -1
        case "discard":
            return -WORTH.get(option.card, 0) - abs(option.ff)
        case "search":
            return WORTH.get(option.card, 0)
        case "target":
            return target(table, option.target)
        case "place_ration":
            return 20 - table.rations[option.force]
        case "lose_ration":
            return table.rations[option.force]
        case "destroy_own":
            return -table.weight[option.force]
        case "ignore":
            return 50
        case "ration":
            kept = table.rations[option.force] - option.rations
            return 30 + option.rations if kept >= 1 else 5 + option.rations
        case "retreat":
            return 20
        case "destroy":
            return -table.weight[option.force]
        case "pass" | "end" | "stop":
            return 0
        case _:
            return -1


def attack(table: Table, location: str) -> int:
    """Only with half as much again as the enemy has."""
    own = table.strength(table.seat, location + ".C")
    enemy = table.strength(1 - table.seat, location + ".C")
    return 10 + own - enemy if 2 * own >= 3 * enemy else -1


def move(table: Table, force: str) -> int:
    """Out of a Perimeter Area: to an open Location, or to contest its own that the enemy holds."""
    location, area = table.area[force].split(".")
    if area == "C" or table.rations[force] < 2:
        return -1
    waits = any(table.open(each) for each in table.control)
    held = table.control[location] == 1 - table.seat
    return 30 + table.rations[force] if waits or held else -1


def station(table: Table, area: str) -> int:
    """Open Locations first, then where the enemy has most more; a Perimeter Area if need be."""
    location = area[:-2]
    if area.endswith(".P"):
        return 0
    return 60 if table.open(location) else 20 - table.lead(location)


def play(table: Table, kind: str, card: str) -> int:
    if card == "reinforcements":
        return 41 if table.hand > RESERVE else -1
    if kind == "battle" and card in IN_BATTLE:
        return WORTH[card] if table.behind() else -1
    return WORTH.get(card, -1)


def target(table: Table, target: str) -> int:
    """The weakest of the enemy's Forces, it may fall; of the own the hungriest; else no matter."""
    if target not in table.weight:
        return 0
    if table.owner(target) == table.seat:
        return 20 - table.rations[target]
    return 40 - table.weight[target]
