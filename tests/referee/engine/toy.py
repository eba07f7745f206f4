"""
A toy game for what no shipped game needs: sealed questions with follow-ups of their own.

Each seat bids in secret; a bid of 2 asks the bidder in secret which gift it adds, a bid of 0 asks
nothing more. Seat 0 may then veto, which cancels the auction and gives back what it cost.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from referee.engine import (
    PASS,
    Ask,
    Facts,
    Game,
    Kind,
    Option,
    Outcome,
    Procedure,
    Sealed,
    State,
    Window,
    frame_table,
    imagine_stack,
)
from referee.engine.canonical import Value


@dataclass(kw_only=True)
class Auction(Procedure):
    STEPS = ("pay", "bid", "veto", "close")
    SHOWN = ("price",)

    price: int

    def pay(self, s: Toy) -> None:
        s.purse -= self.price

    def bid(self, s: Toy) -> Bids:
        return Bids(seats=tuple(range(s.seats)))

    def veto(self, s: Toy) -> Veto:
        return Veto(seat=0)

    def close(self, s: Toy) -> None:
        s.closed = True


@dataclass(kw_only=True)
class Bids(Sealed):
    def question(self, s: Toy, seat: int) -> Bid | None:
        return None if seat in s.absent else Bid(seat=seat)

    def reveal(self, s: Toy) -> None:
        s.bids = tuple(self.answers_of(seat) for seat in self.seats)
        s.tell(("bids", s.bids))


@dataclass(kw_only=True)
class Bid(Ask):
    KIND = "bid"
    SHOWN = ("seat",)

    def options(self, s: Toy) -> tuple[Option, ...]:
        return tuple(Option("bid", (n,)) for n in range(3))

    def take(self, s: Toy, option: Option) -> Gift | None:
        (n,) = option.args
        sealed = s.stack[-1]
        assert isinstance(sealed, Bids)
        sealed.answer(self.seat, n)
        return Gift(seat=self.seat) if n == 2 else None


@dataclass(kw_only=True)
class Gift(Ask):
    KIND = "gift"
    SHOWN = ("seat",)

    def options(self, s: Toy) -> tuple[Option, ...]:
        return (Option("gift", ("bread",)), Option("gift", ("salt",)))

    def take(self, s: Toy, option: Option) -> None:
        sealed = s.stack[-1]
        assert isinstance(sealed, Bids)
        sealed.answer(self.seat, option.args[0])


@dataclass(kw_only=True)
class Veto(Window):
    KIND = "veto"
    SHOWN = ("seat", "passes")
    OWN = ("draft",)

    passes: int = 0
    draft: str = ""

    def kind(self, s: Toy) -> str:
        return "confirm" if self.draft else "veto"

    def is_open(self, s: Toy) -> bool:
        return self.passes == 0

    def options(self, s: Toy) -> tuple[Option, ...]:
        return (Option("back"), Option("confirm")) if self.draft else (PASS, Option("veto"))

    def take(self, s: Toy, option: Option) -> None:
        if option == PASS:
            self.passes = 1
        elif option.verb == "veto":
            self.draft = "veto"
        elif option.verb == "back":
            self.draft = ""
        else:
            auction = s.unwind(Auction)
            s.purse += auction.price


FRAMES = frame_table(Auction, Bids, Bid, Gift, Veto)


class Toy(State):
    GAME = "toy"
    RULES = "1"
    FRAMES = FRAMES

    def __init__(self, *, seats: int, seed: str, events: bool) -> None:
        super().__init__(seats=seats, seed=seed, events=events)
        self.purse = 10
        self.closed = False
        self.bids: tuple[Value, ...] = ()
        self.absent: tuple[int, ...] = ()

    @property
    def sides(self) -> tuple[tuple[int, ...], ...]:
        return tuple((seat,) for seat in range(self.seats))

    def view(self, seat: int) -> Any:
        return (seat, self.purse, self.closed, self.bids, self.absent, self.seen_stack(seat))

    def outcome(self) -> Outcome | None:
        return None if self.stack else Outcome((1,) * self.seats, (0,) * self.seats, "toy")

    def redeal(self, seat: int, seed: str) -> Toy:
        return TOY.imagine(self.view(seat), seed)

    def _copy_tables(self, twin: Self) -> None:
        twin.purse, twin.closed = self.purse, self.closed
        twin.bids, twin.absent = self.bids, self.absent

    def _pack_tables(self) -> Value:
        return (self.purse, self.closed, self.bids, self.absent)


class ToyGame(Game[Toy, Any]):
    facts = Facts(
        game="toy",
        rules="1",
        seats=(2, 3),
        cards="",
        kinds={name: Kind() for name in ("bid", "gift", "veto", "confirm")},
        teams=lambda seats, options: tuple((seat,) for seat in range(seats)),
    )

    def _start(
        self, seats: int, seed: str, setting: str, options: dict[str, Any], events: bool
    ) -> Toy:
        s = Toy(seats=seats, seed=seed, events=events)
        s.stack.append(Auction(price=3))
        s.run()
        return s

    def imagine(self, view: Any, seed: str, events: bool = False) -> Toy:
        viewer, purse, closed, bids, absent, stack = view
        s = Toy(seats=3 if len(absent) else 2, seed=seed, events=events)
        s.purse, s.closed, s.bids, s.absent = purse, closed, bids, absent
        s.stack = imagine_stack(FRAMES, stack, viewer)
        s.run()
        return s

    def _unpack(self, seats: int, seed: str, events: bool, tables: Any) -> Toy:
        s = Toy(seats=seats, seed=seed, events=events)
        s.purse, s.closed, s.bids, s.absent = tables
        return s


TOY = ToyGame()
