"""The tables of a skirmish, its set-up, its end, and how to imagine one from a view."""

from __future__ import annotations

from bisect import insort
from hashlib import sha256
from typing import Any, Self

from referee.engine import (
    PUBLIC,
    Facts,
    Game,
    Kind,
    OptionSpec,
    Outcome,
    State,
    chance,
    imagine_stack,
)
from referee.engine.canonical import Value, pack
from referee.engine.errors import BadOption, BadView
from referee.games.skirmish.events import Began, Drew, Ended, Shown
from referee.games.skirmish.rounds import FRAMES, Match
from referee.games.skirmish.view import View

HILLS = (1, 2, 3, 4, 5)
CARDS_PER_SEAT = 8
HAND = 5
TEAMS = ((0, 2), (1, 3))


class Skirmish(State):
    """Hands, deck and hills of one match."""

    GAME = "skirmish"
    RULES = "1"
    FRAMES = FRAMES

    def __init__(self, *, seats: int, seed: str, events: bool, teams: bool, rounds: int) -> None:
        super().__init__(seats=seats, seed=seed, events=events)
        self.teams = teams
        self.rounds = rounds
        self.round = 0
        self.hills: tuple[int, ...] = ()
        self.hands: list[list[int]] = [[] for _ in range(seats)]
        """Per seat, ascending."""
        self.deck: list[int] = []
        """Next card first."""
        self.shown: list[int] = [0] * seats
        self.dice: list[tuple[int, ...]] = [()] * seats
        self.gone: list[int] = []
        self.taken: list[int] = [0] * seats

    @property
    def sides(self) -> tuple[tuple[int, ...], ...]:
        return sides(self.seats, self.teams)

    def shown_by(self, seat: int) -> int:
        return self.shown[seat]

    def strength(self, seat: int) -> int:
        return self.shown[seat] + sum(self.dice[seat])

    def begin_round(self) -> None:
        """Clear the table of the last round; its cards are out of play."""
        self.gone.extend(card for card in self.shown if card)
        self.shown = [0] * self.seats
        self.dice = [()] * self.seats
        self.round += 1

    def draw(self, seat: int) -> None:
        if self.deck:
            card = self.deck.pop(0)
            insort(self.hands[seat], card)
            self.tell_apart((seat,), Drew(seat, card), Drew(seat, 0))

    def scores(self) -> tuple[int, ...]:
        """Per seat; the seats of a team have their sum."""
        taken, scores = self.taken, [0] * self.seats
        for side in self.sides:
            for seat in side:
                scores[seat] = sum(taken[each] for each in side)
        return tuple(scores)

    def ranks(self) -> tuple[int, ...]:
        """
        By score, ties equal; a side counts once: two winners leave the others second, not third.
        """
        scores = self.scores()
        by_side = [scores[side[0]] for side in self.sides]
        return tuple(1 + sum(1 for other in by_side if other > score) for score in scores)

    def end(self) -> None:
        self.tell(Ended(self.scores(), self.ranks()))

    def outcome(self) -> Outcome | None:
        if self.stack:
            return None
        return Outcome(self.ranks(), self.scores(), "points")

    def view(self, seat: int) -> View:
        return View(
            viewer=seat,
            seats=self.seats,
            teams=self.teams,
            rounds=self.rounds,
            hills=self.hills,
            round=self.round,
            hand=() if seat == PUBLIC else tuple(self.hands[seat]),
            hand_sizes=tuple(map(len, self.hands)),
            deck_size=len(self.deck),
            shown=tuple(self.shown),
            dice=tuple(self.dice),
            gone=tuple(self.gone),
            taken=tuple(self.taken),
            stack=self.seen_stack(seat),
        )

    def redeal(self, seat: int, seed: str) -> Skirmish:
        return GAME.imagine(self.view(seat), seed)

    def _copy_tables(self, twin: Self) -> None:
        twin.teams = self.teams
        twin.rounds = self.rounds
        twin.round = self.round
        twin.hills = self.hills
        twin.hands = [hand.copy() for hand in self.hands]
        twin.deck = self.deck.copy()
        twin.shown = self.shown.copy()
        twin.dice = self.dice.copy()
        twin.gone = self.gone.copy()
        twin.taken = self.taken.copy()

    def _pack_tables(self) -> Value:
        return (
            self.teams,
            self.rounds,
            self.round,
            self.hills,
            tuple(map(tuple, self.hands)),
            tuple(self.deck),
            tuple(self.shown),
            tuple(self.dice),
            tuple(self.gone),
            tuple(self.taken),
        )


