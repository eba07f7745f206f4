"""What one viewer may know (§6): a white list, built from nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from referee.engine import Ask
from referee.engine.frames import Frame, Seen
from referee.games.stalingrad.absorb import Absorb
from referee.games.stalingrad.battle import NONE, Battle
from referee.games.stalingrad.book import CardKind
from referee.games.stalingrad.firefight import Firefight
from referee.games.stalingrad.moves import FreeMoves, Move
from referee.games.stalingrad.options import Config
from referee.games.stalingrad.play import CardPlay, CardWindow, Declaring
from referee.games.stalingrad.setup import NOT_PICKED, ChooseForces
from referee.games.stalingrad.turn import Turn
from referee.games.stalingrad.vocabulary import BATTLE

if TYPE_CHECKING:
    from referee.games.stalingrad.state import Stalingrad

Kinds = tuple[CardKind, ...]


class BattleView(NamedTuple):
    """The battle in progress; pairs are by seat."""

    attacker: int
    location: str
    participants: tuple[str, ...]
    """Of the attacker, by id."""
    defenders: tuple[str, ...]
    """By id; empty until they join."""
    free: str
    """The Force that Attack! moved here; else empty."""
    doubled: tuple[str, ...]
    no_firefight: bool
    no_retreat: tuple[bool, bool]
    extra_hits: tuple[int, int]
    base: tuple[int, int]
    """Combat of the participants; 0 until the BATTLE window has closed."""
    fire: tuple[int, int]
    """What Firefight values add; may be below 0."""
    hits: tuple[int, int]
    """Hits that each inflicts; 0 until they are fixed."""
    shaken: tuple[bool, bool]
    """A participant of this side has retreated or was destroyed."""
    lost: tuple[str, ...]
    """Participants destroyed, in order."""
    passes: int
    """In succession, in the BATTLE window or the Firefight: the second ends it."""


class AbsorbView(NamedTuple):
    """Hits that are being absorbed."""

    seat: int
    location: str
    hits: int
    """Left."""
    forces: tuple[str, ...]
    """That may take them, by id."""
    ignore: tuple[int, ...]
    """Hits that each can still ignore, like `forces`."""


class MoveView(NamedTuple):
    """A declared Move that has not happened yet."""

    seat: int
    force: str
    area: str
    granted: bool
    cancelled: bool


class PlayView(NamedTuple):
    """A card that is being played for effect."""

    seat: int
    card: CardKind
    targets: tuple[str, ...]
    cancelled: bool


class View(NamedTuple):
    """All that this viewer may know. Columns of Forces run alike; what is by seat is (R, G)."""

    viewer: int
    """Seat, or PUBLIC (-1)."""
    cards: str
    """Digest of the component data."""
    config: Config
    round: int
    """From 1; 0 in the set-up."""
    acting: int
    step: str
    """`SETUP`, `SUPPLY`, `ACTIONS`, `DRAW` or `END`."""
    asked: int
    """The seat that must choose; -1 when the game is over."""
    kind: str
    """The decision that waits for it; what another seat has begun to declare does not show."""
    left: int
    """
    How many more of that are due: Rations, discards, Hits, free Moves, cost, destroyed Forces that
    no card has answered; else 0.
    """
    begun: tuple[str, ...]
    """
    The viewer's own declaration, not yet whole: verb, and what was chosen so far. In the set-up,
    for all to see, the Force that is to be placed.
    """
    locations: tuple[str, ...]
    """The line, in board order."""
    unused: tuple[str, ...]
    rubble: tuple[int, ...]
    destroyed: tuple[bool, ...]
    control: tuple[int, ...]
    """Seat, or -1 for Uncontrolled."""
    forces: tuple[str, ...]
    """On the board, Russian by id, then German by id."""
    areas: tuple[str, ...]
    rations: tuple[int, ...]
    medals: tuple[int, ...]
    no_move: tuple[bool, ...]
    free_moves_used: tuple[int, ...]
    force_deck_tops: tuple[str, str]
    """Face-up top cards; empty if there is none, or the deck is not formed yet."""
    force_decks: tuple[tuple[str, ...], tuple[str, ...]]
    """Sets of the cards in them, by id."""
    force_deck_bottoms: tuple[tuple[str, ...], tuple[str, ...]]
    """The run of destroyed Forces at the bottom, uppermost first."""
    hand: Kinds
    """The viewer's own; empty for the public."""
    hand_sizes: tuple[int, int]
    known_hands: tuple[Kinds, Kinds]
    """What everybody can work out of each hand."""
    deck_sizes: tuple[int, int]
    unseen: tuple[Kinds, Kinds]
    """Own: what is in the deck. Other: deck and unknown part of the hand together."""
    discards: tuple[Kinds, Kinds]
    """Oldest first."""
    in_play: tuple[Kinds, Kinds]
    table: tuple[Kinds, Kinds]
    """Declared, or of the Firefight in progress, in the order played."""
    peeked: Kinds
    """Top cards of the viewer's own Action deck that he has looked at, next drawn first."""
    peeked_sizes: tuple[int, int]
    """How many cards each side knows on the top of its own Action deck."""
    shuffles: tuple[int, int]
    """Shuffles of each Action deck so far."""
    buy_points: int
    combat_add: tuple[int, int]
    plays: tuple[tuple[int, str, int], ...]
    """(seat, card, how often) for cards played for effect in this turn."""
    actions: int
    """Actions of this turn."""
    no_draw_bonus: bool
    battle: BattleView | None
    absorb: AbsorbView | None
    move: MoveView | None
    playing: tuple[PlayView, ...]
    """Cards being played, the one that resolves first last."""
    result: tuple[int, str] | None
    """(winner or -1, reason) when the game is over."""
    stack: Seen
    """Unfinished business, as this viewer may know it, for simulators."""


