"""The stack: sealed answers with follow-ups, windows, cancelling, and what a viewer is shown."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from referee.engine import PUBLIC, Ask, Frame, Procedure, frame_table
from referee.engine.errors import BadSave, IllegalChoice, RulesBug
from tests.referee.engine.toy import TOY, Auction, Bids, Toy, Veto


def start() -> Toy:
    return TOY.start(seats=2, seed="toy")


def do(s: Toy, seat: int, text: str) -> None:
    s.choose(seat, [str(option) for option in s.options(seat)].index(text))


def to_veto() -> Toy:
    s = start()
    do(s, 0, "bid 1")
    do(s, 1, "bid 0")
    return s


def test_a_sealed_window_asks_all_seats_at_once() -> None:
    s = start()
    assert s.asked() == (0, 1)
    assert [s.kind(seat) for seat in (0, 1)] == ["bid", "bid"]


def test_a_seat_gets_a_follow_up_while_the_other_is_still_asked_its_first() -> None:
    s = start()
    do(s, 1, "bid 2")
    assert s.asked() == (0, 1)
    assert [s.kind(seat) for seat in (0, 1)] == ["bid", "gift"]
    do(s, 1, "gift salt")
    assert s.asked() == (0,)
    assert s.bids == ()
    do(s, 0, "bid 2")
    do(s, 0, "gift bread")
    assert s.bids == ((2, "bread"), (2, "salt"))
    assert s.events(0) == (("bids", ((2, "bread"), (2, "salt"))),)


def test_who_is_done_in_a_sealed_window_is_known_to_himself_alone() -> None:
    s = start()
    assert s.seen_asked(PUBLIC) == s.seen_asked(0) == s.seen_asked(1) == (0, 1)
    do(s, 1, "bid 0")
    assert s.asked() == (0,)
    assert s.seen_asked(PUBLIC) == s.seen_asked(0) == (0, 1)
    assert s.seen_asked(1) == (0,)


@pytest.mark.parametrize("orders", [(0, 1, 1), (1, 0, 1), (1, 1, 0)])
def test_sealed_answers_give_the_same_position_in_any_order(orders) -> None:
    answers = {0: ["bid 1"], 1: ["bid 2", "gift salt"]}
    s = start()
    for seat in orders:
        do(s, seat, answers[seat].pop(0))
    assert s.bids == ((1,), (2, "salt"))


def test_what_another_has_begun_in_secret_shows_nowhere() -> None:
    untouched, begun = start(), start()
    do(begun, 1, "bid 2")
    for viewer in (0, PUBLIC):
        assert begun.view(viewer) == untouched.view(viewer)
    assert begun.view(1) != untouched.view(1)
    do(begun, 1, "gift salt")
    assert begun.view(0) == untouched.view(0)


def test_an_imagined_state_asks_anew_whoever_has_begun_in_secret() -> None:
    s = start()
    do(s, 1, "bid 2")
    twin = s.redeal(0, "k")
    assert twin.asked() == (0, 1)
    assert twin.kind(1) == "bid"
    own = s.redeal(1, "k")
    assert own.kind(1) == "gift"
    assert own.view(1) == s.view(1)
    assert own.options(1) == s.options(1)


def test_a_seat_that_a_sealed_window_asks_nothing_is_passed_over() -> None:
    s = Toy(seats=3, seed="", events=True)
    s.absent = (1,)
    s.stack.append(Auction(price=0))
    s.run()
    assert s.asked() == (0, 2)
    do(s, 0, "bid 0")
    do(s, 2, "bid 0")
    assert s.bids == ((0,), (), (0,))


def test_a_declaration_not_yet_whole_is_seen_by_its_own_seat_alone() -> None:
    s = to_veto()
    before = {viewer: s.view(viewer) for viewer in (PUBLIC, 0, 1)}
    do(s, 0, "veto")
    assert s.kind(0) == "confirm"
    assert s.view(1) == before[1]
    assert s.view(PUBLIC) == before[PUBLIC]
    assert s.view(0) != before[0]
    assert s.redeal(1, "k").kind(0) == "veto"
    assert s.redeal(0, "k").kind(0) == "confirm"


def test_a_cancelled_procedure_gives_back_what_it_took() -> None:
    s = to_veto()
    assert s.purse == 7
    do(s, 0, "veto")
    do(s, 0, "confirm")
    assert (s.purse, s.closed, s.stack, s.asked()) == (10, False, [], ())


def test_a_window_asks_again_until_it_closes() -> None:
    s = to_veto()
    do(s, 0, "veto")
    do(s, 0, "back")
    assert s.kind(0) == "veto"
    do(s, 0, "pass")
    assert (s.closed, s.asked()) == (True, ())


def test_a_clone_shares_nothing_that_changes() -> None:
    s = start()
    do(s, 1, "bid 2")
    twin = s.clone()
    saved = s.save()
    assert twin == s
    assert twin.events(0) == ()
    do(twin, 1, "gift salt")
    do(twin, 0, "bid 0")
    assert s.save() == saved
    assert s.kind(1) == "gift"


@pytest.mark.parametrize("moves", [[], [(1, "bid 2")], [(1, "bid 2"), (1, "gift salt")]])
def test_a_sealed_window_is_saved_in_the_middle(moves) -> None:
    s = start()
    for move in moves:
        do(s, *move)
    again = TOY.load(s.save())
    assert again == s
    assert again.asked() == s.asked()
    assert again.digest() == s.digest()
    assert [again.options(seat) for seat in (0, 1)] == [s.options(seat) for seat in (0, 1)]


def test_other_bytes_are_refused_in_one_line() -> None:
    s = start()
    for data in (b"", b"rubbish", s.save()[:-4], b"\x01"):
        with pytest.raises(BadSave):
            TOY.load(data)


def test_an_answer_to_a_seat_that_is_done_is_refused() -> None:
    s = start()
    do(s, 0, "bid 0")
    with pytest.raises(IllegalChoice, match="seat 0 is not asked; asked are \\[1\\]"):
        s.choose(0, 0)
    with pytest.raises(IllegalChoice):
        s.default(0)


def test_where_prints_the_stack() -> None:
    assert start().where() == "Auction@bid > Bids"


def test_unwinding_to_a_frame_that_is_not_there_is_our_bug() -> None:
    with pytest.raises(RulesBug, match="no Veto is running"):
        start().unwind(Veto)


def test_a_procedure_that_never_asks_is_our_bug() -> None:
    s = start()
    s.stack = [Loop()]
    with pytest.raises(RulesBug, match="no question after"):
        s.run()


@dataclass(kw_only=True)
class Loop(Procedure):
    STEPS = ("round",)

    def round(self, s: Toy) -> None:
        self.again("round")


@dataclass(kw_only=True)
class Missing(Procedure):
    STEPS = ("nowhere",)


@dataclass(kw_only=True)
class Undeclared(Frame):
    secret: int = 0


@dataclass(kw_only=True)
class NoDefault(Frame):
    SECRET = ("secret",)
    secret: int


@dataclass(kw_only=True)
class HiddenSeat(Ask):
    OWN = ("seat",)


@pytest.mark.parametrize(
    ("frame", "says"),
    [
        (Missing, "no step 'nowhere'"),
        (Undeclared, "audiences declared"),
        (NoDefault, "needs a default"),
        (HiddenSeat, "must show its seat"),
    ],
)
def test_a_frame_that_does_not_say_who_may_see_it_is_refused(frame, says) -> None:
    with pytest.raises(RulesBug, match=says):
        frame_table(frame)


def test_two_frames_of_one_name_are_refused() -> None:
    twin = type("Bids", (Bids,), {})
    with pytest.raises(RulesBug, match="two frames"):
        frame_table(Bids, twin)
