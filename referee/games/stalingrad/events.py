"""
What viewers may know happened (§6), in the rulebook's ids.

A card is given as its kind (card id, Firefight value). Each event says what changed and what it is
now, so that whoever folds them has the tables of his own view without knowing the rules.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from referee.games.stalingrad.book import CardKind


class BoardLaid(NamedTuple):
    """Five Locations were laid in a line."""

    locations: tuple[str, ...]
    unused: tuple[str, ...]
    russian_forces: tuple[str, ...]
    """All of that side, by id; they are in its deck until they are placed."""
    german_forces: tuple[str, ...]


class ForcePicked(NamedTuple):
    """A starting Force was chosen; it is placed next."""

    seat: int
    force: str


class ForcePlaced(NamedTuple):
    """A starting Force was placed, or a bought one."""

    force: str
    area: str


class ForceDeckFormed(NamedTuple):
    """A side's starting Forces are complete: they get their Starting Rations."""

    seat: int
    forces: tuple[str, ...]
    """On the board, by id."""
    rations: tuple[int, ...]
    """Like `forces`."""
    top: str
    """Face-up top card of the Force deck; empty if there is none."""


class Drew(NamedTuple):
    """Cards went from an Action deck into the hand."""

    seat: int
    drawn: int
    """How many."""
    cards: tuple[CardKind, ...]
    """
    By id, then Firefight value, since no view holds an order; empty for everybody but the seat.
    """


class DeckMade(NamedTuple):
    """A new Action deck was shuffled: at the start, later from the discard pile."""

    seat: int
    size: int


class Searched(NamedTuple):
    """A card was taken from the Action deck into the hand, and the deck shuffled."""

    seat: int
    cards: tuple[CardKind, ...]
    """The one card; empty for everybody but the seat itself."""


class Peeked(NamedTuple):
    """A side has looked at the top cards of its own Action deck."""

    seat: int
    known: int
    """How many it knows now."""
    cards: tuple[CardKind, ...]
    """Which, next drawn first; empty for everybody but the seat itself."""


class Recovered(NamedTuple):
    """A card went from the discard pile into the hand."""

    seat: int
    card: CardKind


class HandKnown(NamedTuple):
    """The Action deck is empty, so everybody can work out the hand."""

    seat: int
    cards: tuple[CardKind, ...]


class TurnBegan(NamedTuple):
    """A turn began."""

    round: int
    seat: int


class StepBegan(NamedTuple):
    """A step of the turn began."""

    step: str
    """`SUPPLY`, `ACTIONS`, `DRAW` or `END`."""


class RationsChanged(NamedTuple):
    """A Force gained or lost Rations."""

    force: str
    change: int
    rations: int
    """What it has now."""


class RubbleChanged(NamedTuple):
    """Rubble was placed on a Location, and may have destroyed it."""

    location: str
    rubble: int
    """What it has now."""
    destroyed: bool


class MoveDeclared(NamedTuple):
    """A Move was declared with its destination."""

    seat: int
    force: str
    area: str
    granted: bool
    """By a card: no Action of its own, and free."""
    way: str
    """`perimeter`, `advance` (from `L.P` to `L.C`) or `control`."""


class MoveCancelled(NamedTuple):
    """A declared Move does not happen."""

    force: str


class MoveForbidden(NamedTuple):
    """The Force has no_move until the end of the turn."""

    force: str


class Moved(NamedTuple):
    """A Force is in another area: moved, retreated, or joined a battle."""

    force: str
    area: str


class FreeMoveUsed(NamedTuple):
    """A free mover moved at no cost."""

    force: str
    free_moves_used: int


class CardPlayed(NamedTuple):
    """A card was played for effect, with its targets; it is on the table."""

    seat: int
    card: CardKind
    targets: tuple[str, ...]
    window: str
    """`MAIN`, or the window it was played in."""


class CardCancelled(NamedTuple):
    """A card played for effect was cancelled."""

    seat: int
    card: CardKind


class CardVoid(NamedTuple):
    """Its cost can no longer be paid."""

    seat: int
    card: CardKind


class CardDone(NamedTuple):
    """A card played for effect is dealt with: carried out, cancelled or void."""

    seat: int
    card: CardKind


class Discarded(NamedTuple):
    """A card went to its owner's discard pile."""

    seat: int
    card: CardKind
    source: str
    """`hand`, `table` or `in_play`."""


class PutInPlay(NamedTuple):
    """A card went from the table into play."""

    seat: int
    card: CardKind


class AttackDeclared(NamedTuple):
    """An attack was declared with its participants."""

    seat: int
    location: str
    participants: tuple[str, ...]
    free: str
    """The Force that Attack! moved here; empty for an Attack Action."""


class DefendersJoined(NamedTuple):
    """Every Force of the defender in the Control Area takes part."""

    defenders: tuple[str, ...]


class JoinedBattle(NamedTuple):
    """A Force from elsewhere takes part in the battle."""

    force: str


