"""Playing cards for effect, and the reaction windows that answer (§3.2, §7, §8.6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.engine import PASS, Frame, Option, Window
from referee.games.stalingrad import events
from referee.games.stalingrad.board import OFF
from referee.games.stalingrad.costs import Paying, Payment
from referee.games.stalingrad.effects import OPS
from referee.games.stalingrad.targets import choices, is_worth_asking, payable, playable_kinds
from referee.games.stalingrad.vocabulary import (
    BATTLE,
    EFFECTS,
    MAIN,
    ON_CARD,
    ON_DESTROYED,
)

if TYPE_CHECKING:
    from referee.games.stalingrad.records import Card, Effect
    from referee.games.stalingrad.state import Stalingrad

DEPTH = 64
"""More cards than this answering one another is a bug in the rules, not a long chain (§7.3)."""


@dataclass(kw_only=True)
class Declaring(Window):
    """
    A question that may be answered with a card and its targets.

    Until the last target is chosen nothing public changes: what has been chosen so far is `begun`,
    which only the player himself knows.
    """

    PUBLIC_OPTIONS = False
    MOMENT = MAIN

    begun: tuple[int | str, ...] = ()
    """(what, number, further numbers): a declaration not yet whole."""

    def card_options(self, s: Stalingrad) -> list[Option]:
        offers = s.book.card_options["play"]
        return [offers[kind] for kind in playable_kinds(s, self.seat, self.moment(), self)]

    def moment(self) -> str:
        """MAIN, or the name of the window."""
        return MAIN

    def target_options(self, s: Stalingrad) -> list[Option]:
        _, played, *bound = self.begun
        assert isinstance(played, int)
        card = s.card(played)
        found = choices(s, self.seat, card, tuple(bound))  # type: ignore[arg-type]  # all numbers
        record = card.targets[len(bound)]
        if record.kind == "force":
            offers = s.book.force_options["target"]
            return [offers[f] for f in found]
        return [Option("target", (s.target_id(record, each),)) for each in found]

    def take_card(self, s: Stalingrad, option: Option) -> CardPlay | None:
        """Begin or go on declaring a card; the card itself once the declaration is whole."""
        if option.verb == "play":
            self.begun = ("play", s.kind_no(self.seat, option))
        else:
            record = s.card(int(self.begun[1])).targets[len(self.begun) - 2]
            self.begun = (*self.begun, s.target_no(record, str(option.args[0])))
        _, played, *targets = self.begun
        assert isinstance(played, int)
        if len(targets) < len(s.card(played).targets):
            return None
        self.begun = ()
        self.declared(s, s.card(played))
        return declare(s, self.seat, played, tuple(map(int, targets)), self.moment())

    def declared(self, s: Stalingrad, card: Card) -> None:
        """A declaration is whole: what that changes for the question itself."""


def declare(s: Stalingrad, seat: int, kind: int, targets: tuple[int, ...], window: str) -> CardPlay:
    """Show a card and its targets (§3.2)."""
    s.leave_hand(seat, kind)
    s.table[seat].append(kind)
    s.plays[s.book.card_of[kind]] += 1
    if s.log is not None:
        s.tell(events.CardPlayed(seat, s.kind_id(kind), s.target_ids(kind, targets), window))
    assert sum(isinstance(frame, CardPlay) for frame in s.stack) < DEPTH, s.where()
    return CardPlay(seat=seat, played=kind, targets=targets)


@dataclass(kw_only=True)
class CardPlay(Paying):
    """A card played for effect: window, payment, effect."""

    STEPS = ("on_card", "pay_cost", "mourn", "begin", "resolve", "leave_table", "end")
    SHOWN = ("seat", "played", "targets", "cancelled", "destroyed", "numbers", "next_op")

    seat: int
    played: int
    targets: tuple[int, ...]
    """Forces, or places in the line, like the record's `targets`."""
    cancelled: bool = False
    numbers: tuple[int, ...] = ()
    """The ops' numbers with what notes and modifiers add, read when the effect begins."""
    next_op: int = 0

    def on_card(self, s: Stalingrad) -> Frame:
        return CardWindow(seat=1 - self.seat, window=ON_CARD)

    def pay_cost(self, s: Stalingrad) -> Frame | None:
        """A cancelled card costs nothing; one that can no longer be paid for is void."""
        costs = s.card(self.played).cost
        can = payable(s, self.seat, costs, len(s.hand[self.seat]))
        if self.cancelled or not can:
            if not self.cancelled and s.log is not None:
                s.tell(events.CardVoid(self.seat, s.kind_id(self.played)))
            s.clear_from("table", self.seat, self.played)
            self.again("end")
            return None
        if not costs:
            return None
        due = tuple((cost.op, cost.params["n"]) for cost in costs)
        return Payment(seat=self.seat, costs=due)

    def mourn(self, s: Stalingrad) -> Frame | None:
        return mourning(self.seat, self.destroyed)

    def begin(self, s: Stalingrad) -> None:
        """Read the numbers and leave the table, except for a search, which cannot fetch itself."""
        card = s.card(self.played)
        numbers = []
        for effect in card.effect:
            word = EFFECTS[effect.op]
            n = effect.params[word.number] if word.number else 0
            if word.note:
                n += s.card_param(self.seat, card.id, word.note)
            numbers.append(n)
        self.numbers = tuple(numbers)
        if card.stay != "none":
            s.put_in_play(self.seat, self.played)
        elif not card.has("search"):
            s.clear_from("table", self.seat, self.played)

    def resolve(self, s: Stalingrad) -> Frame | None:
        """One op after another, in the order of the record."""
        effects = s.card(self.played).effect
        if self.next_op == len(effects):
            return None
        effect, n = effects[self.next_op], self.numbers[self.next_op]
        self.next_op += 1
        self.again("resolve")
        if self.has_lost_its_force(s, effect):
            return None
        return OPS[effect.op](s, self, effect.params, n)

    def has_lost_its_force(self, s: Stalingrad, effect: Effect) -> bool:
        """A Force that the op is about has left the board since it was declared."""
        variables = [each.var for each in s.card(self.played).targets]
        meant = (
            str(effect.params[name]).removesuffix(".loc")
            for name, form in EFFECTS[effect.op].params.items()
            if form in ("force", "mover", "loc")
        )
        return any(
            s.card(self.played).targets[variables.index(var)].kind == "force"
            and s.area_of[self.target(s, var)] == OFF
            for var in meant
            if var in variables
        )

    def leave_table(self, s: Stalingrad) -> None:
        card = s.card(self.played)
        if card.has("search") and card.stay == "none":
            s.clear_from("table", self.seat, self.played)

    def end(self, s: Stalingrad) -> None:
        if s.log is not None:
            s.tell(events.CardDone(self.seat, s.kind_id(self.played)))

    def target(self, s: Stalingrad, var: str) -> int:
        """The Force or place that a variable of the record stands for."""
        names = [each.var for each in s.card(self.played).targets]
        return self.targets[names.index(var)]

    def place(self, s: Stalingrad, var: str) -> int:
        """The place of `L`, or of `T.loc`."""
        if var.endswith(".loc"):
            return s.area_of[self.target(s, var.removesuffix(".loc"))] // 2
        return self.target(s, var)


