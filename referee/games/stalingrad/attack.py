"""An attack from declaration to AFTER_BATTLE (§4.1), Heroic Service (§4.5), and Attack! (§8.6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.engine import Ask, Frame, Option, Procedure
from referee.games.stalingrad import events
from referee.games.stalingrad.absorb import absorb_hits, absorbed
from referee.games.stalingrad.battle import NONE, Battle, with_added
from referee.games.stalingrad.board import OFF
from referee.games.stalingrad.firefight import Firefight
from referee.games.stalingrad.moves import show_move
from referee.games.stalingrad.play import CardWindow
from referee.games.stalingrad.vocabulary import AFTER_BATTLE, BATTLE

if TYPE_CHECKING:
    from referee.games.stalingrad.state import Stalingrad


def can_attack(s: Stalingrad, seat: int, place: int) -> bool:
    """Both sides have Forces in `C`, and one of one's own has a Ration."""
    own = s.in_area(seat, 2 * place)
    if not own or not s.in_area(1 - seat, 2 * place):
        return False
    return any(s.rations[f] for f in own)


def participant_options(s: Stalingrad, seat: int, place: int) -> tuple[Option, ...]:
    own = s.in_area(seat, 2 * place)
    return s.book.subsets(tuple(f for f in own if s.rations[f]), 1)


def declare_attack(
    s: Stalingrad, seat: int, place: int, participants: tuple[int, ...], free: int = NONE
) -> Attack:
    """Show the Location and the participants together (A1)."""
    if s.log is not None:
        ids = tuple(s.force(f).id for f in participants)
        moved = "" if free == NONE else s.force(free).id
        s.tell(events.AttackDeclared(seat, s.location(place).id, ids, moved))
    return Attack(seat=seat, place=place, participants=participants, free=free)


@dataclass(kw_only=True)
class Attack(Battle):
    """Order of play of §4.1, A2 to A13."""

    STEPS = (
        "pay_rations", "add_rubble", "defenders_join", "battle_window", "base_totals",
        "firefight", "flip_attacker", "flip_defender", "fix_hits",
        "defender_absorbs", "defender_mourns", "attacker_absorbs", "attacker_mourns",
        "heroic_service", "heroic_service_of_defender", "after_battle_attacker",
        "after_battle_defender", "end",
    )  # fmt: skip

    def pay_rations(self, s: Stalingrad) -> None:
        for f in self.participants:
            if f != self.free:
                s.change_rations(f, -1)

    def add_rubble(self, s: Stalingrad) -> None:
        """It may destroy the Location; the battle goes on (ruling 21)."""
        s.add_rubble(self.place, 1)

    def defenders_join(self, s: Stalingrad) -> None:
        self.defenders = s.in_area(1 - self.seat, 2 * self.place)
        if s.log is not None:
            s.tell(events.DefendersJoined(tuple(s.force(f).id for f in self.defenders)))

    def battle_window(self, s: Stalingrad) -> Frame:
        return CardWindow(seat=self.seat, window=BATTLE)

    def base_totals(self, s: Stalingrad) -> None:
        for seat in (0, 1):
            total = sum(
                s.eff(f, attacking=seat == self.seat, doubled=f in self.doubled)
                for f in self.forces(seat)
                if s.area_of[f] != OFF
            )
            self.base = with_added(self.base, seat, total)
        if s.log is not None:
            s.tell(events.BaseTotals(self.base))

    def firefight(self, s: Stalingrad) -> Frame | None:
        return None if self.no_firefight else Firefight(seat=self.seat)

    def flip_attacker(self, s: Stalingrad) -> None:
        self.flip(s, self.seat)

    def flip_defender(self, s: Stalingrad) -> None:
        self.flip(s, 1 - self.seat)

    def flip(self, s: Stalingrad, seat: int) -> None:
        """A8; no card at all counts 0."""
        if self.no_firefight:
            return
        kind = s.flip_top_card(seat)
        if kind is None:
            return
        self.add_fire(seat, s.book.ff[kind])
        if s.log is not None:
            s.tell(events.Flipped(seat, s.kind_id(kind), self.fire))
        if not s.deck[seat]:
            s.deduce_hand(seat)

    def fix_hits(self, s: Stalingrad) -> None:
        """A9: both numbers are fixed at once; the cards of the Firefight leave the table."""
        for seat in (0, 1):
            total = self.base[seat] + self.fire[seat] + self.extra_hits[seat]
            self.hits = with_added(self.hits, seat, max(0, total))
        if s.log is not None:
            s.tell(events.HitsFixed(self.hits))
        for seat in (self.seat, 1 - self.seat):
            for kind in tuple(s.table[seat]):
                s.clear_from("table", seat, kind)

    def defender_absorbs(self, s: Stalingrad) -> Frame:
        return self.absorb(s, 1 - self.seat)

    def defender_mourns(self, s: Stalingrad) -> Frame | None:
        return self.mourn(s, 1 - self.seat)

    def attacker_absorbs(self, s: Stalingrad) -> Frame:
        return self.absorb(s, self.seat)

    def attacker_mourns(self, s: Stalingrad) -> Frame | None:
        return self.mourn(s, self.seat)

    def absorb(self, s: Stalingrad, seat: int) -> Frame:
        return absorb_hits(
            s, seat, self.hits[1 - seat], self.forces(seat), place=self.place,
            no_retreat=self.no_retreat[seat],
        )  # fmt: skip

    def mourn(self, s: Stalingrad, seat: int) -> Frame | None:
        return absorbed(s, seat, sum(s.book.seat_of[f] == seat for f in self.lost))

    def heroic_service(self, s: Stalingrad) -> Frame | None:
        return self.award_medal(s, self.seat)

    def heroic_service_of_defender(self, s: Stalingrad) -> Frame | None:
        return self.award_medal(s, 1 - self.seat)

    def award_medal(self, s: Stalingrad, seat: int) -> Frame | None:
        """A12: all enemy participants destroyed, and the Location Controlled now."""
        enemy = self.forces(1 - seat)
        destroyed = bool(enemy) and all(s.area_of[f] == OFF for f in enemy)
        if not destroyed or s.controller(self.place) != seat:
            return None
        eligible = s.in_area(seat, 2 * self.place)
        if s.book.config.medal_requires_participation:
            taken_part = self.forces(seat)
            eligible = tuple(f for f in eligible if f in taken_part)
        return AwardMedal(seat=seat, forces=eligible) if eligible else None

    def after_battle_attacker(self, s: Stalingrad) -> Frame | None:
        return self.after_battle(self.seat)

    def after_battle_defender(self, s: Stalingrad) -> Frame | None:
        return self.after_battle(1 - self.seat)

    def after_battle(self, seat: int) -> Frame | None:
        """A13: only if an enemy participant has retreated or was destroyed."""
        return CardWindow(seat=seat, window=AFTER_BATTLE) if self.shaken[1 - seat] else None

    def end(self, s: Stalingrad) -> None:
        if s.log is not None:
            s.tell(events.BattleEnded(s.location(self.place).id))


