"""
The longest that any bot waited while a tenth was away, in pairings of others for each bot there.

An even turn is half a pairing for each bot; at two a bot goes before all others (README, Pairing).
"""

from matchmaker.tools.simulate.trials import absences
from tests.bars import Measured
from tests.bars._ladders import played

AT_MOST = 2.25
SEEDS, SMALL = 24, 2


def measure(small: bool) -> Measured:
    found = played(absences, SMALL if small else SEEDS)
    return Measured(value=round(max(found), 3), limit=AT_MOST, ok=max(found) <= AT_MOST)
