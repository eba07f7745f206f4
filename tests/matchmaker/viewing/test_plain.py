"""The difference of two views, applied, gives the second; what is equal is not told."""

import json
from typing import Any, NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from matchmaker.viewing.plain import changed, difference, plain


class Small(NamedTuple):
    card: str
    ff: int


class View(NamedTuple):
    round: int
    hand: tuple[Small, ...]
    piles: tuple[tuple[int, ...], ...]
    result: tuple[int, str] | None
    stack: Any


cards = st.builds(Small, st.sampled_from("abc"), st.integers(-2, 2))
views = st.builds(
    View,
    st.integers(0, 3),
    st.lists(cards, max_size=5).map(tuple),
    st.lists(st.lists(st.integers(0, 3), max_size=4).map(tuple), min_size=2, max_size=3).map(tuple),
    st.none() | st.tuples(st.integers(-1, 1), st.sampled_from("xy")),
    st.integers(),
)


@given(views, views)
def test_a_difference_leads_from_one_view_to_the_next(before: View, now: View) -> None:
    change = json.loads(json.dumps(difference(before, now)))
    start = plain(before)
    kept = json.dumps(start)
    assert changed(start, change) == plain(now)
    assert json.dumps(start) == kept, "the position before stays as it was"


@given(views)
def test_equal_views_have_no_difference(view: View) -> None:
    assert difference(view, view._replace(round=view.round)) is None


def test_a_card_that_leaves_a_hand_is_told_as_such() -> None:
    hand = tuple(Small(name, 1) for name in "abcdef")
    before = View(1, hand, ((), ()), None, 0)
    now = before._replace(hand=(*hand[:2], *hand[3:]), piles=((3,), ()))
    assert difference(before, now) == {"hand": [2, 1, []], "piles": {"0": [[3]]}}


def test_what_is_for_simulators_stays_here() -> None:
    view = View(1, (), ((), ()), None, 7)
    assert "stack" not in plain(view)
    assert difference(view, view._replace(stack=8)) is None