@dataclass(kw_only=True)
class CardWindow(Declaring):
    """
    A reaction window: a card or a pass, again and again until it closes (§7.1, §7.2).

    It opens for a player only if the public predicate Q holds, evaluated anew before each question,
    and then asks him whatever he holds.
    """

    SHOWN = ("seat", "window", "passes", "batch", "answered", "closed")
    OWN = ("begun",)

    window: str
    passes: int = 0
    """In succession."""
    batch: int = 0
    """ON_DESTROYED: Forces destroyed."""
    answered: int = 0
    """ON_DESTROYED: cards played that answer a destroyed Force, cancelled ones too."""
    closed: bool = False

    @property
    def left(self) -> int:
        """ON_DESTROYED: Forces destroyed that no card has answered."""
        return max(0, self.batch - self.answered)

    def kind(self, s: Stalingrad) -> str:
        return "target" if self.begun else self.window.lower()

    def moment(self) -> str:
        return self.window

    def is_open(self, s: Stalingrad) -> bool:
        if self.begun:
            return True
        if self.window == BATTLE:
            return self.passes < 2
        return (
            not self.closed and not self.passes and is_worth_asking(s, self.seat, self.window, self)
        )

    def options(self, s: Stalingrad) -> list[Option]:
        if self.begun:
            return self.target_options(s)
        return [PASS, *self.card_options(s)]

    def forced(self, s: Stalingrad) -> Option | None:
        """A single target; in BATTLE, where the turn goes on to the other, a pass if Q fails."""
        if self.begun:
            offered: tuple[Option, ...] = s.offered(self)
            return offered[0] if len(offered) == 1 else None
        if self.window == BATTLE and not is_worth_asking(s, self.seat, BATTLE, self):
            return PASS
        return None

    def take(self, s: Stalingrad, option: Option) -> Frame | None:
        if option == PASS:
            if s.log is not None:
                s.tell(events.Passed(self.seat, self.window))
            self.passes += 1
            if self.window == BATTLE:
                self.seat = 1 - self.seat
            return None
        return self.take_card(s, option)

    def take_card(self, s: Stalingrad, option: Option) -> CardPlay | None:
        played = super().take_card(s, option)
        if played is not None and self.window == BATTLE:
            self.passes = 0
            self.seat = 1 - self.seat
        return played

    def declared(self, s: Stalingrad, card: Card) -> None:
        if any(each.op == "own_force_destroyed" for each in card.condition):
            self.answered += 1


@dataclass(kw_only=True)
class Levy(Paying):
    """What an effect takes from a side, with ON_DESTROYED if that costs it Forces."""

    STEPS = ("pay", "mourn")
    SHOWN = ("seat", "costs", "destroyed")

    seat: int
    costs: tuple[tuple[str, int], ...]

    def pay(self, s: Stalingrad) -> Frame:
        return Payment(seat=self.seat, costs=self.costs)

    def mourn(self, s: Stalingrad) -> Frame | None:
        return mourning(self.seat, self.destroyed)


def mourning(seat: int, destroyed: int) -> CardWindow | None:
    """ON_DESTROYED for the owner, if an absorb or a cost has destroyed Forces of his."""
    if not destroyed:
        return None
    return CardWindow(seat=seat, window=ON_DESTROYED, batch=destroyed)