def sides(seats: int, teams: bool) -> tuple[tuple[int, ...], ...]:
    return TEAMS if teams else tuple((seat,) for seat in range(seats))


class SkirmishGame(Game[Skirmish, View]):
    """Skirmish as the engine knows it."""

    facts = Facts(
        game="skirmish",
        rules=Skirmish.RULES,
        seats=(2, 3, 4),
        cards=sha256(pack((HILLS, CARDS_PER_SEAT, HAND))).hexdigest(),
        options={
            "teams": OptionSpec(default=False, says="four seats: 0, 2 against 1, 3"),
            "rounds": OptionSpec(default=5, low=1, high=5, says="how many hills are fought for"),
        },
        kinds={
            "name": Kind(),
            "support": Kind(window=True, paced=True, standing_order=True),
        },
        teams=lambda seats, options: sides(seats, bool(options.get("teams", False))),
        title="Skirmish",
        reasons={"points": "all hills were fought for, and the hills taken were counted"},
    )

    def _start(
        self, seats: int, seed: str, setting: str, options: dict[str, Any], events: bool
    ) -> Skirmish:
        if options["teams"] and seats != 4:
            raise BadOption(f"option teams=true needs four seats, not {seats}")
        s = Skirmish(seats=seats, seed=seed, events=events, **options)
        s.hills = tuple(map(int, chance.shuffled(setting, "setting", map(str, HILLS))))
        s.deck = list(map(int, chance.shuffled(seed, "deck", map(str, deck_list(seats)))))
        for seat in range(seats):
            s.hands[seat] = sorted(s.deck[seat * HAND : (seat + 1) * HAND])
        del s.deck[: seats * HAND]
        sizes = (HAND,) * seats
        for seat in range(seats):
            began = Began(s.hills, tuple(s.hands[seat]), sizes, len(s.deck))
            s.tell_apart((seat,), began)
        s.tell_apart((PUBLIC,), Began(s.hills, (), sizes, len(s.deck)))
        s.stack.append(Match())
        s.run()
        return s

    def brings_to_light(self, event: Any, viewer: int) -> bool:
        return isinstance(event, Shown) or (isinstance(event, Drew) and event.card > 0)

    def imagine(self, view: View, seed: str, events: bool = False) -> Skirmish:
        s = Skirmish(
            seats=view.seats, seed=seed, events=events, teams=view.teams, rounds=view.rounds
        )
        known = {*view.hand, *view.gone, *view.shown}
        unknown = [str(card) for card in deck_list(view.seats) if card not in known]
        sizes = [0 if seat == view.viewer else view.hand_sizes[seat] for seat in range(view.seats)]
        if len(unknown) != sum(sizes) + view.deck_size:
            raise BadView(
                f"{len(unknown)} cards are unseen, {sum(sizes) + view.deck_size} places are hidden"
            )
        dealt = list(map(int, chance.shuffled(seed, "imagine", unknown)))
        for seat, size in enumerate(sizes):
            s.hands[seat] = sorted(dealt[:size])
            del dealt[:size]
        if view.viewer != PUBLIC:
            s.hands[view.viewer] = list(view.hand)
        s.deck = dealt
        s.round, s.hills = view.round, view.hills
        s.shown, s.dice = list(view.shown), list(view.dice)
        s.gone, s.taken = list(view.gone), list(view.taken)
        s.stack = imagine_stack(FRAMES, view.stack, view.viewer)
        s.run()
        return s

    def _unpack(self, seats: int, seed: str, events: bool, tables: Any) -> Skirmish:
        teams, rounds, round_, hills, hands, deck, shown, dice, gone, taken = tables
        s = Skirmish(seats=seats, seed=seed, events=events, teams=teams, rounds=rounds)
        s.round, s.hills = round_, hills
        s.hands, s.deck = list(map(list, hands)), list(deck)
        s.shown, s.dice = list(shown), list(dice)
        s.gone, s.taken = list(gone), list(taken)
        return s


def deck_list(seats: int) -> range:
    """Every card there is: strengths 1 … 8 × seats, one each."""
    return range(1, CARDS_PER_SEAT * seats + 1)


GAME = SkirmishGame()
