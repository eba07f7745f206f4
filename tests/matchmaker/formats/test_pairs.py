"""Drawing a round: each thing that speaks against a pair, alone."""

from collections import Counter

import pytest

from matchmaker.formats import pairs
from matchmaker.formats.pairs import Standing


def bot(
    name: str,
    points: int = 0,
    *,
    met: str = "",
    byes: int = 0,
    given: int = 0,
    floated: bool = False,
    seats: tuple[int, ...] = (0, 0),
    last_seat: int = -1,
    single: bool = False,
) -> Standing:
    return Standing(
        bot=name,
        points=points,
        met=Counter(met),
        byes=byes,
        given=given,
        floated=floated,
        seats=seats,
        last_seat=last_seat,
        seat_matters=single,
    )


def drawn(*bots: Standing) -> set[str]:
    """Names of each pair, and of who sits out."""
    found, out = pairs.draw_pairs(bots, "lot")
    return {"".join(sorted(pair)) for pair in found} | ({out} if out else set())


def test_a_second_bye_is_worse_than_a_second_meeting() -> None:
    assert "c" not in drawn(bot("a", 4), bot("b", 4), bot("c", 0, byes=1))
    all_met = bot("a", met="bc", byes=1), bot("b", met="ac"), bot("c", met="ab", byes=1)
    assert drawn(*all_met) == {"ac", "b"}


def test_a_second_meeting_is_worse_than_any_float() -> None:
    bots = bot("a", 8, met="b"), bot("b", 8, met="a"), bot("c", 0), bot("d", 0)
    assert "ab" not in drawn(*bots)


def test_who_was_given_a_meeting_sits_out_after_those_who_were_not() -> None:
    assert "c" in drawn(bot("a", 4), bot("b", 4), bot("c", 0))
    assert "c" not in drawn(bot("a", 4), bot("b", 4), bot("c", 0, given=1))


def test_who_sits_out_is_of_the_lowest_score_though_that_makes_a_float() -> None:
    assert "e" in drawn(bot("a", 4), bot("b", 4), bot("c", 4), bot("d", 0), bot("e", 0))


def test_who_floated_down_last_does_not_again() -> None:
    """Of three on top the last goes down, unless it did so before."""
    assert drawn(bot("a", 4), bot("b", 4), bot("c", 4), bot("d", 2)) == {"ab", "cd"}
    again = bot("c", 4, floated=True)
    assert drawn(bot("a", 4), bot("b", 4), again, bot("d", 2)) == {"ac", "bd"}


def test_small_floats_are_better_than_one_large_one() -> None:
    assert drawn(bot("a", 6), bot("b", 4), bot("c", 2), bot("d", 0)) == {"ab", "cd"}


def test_two_who_have_had_a_seat_twice_too_often_do_not_meet_in_a_single_match() -> None:
    one, other = (2, 0), (0, 2)
    bots = [
        bot("a", 4, seats=one, single=True), bot("b", 4, seats=one, single=True),
        bot("c", 0, seats=other, single=True), bot("d", 0, seats=other, single=True),
    ]  # fmt: skip
    assert drawn(*bots) in ({"ac", "bd"}, {"ad", "bc"})
    assert drawn(*(each.__class__(**{**vars(each), "seat_matters": False}) for each in bots)) == {
        "ab",
        "cd",
    }


def test_a_seat_once_too_often_weighs_less_than_points_and_more_than_order() -> None:
    one, other = (1, 0), (0, 1)
    apart = [
        bot("a", 4, seats=one, single=True), bot("b", 4, seats=one, single=True),
        bot("c", 0, seats=other, single=True), bot("d", 0, seats=other, single=True),
    ]  # fmt: skip
    assert drawn(*apart) == {"ab", "cd"}
    level = [
        bot("a", seats=one, single=True), bot("c", seats=other, single=True),
        bot("b", seats=one, single=True), bot("d", seats=other, single=True),
    ]  # fmt: skip
    assert drawn(*level) in ({"ac", "bd"}, {"ad", "bc"})


def test_a_seat_goes_to_who_has_had_it_less_often() -> None:
    a, b = bot("a", seats=(3, 1), last_seat=1), bot("b", seats=(2, 2), last_seat=0)
    assert pairs.seat([a, b], "lot") == ("b", "a")


def test_of_equal_seats_the_last_one_is_changed() -> None:
    a, b = bot("a", seats=(1, 1), last_seat=0), bot("b", seats=(1, 1), last_seat=1)
    assert pairs.seat([a, b], "lot") == ("b", "a")
    a, b = bot("a", seats=(1, 1), last_seat=1), bot("b", seats=(1, 1), last_seat=0)
    assert pairs.seat([a, b], "lot") == ("a", "b")


@pytest.mark.parametrize("lot", range(4))
def test_where_nothing_else_decides_the_lot_does(lot: int) -> None:
    fresh = [bot("a"), bot("b")]
    seen = {pairs.seat(fresh, f"{lot}{n}") for n in range(20)}
    assert seen == {("a", "b"), ("b", "a")}


def test_groups_change_bots_so_that_those_who_have_met_part() -> None:
    bots = [
        bot("a", 6, met="bc"), bot("b", 6, met="ac"), bot("c", 6, met="ab"),
        bot("d", 4), bot("e", 4), bot("f", 4), bot("g", 0), bot("h", 0), bot("i", 0),
    ]  # fmt: skip
    groups, out = pairs.draw_groups(bots, 3, "lot")
    assert out == ()
    assert all(len(set(group) & set("abc")) == 1 for group in groups)


def test_of_a_surplus_those_with_fewest_byes_then_points_sit_out() -> None:
    bots = [bot("a", 6), bot("b", 4), bot("c", 2), bot("d", 0, given=1), bot("e", 0, byes=1)]
    groups, out = pairs.draw_groups(bots, 3, "lot")
    assert out == ("b", "c")
    assert groups == [("a", "d", "e")]