def see(s: Stalingrad, viewer: int) -> View:
    book = s.book
    on_board = [f for f, area in enumerate(s.area_of) if area >= 0]
    asked, kind, left, begun = _question(s, viewer)
    cards = book.cards
    return View(
        viewer=viewer,
        cards=book.components.digest,
        config=book.config,
        round=s.round,
        acting=s.acting,
        step=s.step,
        asked=asked,
        kind=kind,
        left=left,
        begun=begun,
        locations=tuple(book.locations[no].id for no in s.board),
        unused=tuple(book.locations[no].id for no in s.unused),
        rubble=tuple(s.rubble),
        destroyed=tuple(map(bool, s.destroyed)),
        control=tuple(s.controller(place) for place in range(len(s.board))),
        forces=tuple(book.forces[f].id for f in on_board),
        areas=tuple(s.area_id(s.area_of[f]) for f in on_board),
        rations=tuple(s.rations[f] for f in on_board),
        medals=tuple(s.medals[f] for f in on_board),
        no_move=tuple(bool(s.no_move[f]) for f in on_board),
        free_moves_used=tuple(s.free_moves_used[f] for f in on_board),
        force_deck_tops=(s.top_force(0), s.top_force(1)),
        force_decks=(_off_board(s, 0), _off_board(s, 1)),
        force_deck_bottoms=(_bottom(s, 0), _bottom(s, 1)),
        hand=s.kind_ids(s.hand[viewer]) if viewer >= 0 else (),
        hand_sizes=(len(s.hand[0]), len(s.hand[1])),
        known_hands=_both(s, s.known_hand),
        deck_sizes=(len(s.deck[0]), len(s.deck[1])),
        unseen=(_unseen(s, 0, viewer), _unseen(s, 1, viewer)),
        discards=_both(s, s.discard),
        in_play=_both(s, s.in_play),
        table=_both(s, s.table),
        peeked=s.kind_ids(s.deck[viewer][: s.peeked[viewer]]) if viewer >= 0 else (),
        peeked_sizes=(s.peeked[0], s.peeked[1]),
        shuffles=(s.shuffles[0], s.shuffles[1]),
        buy_points=s.buy_points,
        combat_add=(s.combat_add[0], s.combat_add[1]),
        plays=tuple((cards[c].seat, cards[c].id, n) for c, n in enumerate(s.plays) if n),
        actions=s.actions,
        no_draw_bonus=any(isinstance(f, Turn) and f.no_draw_bonus for f in s.stack),
        battle=_battle(s),
        absorb=_absorb(s),
        move=_move(s),
        playing=_playing(s),
        result=s.result,
        stack=s.seen_stack(viewer),
    )


def _ids(s: Stalingrad, forces: tuple[int, ...] | list[int]) -> tuple[str, ...]:
    return tuple(s.book.forces[f].id for f in forces)


def _off_board(s: Stalingrad, seat: int) -> tuple[str, ...]:
    return _ids(s, [f for f in s.book.forces_of[seat] if s.area_of[f] < 0])


def _both(s: Stalingrad, piles: list[list[int]]) -> tuple[Kinds, Kinds]:
    return s.kind_ids(piles[0]), s.kind_ids(piles[1])


