"""A position of Battle for Stalingrad: the tables of §1.3, flat, so that copies are cheap."""

from __future__ import annotations

from typing import Any, Self

from referee.engine import Option, Outcome, frame_table
from referee.engine.canonical import Value
from referee.games.stalingrad import (
    absorb,
    attack,
    buy,
    costs,
    events,
    firefight,
    main,
    moves,
    ops,  # noqa: F401  # fills the table of effect ops
    play,
    search,
    setup,
    supply,
    turn,
)
from referee.games.stalingrad.board import AREAS, LOCATIONS, NOBODY, OFF
from referee.games.stalingrad.book import Book
from referee.games.stalingrad.piles import Piles
from referee.games.stalingrad.records import Target
from referee.games.stalingrad.view import View, see

FRAMES = frame_table(
    setup.SetUp, setup.ChooseForces, turn.Turn, supply.Supply, supply.PlaceRations,
    main.Main, moves.Move, moves.FreeMoves, play.CardPlay, play.CardWindow,
    costs.Payment, costs.Discard, costs.LoseRation, costs.DestroyOwn, search.Search,
    search.Recover, play.Levy,
    buy.Resupply, buy.Buy, buy.BuyPlace, buy.PayUranus,
    attack.Attack, attack.Assault, attack.Joiners, attack.AwardMedal,
    firefight.Firefight, absorb.Absorb, absorb.CardAttack,
)  # fmt: skip

PAIRS = ("force_deck", "deck", "hand", "discard", "table", "in_play", "known_hand")
"""Tables of one list for each seat."""
LISTS = (
    "rubble", "destroyed", "areas", "area_of", "rations", "medals", "no_move", "free_moves_used",
    "known_bottom", "combat_add", "unseen", "plays", "shuffles",
    "peeked",
)  # fmt: skip
"""Tables of one list."""
VALUES = (
    "board", "unused", "round", "acting", "step", "actions", "buy_points", "result",
)  # fmt: skip
"""Tables of one immutable value."""


class Stalingrad(Piles):
    """Battle for Stalingrad, seat 0 Russian, seat 1 German."""

    GAME = "stalingrad"
    RULES = "1"
    FRAMES = FRAMES

    def __init__(self, *, book: Book, seed: str, events: bool) -> None:
        super().__init__(seats=2, seed=seed, events=events)
        forces = len(book.forces)
        cards = len(book.cards)
        self.book = book
        self.board = ()
        self.unused = ()
        self.round = 0
        self.acting = 0
        self.step = "SETUP"
        self.actions = 0
        """`main` choices of this turn, `end` not counted."""
        self.buy_points = 0
        self.result: tuple[int, str] | None = None
        """(winner or NOBODY, reason) when the game is over."""
        self.rubble = [0] * LOCATIONS
        self.destroyed = [0] * LOCATIONS
        self.areas = [()] * (2 * AREAS)
        self.area_of = [OFF] * forces
        self.rations = [0] * forces
        self.medals = [0] * forces
        self.no_move = [0] * forces
        self.free_moves_used = [0] * forces
        self.known_bottom = [0, 0]
        self.combat_add = [0, 0]
        self.unseen = list(book.totals)
        self.plays = [0] * cards
        self.shuffles = [0, 0]
        self.peeked = [0, 0]
        for name in PAIRS:
            setattr(self, name, [[], []])

    @property
    def sides(self) -> tuple[tuple[int, ...], ...]:
        return ((0,), (1,))

    # Ids of options, events and views

    def force_no(self, option: Option) -> int:
        return self.book.force_no[option.args[0]]  # type: ignore[index]  # a Force's id is a text

    def kind_no(self, seat: int, option: Option) -> int:
        """The kind that an option's card and Firefight value name, in this side's deck."""
        return self.book.kind_no[seat][option.args]  # type: ignore[index]  # equal to a CardKind

    def target_ids(self, kind: int, targets: tuple[int, ...]) -> tuple[str, ...]:
        """Declared targets of a card by id."""
        records = self.card(kind).targets
        return tuple(
            self.target_id(record, target) for record, target in zip(records, targets, strict=False)
        )

    def target_id(self, record: Target, target: int) -> str:
        if record.kind == "force":
            return self.force(target).id
        return self.area_id(target) if record.kind == "area" else self.location(target).id

    def target_no(self, record: Target, id_: str) -> int:
        if record.kind == "force":
            return self.book.force_no[id_]
        return self.area_no(id_) if record.kind == "area" else self.place_of(id_)

    def top_force(self, seat: int) -> str:
        """Id of the face-up top card of a Force deck; empty if there is none."""
        deck = self.force_deck[seat]
        return self.force(deck[0]).id if deck else ""

    # What frames change

    def begin_step(self, step: str) -> None:
        self.step = step
        if self.log is not None:
            self.tell(events.StepBegan(step))

    def set_buy_points(self, points: int) -> None:
        if points != self.buy_points:
            self.buy_points = points
            if self.log is not None:
                self.tell(events.BuyPoints(points))

    def use_free_move(self, f: int) -> None:
        self.free_moves_used[f] += 1
        if self.log is not None:
            self.tell(events.FreeMoveUsed(self.force(f).id, self.free_moves_used[f]))

    def finish(self, winner: int, reason: str) -> None:
        self.result = (winner, reason)
        if self.log is not None:
            outcome = self.outcome()
            assert outcome is not None
            ranks, scores, _ = outcome
            self.tell(events.GameEnded((ranks[0], ranks[1]), (scores[0], scores[1]), reason))

    def outcome(self) -> Outcome | None:
        """Scores are 1 for the winner and 0 for the loser; both 0 in a draw."""
        if self.result is None:
            return None
        winner, reason = self.result
        if winner == NOBODY:
            return Outcome((1, 1), (0, 0), reason)
        ranks = (1, 2) if winner == 0 else (2, 1)
        return Outcome(ranks, (2 - ranks[0], 2 - ranks[1]), reason)

    # What others keep and compare

    def view(self, seat: int) -> View:
        return see(self, seat)

    def redeal(self, seat: int, seed: str) -> Stalingrad:
        from referee.games.stalingrad.imagine import imagine  # it makes states of this class

        return imagine(self.view(seat), seed)

    def _copy_tables(self, twin: Self) -> None:
        twin.book = self.book
        for name in VALUES:
            setattr(twin, name, getattr(self, name))
        for name in LISTS:
            setattr(twin, name, getattr(self, name).copy())
        for name in PAIRS:
            russian, german = getattr(self, name)
            setattr(twin, name, [russian.copy(), german.copy()])

    def _pack_tables(self) -> Value:
        book = self.book
        tables: list[Any] = [book.components.digest, book.config]
        tables.extend(getattr(self, name) for name in (*VALUES, *LISTS, *PAIRS))
        return tuple(tables)

    def unpack_tables(self, tables: Any) -> None:
        """Take over what `_pack_tables` wrote, less the book."""
        names = (*VALUES, *LISTS, *PAIRS)
        for name, value in zip(names, tables, strict=True):
            if name in LISTS:
                value = list(value)
            elif name in PAIRS:
                value = [list(each) for each in value]
            setattr(self, name, value)
