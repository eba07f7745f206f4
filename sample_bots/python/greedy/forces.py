"""
The Forces of Battle for Stalingrad as the house set prints them.

With an owner's own cards ids and numbers may differ: an unknown Force counts as `USUAL`.
"""

from typing import NamedTuple


class Force(NamedTuple):
    cost: int
    combat: int
    rations: int
    attack_bonus: int = 0
    retreat_extra: int = 0
    ignore: int = 0
    free_move: bool = False


USUAL = Force(2, 2, 2)

FORCES = {
    "R169": Force(1, 1, 2, 0, 0, 0, False),
    "R248": Force(2, 2, 1, 0, 1, 0, False),
    "R06G": Force(1, 1, 0, 2, 0, 0, False),
    "R15G": Force(3, 3, 3, 0, 0, 1, False),
    "R84T": Force(2, 2, 2, 0, 0, 0, False),
    "R90T": Force(2, 2, 2, 0, 0, 0, False),
    "R126": Force(2, 2, 4, 1, 0, 0, False),
    "R13G": Force(4, 4, 3, 2, 0, 0, False),
    "R37G": Force(3, 3, 3, 1, 0, 0, False),
    "R39G": Force(3, 3, 2, 0, 0, 1, False),
    "R138": Force(3, 3, 4, 0, 1, 0, False),
    "R284": Force(3, 3, 3, 1, 0, 0, False),
    "R10N": Force(3, 3, 3, 0, 2, 0, False),
    "R35G": Force(2, 2, 2, 0, 2, 0, False),
    "R33G": Force(2, 2, 1, 0, 0, 1, False),
    "R95R": Force(2, 2, 3, 1, 0, 0, False),
    "R193": Force(2, 2, 3, 0, 1, 0, False),
    "R308": Force(2, 3, 2, 0, 0, 0, False),
    "R92N": Force(2, 3, 1, 1, 0, 0, False),
    "R137": Force(2, 2, 2, 0, 0, 0, True),
    "R112": Force(1, 1, 2, 0, 1, 0, False),
    "R45R": Force(1, 1, 3, 0, 0, 0, False),
    "R42N": Force(1, 2, 0, 0, 0, 0, False),
    "R27T": Force(1, 1, 1, 1, 0, 0, False),
    "G16P": Force(3, 5, 4, 0, 0, 0, True),
    "G14P": Force(3, 5, 4, 2, 0, 0, False),
    "G384": Force(2, 3, 4, 0, 0, 0, False),
    "G100": Force(1, 1, 1, 0, 0, 0, True),
    "G24P": Force(4, 6, 5, 1, 0, 0, False),
    "G60M": Force(3, 4, 4, 0, 0, 0, True),
    "G03M": Force(3, 4, 5, 0, 1, 0, False),
    "G29M": Force(3, 4, 4, 1, 0, 0, False),
    "G44I": Force(3, 4, 4, 0, 0, 1, False),
    "G71I": Force(2, 3, 3, 1, 0, 0, False),
    "G389": Force(2, 3, 2, 1, 0, 0, False),
    "G76I": Force(2, 3, 4, 0, 0, 0, False),
    "G295": Force(2, 3, 3, 0, 0, 0, False),
    "G371": Force(2, 3, 3, 0, 0, 0, False),
    "G79I": Force(2, 2, 4, 0, 1, 0, False),
    "G94I": Force(2, 3, 2, 0, 1, 0, False),
    "G305": Force(2, 3, 3, 0, 1, 0, False),
    "G297": Force(2, 2, 3, 0, 0, 1, False),
    "G244": Force(2, 4, 1, 1, 0, 0, False),
    "G336": Force(2, 2, 2, 2, 0, 0, False),
    "G376": Force(1, 2, 2, 0, 0, 0, False),
    "G113": Force(1, 2, 2, 0, 0, 0, False),
    "G09F": Force(1, 1, 2, 0, 2, 0, False),
    "G20R": Force(1, 1, 3, 0, 0, 0, False),
}