def _bottom(s: Stalingrad, seat: int) -> tuple[str, ...]:
    n = s.known_bottom[seat]
    return _ids(s, s.force_deck[seat][-n:]) if n else ()


def _unseen(s: Stalingrad, seat: int, viewer: int) -> Kinds:
    """
    The side's cards that this viewer has not before him: full list less what is visible, less his
    own hand, or what is known of the other's. Nothing hidden is read.
    """
    left = list(s.book.copies)
    own = s.hand[seat] if seat == viewer else s.known_hand[seat]
    for pile in (s.discard[seat], s.in_play[seat], s.table[seat], own):
        for kind in pile:
            left[kind] -= 1
    ids = s.book.kinds
    return tuple(ids[kind] for kind in s.book.kinds_of[seat] for _ in range(left[kind]))


def _question(s: Stalingrad, viewer: int) -> tuple[int, str, int, tuple[str, ...]]:
    """Who is asked what, how much is left of it, and the viewer's own begun declaration."""
    if not s.stack:
        return NONE, "", 0, ()
    top = s.stack[-1]
    assert isinstance(top, Ask), s.where()
    left = getattr(top, "left", getattr(top, "hits", 0))
    if isinstance(top, Declaring):
        begun = top.begun if viewer == top.seat else ()
    elif isinstance(top, FreeMoves):
        begun = ("move", top.begun) if viewer == top.seat and top.begun >= 0 else ()
    elif isinstance(top, ChooseForces) and top.force != NOT_PICKED:
        return top.seat, top.kind(s), left, ("pick", s.force(top.force).id)
    else:
        return top.seat, top.kind(s), left, ()
    if begun:
        return top.seat, top.kind(s), left, _begun(s, begun)
    return top.seat, _unbegun(s, top), left, ()


def _unbegun(s: Stalingrad, top: Ask) -> str:
    """What a question is called before anything has been chosen."""
    fresh = top.copy()
    fresh.begun = type(top).begun  # type: ignore[attr-defined]  # the dataclass default
    return fresh.kind(s)


def _begun(s: Stalingrad, begun: tuple[int | str, ...]) -> tuple[str, ...]:
    what, chosen, *targets = begun
    assert isinstance(chosen, int)
    if what == "move":
        return ("move", s.force(chosen).id)
    if what == "attack":
        return ("attack", s.location(chosen).id)
    card, ff = s.kind_id(chosen)
    return ("play", card, str(ff), *s.target_ids(chosen, tuple(map(int, targets))))


def _innermost(s: Stalingrad, kind: type[Frame]) -> Frame | None:
    return next((frame for frame in reversed(s.stack) if isinstance(frame, kind)), None)


def _battle(s: Stalingrad) -> BattleView | None:
    battle = _innermost(s, Battle)
    if not isinstance(battle, Battle):
        return None
    return BattleView(
        attacker=battle.seat,
        location=s.location(battle.place).id,
        participants=_ids(s, battle.participants),
        defenders=_ids(s, battle.defenders),
        free="" if battle.free == NONE else s.force(battle.free).id,
        doubled=_ids(s, battle.doubled),
        no_firefight=battle.no_firefight,
        no_retreat=battle.no_retreat,
        extra_hits=battle.extra_hits,
        base=battle.base,
        fire=battle.fire,
        hits=battle.hits,
        shaken=battle.shaken,
        lost=_ids(s, battle.lost),
        passes=_passes(s),
    )


def _passes(s: Stalingrad) -> int:
    for frame in reversed(s.stack):
        if isinstance(frame, Firefight):
            return frame.passes
        if isinstance(frame, CardWindow) and frame.window == BATTLE:
            return frame.passes
    return 0


def _absorb(s: Stalingrad) -> AbsorbView | None:
    absorb = _innermost(s, Absorb)
    if not isinstance(absorb, Absorb):
        return None
    place = s.location(absorb.place).id
    return AbsorbView(absorb.seat, place, absorb.hits, _ids(s, absorb.forces), absorb.ignore)


def _move(s: Stalingrad) -> MoveView | None:
    move = _innermost(s, Move)
    if not isinstance(move, Move):
        return None
    force, area = s.force(move.force).id, s.area_id(move.area)
    return MoveView(move.seat, force, area, move.granted, move.cancelled)


def _playing(s: Stalingrad) -> tuple[PlayView, ...]:
    return tuple(
        PlayView(
            frame.seat,
            s.kind_id(frame.played),
            s.target_ids(frame.played, frame.targets),
            frame.cancelled,
        )
        for frame in s.stack
        if isinstance(frame, CardPlay)
    )
