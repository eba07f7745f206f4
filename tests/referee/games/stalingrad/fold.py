"""
A viewer's tables rebuilt from his event stream alone.

Knows the component data and the form of events, but none of the rules and nothing of the engine:
what a bot that lives on events has.
"""

from __future__ import annotations

from bisect import insort
from collections import Counter
from collections.abc import Iterable
from typing import Any

from referee.games.stalingrad import events as e
from referee.games.stalingrad.book import CardKind
from referee.games.stalingrad.records import Components
from referee.games.stalingrad.view import (
    AbsorbView,
    BattleView,
    MoveView,
    PlayView,
    View,
)

NOT_FOLDED = {"cards", "config", "asked", "kind", "left", "begun", "stack"}
"""Columns that a decision brings, or that never change."""


class Fold:
    """Tables of one viewer; `columns` gives them as the view does."""

    def __init__(self, viewer: int, components: Components) -> None:
        self.viewer = viewer
        self.lists = [
            [
                CardKind(card.id, ff)
                for card in components.cards
                if card.seat == seat
                for ff, n in card.copies
                for _ in range(n)
            ]
            for seat in (0, 1)
        ]
        self.seat_of = {force.id: force.seat for force in components.forces}
        self.round = self.acting = 0
        self.step = "SETUP"
        self.locations: tuple[str, ...] = ()
        self.unused: tuple[str, ...] = ()
        self.rubble: dict[str, int] = {}
        self.destroyed: dict[str, bool] = {}
        self.area: dict[str, str] = {}
        self.rations: dict[str, int] = {}
        self.medals: dict[str, int] = {}
        self.no_move: set[str] = set()
        self.free_moves: dict[str, int] = {}
        self.force_decks: list[list[str]] = [[], []]
        self.tops = ["", ""]
        self.bottoms: list[list[str]] = [[], []]
        self.hand: list[CardKind] = []
        self.hand_sizes = [0, 0]
        self.known: list[list[CardKind]] = [[], []]
        self.deck_sizes = [0, 0]
        self.discards: list[list[CardKind]] = [[], []]
        self.in_play: list[list[CardKind]] = [[], []]
        self.table: list[list[CardKind]] = [[], []]
        self.shuffles = [0, 0]
        self.peeked: list[CardKind] = []
        self.peeked_sizes = [0, 0]
        self.buy_points = 0
        self.combat_add = [0, 0]
        self.plays: Counter[tuple[int, str]] = Counter()
        self.actions = 0
        self.no_draw_bonus = False
        self.battle: BattleView | None = None
        self.absorb: AbsorbView | None = None
        self.move: MoveView | None = None
        self.playing: list[PlayView] = []
        self.result: tuple[int, str] | None = None

    def tell(self, happened: Iterable[Any]) -> None:
        for event in happened:
            getattr(self, f"on_{type(event).__name__}")(event)

    # Set-up and turns

    def on_BoardLaid(self, event: e.BoardLaid) -> None:
        self.locations, self.unused = event.locations, event.unused
        self.rubble = dict.fromkeys(event.locations, 0)
        self.destroyed = dict.fromkeys(event.locations, False)
        self.force_decks = [list(event.russian_forces), list(event.german_forces)]

    def on_ForcePicked(self, event: e.ForcePicked) -> None:
        assert event.force in self.force_decks[event.seat]

    def on_ForcePlaced(self, event: e.ForcePlaced) -> None:
        seat = self.seat_of[event.force]
        self.area[event.force] = event.area
        self.rations[event.force] = self.medals[event.force] = self.free_moves[event.force] = 0
        self.force_decks[seat].remove(event.force)
        if event.force in self.bottoms[seat]:
            self.bottoms[seat].remove(event.force)

    def on_ForceDeckFormed(self, event: e.ForceDeckFormed) -> None:
        self.rations.update(zip(event.forces, event.rations, strict=True))
        self.tops[event.seat] = event.top

    def on_TurnBegan(self, event: e.TurnBegan) -> None:
        self.round, self.acting = event
        self.actions = 0

    def on_StepBegan(self, event: e.StepBegan) -> None:
        self.step = event.step

    def on_TurnEnded(self, event: e.TurnEnded) -> None:
        self.combat_add = [0, 0]
        self.no_move = set()
        self.free_moves = dict.fromkeys(self.area, 0)
        self.plays = Counter()
        self.no_draw_bonus = False

    def on_GameEnded(self, event: e.GameEnded) -> None:
        tied = event.ranks == (1, 1)
        self.result = (-1 if tied else event.ranks.index(1), event.reason)

    # The board

    def on_RationsChanged(self, event: e.RationsChanged) -> None:
        assert self.rations[event.force] + event.change == event.rations
        self.rations[event.force] = event.rations

    def on_RubbleChanged(self, event: e.RubbleChanged) -> None:
        self.rubble[event.location], self.destroyed[event.location] = event[1:]

    def on_MoveDeclared(self, event: e.MoveDeclared) -> None:
        self.move = MoveView(*event[:4], False)
        self.actions += not event.granted

    def on_MoveCancelled(self, event: e.MoveCancelled) -> None:
        self.move = None

    def on_MoveForbidden(self, event: e.MoveForbidden) -> None:
        self.no_move.add(event.force)

    def on_Moved(self, event: e.Moved) -> None:
        self.area[event.force] = event.area
        if self.move and self.move.force == event.force:
            self.move = None

    def on_FreeMoveUsed(self, event: e.FreeMoveUsed) -> None:
        self.free_moves[event.force] = event.free_moves_used

    def on_ForceDestroyed(self, event: e.ForceDestroyed) -> None:
        seat = self.seat_of[event.force]
        for table in (self.area, self.rations, self.medals, self.free_moves):
            del table[event.force]
        self.no_move.discard(event.force)
        if not self.force_decks[seat]:
            self.tops[seat] = event.force
        insort(self.force_decks[seat], event.force)
        self.bottoms[seat].append(event.force)

    def on_MedalAwarded(self, event: e.MedalAwarded) -> None:
        self.medals[event.force] = event.medals

    def on_TopTurned(self, event: e.TopTurned) -> None:
        self.tops[event.seat] = event.force

    # Cards

    def on_Drew(self, event: e.Drew) -> None:
        self.leave_deck(event.seat, event.drawn)
        self.hand_sizes[event.seat] += event.drawn
        self.hand = sorted([*self.hand, *event.cards])

    def leave_deck(self, seat: int, n: int) -> None:
        self.deck_sizes[seat] -= n
        self.peeked_sizes[seat] = max(0, self.peeked_sizes[seat] - n)
        if seat == self.viewer:
            self.peeked = self.peeked[n:]

    def shuffle(self, seat: int) -> None:
        self.shuffles[seat] += 1
        self.peeked_sizes[seat] = 0
        if seat == self.viewer:
            self.peeked = []

    def on_Peeked(self, event: e.Peeked) -> None:
        self.peeked_sizes[event.seat] = event.known
        if event.seat == self.viewer:
            self.peeked = list(event.cards)

    def on_Recovered(self, event: e.Recovered) -> None:
        self.discards[event.seat].remove(event.card)
        self.hand_sizes[event.seat] += 1
        insort(self.known[event.seat], event.card)
        if event.seat == self.viewer:
            insort(self.hand, event.card)

    def on_DeckMade(self, event: e.DeckMade) -> None:
        self.deck_sizes[event.seat] = event.size
        self.discards[event.seat] = []
        self.shuffle(event.seat)

    def on_Searched(self, event: e.Searched) -> None:
        self.deck_sizes[event.seat] -= 1
        self.hand_sizes[event.seat] += 1
        self.shuffle(event.seat)
        if event.seat == self.viewer:
            self.hand = sorted([*self.hand, *event.cards])

    def on_HandKnown(self, event: e.HandKnown) -> None:
        self.known[event.seat] = list(event.cards)

    def leave_hand(self, seat: int, card: CardKind) -> None:
        self.hand_sizes[seat] -= 1
        if seat == self.viewer:
            self.hand.remove(card)
        if card in self.known[seat]:
            self.known[seat].remove(card)

    def on_CardPlayed(self, event: e.CardPlayed) -> None:
        self.leave_hand(event.seat, event.card)
        self.table[event.seat].append(event.card)
        self.plays[event.seat, event.card.card] += 1
        self.playing.append(PlayView(event.seat, event.card, event.targets, False))
        self.actions += event.window == "MAIN"
        if event.window == "BATTLE":
            self.change(passes=0)

    def on_CardCancelled(self, event: e.CardCancelled) -> None:
        k = max(k for k, play in enumerate(self.playing) if play[:2] == event)
        self.playing[k] = self.playing[k]._replace(cancelled=True)

    def on_CardVoid(self, event: e.CardVoid) -> None:
        assert self.playing[-1][:2] == event

    def on_CardDone(self, event: e.CardDone) -> None:
        assert self.playing.pop()[:2] == event

    def on_Discarded(self, event: e.Discarded) -> None:
        seat, card, source = event
        if source == "hand":
            self.leave_hand(seat, card)
        else:
            {"table": self.table, "in_play": self.in_play}[source][seat].remove(card)
        self.discards[seat].append(card)

    def on_PutInPlay(self, event: e.PutInPlay) -> None:
        self.table[event.seat].remove(event.card)
        self.in_play[event.seat].append(event.card)

    # Battles

    def change(self, **values: Any) -> None:
        assert self.battle is not None
        self.battle = self.battle._replace(**values)

    def on_AttackDeclared(self, event: e.AttackDeclared) -> None:
        none, zero = (False, False), (0, 0)
        self.battle = BattleView(
            event.seat, event.location, event.participants, (), event.free, (),
            False, none, zero, zero, zero, zero, none, (), 0,
        )  # fmt: skip
        self.actions += not event.free

    def on_DefendersJoined(self, event: e.DefendersJoined) -> None:
        self.change(defenders=event.defenders)

    def on_JoinedBattle(self, event: e.JoinedBattle) -> None:
        assert self.battle is not None
        attacks = self.seat_of[event.force] == self.battle.attacker
        side = "participants" if attacks else "defenders"
        self.change(**{side: tuple(sorted((*getattr(self.battle, side), event.force)))})

    def on_ForceDoubled(self, event: e.ForceDoubled) -> None:
        assert self.battle is not None
        self.change(doubled=(*self.battle.doubled, event.force))

    def on_FirefightBarred(self, event: e.FirefightBarred) -> None:
        self.change(no_firefight=True)

    def on_RetreatBarred(self, event: e.RetreatBarred) -> None:
        assert self.battle is not None
        barred = list(self.battle.no_retreat)
        barred[event.seat] = True
        self.change(no_retreat=tuple(barred))

    def on_ExtraHits(self, event: e.ExtraHits) -> None:
        assert self.battle is not None
        extra = list(self.battle.extra_hits)
        extra[event.seat] = event.hits
        self.change(extra_hits=tuple(extra))

    def on_BaseTotals(self, event: e.BaseTotals) -> None:
        self.change(base=event.base, passes=0)

    def on_FirePlayed(self, event: e.FirePlayed) -> None:
        self.leave_hand(event.seat, event.card)
        self.table[event.seat].append(event.card)
        self.change(fire=event.fire, passes=0)

    def on_Flipped(self, event: e.Flipped) -> None:
        self.leave_deck(event.seat, 1)
        self.table[event.seat].append(event.card)
        self.change(fire=event.fire)

    def on_HitsFixed(self, event: e.HitsFixed) -> None:
        self.change(hits=event.hits, passes=0)

    def on_BattleEnded(self, event: e.BattleEnded) -> None:
        self.battle = None

    def on_AbsorbBegan(self, event: e.AbsorbBegan) -> None:
        self.absorb = AbsorbView(*event)

    def on_HitsAbsorbed(self, event: e.HitsAbsorbed) -> None:
        absorb = self.absorb
        assert absorb is not None
        assert absorb.hits == event.hits + event.absorbed
        forces, ignore = absorb.forces, list(absorb.ignore)
        if event.how == "ignore":
            ignore[forces.index(event.force)] -= 1
        elif event.how == "destroy":
            del ignore[forces.index(event.force)]
            forces = tuple(each for each in forces if each != event.force)
        self.absorb = absorb._replace(hits=event.hits, forces=forces, ignore=tuple(ignore))
        if self.battle and event.how in ("retreat", "destroy"):
            shaken = list(self.battle.shaken)
            shaken[event.seat] = True
            lost = (*self.battle.lost, event.force) if event.how == "destroy" else self.battle.lost
            self.change(shaken=tuple(shaken), lost=lost)

    def on_AbsorbEnded(self, event: e.AbsorbEnded) -> None:
        self.absorb = None

    # The rest

    def on_Passed(self, event: e.Passed) -> None:
        if event.window in ("BATTLE", "FIREFIGHT"):
            assert self.battle is not None
            self.change(passes=self.battle.passes + 1)

    def on_BuyPoints(self, event: e.BuyPoints) -> None:
        self.buy_points = event.points

    def on_CombatAdded(self, event: e.CombatAdded) -> None:
        self.combat_add[event.seat] = event.combat

    def on_DrawBonusBarred(self, event: e.DrawBonusBarred) -> None:
        self.no_draw_bonus = True

    def on_ResupplyDeclared(self, event: e.ResupplyDeclared) -> None:
        self.actions += 1

    def on_BuyDeclared(self, event: e.BuyDeclared) -> None:
        self.actions += 1

    def on_UranusPayment(self, event: e.UranusPayment) -> None:
        self.actions += 1

    def control(self, location: str) -> int:
        held = [
            any(
                area == f"{location}.C" and self.seat_of[force] == seat
                for force, area in self.area.items()
            )
            for seat in (0, 1)
        ]
        return -1 if held[0] == held[1] else held.index(True)

    def unseen(self, seat: int) -> tuple[CardKind, ...]:
        left = Counter(self.lists[seat])
        own = self.hand if seat == self.viewer else self.known[seat]
        for pile in (self.discards[seat], self.in_play[seat], self.table[seat], own):
            left.subtract(pile)
        return tuple(sorted(left.elements()))

    def columns(self) -> dict[str, Any]:
        forces = sorted(self.area, key=lambda each: (self.seat_of[each], each))

        def both(piles: list[list[Any]]) -> tuple[Any, ...]:
            return tuple(map(tuple, piles))

        return {
            "viewer": self.viewer,
            "round": self.round,
            "acting": self.acting,
            "step": self.step,
            "locations": self.locations,
            "unused": self.unused,
            "rubble": tuple(self.rubble.values()),
            "destroyed": tuple(self.destroyed.values()),
            "control": tuple(map(self.control, self.locations)),
            "forces": tuple(forces),
            "areas": tuple(self.area[each] for each in forces),
            "rations": tuple(self.rations[each] for each in forces),
            "medals": tuple(self.medals[each] for each in forces),
            "no_move": tuple(each in self.no_move for each in forces),
            "free_moves_used": tuple(self.free_moves[each] for each in forces),
            "force_deck_tops": tuple(self.tops),
            "force_decks": both(self.force_decks),
            "force_deck_bottoms": both(self.bottoms),
            "hand": tuple(self.hand),
            "hand_sizes": tuple(self.hand_sizes),
            "known_hands": both(self.known),
            "deck_sizes": tuple(self.deck_sizes),
            "unseen": (self.unseen(0), self.unseen(1)),
            "discards": both(self.discards),
            "in_play": both(self.in_play),
            "table": both(self.table),
            "peeked": tuple(self.peeked),
            "peeked_sizes": tuple(self.peeked_sizes),
            "shuffles": tuple(self.shuffles),
            "buy_points": self.buy_points,
            "combat_add": tuple(self.combat_add),
            "plays": self.played(),
            "actions": self.actions,
            "no_draw_bonus": self.no_draw_bonus,
            "battle": self.battle,
            "absorb": self.absorb,
            "move": self.move,
            "playing": tuple(self.playing),
            "result": self.result,
        }

    def played(self) -> tuple[tuple[int, str, int], ...]:
        return tuple((*key, n) for key, n in sorted(self.plays.items()))


def differences(fold: Fold, view: View) -> list[str]:
    """Columns in which the fold and the view differ."""
    folded = fold.columns()
    assert set(folded) | NOT_FOLDED == set(View._fields)
    return [
        f"{name}: folded {value!r}, seen {getattr(view, name)!r}"
        for name, value in folded.items()
        if getattr(view, name) != value
    ]
