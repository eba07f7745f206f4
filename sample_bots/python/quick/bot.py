"""Plays Battle for Stalingrad from events alone: no views, no labels, no windows, no plan."""

import os
import sys
from collections.abc import Iterable, Sequence
from random import Random
from typing import Any

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))

import attend

from warladder.v1.referee_pb2 import Decide, MatchStarted
from warladder.v1.stalingrad_pb2 import StalingradOption

WINDOWS = ("on_card", "on_move", "battle", "on_destroyed", "after_battle", "on_draw")


class Quick:
    """Keeps two columns by Force, area and Rations, as events change them."""

    orders = WINDOWS
    """Passed by standing order: these questions are never asked."""

    def __init__(self, started: MatchStarted) -> None:
        self.side = "RG"[started.seat]
        self.area: dict[str, str] = {}
        self.rations: dict[str, int] = {}
        self.moving = ""

    def told(self, events: Iterable[Any]) -> None:
        for each in events:
            event = each.stalingrad
            match event.WhichOneof("event"):
                case "force_placed":
                    self.area[event.force_placed.force] = event.force_placed.area
                case "moved":
                    self.area[event.moved.force] = event.moved.area
                case "force_destroyed":
                    self.area.pop(event.force_destroyed.force, None)
                case "rations_changed":
                    changed = event.rations_changed
                    self.rations[changed.force] = changed.rations
                case "force_deck_formed":
                    formed = event.force_deck_formed
                    self.rations.update(zip(formed.forces, formed.rations))

    def choose(self, asked: Decide, chance: Random) -> int:
        options = [option.stalingrad for option in asked.options]
        wish = getattr(self, asked.kind, None)
        if wish is None:
            return chance.randrange(len(options))
        values = [wish(option) for option in options]
        taken = values.index(max(values))
        if asked.kind in ("main", "free_move"):
            self.moving = options[taken].force
        return taken

    def holders(self, area: str, side: str) -> list[str]:
        return [force for force, at in self.area.items() if at == area and force[0] == side]

    def enemies(self, place: str) -> list[str]:
        return self.holders(f"{place}.C", "GR"[self.side == "G"])

    # Questions, each valued at a glance

    def main(self, option: StalingradOption) -> float:
        match option.verb:
            case "buy":
                return 5
            case "move":
                return 4 if self.useful(option.force) else -1
            case "attack":
                own = self.holders(f"{option.location}.C", self.side)
                able = [force for force in own if self.rations.get(force, 0) > 1]
                return 3 if len(able) > len(self.enemies(option.location)) else -1
            case "play":
                return 2 if option.ff > 0 else 1
        return 0

    def useful(self, force: str) -> bool:
        """It stands behind, has Rations to spare, and there is room to step forward."""
        place, area = self.area[force].split(".")
        ahead = self.holders(f"{place}.C", self.side)
        return area == "P" and self.rations.get(force, 0) > 1 and len(ahead) < 2

    def free_move(self, option: StalingradOption) -> float:
        return 0 if option.verb == "stop" else 1 if self.useful(option.force) else -1

    def move_dest(self, option: StalingradOption) -> float:
        return self.crowding(option) + (2 if option.area[:-2] in self.area[self.moving] else 0)

    def setup_place(self, option: StalingradOption) -> float:
        return self.crowding(option)

    def buy_place(self, option: StalingradOption) -> float:
        return self.crowding(option)

    def crowding(self, option: StalingradOption) -> float:
        """Control Areas first, and where few of ours stand."""
        return 5 * option.area.endswith("C") - 2 * len(self.holders(option.area, self.side))

    def place_ration(self, option: StalingradOption) -> float:
        return -self.rations.get(option.force, 0)

    def participants(self, option: StalingradOption) -> float:
        return len(option.forces)

    def absorb(self, option: StalingradOption) -> float:
        order: Sequence[str] = ("destroy", "retreat", "ration", "play", "ignore")
        return order.index(option.verb)


if __name__ == "__main__":
    attend.run(__doc__ or "", ("stalingrad",), Quick, detail=attend.EVENTS)
