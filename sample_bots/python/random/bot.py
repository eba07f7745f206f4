"""Takes any option on offer, each as likely as the others. Needs to know nothing of the game."""

import os
import sys
from collections.abc import Iterable
from random import Random
from typing import Any

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))

import attend


class Anything:
    def choose(self, asked: Any, chance: Random) -> int:
        return chance.randrange(len(asked.options))

    def told(self, events: Iterable[Any]) -> None:
        """What happens makes no difference to this player."""


if __name__ == "__main__":
    attend.run(__doc__ or "", attend.EVERY, lambda started: Anything(), detail=attend.EVENTS)
