"""The sample game of the rulebook (§9): decks as the harness stacks them, and the set-up."""

from __future__ import annotations

from referee.games.stalingrad.game import GAME
from referee.games.stalingrad.state import Stalingrad
from tests.referee.games.stalingrad.table import LINE, G, R, do, kinds, refresh, stack, stack_forces

GERMAN_DECK = (
    # opening hand
    "supply_raid 1", "rubble -2", "tanks 3", "dive_bombers 1", "fresh_supplies -1",
    # flip
    "artillery_barrage 2",
    # drawn at the end of German turn 1
    "tanks 2", "desperation -2", "big_push 1", "attack 1", "rubble -1",
    # drawn by Desperation
    "air_supply -1", "heavy_weapons 1", "rubble -3",
    # flips
    "reinforcements 1", "artillery_barrage 2",
)  # fmt: skip
RUSSIAN_DECK = (
    # opening hand
    "reserve_forces 2", "reserve_forces 3", "rubble -2", "rubble -1", "scouts -1", "victory 3",
    "sniper -1", "propaganda_war 1", "reinforcements 2", "scouts 1",
    # flip
    "reinforcements -1",
    # drawn by Victory
    "sewer_warfare 1", "uranus_i 3", "recover_wounded -2",
)  # fmt: skip
RUSSIAN_DECK_AFTER_SCOUTS = (
    "victory 3", "artillery_barrage 2", "big_push 2", "rubble -3", "reinforcements 1",
    "sniper -3", "uranus_ii 2", "reinforcements 1",
    # flips
    "fog_of_war -2", "fog_of_war -2",
)  # fmt: skip


def begin() -> Stalingrad:
    """Before the first pick, with the Locations and both Action decks in order."""
    s = GAME.start(seed="sample")
    s.board = tuple(s.book.location_no[each] for each in LINE)
    s.unused = tuple(no for no in range(10) if no not in s.board)
    stack(s, R, deck=RUSSIAN_DECK)
    stack(s, G, deck=GERMAN_DECK)
    refresh(s)
    return s


def top_of_deck(s: Stalingrad, seat: int, top: tuple[str, ...]) -> None:
    """Put these cards of a deck on its top; the others stay in order."""
    rest = s.deck[seat].copy()
    first = kinds(s, seat, top)
    for kind in first:
        rest.remove(kind)
    s.deck[seat] = first + rest


def set_up(s: Stalingrad) -> None:
    """Step 0."""
    for force, area in (
        ("R169", "GUM.C"), ("R248", "GRA.C"), ("R06G", "GRA.P"), ("R15G", "PAV.C"),
        ("R84T", "TRA.C"), ("R90T", "TRA.C"),
    ):  # fmt: skip
        do(s, f"R: pick {force}", f"R: to {area}")
    stack_forces(s, R, ("R126", "R138"))
    for force, area in (
        ("G16P", "GUM.P"), ("G384", "GRA.P"), ("G14P", "GRA.P"), ("G100", "DOC.P"),
    ):  # fmt: skip
        do(s, f"G: pick {force}", f"G: to {area}")