class ForceDoubled(NamedTuple):
    """A participant counts double in this battle."""

    force: str


class FirefightBarred(NamedTuple):
    """No Firefight and no flip in this battle."""


class RetreatBarred(NamedTuple):
    """Hits on this side cannot be absorbed by retreating in this battle."""

    seat: int


class ExtraHits(NamedTuple):
    """A card has a side inflict more Hits."""

    seat: int
    hits: int
    """All extra Hits that this side inflicts in this battle."""


class BaseTotals(NamedTuple):
    """Combat of the participants, by seat."""

    base: tuple[int, int]


class FirePlayed(NamedTuple):
    """A card was played from the hand for its Firefight value."""

    seat: int
    card: CardKind
    fire: tuple[int, int]
    """What Firefight values add to each seat's total now."""


class Flipped(NamedTuple):
    """The top card of the Action deck was turned."""

    seat: int
    card: CardKind
    fire: tuple[int, int]


class HitsFixed(NamedTuple):
    """Hits that each seat inflicts."""

    hits: tuple[int, int]


class AbsorbBegan(NamedTuple):
    """A side begins to absorb Hits."""

    seat: int
    location: str
    hits: int
    forces: tuple[str, ...]
    ignore: tuple[int, ...]
    """Hits each can ignore, like `forces`."""


class HitsAbsorbed(NamedTuple):
    """Hits were absorbed; `absorbed` counts those that were there, a surplus is lost."""

    seat: int
    absorbed: int
    hits: int
    """Hits left."""
    force: str
    """Who did; empty if a card did."""
    how: str
    """`ignore`, `ration`, `retreat`, `destroy` or `card`."""


class AbsorbEnded(NamedTuple):
    """The Hits are dealt with."""

    seat: int


class ForceDestroyed(NamedTuple):
    """It goes to the bottom of its Force deck, without Rations and counters."""

    force: str


class MedalAwarded(NamedTuple):
    """A Force got a Heroic Service counter."""

    force: str
    medals: int


class BattleEnded(NamedTuple):
    """The battle is over."""

    location: str


class Passed(NamedTuple):
    """A side passed in a window or in the Firefight."""

    seat: int
    window: str
    """The window, or `FIREFIGHT`."""


class BuyPoints(NamedTuple):
    """What Reinforcements are worth now."""

    points: int


class CombatAdded(NamedTuple):
    """Added to each Force of this side until the end of the turn, in all."""

    seat: int
    combat: int


class DrawBonusBarred(NamedTuple):
    """No cards for Controlled Locations in this step."""

    seat: int


class ResupplyDeclared(NamedTuple):
    """A Resupply Action was declared."""

    seat: int


class BuyDeclared(NamedTuple):
    """The purchase of the top card of the Force deck was declared."""

    seat: int
    force: str
    cost: int


class TopTurned(NamedTuple):
    """The next card of a Force deck was turned face up."""

    seat: int
    force: str
    """Empty if the deck is empty."""


class UranusPayment(NamedTuple):
    """The removal of a card in play was declared."""

    seat: int
    card: CardKind


class TurnEnded(NamedTuple):
    """
    Effects until the end of the turn are over: combat_add, no_move, free moves, plays, and a
    barred draw bonus.
    """

    seat: int


class GameEnded(NamedTuple):
    """The game is over."""

    ranks: tuple[int, int]
    scores: tuple[int, int]
    reason: str


Event = (
    BoardLaid | ForcePicked | ForcePlaced | ForceDeckFormed | Drew | DeckMade | Searched | Peeked
    | Recovered | HandKnown | TurnBegan | StepBegan | RationsChanged | RubbleChanged
    | MoveDeclared | MoveCancelled | MoveForbidden | Moved | FreeMoveUsed | CardPlayed
    | CardCancelled | CardVoid | CardDone | Discarded | PutInPlay | AttackDeclared
    | DefendersJoined | JoinedBattle | ForceDoubled | FirefightBarred | RetreatBarred | ExtraHits
    | BaseTotals | FirePlayed | Flipped | HitsFixed | AbsorbBegan | HitsAbsorbed | AbsorbEnded
    | ForceDestroyed | MedalAwarded | BattleEnded | Passed | BuyPoints | CombatAdded
    | DrawBonusBarred | ResupplyDeclared | BuyDeclared | TopTurned | UranusPayment | TurnEnded
    | GameEnded
)  # fmt: skip


TURNED_UP = (ForceDeckFormed, TopTurned, Flipped, HandKnown)
"""Cards that nobody knew, or all of a hand."""
LOOKED_AT = (Drew, Searched, Peeked)
"""With cards, if the viewer is told which."""


def brings_to_light(event: Any) -> bool:
    """Whether an event may show its viewer what was hidden until then."""
    if isinstance(event, LOOKED_AT):
        return bool(event.cards)
    if isinstance(event, Discarded):
        return event.source == "hand"  # a whole hand may go, unchosen
    return isinstance(event, TURNED_UP)