@dataclass(kw_only=True)
class AwardMedal(Ask):
    """Which Force gets the Heroic Service counter (§4.5)."""

    KIND = "medal"
    SHOWN = ("seat", "forces")

    forces: tuple[int, ...]

    def options(self, s: Stalingrad) -> list[Option]:
        offers = s.book.force_options["medal"]
        return [offers[f] for f in self.forces]

    def take(self, s: Stalingrad, option: Option) -> None:
        s.award_medals(s.force_no(option), 1)


@dataclass(kw_only=True)
class Assault(Procedure):
    """Attack!: a free Move into a Control Area whoever Controls it, then an attack from there."""

    STEPS = ("advance", "join", "attack")
    SHOWN = ("seat", "force", "place", "joiners")

    seat: int
    force: int
    place: int
    joiners: tuple[int, ...] = ()

    def advance(self, s: Stalingrad) -> Frame | None:
        area = 2 * self.place
        if s.area_of[self.force] == area:
            return None
        return show_move(s, self.force, area, granted=True)

    def join(self, s: Stalingrad) -> Frame | None:
        """Other own Forces there may join for 1 Ration each (ruling 45)."""
        if not self.arrived(s) or not s.book.config.attack_card_joiners:
            return None
        own = s.in_area(self.seat, 2 * self.place)
        able = tuple(f for f in own if f != self.force and s.rations[f])
        return Joiners(seat=self.seat, forces=able) if able else None

    def attack(self, s: Stalingrad) -> Frame | None:
        """A cancelled Move is no attack."""
        if not self.arrived(s):
            return None
        taking_part = tuple(sorted((self.force, *self.joiners)))
        return declare_attack(s, self.seat, self.place, taking_part, free=self.force)

    def arrived(self, s: Stalingrad) -> bool:
        there = s.area_of[self.force] == 2 * self.place
        return there and bool(s.in_area(1 - self.seat, 2 * self.place))


@dataclass(kw_only=True)
class Joiners(Ask):
    """Which other Forces join the attack of Attack!, if any."""

    KIND = "participants"
    SHOWN = ("seat", "forces")

    forces: tuple[int, ...]

    def options(self, s: Stalingrad) -> tuple[Option, ...]:
        return s.book.subsets(self.forces, 0)

    def take(self, s: Stalingrad, option: Option) -> None:
        joined = tuple(s.book.force_no[str(each)] for each in option.args)
        s.running(Assault).joiners = joined
