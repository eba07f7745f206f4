"""What the sample game tells about the components (§8.2, K1–K12); broken ones are warnings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from referee.games.stalingrad.records import GERMAN, RUSSIAN, Card, Force, Location

GERMAN_CARDS = (
    "supply_raid", "dive_bombers", "fresh_supplies", "tanks", "desperation", "air_supply",
    "big_push", "attack", "heavy_weapons",
)  # fmt: skip
"""Seen in German hands (K9)."""
RUSSIAN_CARDS = (
    "reserve_forces", "victory", "sniper", "propaganda_war", "reinforcements", "scouts",
    "high_morale", "sewer_warfare", "uranus_i", "recover_wounded",
)  # fmt: skip
"""Seen in Russian hands (K9)."""


class Box(NamedTuple):
    """The components by id."""

    locations: dict[str, Location]
    forces: dict[str, Force]
    cards: dict[tuple[int, str], Card]


def warnings(box: Box) -> Iterator[str]:
    """One line for each deduction that the components break, or cannot show."""
    for name, holds in DEDUCTIONS.items():
        try:
            kept = holds(box)
        except (KeyError, StopIteration):
            kept = False
        if not kept:
            yield f"{name} does not hold: {(holds.__doc__ or '').strip()}"


def k1(box: Box) -> bool:
    """169th, 248th, 6th, 15th Guards, 84th, 90th cost 11; 16th, 384th, 14th, 100th cost 9."""
    f = box.forces
    russian = sum(f[each].cost for each in ("R169", "R248", "R06G", "R15G", "R84T", "R90T"))
    return russian == 11 and sum(f[each].cost for each in ("G16P", "G384", "G14P", "G100")) == 9


def k2(box: Box) -> bool:
    """Starting Rations of the eleven Forces of the sample game."""
    wanted = {"R169": 2, "R248": 1, "R06G": 0, "R15G": 3, "R84T": 2, "R90T": 2, "R126": 4,
              "G16P": 4, "G384": 4, "G14P": 4, "G100": 1}  # fmt: skip
    return all(box.forces[each].rations == n for each, n in wanted.items())


def k3(box: Box) -> bool:
    """Combat: 169th, 6th Guards, 100th 1; 84th + 90th 4; 126th + 248th 4."""
    f = box.forces
    ones = all(f[each].combat == 1 for each in ("R169", "R06G", "G100"))
    tanks = f["R84T"].combat + f["R90T"].combat
    return ones and tanks == 4 == f["R126"].combat + f["R248"].combat


def k4(box: Box) -> bool:
    """Attacking: 16th Panzer 5, 14th Panzer 7, 126th + 248th + 6th Guards 8."""
    f = box.forces

    def attack(*ids: str) -> int:
        return sum(f[each].combat + f[each].attack_bonus for each in ids)

    return (attack("G16P"), attack("G14P"), attack("R126", "R248", "R06G")) == (5, 7, 8)


def k5(box: Box) -> bool:
    """16th Panzer and 100th move free; 248th retreat_extra 1; no ignore where none was used."""
    f = box.forces
    plain = ("R169", "R06G", "R90T", "G16P", "G100")
    return (
        f["G16P"].free_move
        and f["G100"].free_move
        and f["R248"].retreat_extra == 1
        and all(f[each].retreat_extra == 0 for each in plain)
        and all(f[each].ignore == 0 for each in (*plain, "R84T", "R126", "R248", "G14P"))
    )


def k6(box: Box) -> bool:
    """126th costs 2, and a Russian Force of cost 3 can be the next top card."""
    threes = any(each.seat == RUSSIAN and each.cost == 3 for each in box.forces.values())
    return box.forces["R126"].cost == 2 and threes


def k7(box: Box) -> bool:
    """Yields at Rubble: Gumrak 1 at 1, Grain Elevator 2 at 2, Tractor Factory, Pavlov's 2 at 0."""
    at = {"GUM": (1, 1), "GRA": (2, 2), "TRA": (0, 2), "PAV": (0, 2)}
    return all(box.locations[each].rations(rubble) == n for each, (rubble, n) in at.items())


def k8(box: Box) -> bool:
    """Notes: Gumrak +1 Ration on Resupply Actions, Tractor Factory +1 on Reinforcements."""
    gumrak, tractor = box.locations["GUM"].note, box.locations["TRA"].note
    return gumrak == ("resupply_rations", "", "", 1) and tractor == (
        "card", "reinforcements", "points", 1,
    )  # fmt: skip


def k9(box: Box) -> bool:
    """Cards seen in German and Russian hands are in those decks."""
    return (
        all((GERMAN, each) in box.cards for each in GERMAN_CARDS)
        and all((RUSSIAN, each) in box.cards for each in RUSSIAN_CARDS)
        and box.cards[GERMAN, "rubble"].total >= 2
    )


def k10(box: Box) -> bool:
    """Firefight values seen in the battles of the sample game are in the decks."""
    seen = {RUSSIAN: {3: 1, 2: 1, -1: 3, -2: 1}, GERMAN: {-2: 1, 3: 1, 2: 1, 1: 1}}
    counts: dict[tuple[int, int], int] = {}
    for card in box.cards.values():
        for ff, n in card.copies:
            counts[card.seat, ff] = counts.get((card.seat, ff), 0) + n
    return all(
        counts.get((seat, ff), 0) >= n for seat, values in seen.items() for ff, n in values.items()
    )


def k11(box: Box) -> bool:
    """Attack! ignores enemy Control: it is an assault."""
    return box.cards[GERMAN, "attack"].has("assault")


def k12(box: Box) -> bool:
    """Heavy Weapons doubles after Big Push has added."""
    heavy, push = box.cards[GERMAN, "heavy_weapons"], box.cards[GERMAN, "big_push"]
    return heavy.has("combat_double") and push.has("combat_add")


DEDUCTIONS: dict[str, Callable[[Box], bool]] = {
    f"K{n}": holds for n, holds in enumerate((k1, k2, k3, k4, k5, k6, k7, k8, k9, k10, k11, k12), 1)
}
